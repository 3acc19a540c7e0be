//! The program `cfa`, without the settings of the environment that the tests run in.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the program in a folder with these arguments.
pub fn cfa(folder: &Path, words: &[&str]) -> Output {
    without_settings(Command::new(env!("CARGO_BIN_EXE_cfa")))
        .current_dir(folder)
        .args(words)
        .output()
        .unwrap()
}

/// Removes the settings of the environment from a command.
pub fn without_settings(mut command: Command) -> Command {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CFA_")) {
        command.env_remove(name);
    }
    command
}
