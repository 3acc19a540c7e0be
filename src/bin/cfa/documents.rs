//! `cfa documents DIRECTORY`: writes the manual pages and shell completions of an installation, from the definition of
//! the command line. `make install` calls it. It is not part of that definition itself, so neither the pages nor the
//! completions offer it.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::{manual, Arguments};

/// Where each shell looks for the completions of installed programs, relative to the share directory.
const COMPLETIONS: [(Shell, &str, &str); 3] = [
    (Shell::Bash, "bash-completion/completions", "cfa"),
    (Shell::Zsh, "zsh/site-functions", "_cfa"),
    (Shell::Fish, "fish/vendor_completions.d", "cfa.fish"),
];

/// Writes the documents if the command line asks for them.
pub fn serve() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != "documents" {
        return None;
    }
    let directory = arguments.next()?;
    Some(match write(Path::new(&directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cfa: {}: {error}", Path::new(&directory).display());
            ExitCode::FAILURE
        }
    })
}

/// Writes the documents, laid out as in the share directory of an installation.
fn write(directory: &Path) -> io::Result<()> {
    let command = Arguments::command();
    let pages = directory.join("man/man1");
    std::fs::create_dir_all(&pages)?;
    for (name, text) in manual(command.clone()) {
        std::fs::write(pages.join(format!("{name}.1")), text)?;
    }
    for (shell, place, name) in COMPLETIONS {
        let place = directory.join(place);
        std::fs::create_dir_all(&place)?;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command.clone(), "cfa", &mut script);
        std::fs::write(place.join(name), script)?;
    }
    Ok(())
}

/// Returns the manual pages, of the program and of each verb, with their names.
fn manual(command: Command) -> Vec<(String, String)> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let all: Vec<&Command> = std::iter::once(&command).chain(command.get_subcommands()).collect();
    let names: Vec<String> = all.iter().map(|command| manual::name(command)).collect();
    let page = |command: &&Command| manual::page(command, crate::page_of(command.get_name()), &names);
    names.iter().cloned().zip(all.iter().map(page)).collect()
}
