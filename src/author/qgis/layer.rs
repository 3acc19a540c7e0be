//! The text of layer files (`.qlr`) and styles (`.qml`), as QGIS 3.14 and later read them.

use std::fmt::Write;

use super::ramp::Colours;
use super::reference_system::ReferenceSystem;
use super::times::Time;

/// The beginning of every file that is written here. When QGIS writes over one it leaves this out: the file is then the
/// user's.
pub(super) const MARK: &str =
    "<!-- Made by cfa qgis, which replaces this file without asking while this line is here. -->\n";

/// The modes of a raster layer's time: a range for the layer, or (since QGIS 3.38) one for each band.
const RANGE_OF_LAYER: u8 = 0;
const RANGE_PER_BAND: u8 = 3;

const WGS84: &str = r#"GEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563,LENGTHUNIT["metre",1]]],PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]],CS[ellipsoidal,2],AXIS["geodetic latitude (Lat)",north,ORDER[1],ANGLEUNIT["degree",0.0174532925199433]],AXIS["geodetic longitude (Lon)",east,ORDER[2],ANGLEUNIT["degree",0.0174532925199433]],USAGE[SCOPE["unknown"],AREA["World"],BBOX[-90,-180,90,180]],ID["EPSG",4326]]"#;

/// How a variable is shown.
pub(super) struct Picture {
    /// What QGIS opens, relative to the layer file.
    pub(super) source: String,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) units: String,
    pub(super) colours: Colours,
    pub(super) reference_system: Option<ReferenceSystem>,
    pub(super) times: Vec<Time>,
    pub(super) layer_per_time: bool,
}

/// A layer of a layer file.
struct Layer {
    id: String,
    name: String,
    band: u64,
    temporal: String,
}

impl Picture {
    /// Returns the layer file.
    pub(super) fn layer_file(&self) -> String {
        let layers = self.layers();
        let mut tree = String::new();
        match layers.as_slice() {
            [only] => tree += &self.leaf(only, true),
            [first, rest @ ..] => {
                // The legend of the first layer is that of all.
                let rest: String = rest.iter().map(|layer| self.leaf(layer, false)).collect();
                let others = group(&format!("{}: the other times", self.name), false, &rest);
                tree += &group(&self.name, true, &(self.leaf(first, true) + &others));
            }
            [] => {}
        }
        let mut text = format!("{MARK}<qlr>\n{}<maplayers>\n", group("", true, &tree));
        layers.iter().for_each(|layer| text += &self.layer(layer));
        text + "</maplayers>\n</qlr>\n"
    }

    /// Returns the default style of the raster, with everything that its layers have in common.
    pub(super) fn style_file(&self) -> String {
        let temporal = self.ranges_per_band();
        let pipe = self.pipe(self.first_band());
        format!("{MARK}<qgis styleCategories=\"AllStyleCategories\">\n{temporal}{pipe}</qgis>\n")
    }

    fn first_band(&self) -> u64 {
        self.times.first().map_or(1, |time| time.band)
    }

    fn layers(&self) -> Vec<Layer> {
        if !self.layer_per_time {
            let temporal = self.ranges_per_band();
            return vec![Layer {
                id: "cfa_1".into(),
                name: self.name.clone(),
                band: self.first_band(),
                temporal,
            }];
        }
        let of_time = |time: &Time| Layer {
            id: format!("cfa_{}", time.band),
            name: format!(
                "{} {}",
                self.name,
                time.begin().trim_end_matches('Z').replace('T', " ").trim_end_matches(" 00:00:00")
            ),
            band: time.band,
            temporal: range_of_layer(&time.begin(), &time.last()),
        };
        self.times.iter().map(of_time).collect()
    }

