//! `cfa read`: prints the values of a part of a variable.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use cfa::Coordinates;
use cfa::{DataType, Dataset, Parts, Values, Variable};

use crate::page::Page;
use crate::select::SelectionArguments;
use crate::settings::Settings;
use crate::{dump, Outcome};

/// Read values of a variable.
///
/// Without a format, prints a table with coordinates and dates. On a terminal the middle of what does not fit is left
/// out, and the last line says so; into a file or a pipe everything is printed. Values of aggregation variables are
/// assembled from their fragments and have the variable's units, type and missing value.
#[derive(clap::Args)]
#[command(after_help = PAGE.help())]
pub struct Arguments {
    /// The file
    file: PathBuf,
    /// The variable: name, or /group/name
    variable: String,
    #[command(flatten)]
    part: SelectionArguments,
    /// Print {"dtype", "shape", "dims", "values"}; null is missing
    #[arg(long, conflicts_with_all = ["csv", "raw"])]
    pub json: bool,
    /// Print one line per value with its coordinates, separated by commas
    #[arg(long, conflicts_with = "raw")]
    csv: bool,
    /// Write the bare bytes in this machine's byte order, C order (strings: one per line)
    #[arg(long)]
    raw: bool,
    /// Unpack numbers: scale_factor, add_offset, _Unsigned
    ///
    /// They have the type of scale_factor and add_offset, or double where that could not hold them; without these two,
    /// that of the data, unsigned where _Unsigned says so. With --raw, missing ones are NaN if that is a floating-point
    /// type.
    #[arg(long)]
    unpacked: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Values that were read.
pub struct Answer {
    /// The values in C order.
    pub values: Values,
    /// For each value, whether it is valid (not missing).
    pub valid: Vec<bool>,
    /// Their shape.
    pub shape: Vec<u64>,
    /// Whether they are still packed.
    pub is_packed: bool,
}

/// The rest of its help and manual page.
pub const PAGE: Page = Page {
    examples: &[
        ("cfa read year.nc tas --start=0,0,0 --count=1,4,4", "a corner of the first time step"),
        ("cfa read year.nc tas --select time=2001-03 --select lon=0..20", "all of March"),
        (
            "cfa read year.nc tas --select time=2001-03-01..2001-03-31 --select lat~50 --csv",
            "for a spreadsheet",
        ),
        ("cfa read year.nc tas --select time=2001-06..2001-08,2002-06..2002-08", "two summers"),
        ("cfa read year.nc tas --json", "for programs"),
    ],
    ..Page::READER
};

/// Runs `cfa read`.
pub fn run(arguments: &Arguments) -> Outcome {
    let dataset = Dataset::open_with(&arguments.file, &arguments.settings.options()?)?;
    let variable = dataset.variable(&arguments.variable)?;
    let parts = arguments.part.parts(&variable).map_err(|e| e.in_variable(variable.path()))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.raw {
        // Bare bytes have no mask, so the values themselves must show which are missing.
        let has_nan = matches!(variable.unpacked_type(), DataType::F32 | DataType::F64);
        let values = match arguments.unpacked && has_nan && variable.data_type().is_number() {
            true => variable.read_parts_unpacked(&parts)?.0,
            // Unsigned values that are stored as signed ones have the same bytes.
            false => variable.read_parts_values(&parts)?,
        };
        dump::raw(&mut out, &values)?;
        out.flush()?;
        crate::print_warnings(&dataset);
        return Ok(());
    }
    let answer = read(&variable, &parts, arguments.unpacked)?;
    if arguments.json {
        let dims: Vec<String> =
            variable.dimensions()?.iter().map(|&d| dataset.dimension(d).name.clone()).collect();
        dump::json(&mut out, &dims, &answer)?;
    } else {
        let coordinates = coordinates(&variable, &parts)?;
        if arguments.csv {
            dump::csv(&mut out, &variable, &coordinates, &answer)?;
        } else {
            dump::table(&mut out, &variable, &coordinates, &answer)?;
        }
    }
    out.flush()?;
    crate::print_warnings(&dataset);
    Ok(())
}

/// Returns the coordinates of each dimension, or indices if those cannot be read: the values matter more.
fn coordinates(variable: &Variable, parts: &Parts) -> cfa::Result<Vec<Coordinates>> {
    let along = |d| {
        Coordinates::along_parts(variable, d, parts).or_else(|error| {
            crate::note(&format!("indices are shown instead of coordinates: {error}"));
            Coordinates::indices_of_parts(variable, d, parts)
        })
    };
    (0..parts.count().len()).map(along).collect()
}

fn read(variable: &Variable, parts: &Parts, unpacked: bool) -> cfa::Result<Answer> {
    let (values, mut valid) = match unpacked {
        true => variable.read_parts_unpacked(parts)?,
        false => variable.read_parts(parts)?,
    };
    // A char has no missing value: a NUL ends a word.
    if variable.data_type() == DataType::Char {
        valid.fill(true);
    }
    Ok(Answer { values, valid, shape: parts.count(), is_packed: !unpacked })
}
