//! The files for the outcome of a check.

use std::fs;
use std::path::{Path, PathBuf};

use super::{json, page, Options, Report};
use crate::author::out::{Out, Temporary};
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::io::os::{is_stream, shown, write_to_stream};

/// The files for the page and the JSON text.
pub(super) struct Outputs {
    html: Option<Output>,
    json: Option<Output>,
}

enum Output {
    File(Out),
    /// A pipe, a terminal or the like, which holds nothing that could be lost.
    Stream(PathBuf),
}

impl Outputs {
    /// Checks that the requested files replace only former reports.
    ///
    /// # Errors
    /// `Request` if they do not, `Io`.
    pub(super) fn new(dataset: &Dataset, options: &Options<'_>) -> Result<Outputs> {
        let output = |path: &Option<PathBuf>, mark| {
            path.as_deref().map(|path| Output::new(dataset, path, mark)).transpose()
        };
        let outputs = Outputs {
            html: output(&options.html_report, page::MARK)?,
            json: output(&options.json_report, json::MARK)?,
        };
        match (&outputs.html, &outputs.json) {
            (Some(Output::File(html)), Some(Output::File(json))) if html.is_also(json) => {
                Err(json.refusal("both reports have this name"))
            }
            _ => Ok(outputs),
        }
    }

    /// Writes the requested files. They get their names when both are on the disk, so that a full one gets neither.
    ///
    /// # Errors
    /// `Io`.
    pub(super) fn write(&self, dataset: &Dataset, report: &Report) -> Result<()> {
        let page = || {
            let drawn = report.variables.iter().filter(|variable| !variable.states.is_empty());
            page::html(report, &page::AllAxes::read(dataset, drawn.map(|variable| variable.path.as_str())))
        };
        let html = self.html.as_ref().map(|output| output.begin(page())).transpose()?;
        let json = self.json.as_ref().map(|output| output.begin(json::as_json(report))).transpose()?;
        let mut begun: Vec<Begun<'_>> = [html, json].into_iter().flatten().collect();
        // What can still fail for want of space comes first.
        begun.sort_by_key(|report| matches!(report, Begun::File(..)));
        begun.into_iter().try_for_each(Begun::finish)
    }
}

impl Output {
    fn new(dataset: &Dataset, path: &Path, mark: &str) -> Result<Output> {
        if fs::metadata(path).is_ok_and(|found| is_stream(found.file_type())) {
            return Ok(Output::Stream(path.to_owned()));
        }
        let out = Out::new(path)?;
        out.refuse_file(dataset)?;
        out.refuse_all_but_reports(mark)?;
        // A former report is not data, even if something names it as a fragment.
        if !out.exists() {
            out.refuse_fragments(dataset)?;
        }
        Ok(Output::File(out))
    }

    fn begin(&self, text: String) -> Result<Begun<'_>> {
        Ok(match self {
            Output::File(out) => Begun::File(out, out.written(text)?),
            Output::Stream(path) => Begun::Stream(path, text),
        })
    }
}

/// A report that lacks only its name, or the text for a stream.
enum Begun<'a> {
    File(&'a Out, Temporary),
    Stream(&'a Path, String),
}

impl Begun<'_> {
    fn finish(self) -> Result<()> {
        match self {
            Begun::File(out, written) => out.take(&written).map_err(|e| e.in_file(out.name())),
            Begun::Stream(path, text) => write_to_stream(path, &text)
                .map_err(|e| Error::new(Kind::Io, "it cannot be written").because(e).in_file(shown(path))),
        }
    }
}
