//! `cfa create`: makes an aggregation file of the files that hold its parts.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cfa::create::{self, Locations, Options, PlannedVariable, Progress, Report, Stage};
use cfa::model::Dialect;
use cfa::write::Format;
use cfa::{Error, Kind};
use clap::Args;

use crate::{style, Failure, Outcome};

/// Make an aggregation file of the files that hold its parts
///
/// Dimensions are joined by their coordinates, so the order of the files does not matter: monthly files become one time
/// series, tiles one map, files with a scalar coordinate that differs (such as `realization`) one ensemble.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The aggregation file
    out: PathBuf,
    /// Files, directories, patterns such as 'data/**/tas_*.nc', and lists of files (@list.txt)
    #[arg(required = true)]
    files: Vec<String>,
    /// Add the files to OUT, reading only those that it does not have
    #[arg(long)]
    update: bool,
    /// Show what would be made, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// The convention: CF-1.13, CF-draft, CFA-0.6.2, CFA-0.6b1, CFA-terms, CFA-0.4 [default: CF-1.13]
    #[arg(long)]
    dialect: Option<String>,
    /// The format of OUT: netcdf4, classic or cdf5
    #[arg(long, default_value = "netcdf4")]
    format: String,
    /// Name the fragments by absolute URIs instead of relative to OUT
    #[arg(long, conflicts_with = "base")]
    absolute: bool,
    /// Put TEXT before the names relative to OUT, such as the URL of a server
    #[arg(long, value_name = "TEXT")]
    base: Option<String>,
    /// Only these data variables (comma-separated)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    variables: Vec<String>,
    /// Join along these dimensions only (comma-separated); one without coordinates in the order of the files
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    dim: Vec<String>,
    /// Make a new dimension of files that have the same coordinates, in their order
    #[arg(long, value_name = "NAME")]
    new_dim: Option<String>,
    /// Accept coordinates that do not follow each other
    #[arg(long)]
    allow_gaps: bool,
    /// Aggregate coordinates that are divided between files instead of copying them
    #[arg(long)]
    aggregate_coordinates: bool,
    /// Record size and time of each file, so that readers notice when one changes
    #[arg(long)]
    record_state: bool,
    /// Threads that scan the files; 0 means one per core
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  cfa create year.nc 'daily/tas_2001*.nc'            one time series of daily files
  cfa create map.nc tiles/ --dry-run                 how tiles would be arranged
  cfa create all.nc r*/tas.nc --new-dim realization  an ensemble in the order of the files
  cfa create year.nc new/*.nc --update               append what was not there yet";

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut options = Options::default();
    if let Some(name) = &arguments.dialect {
        options.dialect = Dialect::named(name)?;
    }
    options.format = Format::named(&arguments.format)?;
    options.locations = match &arguments.base {
        Some(base) => Locations::Base(base.clone()),
        None if arguments.absolute => Locations::Absolute,
        None => Locations::Relative,
    };
    options.variables.clone_from(&arguments.variables);
    options.dimensions.clone_from(&arguments.dim);
    options.new_dimension.clone_from(&arguments.new_dim);
    options.allow_gaps = arguments.allow_gaps;
    options.aggregate_coordinates = arguments.aggregate_coordinates;
    options.record_state = arguments.record_state;
    options.num_threads = arguments.threads;
    let verb = if arguments.update { "cfa create --update" } else { "cfa create" };
    options.history = Some(format!("{verb} {}", arguments.out.display()));
    if arguments.update && arguments.dialect.is_some() {
        let message =
            "--dialect has no meaning with --update: the file keeps its dialect; cfa convert changes it";
        return Err(Failure::Error(Error::new(Kind::Request, message)));
    }
    let files = create::expand(&arguments.files)?;
    let meter = Meter::new(arguments.quiet);
    let observe = |progress: Progress| {
        meter.show(progress);
        true
    };
    let work = match (arguments.update, arguments.dry_run) {
        (false, false) => create::create,
        (false, true) => create::plan,
        (true, false) => create::update,
        (true, true) => create::plan_update,
    };
    let report = work(&arguments.out, &files, &options, Some(&observe));
    meter.end();
    let report = report?;
    if !arguments.quiet || arguments.dry_run {
        describe(&report, arguments)?;
    }
    Ok(())
}

fn describe(report: &Report, arguments: &Arguments) -> Outcome {
    let style = style::for_stdout();
    let mut out = std::io::stdout().lock();
    for variable in &report.variables {
        let sizes: Vec<String> =
            variable.dimensions.iter().map(|d| format!("{}={}", d.name, d.size)).collect();
        let kind = match variable {
            v if v.is_static => "the same in all files, stored by value".to_owned(),
            v => format!("{} {}", v.fragments, plural(v.fragments, "fragment")),
        };
        writeln!(out, "{}({})  {kind}", style.name(&variable.name), sizes.join(", "))?;
        if arguments.dry_run {
            grid(&mut out, variable)?;
        }
    }
    for note in &report.notes {
        writeln!(out, "{} {note}", style.faint("note:"))?;
    }
    if arguments.dry_run {
        writeln!(out, "{} is not written (--dry-run)", arguments.out.display())?;
    }
    Ok(())
}

/// Parts along a dimension that are shown in full.
const SHOWN: usize = 12;

fn grid(out: &mut impl Write, variable: &PlannedVariable) -> Outcome {
    for dimension in &variable.dimensions {
        let n = dimension.parts.len() as u64;
        let new = if dimension.is_new { ", a new dimension" } else { "" };
        writeln!(out, "  {}: {n} {}{new}", dimension.name, plural(n, "part"))?;
        if n < 2 {
            continue;
        }
        for (i, (size, place, file)) in dimension.parts.iter().enumerate() {
            let hidden =
                dimension.parts.len() > SHOWN && (SHOWN / 2..dimension.parts.len() - SHOWN / 2).contains(&i);
            if !hidden {
                writeln!(out, "    {i:>4}  size {size:<6} {place:<28} {file}")?;
            } else if i == SHOWN / 2 {
                writeln!(out, "     ...  {} more", dimension.parts.len() - SHOWN)?;
            }
        }
    }
    Ok(())
}

fn plural(n: u64, word: &str) -> String {
    if n == 1 {
        word.to_owned()
    } else {
        format!("{word}s")
    }
}

/// Shows how far the work is: a bar on a terminal, else a line now and then.
struct Meter {
    quiet: bool,
    terminal: bool,
    state: Mutex<(Instant, Option<Instant>)>,
}

impl Meter {
    fn new(quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Meter { quiet, terminal, state: Mutex::new((Instant::now(), None)) }
    }

    fn show(&self, progress: Progress) {
        if self.quiet || progress.stage != Stage::Scan {
            return;
        }
        let Ok(mut state) = self.state.lock() else { return };
        let pause = Duration::from_millis(if self.terminal { 100 } else { 5000 });
        let now = Instant::now();
        // The first line waits as well: what ends at once needs none.
        let last = state.1.unwrap_or(state.0);
        state.1 = Some(last);
        if now.duration_since(last) < pause {
            return;
        }
        state.1 = Some(now);
        let line = line(&progress, now.duration_since(state.0), self.terminal);
        // Whoever closed standard error does not want to see it.
        let _ = write!(std::io::stderr(), "{line}");
    }

    fn end(&self) {
        let shown = self.state.lock().is_ok_and(|s| s.1.is_some_and(|last| last != s.0));
        if self.terminal && !self.quiet && shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(progress: &Progress, spent: Duration, terminal: bool) -> String {
    let (done, total) = (progress.done, progress.total.max(1));
    let rate = done as f64 / spent.as_secs_f64().max(1e-3);
    let left = ((total - done.min(total)) as f64 / rate.max(1e-3)).ceil() as u64;
    let text = format!("{done} of {total} files, {rate:.0}/s, {}:{:02} left", left / 60, left % 60);
    if !terminal {
        return format!("cfa: {text}\n");
    }
    let full = (done * 24 / total).min(24) as usize;
    format!("\r\x1b[K[{}{}] {text}", "#".repeat(full), ".".repeat(24 - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_count_rate_and_time_left() {
        let progress = Progress { stage: Stage::Scan, done: 50, total: 200 };
        let spent = Duration::from_secs(5);
        assert_eq!(line(&progress, spent, false), "cfa: 50 of 200 files, 10/s, 0:15 left\n");
        assert!(line(&progress, spent, true).contains("[######..................]"));
    }
}
