//! Colours that fit a variable, and the range that they span.

/// A colour ramp over a range of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Colours {
    /// The value of the first colour.
    pub low: f64,
    /// The value of the last colour.
    pub high: f64,
    /// Colours at equal distances, as red, green and blue.
    pub stops: &'static [u32],
    /// The digits after the point that the ends of the range need; `None` for numbers that are not written out.
    pub decimals: Option<usize>,
}

/// From cold to warm.
const TEMPERATURE: &[u32] =
    &[0x2c_2a72, 0x35_5fa8, 0x4f_9ccb, 0x8f_d0d6, 0xd9_ecc3, 0xf8_e08a, 0xf3_ae5b, 0xdd_6a43, 0xa3_1621];
/// From dry to wet.
const WATER: &[u32] = &[0xf7_fbff, 0xd3_e5f3, 0xa3_cce3, 0x64_a9d3, 0x35_80ba, 0x14_5899, 0x08_306b];
/// On both sides of zero.
const DIVERGING: &[u32] =
    &[0x2d_5a9e, 0x5f_92c6, 0xa3_c8e1, 0xdc_e9f2, 0xf7_f7f7, 0xfb_e0d2, 0xee_ab8c, 0xcf_6354, 0x9e_1c33];
/// For everything else. Lighter is more, which colour-blind people see too.
const PLAIN: &[u32] =
    &[0x42_0f54, 0x44_3a82, 0x35_618d, 0x26_838e, 0x20_a486, 0x4c_c26c, 0xa2_da37, 0xfd_e725];

/// Words in standard names of amounts of water.
const WET: [&str; 6] = ["precipitation", "rainfall", "snowfall", "humidity", "moisture", "cloud"];
const DEGREES: [&str; 8] =
    ["degC", "degreesC", "degrees_C", "degree_C", "degrees_Celsius", "degree_Celsius", "celsius", "Celsius"];

/// A range around zero has zero in its middle if its smaller side is at least this fraction of the larger one.
const LOPSIDED: f64 = 0.2;

/// Returns the colours for a variable whose values lie in this range. The range grows to round numbers.
pub fn fitting(standard_name: &str, units: &str, low: f64, high: f64) -> Colours {
    let is_celsius = DEGREES.contains(&units);
    let is_diverging = low < 0.0 && high > 0.0 && (-low).min(high) >= LOPSIDED * high.max(-low);
    let (low, high, stops) = if is_diverging && !is_celsius {
        let most = high.max(-low);
        (-most, most, DIVERGING)
    } else if is_celsius || units == "K" || standard_name.ends_with("temperature") {
        (low, high, TEMPERATURE)
    } else if WET.iter().any(|word| standard_name.contains(word)) {
        (low, high, WATER)
    } else {
        (low, high, PLAIN)
    };
    rounded(low, high, stops)
}

fn rounded(low: f64, high: f64, stops: &'static [u32]) -> Colours {
    let span = high - low;
    // For equal values, and for a range that doubles cannot represent, any range around them serves.
    if !span.is_finite() || span <= low.abs().max(high.abs()) * 1e-12 || span < 1e-290 {
        let about = if low.abs() < 1e-290 { 1.0 } else { low.abs() * 0.1 };
        let (low, high) =
            if span.is_finite() { (low - about, high + about) } else { (low / 2.0, high / 2.0) };
        return Colours { low, high, stops, decimals: None };
    }
    let power = (span / 20.0).log10().floor();
    let unit = 10f64.powi(power as i32);
    let factor =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * unit >= span / 20.0).unwrap_or(10.0);
    let power = if factor == 10.0 { power + 1.0 } else { power };
    let decimals = (0.0..=6.0).contains(&-power.min(0.0)).then_some(-power.min(0.0) as usize);
    // A multiple of 0.1 has more digits than people write: 3 * 0.1 is 0.30000000000000004.
    let round = |value: f64| {
        let text = match decimals {
            Some(decimals) => format!("{value:.decimals$}"),
            None => format!("{value:e}"),
        };
        text.parse().unwrap_or(value)
    };
    let step = factor * unit;
    let (low, high) = (round((low / step).floor() * step), round((high / step).ceil() * step));
    Colours { low, high, stops, decimals: decimals.filter(|_| low.abs().max(high.abs()) < 1e7) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_fit_the_quantity() {
        assert_eq!(fitting("air_temperature", "K", 228.3, 305.9).stops, TEMPERATURE);
        assert_eq!(fitting("", "degC", -20.0, 30.0).stops, TEMPERATURE);
        assert_eq!(fitting("eastward_wind", "m s-1", -12.0, 31.0).stops, DIVERGING);
        assert_eq!(fitting("air_temperature", "K", -3.0, 2.0).stops, DIVERGING);
        assert_eq!(fitting("precipitation_flux", "kg m-2 s-1", 0.0, 3e-4).stops, WATER);
        assert_eq!(fitting("geopotential_height", "m", -30.0, 5800.0).stops, PLAIN);
    }

    #[test]
    fn ranges_are_round_and_hold_the_values() {
        let range = |low, high| {
            let colours = fitting("", "", low, high);
            (colours.low, colours.high, colours.decimals)
        };
        assert_eq!(range(228.3, 305.9), (225.0, 310.0, Some(0)));
        assert_eq!(range(0.123, 0.987), (0.1, 1.0, Some(2)));
        assert_eq!(range(0.0, 3.1e-4), (0.0, 3.2e-4, Some(5)));
        assert_eq!(range(-12.0, 31.0), (-35.0, 35.0, Some(0)));
        assert_eq!(range(1e-12, 2e-12).2, None);
        for (low, high) in [(3.0, 3.0), (0.0, 0.0), (-1e308, 1e308), (1e300, 1.0000001e300), (5e-324, 1e-323)]
        {
            let (a, b, _) = range(low, high);
            assert!(a < b && a.is_finite() && b.is_finite(), "{low} {high}: {a} {b}");
        }
    }
}
