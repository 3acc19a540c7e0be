//! Checks the fragments of all variables of a file. Those of variables that have as many along every dimension are checked
//! together, so that a file with a fragment of each of them is opened once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::fragments::{Extent, Inspection, BLOCK};
use super::report::{Findings, State, VariableReport};
use super::{rules, Options};
use crate::canonical::Target;
use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::model::slabs::Slabs;
use crate::model::Aggregation;
use crate::read::fragment::Chain;
use crate::selection::{c_strides, checked_product, Selection};
use crate::threads::workers;

/// The number of tasks beyond which they grow instead, because all are in memory.
const TASKS: u64 = 8192;

/// The number of fragments in remarkable states whose locations are kept for each variable, besides those that a page
/// names anyway.
const MOST_REMARKABLE: usize = 100;

/// What is to be checked, and which fragments of each variable a page names; empty if there is none.
type Wishes<'a> = (&'a Options<'a>, &'a [HashSet<u64>]);

/// Opens every fragment of the variables and fills in the states. Each variable comes with the index of its report.
///
/// # Errors
/// `Cancelled`.
pub(super) fn check(
    dataset: &Dataset,
    variables: &[VariableId],
    reports: &mut [VariableReport],
    findings: &mut Findings,
    wishes: Wishes<'_>,
    extent: &Extent<'_>,
) -> Result<()> {
    let mut groups: Vec<Vec<Subject<'_>>> = Vec::new();
    let mut places: HashMap<(&[u64], bool), usize> = HashMap::new();
    for (number, &id) in variables.iter().enumerate().filter(|(number, _)| reports[*number].shape.is_some()) {
        let Some(subject) = Subject::new(dataset, number, id, findings, extent)? else { continue };
        let kind = (subject.aggregation.grid.fragments(), dataset.shared().waits_for(id));
        let place = *places.entry(kind).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(subject),
            None => groups.push(vec![subject]),
        }
    }
    for group in groups {
        check_together(dataset, group, reports, findings, wishes, extent)?;
    }
    Ok(())
}

/// A variable whose fragments are to be checked.
pub(super) struct Subject<'a> {
    /// The index of its report.
    number: usize,
    pub(super) id: VariableId,
    path: &'a str,
    pub(super) aggregation: &'a Aggregation,
    pub(super) target: Target,
    pub(super) chain: Chain<'a>,
    states: Vec<State>,
}

impl<'a> Subject<'a> {
    /// Returns a variable; `None`, with a finding, if it has too many fragments.
    fn new(
        dataset: &'a Dataset,
        number: usize,
        id: VariableId,
        findings: &mut Findings,
        extent: &Extent<'_>,
    ) -> Result<Option<Subject<'a>>> {
        let shared = dataset.shared();
        let Some(aggregation) = shared.aggregation(id)? else { return Ok(None) };
        let variable = &shared.tree().variables[id.0];
        let path = variable.path.as_str();
        let total = checked_product(aggregation.grid.fragments()).and_then(|n| usize::try_from(n).ok());
        let mut states = Vec::new();
        // The states of all variables together count against what may be kept of the file.
        let allowance = shared.container.allowance();
        let room = |&n: &usize| {
            !extent.effort.is_spent() && allowance.keep(n).is_ok() && states.try_reserve_exact(n).is_ok()
        };
        let Some(total) = total.filter(room) else {
            let message = "its fragments are not checked: they are too many for a file of this length";
            findings.add(&rules::FRAGMENT_REFUSED, aggregation.dialect, Some(path), None, message);
            return Ok(None);
        };
        states.resize(total, State::Unchecked);
        let target = Target::new(&variable.attributes, variable.array.data_type);
        let chain = Chain::enter(None, &**shared, id)?;
        Ok(Some(Subject { number, id, path, aggregation, target, chain, states }))
    }
}

