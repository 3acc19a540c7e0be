//! Checks a file for C, and shows what was found.

use std::ffi::{c_char, c_void, CString};
use std::path::{Path, PathBuf};
use std::ptr::null;

use super::boundary::{c_string, output, Answer, Failure};
use super::check_options::cfa_check_options;
use super::file::dialect_code;
use super::fragments::*;
use super::open::path_of;
use super::open_options::{choice, settings};
use super::options::taken;
use super::types;
use super::watch::Watch;
use crate::check::{self, Finding, Options, Severity, State, VariableReport};

/// No rule of the conventions, but worth knowing.
pub const CFA_SEVERITY_NOTE: i32 = 1;
/// The text of the convention says "should".
pub const CFA_SEVERITY_RECOMMENDATION: i32 = 2;
/// The text of the convention says "must", or the data cannot be read.
pub const CFA_SEVERITY_REQUIREMENT: i32 = 3;

/// A violation of a rule, or something worth knowing. All that it points at is valid during the call that shows it;
/// later versions append fields.
#[repr(C)]
pub struct cfa_finding {
    /// CFA_SEVERITY_REQUIREMENT, CFA_SEVERITY_RECOMMENDATION or CFA_SEVERITY_NOTE.
    pub severity: i32,
    /// The length of fragment.
    pub rank: usize,
    /// The index of the fragment concerned in the array of fragments; NULL if it does not concern a single one.
    pub fragment: *const u64,
    /// The aggregation variable concerned; NULL for the file.
    pub variable: *const c_char,
    /// The stable name of the rule, such as "fragment-present".
    pub rule: *const c_char,
    /// The clause that states it; "" if no text states it.
    pub clause: *const c_char,
    /// What is wrong, on one line.
    pub message: *const c_char,
    /// The number of findings that this one represents: more than 1 if it counts those that are not listed.
    pub count: u64,
}

/// An aggregation variable that was checked. All that it points at is valid during the call that shows it; later
/// versions append fields.
#[repr(C)]
pub struct cfa_checked_variable {
    /// Its path.
    pub path: *const c_char,
    /// The CFA_DIALECT_ number of the convention that it follows.
    pub dialect: i32,
    /// The type of its elements, CFA_TYPE_INT8 to CFA_TYPE_STRING.
    pub r#type: i32,
    /// 1 if its aggregation could be decoded, else 0 and the rest is empty.
    pub is_decoded: i32,
    /// The number of its dimensions.
    pub rank: usize,
    /// The size of each dimension.
    pub shape: *const u64,
    /// The number of fragments along each dimension.
    pub fragments: *const u64,
    /// A CFA_STATE_ number for each fragment in C order; NULL if fragments were not opened.
    pub states: *const u8,
    /// The length of states.
    pub state_count: usize,
}

/// Called for each finding.
///
/// @param finding   what was found, valid during the call
/// @param user_data as given in the options
pub type cfa_finding_callback =
    Option<unsafe extern "C" fn(finding: *const cfa_finding, user_data: *mut c_void)>;

/// Called for each variable that was checked.
///
/// @param variable  what was checked, valid during the call
/// @param user_data as given in the options
pub type cfa_checked_callback =
    Option<unsafe extern "C" fn(variable: *const cfa_checked_variable, user_data: *mut c_void)>;

