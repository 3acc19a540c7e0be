//! Checks an aggregation file against the text that it follows, and its fragments against the aggregation.
//!
//! The rules are those of the conformance document of CF-1.13 for section 2.8, and those of the older texts for files
//! that follow them; `docs/checking.md` lists them. A check continues where a reader stops, so that all faults are
//! reported at once. It stops only at a file that is not netCDF or is damaged.

mod bounds;
mod fragments;
mod json;
mod names;
mod outputs;
mod page;
mod recorded;
mod recorded_chunks;
mod report;
mod rules;
mod subject;
mod tables;
#[cfg(test)]
mod tests;
mod together;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use json::as_json;
pub use report::{Finding, Report, State, VariableReport};
pub use rules::Severity;

use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::dialect;
use crate::error::secrets::redact;
use crate::error::Result;
use crate::model::Dialect;
use crate::options::OpenOptions;
use crate::threads::progress::{Listener, Progress};
use outputs::Outputs;
use report::Findings;
use subject::{Containers, Subject};

/// How a file is checked.
#[derive(Clone)]
pub struct Options<'a> {
    /// Settings of the reader: what may be opened, limits, threads.
    pub open: OpenOptions,
    /// Whether every fragment is opened; `html_report` implies it.
    pub fragments: bool,
    /// A file for a page with a map of the fragments. An existing file is replaced only if it is a former report, here
    /// and in `json_report`.
    pub html_report: Option<PathBuf>,
    /// A file for the text that [`as_json`] returns.
    pub json_report: Option<PathBuf>,
    /// The maximum number of findings of one rule that are kept for one variable; more are counted.
    pub max_findings: usize,
    /// Called with the number of fragments done so far and in total, from any thread.
    pub progress: Option<&'a Listener<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            open: OpenOptions::default(),
            fragments: false,
            html_report: None,
            json_report: None,
            max_findings: 100,
            progress: None,
        }
    }
}

impl Options<'_> {
    fn threads(&self) -> usize {
        crate::threads::workers::threads(self.open.num_threads)
    }
}

/// Checks a file.
///
/// ```no_run
/// use cfa::check::{check, Options};
/// let report = check("year.nc", &Options { fragments: true, ..Options::default() })?;
/// for finding in &report.findings {
///     println!("{} {}: {}", finding.severity.name(), finding.clause, finding.message);
/// }
/// # Ok::<(), cfa::Error>(())
/// ```
///
/// # Errors
/// `Io`, `NotNetcdf` or `Damaged` if the file itself cannot be read; `Request` if a report would replace something
/// else, `Io` if it cannot be written; `Cancelled`.
pub fn check(path: impl AsRef<Path>, options: &Options<'_>) -> Result<Report> {
    let mut settings = options.open.clone();
    settings.raw_view = false;
    let dataset = Dataset::open_with(path, &settings)?;
    let outputs = Outputs::new(&dataset, options)?;
    let shared = dataset.shared();
    let tree = shared.tree();
    let mut findings = Findings::new(options.max_findings);
    let mut variables = Vec::new();
    let aggregated: Vec<VariableId> = (0..tree.variables.len())
        .map(VariableId)
        .filter(|id| dialect::is_aggregation(&tree.variables[id.0].attributes))
        .collect();
    // The check reads tables again; what is too much of them for the file must not be missing to the reader.
    aggregated.iter().for_each(|&id| drop(shared.aggregation(id)));
    let containers = Containers::of(tree);
    for &id in &aggregated {
        let subject = Subject::new(&*shared.container, tree, &containers, id, settings.max_fragments);
        subject.structure(&mut findings);
        variables.push(decoded(&dataset, id, &subject, &mut findings));
    }
    let conventions = tree.groups.first().and_then(|root| root.attributes.text("Conventions"));
    let mut dialects: Vec<Dialect> = Vec::new();
    for variable in &variables {
        if !dialects.contains(&variable.dialect) {
            dialects.push(variable.dialect);
            check_conventions(conventions.as_deref(), variable.dialect, &mut findings);
        }
    }
    bounds::check(&dataset, dialects.first().copied().unwrap_or(Dialect::Cf113), &mut findings);
    let fragments_checked = options.fragments || options.html_report.is_some();
    if fragments_checked {
        let total =
            variables.iter().filter_map(VariableReport::fragment_count).fold(0u64, u64::saturating_add);
        let progress = Progress::new(options.progress, total, "the check was cancelled");
        let extent = fragments::Extent::new(progress, &shared.container);
        let arrays: Vec<Vec<u64>> = variables.iter().map(VariableReport::fragments).collect();
        let named = match options.html_report {
            Some(_) => page::named(arrays.iter().map(Vec::as_slice)),
            None => Vec::new(),
        };
        together::check(&dataset, &aggregated, &mut variables, &mut findings, (options, &named), &extent)?;
        extent.finish()?;
    }
    let file = redact(dataset.name());
    let report = Report { file, conventions, variables, findings: findings.finish(), fragments_checked };
    outputs.write(&dataset, &report)?;
    Ok(report)
}

/// Decodes a variable as the reader does. Adds a fault that the rules did not report.
fn decoded(dataset: &Dataset, id: VariableId, subject: &Subject, findings: &mut Findings) -> VariableReport {
    let variable = subject.variable;
    let mut report = VariableReport {
        path: variable.path.clone(),
        dialect: subject.dialect,
        data_type: variable.array.data_type,
        dimensions: Vec::new(),
        shape: None,
        grid: None,
        states: Vec::new(),
        files: Default::default(),
    };
    match dataset.shared().aggregation(id) {
        Ok(Some(aggregation)) => {
            if !findings.has_any(&variable.path) {
                for warning in &aggregation.warnings {
                    subject.report(findings, &rules::ODDITY, warning.clone());
                }
            }
            let grid = &aggregation.grid;
            report.dialect = aggregation.dialect;
            report.dimensions =
                aggregation.dimensions.iter().map(|&d| dataset.dimension(d).name.clone()).collect();
            report.shape = Some(grid.shape().to_vec());
            report.grid = Some(Arc::clone(grid));
        }
        Ok(None) => {}
        Err(error) if findings.has_requirement(&variable.path) => drop(error),
        Err(error) => subject.report(findings, fragments::rule_of(&error), error.message()),
    }
    report
}

fn check_conventions(conventions: Option<&str>, dialect: Dialect, findings: &mut Findings) {
    let wanted = match dialect {
        Dialect::Cf113 => "CF-1.13",
        Dialect::Cfa06b1 | Dialect::Cfa062 => "CFA-0.6",
        Dialect::Cfa04 => "CFA",
        // These texts do not specify it.
        _ => return,
    };
    let have = conventions.unwrap_or_default();
    let newer = |name: &str| {
        let minor = name.strip_prefix("CF-1.").and_then(|n| n.parse::<u32>().ok());
        minor.is_some_and(|n| n >= 13)
    };
    let named = have.split([' ', ',']).any(|name| match dialect {
        Dialect::Cf113 => newer(name),
        _ => name.starts_with(wanted),
    });
    if !named {
        let message = match conventions {
            Some(have) => format!("Conventions is '{have}', without {wanted}"),
            None => format!("the file has no attribute Conventions, which should name {wanted}"),
        };
        findings.add(&rules::CONVENTIONS, dialect, None, None, message);
    }
}
