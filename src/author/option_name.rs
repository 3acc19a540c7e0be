//! The names of options in messages, as users write them: `--allow-gaps`, or `allow_gaps=True` in Python.

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
pub(crate) enum OptionName<'a> {
    AllowGaps,
    /// The option that joins files along dimensions, or along this one.
    Dimension(Option<&'a str>),
    /// The option that puts files along a new dimension, or along this one.
    NewDimension(Option<&'a str>),
    Overwrite,
    PruneFolders,
    Release,
    SkipBad,
    Update,
    Variables,
}

impl fmt::Display for OptionName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, FOR_PYTHON.load(Ordering::Relaxed)) {
            (OptionName::AllowGaps, false) => f.write_str("--allow-gaps"),
            (OptionName::AllowGaps, true) => f.write_str("allow_gaps=True"),
            (OptionName::Dimension(None), false) => f.write_str("--dim"),
            (OptionName::Dimension(None), true) => f.write_str("dimensions"),
            (OptionName::Dimension(Some(name)), false) => write!(f, "--dim {name}"),
            (OptionName::Dimension(Some(name)), true) => write!(f, "dimensions='{name}'"),
            (OptionName::NewDimension(None), false) => f.write_str("--new-dim"),
            (OptionName::NewDimension(None), true) => f.write_str("new_dimension"),
            (OptionName::NewDimension(Some(name)), false) => write!(f, "--new-dim {name}"),
            (OptionName::NewDimension(Some(name)), true) => write!(f, "new_dimension='{name}'"),
            (OptionName::Overwrite, false) => {
                f.write_str("--overwrite; in C and Fortran the option overwrite")
            }
            (OptionName::Overwrite, true) => f.write_str("overwrite=True"),
            (OptionName::PruneFolders, false) => f.write_str("--prune=folders"),
            (OptionName::PruneFolders, true) => f.write_str("prune='folders'"),
            (OptionName::Release, false) => f.write_str("--drs-version"),
            (OptionName::Release, true) => f.write_str("drs_version"),
            (OptionName::SkipBad, false) => f.write_str("--skip-bad"),
            (OptionName::SkipBad, true) => f.write_str("skip_bad=True"),
            (OptionName::Update, false) => f.write_str("--update (in C and Fortran the option update)"),
            (OptionName::Update, true) => f.write_str("update=True"),
            (OptionName::Variables, false) => f.write_str("--variables"),
            (OptionName::Variables, true) => f.write_str("variables"),
        }
    }
}
