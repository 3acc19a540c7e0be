//! Files that claim more than they hold: memory is bounded by the file, not by its claims.
//!
//! Each is opened, listed and read, and identified as by a program that only asks whether it is an aggregation. All of
//! that must end soon and take little memory, with or without an error.

mod chunks;
mod classic;
mod commands;
mod coordinates;
mod dense;
mod groups;
mod headers;
mod image;
mod links;
mod names;
#[cfg(unix)]
mod sparse;
mod strings;
mod tables;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cfa::OpenOptions;
use cfa::{Dataset, Selection};

use crate::support::processor;

/// Most memory beyond that of a harmless file.
const MOST_BYTES: usize = 64 << 20;
/// Most time of the processor, tens of times what an optimised program has.
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
    keep(path);
    let began = processor::time();
    let (outcome, most) = crate::support::allocations::most_during(|| use_up(path));
    let took = processor::time() - began;
    let len = std::fs::metadata(path).unwrap().len();
    println!("{len} bytes: {most} bytes of memory, {took:?}: {outcome:?}");
    assert!(most < MOST_BYTES, "a file of {len} bytes took {most} bytes of memory: {outcome:?}");
    assert!(took < MOST_TIME, "a file of {len} bytes took {took:?}: {outcome:?}");
    outcome.map_err(|error| error.to_string())
}

const CHILD: &str = "CFA_HOSTILE_CHILD";

/// Uses up the file that the environment names, and prints by how much the process grew.
#[test]
fn child_that_uses_a_file_up() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let before = peak();
    let outcome = use_up(Path::new(&path));
    println!(
        "\ngrew {} outcome {}",
        peak() - before,
        outcome.map_or_else(|e| e.to_string(), |()| "read".into())
    );
}

/// The most memory that this process had, as far as the system reports it.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().unwrap().parse::<usize>().unwrap() << 10
}

/// Uses a hostile file up in a process of its own, whose memory is that which the system gave: what is only asked for
/// and never written does not count. Returns what became of it.
fn spend_alone(path: &Path) -> Result<(), String> {
    keep(path);
    let child = processor::at_most(MOST_TIME, std::env::current_exe().unwrap())
        .args(["--exact", "hostile::child_that_uses_a_file_up", "--nocapture"])
        .env(CHILD, path)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{}: {printed}{}", child.status, String::from_utf8_lossy(&child.stderr));
    let line = printed.lines().find_map(|line| line.strip_prefix("grew ")).unwrap();
    let (grew, outcome) = line.split_once(" outcome ").unwrap();
    println!("{}: {grew} bytes of memory: {outcome}", path.display());
    assert!(grew.parse::<usize>().unwrap() < MOST_BYTES, "{grew} bytes of memory: {outcome}");
    if outcome == "read" {
        Ok(())
    } else {
        Err(outcome.to_owned())
    }
}

/// Longest file that is kept: a copy has no holes, so one of a file with holes could fill a disk.
const MOST_KEPT: u64 = 1 << 30;

/// Copies a hostile file to the directory that `CFA_KEEP_HOSTILE` names, to try other programs on it.
fn keep(path: &Path) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    if std::fs::metadata(path).unwrap().len() > MOST_KEPT {
        return;
    }
    if let Some(folder) = std::env::var_os("CFA_KEEP_HOSTILE") {
        let thread = std::thread::current();
        let test = thread.name().and_then(|name| name.rsplit("::").next()).unwrap_or("file");
        let name = format!("{test}-{}.nc", NEXT.fetch_add(1, Ordering::Relaxed));
        std::fs::copy(path, Path::new(&folder).join(name)).unwrap();
    }
}
