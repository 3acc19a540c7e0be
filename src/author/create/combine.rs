//! Combines the contents of the files: every variable is arranged and described, with notes on what is odd or left out.

use super::assemble::Assembly;
use super::field::{Field, Member};
use super::locate::Locator;
use super::record::Input;
use super::report::Describer;
use super::scan::Scanned;
use super::{apart, clocks, field, globals, groups, kept_attributes, labels, ragged, Options, Report};
use crate::author::option_name::OptionName;
use crate::author::write::File;
use crate::container::composed::is_same;
use crate::error::message;
use crate::error::{Error, Kind, Result};
use crate::threads::progress::Progress;

/// Returns the file, the report on it, and whether something is stored by value because its place is unknown.
pub(super) fn combine(
    scanned: &Scanned,
    history: Option<String>,
    options: &Options,
    locator: &Locator,
    progress: &Progress<'_>,
) -> Result<(File, Report, bool)> {
    let Scanned { inputs, globals, notes, facets, bad, .. } = scanned;
    let mut faults = Vec::new();
    let groups = field::group(inputs);
    check_wanted(inputs, &groups, options)?;
    let mut assembly = Assembly::new(inputs, options, locator);
    assembly.notes.clone_from(notes);
    let (mut variables, mut describer) = (Vec::new(), Describer::default());
    let mut joined = ragged::Joined::default();
    // The attributes that every variable has, because they tell it apart.
    let mut of_variables: Option<Vec<&str>> = None;
    for (name, members) in groups {
        let draft = |members| match options.surveys {
            true => draft(inputs, &name, members, options),
            false => field::draft(inputs, &name, members, options),
        };
        let arranged = apart::arrange(inputs, members, options, &draft);
        let mut fields = Vec::with_capacity(arranged.fields.len());
        for (field, fault) in arranged.fields {
            progress.check()?;
            let mut made = describer.describe(inputs, &field);
            let own = || field.traits.iter().map(|(name, _)| *name);
            match &mut of_variables {
                Some(names) => names.retain(|name| own().any(|other| other == *name)),
                none => *none = Some(own().collect()),
            }
            let added = match fault {
                Some(fault) => Err(fault),
                None => {
                    joined.add(inputs, &field);
                    assembly.add(&field)
                }
            };
            match added {
                Ok(name) => made.name = name,
                Err(fault) if options.surveys => faults.push(fault),
                Err(fault) => return Err(fault),
            }
            if arranged.by.is_some() {
                fields.push((made.name.clone(), field));
            }
            variables.push(made);
        }
        assembly.notes.extend(arranged.by.map(|by| apart::note(inputs, by, &fields)));
    }
    joined.check(inputs)?;
    let of_variables = of_variables.unwrap_or_default();
    let label =
        options.new_dimension.as_deref().and_then(|text| labels::parts(text).1?.strip_prefix("attribute:"));
    let kept = |name: &str| of_variables.contains(&name) || options.keeps(name) || label == Some(name);
    let (attributes, note) = globals::merge(globals, history, options, &kept)?;
    if faults.is_empty() {
        assembly.notes.extend(assembly.note_on_unused());
    }
    let in_group = |path: &str| {
        let inside = |name: &str| name.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        assembly.file.variables.iter().any(|variable| inside(&variable.name))
    };
    let on_groups = globals.notes_on_groups(in_group);
    let mut file = assembly.file;
    file.attributes = attributes;
    let file = groups::into_groups(file, globals.of_groups(), options.dialect)?;
    let mut notes = assembly.notes;
    match (bad, options.skip_bad) {
        (Some(bad), false) => {
            faults.push(Error::new(Kind::Io, format!("{bad}; {} accepts this", OptionName::SkipBad)))
        }
        (bad, _) => notes.extend(bad.clone()),
    }
    notes.extend(note);
    notes.extend(on_groups);
    notes.extend(kept_attributes::notes(&options.kept_attributes, inputs)?);
    notes.extend(facets.notes(options.new_dimension.as_deref(), &of_variables));
    notes.extend(clocks::notes(inputs));
    notes.iter_mut().for_each(|note| *note = message::line(note, message::MOST));
    let files = inputs.len() as u64;
    let report = Report { variables, notes, files, faults, ..Report::default() };
    Ok((file, report, assembly.is_placeless))
}

/// Arranges a variable as far as possible; gaps that are not allowed are a fault, and do not prevent the rest.
fn draft(inputs: &[Input], name: &str, members: Vec<Member>, options: &Options) -> (Field, Option<Error>) {
    let with_gaps = Options { allow_gaps: true, ..options.clone() };
    let (field, fault) = field::draft(inputs, name, members, &with_gaps);
    let gaps = field.axes.iter().find_map(|axis| axis.gaps.as_ref().filter(|_| !options.allow_gaps));
    let gaps = gaps.map(|gaps| {
        let message = format!("{gaps}; {} accepts this", OptionName::AllowGaps);
        Error::new(Kind::Map, message).in_variable(name)
    });
    (field, fault.or(gaps))
}

fn check_wanted(inputs: &[Input], groups: &[(String, Vec<Member>)], options: &Options) -> Result<()> {
    let has = |name: &str| {
        let name = name.trim_start_matches('/');
        let is_it = |m: &Member| is_same(&inputs[m.input].items[m.item].template.name, name);
        groups.iter().any(|(_, members)| members.iter().any(is_it))
    };
    if let Some(absent) = options.variables.iter().find(|v| !has(v)) {
        let message = format!("no file has a data variable '{absent}'");
        return Err(Error::new(Kind::MissingVariable, message));
    }
    if groups.is_empty() {
        return Err(Error::new(Kind::MissingVariable, "the files have no data variables"));
    }
    Ok(())
}