    /// Returns the times of a layer that shows one band after the other.
    fn ranges_per_band(&self) -> String {
        match self.times.as_slice() {
            [] => String::new(),
            [only] => range_of_layer(&only.begin(), &only.last()),
            times => {
                let mut text =
                    format!("<temporal enabled=\"1\" mode=\"{RANGE_PER_BAND}\" fetchMode=\"0\">\n<ranges>\n");
                for time in times {
                    let (band, begin, end) = (time.band, time.begin(), time.end());
                    let _ = writeln!(
                        text,
                        "<range band=\"{band}\" begin=\"{begin}\" end=\"{end}\" includeBeginning=\"1\" includeEnd=\"0\"/>"
                    );
                }
                text + "</ranges>\n</temporal>\n"
            }
        }
    }

    /// Returns a layer as the legend lists it.
    fn leaf(&self, layer: &Layer, expanded: bool) -> String {
        format!(
            "<layer-tree-layer id=\"{}\" name=\"{}\" source=\"{}\" providerKey=\"gdal\" checked=\"Qt::Checked\" \
             expanded=\"{}\"/>\n",
            layer.id,
            escaped(&layer.name),
            escaped(&self.source),
            u8::from(expanded)
        )
    }

    fn layer(&self, layer: &Layer) -> String {
        format!(
            "<maplayer type=\"raster\" hasScaleBasedVisibilityFlag=\"0\">\n<id>{}</id>\n<datasource>{}</datasource>\n\
             <layername>{}</layername>\n{}<resourceMetadata><title>{}</title></resourceMetadata>\n\
             <provider>gdal</provider>\n{}{}</maplayer>\n",
            layer.id,
            escaped(&self.source),
            escaped(&layer.name),
            self.reference_system.as_ref().map(reference_system).unwrap_or_default(),
            escaped(&self.title),
            layer.temporal,
            self.pipe(layer.band)
        )
    }

    /// Returns the renderer, which maps values to colours.
    fn pipe(&self, band: u64) -> String {
        let Colours { low, high, stops, .. } = self.colours;
        let (first, last) = (stops[0], stops[stops.len() - 1]);
        let share = |i: usize| i as f64 / (stops.len() - 1) as f64;
        let inner: Vec<String> =
            (1..stops.len() - 1).map(|i| format!("{};{}", number(share(i)), channels(stops[i]))).collect();
        let mut items = String::new();
        for (i, colour) in stops.iter().enumerate() {
            // Not low + (high - low) * share, which is not always high at the end, nor always finite.
            let value = low * (1.0 - share(i)) + high * share(i);
            let _ = writeln!(
                items,
                "<item value=\"{}\" label=\"{}\" color=\"#{colour:06x}\" alpha=\"255\"/>",
                number(value),
                escaped(&self.label(value))
            );
        }
        format!(
            "<pipe>\n<provider/>\n<rasterrenderer type=\"singlebandpseudocolor\" band=\"{band}\" opacity=\"1\" \
             alphaBand=\"-1\" classificationMin=\"{low}\" classificationMax=\"{high}\">\n\
             <minMaxOrigin><limits>None</limits><extent>WholeRaster</extent><statAccuracy>Estimated</statAccuracy>\
             </minMaxOrigin>\n<rastershader>\n<colorrampshader colorRampType=\"INTERPOLATED\" classificationMode=\"1\" \
             clip=\"0\" minimumValue=\"{low}\" maximumValue=\"{high}\" labelPrecision=\"6\">\n\
             <colorramp type=\"gradient\" name=\"[source]\"><Option type=\"Map\">\
             <Option name=\"color1\" type=\"QString\" value=\"{}\"/><Option name=\"color2\" type=\"QString\" \
             value=\"{}\"/><Option name=\"discrete\" type=\"QString\" value=\"0\"/><Option name=\"rampType\" \
             type=\"QString\" value=\"gradient\"/><Option name=\"stops\" type=\"QString\" value=\"{}\"/></Option>\
             </colorramp>\n{items}{}</colorrampshader>\n</rastershader>\n</rasterrenderer>\n</pipe>\n\
             <blendMode>0</blendMode>\n",
            channels(first),
            channels(last),
            inner.join(":"),
            self.legend(),
            low = number(low),
            high = number(high),
        )
    }