/// Checks variables whose arrays of fragments have the same shape.
fn check_together(
    dataset: &Dataset,
    mut group: Vec<Subject<'_>>,
    reports: &mut [VariableReport],
    findings: &mut Findings,
    (options, named): Wishes<'_>,
    extent: &Extent<'_>,
) -> Result<()> {
    let Extent { progress, effort, .. } = extent;
    let shared = dataset.shared();
    let shape = group[0].aggregation.grid.fragments();
    let (waits, total) = (shared.waits_for(group[0].id), group[0].states.len());
    let mut states: Vec<Vec<State>> = group.iter_mut().map(|one| std::mem::take(&mut one.states)).collect();
    let inspections: Vec<Inspection<'_>> =
        group.iter().map(|one| Inspection::new(dataset, one, extent, named.get(one.number))).collect();
    let mut files: Vec<HashMap<u64, Arc<str>>> = vec![HashMap::new(); group.len()];
    // Variables are often in the same files, whose names are kept once.
    let mut names: HashSet<Arc<str>> = HashSet::new();
    let outcome = Mutex::new((&mut states, &mut *findings, &mut files, &mut names));
    let strides = c_strides(shape);
    let all = Selection::all(shape);
    // As many wait for servers as requests may, and each for few fragments.
    let waiting = shared.options.http_concurrency.saturating_mul(2).min(total).max(1);
    let size = match waits {
        true => ((total / waiting / 8).clamp(1, 16) as u64).max(total as u64 / TASKS),
        false => (total as u64 / 16).clamp(1, BLOCK.max(total as u64 / TASKS)),
    };
    let tasks: Vec<Selection> = Slabs::new(&all, shape, size).collect::<Result<_>>()?;
    // What all threads check of one variable at a time stays open for the next one.
    let open = (shared.options.max_open_files / options.threads() / 2).max(1) as u64;
    let size = if group.len() > 1 { open } else { size };
    let check_one = |inspection: &Inspection<'_>, number: usize, block: &Selection| {
        let Subject { aggregation, path, .. } = group[number];
        if effort.is_spent() {
            return progress.advance(block.len().unwrap_or(0));
        }
        let found = inspection.block(block)?;
        // What was cancelled while it waited is no finding.
        progress.check()?;
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, verdict) in found {
            let at: u64 = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
            outcome.0[number][at as usize] = verdict.state;
            if let Some(file) = verdict.file {
                let is_named = named.get(group[number].number).is_some_and(|named| named.contains(&at));
                let most = named.get(group[number].number).map_or(0, HashSet::len) + MOST_REMARKABLE;
                if is_named || outcome.2[number].len() < most {
                    let name = outcome.3.get(file.as_str()).cloned().unwrap_or_else(|| file.into());
                    outcome.3.insert(Arc::clone(&name));
                    outcome.2[number].insert(at, name);
                }
            }
            for (rule, message) in verdict.problems {
                outcome.1.add(rule, aggregation.dialect, Some(path), Some(&index), message);
            }
        }
        drop(outcome);
        progress.advance(block.len().unwrap_or(0))
    };
    let work = |task: Selection, _: &_, (): &mut ()| {
        for block in Slabs::new(&task, shape, size) {
            let block = block?;
            for (number, inspection) in inspections.iter().enumerate() {
                check_one(inspection, number, &block)?;
            }
        }
        Ok(())
    };
    match waits {
        true => workers::run_waiting(tasks, waiting, Some(progress), || (), work)?,
        false => workers::run(tasks, options.threads(), || (), work)?,
    }
    drop((inspections, outcome));
    for ((one, states), files) in group.iter().zip(states).zip(files) {
        let unchecked = states.iter().filter(|&&state| state == State::Unchecked).count();
        if unchecked > 0 {
            let message = format!(
                "{unchecked} of its {total} fragments are not checked: they are too many for a file of this length"
            );
            let rule = &rules::FRAGMENT_REFUSED;
            findings.add(rule, one.aggregation.dialect, Some(one.path), None, message);
        }
        reports[one.number].states = states;
        reports[one.number].files = files;
    }
    Ok(())
}
