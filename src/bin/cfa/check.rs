//! `cfa check`: checks that a file follows its convention, and that its fragments exist and fit.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use cfa::check::{as_json, check, Finding, Options, Report, Severity, VariableReport};

use crate::meter::Meter;
use crate::page::Page;
use crate::settings::Settings;
use crate::style::{self, brief, printable, Style};
use crate::{Failure, Outcome};

/// Check a file against the rules of its convention.
///
/// Every requirement and recommendation of CF-1.13 for aggregation variables is checked, or those of the older text
/// that the file follows; all faults are reported, not only the first. With --fragments each fragment is opened, to
/// check that it exists, that it has the variable, the shape, and a type and units that can be converted, and that it
/// has not changed since its state was recorded.
#[derive(clap::Args)]
#[command(after_help = PAGE.help())]
pub struct Arguments {
    /// The file
    file: PathBuf,
    /// Open every fragment
    #[arg(long)]
    fragments: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Write a page with a map of the fragments, their files and dates, to look at in a browser; implies --fragments. An
    /// existing file is replaced only if it is such a page
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Fail also if a recommendation is not followed
    #[arg(long)]
    strict: bool,
    /// Print nothing but errors; the exit status shows the result
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

/// The rest of its help and manual page.
pub const PAGE: Page = Page {
    examples: &[
        ("cfa check year.nc", "does the file follow its convention?"),
        ("cfa check year.nc --fragments", "are the fragments there, and do they fit?"),
        ("cfa check year.nc --report year.html", "the same as a page with a map of the fragments"),
        ("cfa check year.nc --fragments --strict --quiet && echo fine", "in a script"),
    ],
    statuses: &[
        (0, "no requirement is violated"),
        (1, "one is, or with --strict a recommendation is not followed, or the file cannot be read"),
        (2, "a wrong command line"),
    ],
    ..Page::WRITER
};

/// Runs `cfa check`.
pub fn run(arguments: &Arguments) -> Outcome {
    arguments.report.as_deref().map_or(Ok(()), crate::refuse_hyphen)?;
    let meter = Meter::new("fragments", arguments.quiet || arguments.json);
    let listener = meter.listener();
    let options = Options {
        open: arguments.settings.options()?,
        fragments: arguments.fragments,
        html_report: arguments.report.clone(),
        progress: Some(&listener),
        ..Options::default()
    };
    let report = check(&arguments.file, &options);
    meter.finish();
    let report = report?;
    if !arguments.quiet {
        let mut out = BufWriter::new(std::io::stdout().lock());
        if arguments.json {
            writeln!(out, "{}", as_json(&report))?;
        } else {
            table(&mut out, &report, style::for_stdout())?;
        }
        out.flush()?;
    }
    let strict = arguments.strict && report.count(Severity::Recommendation) > 0;
    if report.is_fine() && !strict {
        Ok(())
    } else {
        Err(Failure::Problems)
    }
}

fn table(out: &mut impl Write, report: &Report, style: Style) -> std::io::Result<()> {
    writeln!(out, "{}", style.heading(&printable(&report.file)))?;
    if let Some(conventions) = &report.conventions {
        writeln!(out, "  Conventions: {}", brief(conventions))?;
    }
    if report.variables.is_empty() {
        writeln!(out, "  no aggregation variables")?;
    }
    for variable in &report.variables {
        writeln!(out, "  {}", summary(variable, style))?;
    }
    if !report.findings.is_empty() {
        writeln!(out)?;
    }
    let places: Vec<String> = report.findings.iter().map(place).collect();
    let clauses = report.findings.iter().map(|f| f.clause.chars().count()).max().unwrap_or(0);
    let widest = places.iter().map(|p| p.chars().count()).max().unwrap_or(0);
    for (finding, place) in report.findings.iter().zip(&places) {
        let severity = format!("{:14}", finding.severity.name());
        let severity = match finding.severity {
            Severity::Requirement => style.alarm(&severity),
            Severity::Recommendation => style.name(&severity),
            _ => style.faint(&severity),
        };
        let rule = style.faint(&format!("[{}]", finding.rule));
        writeln!(
            out,
            "{severity}  {:clauses$}  {place:widest$}  {} {rule}",
            finding.clause,
            printable(&finding.message)
        )?;
    }
    writeln!(out)?;
    let verdict = verdict(report);
    let verdict = if report.is_fine() { style.good(&verdict) } else { style.alarm(&verdict) };
    writeln!(out, "{verdict}")
}

fn summary(variable: &VariableReport, style: Style) -> String {
    let head =
        format!("{}  {}  {}", style.name(&brief(&variable.path)), variable.dialect, variable.data_type);
    let (Some(shape), Some(count)) = (&variable.shape, variable.fragment_count()) else {
        return format!("{head}  {}", style.alarm("cannot be decoded"));
    };
    let sizes: Vec<String> =
        variable.dimensions.iter().zip(shape).map(|(name, size)| format!("{}={size}", brief(name))).collect();
    let counts: Vec<String> =
        variable.counts().iter().map(|(state, n)| format!("{n} {}", state.meaning())).collect();
    let states = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    let plural = if count == 1 { "" } else { "s" };
    format!("{head}({})  {count} fragment{plural}{states}", sizes.join(", "))
}

fn place(finding: &Finding) -> String {
    match (&finding.variable, &finding.fragment) {
        (Some(variable), Some(fragment)) => format!("{} {fragment:?}", brief(variable)),
        (Some(variable), None) => brief(variable),
        _ => "file".to_owned(),
    }
}

fn verdict(report: &Report) -> String {
    let counted = |severity, one: &str, many: &str| match report.count(severity) {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let parts: Vec<String> = [
        counted(Severity::Requirement, "requirement violated", "requirements violated"),
        counted(Severity::Recommendation, "recommendation not followed", "recommendations not followed"),
        counted(Severity::Note, "note", "notes"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match parts.is_empty() {
        true => "nothing found".to_owned(),
        false => parts.join(", "),
    }
}
