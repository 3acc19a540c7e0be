//! `cfa read`: prints the values of a part of a variable.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use cfa::Coordinates;
use cfa::{DataType, Dataset, Selection, Values, Variable};
use serde_json::json;

use crate::select::SelectionArguments;
use crate::settings::Settings;
use crate::{dump, json, Outcome};

/// Read values of a variable.
///
/// Without a format, prints a table with coordinates and dates. Values of aggregation variables are assembled from
/// their fragments and have the variable's units, type and missing value.
#[derive(clap::Args)]
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
}

/// Runs `cfa read`.
pub fn run(arguments: &Arguments) -> Outcome {
    let dataset = Dataset::open_with(&arguments.file, &arguments.settings.options()?)?;
    let variable = dataset.variable(&arguments.variable)?;
    let selection = arguments.part.selection(&variable).map_err(|e| e.in_variable(variable.path()))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.raw {
        // Bare bytes have no mask, so missing values must be in them.
        dump::raw(&mut out, &variable.read_values(&selection)?)?;
        out.flush()?;
        crate::tell_warnings(&dataset);
        return Ok(());
    }
    let answer = read(&variable, &selection)?;
    if arguments.json {
        let dims: Vec<String> =
            variable.dimensions()?.iter().map(|&d| dataset.dimension(d).name.clone()).collect();
        let values: Vec<_> = (0..answer.values.len())
            .map(|i| if answer.valid[i] { json::element(&answer.values, i) } else { serde_json::Value::Null })
            .collect();
        let dtype = variable.data_type().code();
        let object = json!({"dtype": dtype, "shape": answer.shape, "dims": dims, "values": values});
        writeln!(out, "{}", json::printed(&object, false))?;
    } else {
        let coordinates = coordinates(&variable, &selection)?;
        if arguments.csv {
            dump::csv(&mut out, &variable, &coordinates, &answer)?;
        } else {
            dump::table(&mut out, &variable, &coordinates, &answer)?;
        }
    }
    out.flush()?;
    crate::tell_warnings(&dataset);
    Ok(())
}

/// Returns the coordinates of each dimension, or indices if those cannot be read: the values matter more.
fn coordinates(variable: &Variable, part: &Selection) -> cfa::Result<Vec<Coordinates>> {
    let along = |d| {
        Coordinates::along(variable, d, part).or_else(|error| {
            crate::note(&format!("indices are shown instead of coordinates: {error}"));
            Coordinates::indices(variable, d, part)
        })
    };
    (0..part.rank()).map(along).collect()
}

fn read(variable: &Variable, selection: &Selection) -> cfa::Result<Answer> {
    let shape = selection.count().to_vec();
    let (values, mut valid) = variable.read_masked(selection)?;
    // A char has no missing value: a NUL ends a word.
    if variable.data_type() == DataType::Char {
        valid.fill(true);
    }
    Ok(Answer { values, valid, shape })
}
