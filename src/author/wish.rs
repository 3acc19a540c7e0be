//! Names options in messages as users write them: `--allow-gaps`, or `allow_gaps=True` in Python.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

static FOR_PYTHON: AtomicBool = AtomicBool::new(false);

/// Makes the messages of this process name options as Python does. For the Python package, which has this library to
/// itself.
pub fn name_options_for_python() {
    FOR_PYTHON.store(true, Ordering::Relaxed);
}

/// An option that a message advises.
#[derive(Clone, Copy)]
pub(crate) enum Wish<'a> {
    AllowGaps,
    /// To join along dimensions, or this one.
    Dimension(Option<&'a str>),
    /// To put files along a new dimension, or this one.
    NewDimension(Option<&'a str>),
    Overwrite,
    PruneFolders,
    Release,
    SkipBad,
    Update,
    Variables,
}

impl fmt::Display for Wish<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, FOR_PYTHON.load(Ordering::Relaxed)) {
            (Wish::AllowGaps, false) => f.write_str("--allow-gaps"),
            (Wish::AllowGaps, true) => f.write_str("allow_gaps=True"),
            (Wish::Dimension(None), false) => f.write_str("--dim"),
            (Wish::Dimension(None), true) => f.write_str("dimensions"),
            (Wish::Dimension(Some(name)), false) => write!(f, "--dim {name}"),
            (Wish::Dimension(Some(name)), true) => write!(f, "dimensions='{name}'"),
            (Wish::NewDimension(None), false) => f.write_str("--new-dim"),
            (Wish::NewDimension(None), true) => f.write_str("new_dimension"),
            (Wish::NewDimension(Some(name)), false) => write!(f, "--new-dim {name}"),
            (Wish::NewDimension(Some(name)), true) => write!(f, "new_dimension='{name}'"),
            (Wish::Overwrite, false) => f.write_str("--overwrite; in C and Fortran the option overwrite"),
            (Wish::Overwrite, true) => f.write_str("overwrite=True"),
            (Wish::PruneFolders, false) => f.write_str("--prune=folders"),
            (Wish::PruneFolders, true) => f.write_str("prune='folders'"),
            (Wish::Release, false) => f.write_str("--drs-version"),
            (Wish::Release, true) => f.write_str("drs_version"),
            (Wish::SkipBad, false) => f.write_str("--skip-bad"),
            (Wish::SkipBad, true) => f.write_str("skip_bad=True"),
            (Wish::Update, false) => f.write_str("--update (in C and Fortran the option update)"),
            (Wish::Update, true) => f.write_str("update=True"),
            (Wish::Variables, false) => f.write_str("--variables"),
            (Wish::Variables, true) => f.write_str("variables"),
        }
    }
}
