//! Reports the outcome of a check as JSON, for programs.

use serde_json::{json, Map, Value};

use crate::error::message::escaped_json;

use super::{Finding, Report, VariableReport};

/// Distinguishes a file with such a text from others.
pub(super) const MARK: &str = "{\"report\":\"cfa check\",";

/// Returns a report as one JSON object on one line.
pub fn as_json(report: &Report) -> String {
    let object = json!({
        "file": report.file,
        "conventions": report.conventions,
        "fine": report.is_fine(),
        "fragments_checked": report.fragments_checked,
        "variables": report.variables.iter().map(variable).collect::<Vec<_>>(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    })
    .to_string();
    // The mark is the first member, whatever the order of the others.
    format!("{MARK}{}", escaped_json(object.trim_start_matches('{')))
}

fn variable(variable: &VariableReport) -> Value {
    let counts: Map<String, Value> =
        variable.counts().iter().map(|(state, n)| (state.name().to_owned(), json!(n))).collect();
    json!({
        "name": variable.path,
        "dialect": variable.dialect.name(),
        "dtype": variable.data_type.code(),
        "dims": variable.dimensions,
        "shape": variable.shape,
        "fragments": variable.shape.as_ref().map(|_| variable.fragments()),
        "states": counts,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "clause": finding.clause,
        "severity": finding.severity.name(),
        "variable": finding.variable,
        "fragment": finding.fragment,
        "message": finding.message,
        "count": finding.count,
    })
}
