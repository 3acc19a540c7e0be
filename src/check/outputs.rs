//! The files for the outcome of a check.

use std::fs;
use std::path::{Path, PathBuf};

use super::{json, page, Options, Report};
use crate::author::out::Out;
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

    /// Writes the requested files.
    ///
    /// # Errors
    /// `Io`.
    pub(super) fn write(&self, report: &Report) -> Result<()> {
        if let Some(output) = &self.html {
            output.write(&page::html(report))?;
        }
        if let Some(output) = &self.json {
            output.write(&json::as_json(report))?;
        }
        Ok(())
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

    fn write(&self, text: &str) -> Result<()> {
        let path = match self {
            Output::File(out) => return out.write(text),
            Output::Stream(path) => path,
        };
        write_to_stream(path, text)
            .map_err(|e| Error::new(Kind::Io, "it cannot be written").because(e).in_file(shown(path)))
    }
}
