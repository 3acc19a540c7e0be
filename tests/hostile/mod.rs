//! Files that claim more than they hold: memory follows the file, not its claims.
//!
//! Each is opened, listed and read, and looked at as a program does that only asks whether it is an aggregation. All
//! of that must end soon and take little memory, with an error or without.

mod chunks;
mod classic;
mod dense;
mod groups;
mod headers;
mod image;
mod names;
mod strings;

use std::path::Path;
use std::time::{Duration, Instant};

use cfa::options::OpenOptions;
use cfa::{Dataset, Selection};

/// Most memory beyond that of a harmless file.
const MOST_BYTES: usize = 64 << 20;
/// Most time, tens of times what an optimised program on a quiet machine has.
const MOST_TIME: Duration = Duration::from_secs(20);

/// Opens a file, looks at everything in it and reads the beginning and the end of each variable.
fn use_up(path: &Path) -> Result<(), cfa::Error> {
    let known = Dataset::identify(path).map(drop);
    let dataset = Dataset::open_with(path, &OpenOptions::default().num_threads(1))?;
    let mut outcome = known;
    for variable in dataset.variables() {
        let Ok(shape) = variable.shape() else { continue };
        let count: Vec<u64> = shape.iter().map(|&n| n.min(200_000)).collect();
        let part = Selection::block(&vec![0; shape.len()], &count, shape)?;
        outcome = outcome.and(variable.read_values(&part).map(drop));
        let last: Vec<u64> = shape.iter().map(|&n| n.saturating_sub(1)).collect();
        if let Ok(end) = Selection::block(&last, &vec![1; shape.len()], shape) {
            outcome = outcome.and(variable.read_values(&end).map(drop));
        }
    }
    dataset.warnings();
    outcome
}

/// Uses a hostile file up; returns what became of it.
fn spend(path: &Path) -> Result<(), String> {
    let began = Instant::now();
    let (outcome, most) = crate::support::allocations::most_during(|| use_up(path));
    let took = began.elapsed();
    let len = std::fs::metadata(path).unwrap().len();
    println!("{len} bytes: {most} bytes of memory, {took:?}: {outcome:?}");
    assert!(most < MOST_BYTES, "a file of {len} bytes took {most} bytes of memory: {outcome:?}");
    assert!(took < MOST_TIME, "a file of {len} bytes took {took:?}: {outcome:?}");
    outcome.map_err(|error| error.to_string())
}