/// `cfa_aggregation_check`, under the contract of the C API (module capi).
pub(super) unsafe fn check(
    path: *const c_char,
    options: *const cfa_check_options,
    violated: *mut u64,
) -> Answer<()> {
    // SAFETY: the contract.
    let (path, given) = unsafe { (path_of(path, "path")?, taken(options, "options")?) };
    let place = output(violated, "violated")?;
    let fragments = choice(given.fragments, "fragments")?.unwrap_or(false);
    let most = match given.max_findings {
        0 => Options::default().max_findings,
        n => usize::try_from(n).map_err(|_| Failure::value("max_findings", n))?,
    };
    // SAFETY: as above.
    let (html, json, open) = unsafe {
        (
            report_path(given.html_report, "html_report")?,
            report_path(given.json_report, "json_report")?,
            settings(given.open)?,
        )
    };
    let watch = Watch::begin(given.progress, given.user_data)?;
    let listener = |done: u64, total: u64| watch.report_part(done, total);
    let options = Options {
        open,
        fragments,
        html_report: html.map(PathBuf::from),
        json_report: json.map(PathBuf::from),
        max_findings: most,
        progress: Some(&listener),
    };
    let report = check::check(path, &options)?;
    for variable in &report.variables {
        // SAFETY: as above: a function of this type.
        unsafe { show_variable(variable, given.checked, given.user_data) };
    }
    for finding in &report.findings {
        // SAFETY: as above.
        unsafe { show_finding(finding, given.finding, given.user_data) };
    }
    watch.end();
    // SAFETY: checked not to be NULL.
    unsafe { place.write(report.count(Severity::Requirement)) };
    Ok(())
}

unsafe fn report_path<'a>(path: *const c_char, name: &str) -> Answer<Option<&'a Path>> {
    match path.is_null() {
        true => Ok(None),
        // SAFETY: the contract of the C API (module capi).
        false => unsafe { path_of(path, name) }.map(Some),
    }
}

unsafe fn show_finding(finding: &Finding, show: cfa_finding_callback, user_data: *mut c_void) {
    let Some(show) = show else { return };
    let variable: Option<CString> = finding.variable.as_deref().map(c_string);
    let (rule, clause, message) =
        (c_string(finding.rule), c_string(&finding.clause), c_string(&finding.message));
    let fragment = finding.fragment.as_deref();
    let shown = cfa_finding {
        severity: severity_code(finding.severity),
        rank: fragment.map_or(0, <[u64]>::len),
        fragment: fragment.map_or(null(), <[u64]>::as_ptr),
        variable: variable.as_ref().map_or(null(), |v| v.as_ptr()),
        rule: rule.as_ptr(),
        clause: clause.as_ptr(),
        message: message.as_ptr(),
        count: finding.count,
    };
    // SAFETY: the caller's function, and a structure that outlives the call.
    unsafe { show(&shown, user_data) }
}

unsafe fn show_variable(variable: &VariableReport, show: cfa_checked_callback, user_data: *mut c_void) {
    let Some(show) = show else { return };
    let path = c_string(&variable.path);
    let shape = variable.shape.as_deref();
    let fragments = variable.fragments();
    let states: Vec<u8> = variable.states.iter().map(|&state| state_code(state)).collect();
    let shown = cfa_checked_variable {
        path: path.as_ptr(),
        dialect: dialect_code(Some(variable.dialect)),
        r#type: types::code(variable.data_type),
        is_decoded: i32::from(shape.is_some()),
        rank: shape.map_or(0, <[u64]>::len),
        shape: shape.map_or(null(), <[u64]>::as_ptr),
        fragments: shape.map_or(null(), |_| fragments.as_ptr()),
        states: if states.is_empty() { null() } else { states.as_ptr() },
        state_count: states.len(),
    };
    // SAFETY: as for `show_finding`.
    unsafe { show(&shown, user_data) }
}

fn severity_code(severity: Severity) -> i32 {
    match severity {
        Severity::Note => CFA_SEVERITY_NOTE,
        Severity::Recommendation => CFA_SEVERITY_RECOMMENDATION,
        Severity::Requirement => CFA_SEVERITY_REQUIREMENT,
    }
}

fn state_code(state: State) -> u8 {
    match state {
        State::Unchecked => CFA_STATE_UNCHECKED,
        State::NoFile => CFA_STATE_NO_FILE,
        State::Present => CFA_STATE_PRESENT,
        State::OtherVersion => CFA_STATE_OTHER_VERSION,
        State::Changed => CFA_STATE_CHANGED,
        State::Missing => CFA_STATE_MISSING,
        State::Wrong => CFA_STATE_WRONG,
    }
}
