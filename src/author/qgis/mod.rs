//! Layer files for QGIS: how a variable of an aggregation file is shown, so that nobody has to set it up by hand.
//!
//! `variables` finds the maps and the names under which QGIS opens them, `times` determines when each band is shown,
//! `reference_system` where the map lies, `sample` the range of its values, and `ramp` the colours; `layer` writes the
//! XML. The files lie beside the aggregation file and name it relative to themselves, so that all of them can move
//! together.

mod layer;
mod ramp;
mod reference_system;
mod sample;
mod times;
mod variables;

use std::path::{Path, PathBuf};

use crate::author::option_name::OptionName;
use crate::author::out::{Out, Temporary};
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::os::shown;
use crate::options::OpenOptions;
use layer::Picture;
pub use ramp::{fitting, Colours};
pub use sample::robust_range;
use variables::Maps;

/// Options for making layer files.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The variables, by path; empty for all that can be shown as maps.
    pub variables: Vec<String>,
    /// How times are shown.
    pub animation: Animation,
    /// Whether files other than former layer files are replaced too.
    pub overwrite: bool,
    /// Settings of the reader.
    pub open: OpenOptions,
}

/// How QGIS shows the times of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Animation {
    /// By a layer per time if they are few and small, otherwise by one layer.
    #[default]
    Fitting,
    /// By one layer in which every band has its time, which QGIS 3.38 and later can show.
    OneLayer,
    /// By a group with a layer for each time, which QGIS 3.14 and later can show.
    LayerPerTime,
}

/// The files that were written.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The files, in the order of the variables.
    pub files: Vec<PathBuf>,
    /// What the user should know, a sentence each.
    pub notes: Vec<String>,
}

/// Writes the layer files of an aggregation file, and its default style if it has one map only.
///
/// ```no_run
/// let report = cfa::qgis::layer_files("year.nc", &Default::default())?;
/// assert_eq!(report.files, [std::path::Path::new("year.nc.qlr"), std::path::Path::new("year.qml")]);
/// # Ok::<(), cfa::Error>(())
/// ```
///
/// # Errors
/// Those of opening the file and of reading coordinates and sampled values; `MissingVariable`; `Request` for variables
/// that are no maps, and if another file would be replaced; `Io`.
pub fn layer_files(path: impl AsRef<Path>, options: &Options) -> Result<Report> {
    let path = path.as_ref();
    let dataset = Dataset::open_with(path, &options.open)?;
    let place = |e: Error| match e.file() {
        Some(_) => e,
        None => e.in_file(redact(dataset.name())),
    };
    let maps = Maps::of(&dataset, path).map_err(place)?;
    let chosen = match options.variables.is_empty() {
        true => maps.all().to_vec(),
        false => maps.named(&options.variables)?,
    };
    // Files that must not be replaced are refused before anything is read.
    let outs: Vec<Out> =
        chosen.iter().map(|v| claim(&dataset, maps.layer_file(v), options)).collect::<Result<_>>()?;
    for (i, out) in outs.iter().enumerate() {
        if let Some(j) = outs[..i].iter().position(|other| other.is_also(out)) {
            let message = format!("{} and {} would have this name", chosen[j].path(), chosen[i].path());
            return Err(out.refusal(message));
        }
    }
    let style = maps.style_file().map(|path| claim(&dataset, path, options)).transpose()?;
    // A former file is not data, even if something names it as a fragment.
    let others: Vec<&Out> = outs.iter().chain(&style).filter(|out| !out.begins_with(layer::MARK)).collect();
    Out::refuse_fragments_of_all(&others, &dataset)?;
    let mut report = Report::default();
    let mut finished: Vec<(&Out, Temporary)> = Vec::new();
    for (variable, out) in chosen.iter().zip(&outs) {
        let picture =
            picture(variable, &maps, options, &mut report.notes).map_err(|e| match e.variable() {
                Some(_) => place(e),
                None => place(e.in_variable(variable.path())),
            })?;
        finished.push((out, out.written(picture.layer_file())?));
        if let Some(style) = &style {
            finished.push((style, style.written(picture.style_file())?));
        }
    }
    for (out, text) in &finished {
        out.take(text).map_err(|e| e.in_file(out.name()))?;
        report.files.push(out.path().to_owned());
    }
    report.notes.extend(dataset.warnings());
    Ok(report)
}

/// Returns the file of this name after checking that it may be replaced.
fn claim(dataset: &Dataset, path: PathBuf, options: &Options) -> Result<Out> {
    let out = Out::new(&path)?;
    out.refuse_file(dataset)?;
    let is_former = out.begins_with(layer::MARK);
    if out.exists() && !is_former && !options.overwrite {
        return Err(out.refusal(format!(
            "it exists and is not a former file of this kind, so it is not replaced; move it, or allow it ({})",
            OptionName::Overwrite
        )));
    }
    Ok(out)
}

/// The most times, and values of all of them together, for a group with a layer per time. It is small, since QGIS draws
/// all layers if no time is chosen.
const FEW_TIMES: usize = 400;
const FEW_VALUES: u64 = 1 << 25;

fn picture(variable: &Variable, maps: &Maps, options: &Options, notes: &mut Vec<String>) -> Result<Picture> {
    let name = variable.path().trim_start_matches('/').to_owned();
    let shape = variables::raster_shape(variable)?;
    let times = times::of(variable)?;
    notes.extend(times.note.iter().map(|note| format!("{name}: {note}")));
    let bands = match times.shown.as_slice() {
        [] => (1..=shape.bands).collect(),
        shown => shown.iter().map(|time| time.band).collect::<Vec<u64>>(),
    };
    let sample = sample::read(variable, &bands)?;
    notes.extend(sample.note.iter().map(|note| format!("{name}: {note}")));
    let values = (times.shown.len() as u64).saturating_mul(shape.plane);
    let is_small = times.shown.len() <= FEW_TIMES && values <= FEW_VALUES;
    let layer_per_time = times.shown.len() > 1
        && match options.animation {
            Animation::Fitting => is_small,
            Animation::OneLayer => false,
            Animation::LayerPerTime => true,
        };
    if options.animation == Animation::Fitting && times.shown.len() > 1 && !is_small {
        notes.push(format!(
            "{name}: {} times are in one layer, which QGIS 3.38 and later animate",
            times.shown.len()
        ));
    }
    let attributes = variable.attributes();
    let units = attributes.text("units").filter(|units| units != "1").unwrap_or_default();
    let standard_name = attributes.text("standard_name").unwrap_or_default();
    let title = attributes.text("long_name").unwrap_or_else(|| standard_name.clone());
    Ok(Picture {
        source: maps.source(variable)?,
        colours: ramp::fitting(&standard_name, &units, sample.low, sample.high),
        reference_system: reference_system::of(variable)?,
        name,
        title,
        units,
        times: times.shown,
        layer_per_time,
    })
}

/// Returns a path with more at its end.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn not_for_qgis(path: &Path, reason: &str) -> Error {
    Error::new(Kind::Request, format!("{reason}; rename it")).in_file(shown(path))
}