    /// Returns the settings of the legend: numbers with units.
    fn legend(&self) -> String {
        let suffix = if self.units.is_empty() { String::new() } else { format!(" {}", escaped(&self.units)) };
        let (format, decimals) = match self.colours.decimals {
            Some(decimals) => ("basic", decimals),
            None => ("scientific", 3),
        };
        format!(
            "<rampLegendSettings useContinuousLegend=\"1\" orientation=\"2\" direction=\"0\" minimumLabel=\"\" \
             maximumLabel=\"\" prefix=\"\" suffix=\"{suffix}\"><numericFormat id=\"{format}\"><Option type=\"Map\">\
             <Option name=\"decimals\" type=\"int\" value=\"{decimals}\"/><Option name=\"show_thousand_separator\" \
             type=\"bool\" value=\"false\"/></Option></numericFormat></rampLegendSettings>\n"
        )
    }

    fn label(&self, value: f64) -> String {
        let text = match self.colours.decimals {
            Some(decimals) => format!("{value:.decimals$}", decimals = decimals + 1),
            None => format!("{value:.3e}"),
        };
        format!("{text} {}", self.units).trim_end().to_owned()
    }
}

/// Returns a reference system in all forms that QGIS looks for.
fn reference_system(system: &ReferenceSystem) -> String {
    let content = match system {
        ReferenceSystem::Wgs84 => format!(
            "<wkt>{}</wkt><proj4>+proj=longlat +datum=WGS84 +no_defs</proj4><srsid>3452</srsid><srid>4326</srid>\
             <authid>EPSG:4326</authid><description>WGS 84</description><geographicflag>true</geographicflag>",
            escaped(WGS84)
        ),
        ReferenceSystem::Wkt(text) => format!("<wkt>{}</wkt>", escaped(text)),
        ReferenceSystem::Proj(text) => format!("<proj4>{}</proj4>", escaped(text)),
        ReferenceSystem::Listed(name) => format!("<authid>{}</authid>", escaped(name)),
    };
    format!("<srs><spatialrefsys nativeFormat=\"Wkt\">{content}</spatialrefsys></srs>\n")
}

fn group(name: &str, expanded: bool, content: &str) -> String {
    format!(
        "<layer-tree-group name=\"{}\" checked=\"Qt::Checked\" expanded=\"{}\">\n{content}</layer-tree-group>\n",
        escaped(name),
        u8::from(expanded)
    )
}

fn range_of_layer(begin: &str, last: &str) -> String {
    format!(
        "<temporal enabled=\"1\" mode=\"{RANGE_OF_LAYER}\" fetchMode=\"0\"><fixedRange><start>{begin}</start>\
         <end>{last}</end></fixedRange></temporal>\n"
    )
}

/// Returns a number as text that reads back as the same number.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 | 1e-5..1e15 => value.to_string(),
        _ => format!("{value:e}"),
    }
}

fn channels(colour: u32) -> String {
    format!("{},{},{},255", colour >> 16, colour >> 8 & 0xff, colour & 0xff)
}

/// Escapes a text for XML, as an attribute or between tags. Characters that XML does not allow are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&apos;",
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_files_cannot_leave_their_place() {
        assert_eq!(escaped("a\"b'<c>&d\n\u{1}é"), "a&quot;b&apos;&lt;c&gt;&amp;d \u{fffd}é");
    }

    #[test]
    fn numbers_read_back_as_themselves() {
        for value in [0.0, 225.0, 0.1, -3.2e-4, 1e-30, 1.7e308, 5e-324] {
            assert_eq!(number(value).parse(), Ok(value));
        }
        assert_eq!(number(1e-30), "1e-30");
    }
}
