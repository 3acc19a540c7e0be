//! Reports as one page for a browser: the findings, and the fragments of each variable as a coloured map and on an axis
//! of dates.
//!
//! The page needs nothing else (no scripts, fonts or pictures from elsewhere), so it can be mailed and archived. Each
//! square of a map is a radio button, so that the arrow keys go from one to the next, and the style sheet shows the
//! text of the one that has the pointer or the focus. Everything that comes from the file is escaped. The length of the
//! page is bounded: large arrays are drawn in bins, and what is beyond a number of variables or findings is counted.

mod axis;
mod cell;
mod layout;
mod section;
#[cfg(test)]
mod tests;
mod ticks;
mod timeline;

use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{Hash, Hasher};

use super::report::{Finding, Report, State, VariableReport};
use super::rules::Severity;
use crate::error::message::is_deceptive;
pub(super) use axis::AllAxes;
pub(super) use layout::named;

/// Distinguishes a report from other pages: it begins with this.
pub(super) const MARK: &str =
    "<!DOCTYPE html>\n<!-- Report of cfa check, which replaces it when it is told to write here again. -->\n";

const STYLE: &str = include_str!("style.css");

const HINT: &str =
    "<p class=\"hint\">Point at a square or tap it to see its file and dates; with the keyboard, use Tab \
                    and the arrow keys.</p>\n";

/// The maximum number of sections, of squares in all of them, and of rows of findings.
const MOST_SECTIONS: usize = 200;
const MOST_SQUARES: u64 = 12_000;
const MOST_FINDINGS: usize = 1000;

/// Returns the page. The axes are those of the variables that have fragments.
pub(super) fn html(report: &Report, axes: &AllAxes) -> String {
    let mut page = String::new();
    let name = file_name(&report.file);
    let verdict = if report.is_fine() { "fine" } else { "problems" };
    let word = if report.is_fine() { "No requirement violated" } else { "Problems found" };
    // Writing to a String never fails.
    let _ = write!(
        page,
        "{MARK}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{0} – aggregation check</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"verdict {verdict}\">{word}</p>\n<h1>{0}</h1>\n{1}</header>\n<main>\n",
        escape(&name),
        if name == report.file {
            String::new()
        } else {
            format!("<p class=\"path\">{}</p>\n", escape(&report.file))
        },
    );
    summary(&mut page, report);
    if report.fragments_checked {
        page.push_str(HINT);
    }
    sections(&mut page, report, axes);
    findings(&mut page, &report.findings);
    let _ = write!(
        page,
        "</main>\n<footer>Made by cfa {}. Data of the fragments were not read.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    page
}

fn summary(page: &mut String, report: &Report) {
    let fragments: u64 =
        report.variables.iter().filter_map(VariableReport::fragment_count).fold(0, u64::saturating_add);
    let broken = report.count(Severity::Requirement);
    let advice = report.count(Severity::Recommendation);
    let tiles = [
        (report.variables.len() as u64, "aggregation variables", ""),
        (fragments, "fragments", ""),
        (broken, "requirements violated", if broken > 0 { "bad" } else { "" }),
        (advice, "recommendations not followed", if advice > 0 { "odd" } else { "" }),
        (report.count(Severity::Note), "notes", ""),
    ];
    page.push_str("<section class=\"tiles\">\n");
    for (number, label, class) in tiles {
        let _ = writeln!(
            page,
            "<div class=\"tile {class}\"><span class=\"number\">{}</span><span class=\"label\">{label}</span></div>",
            grouped(number)
        );
    }
    page.push_str("</section>\n");
    if let Some(conventions) = &report.conventions {
        let _ =
            writeln!(page, "<p class=\"conventions\">Conventions: <code>{}</code></p>", escape(conventions));
    }
}

/// Writes a section for each group of variables that have the same fragments in the same files.
fn sections(page: &mut String, report: &Report, axes: &AllAxes) {
    let mut groups: Vec<Vec<&VariableReport>> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for variable in &report.variables {
        let mut hasher = DefaultHasher::new();
        (&variable.dimensions, &variable.shape, &variable.states).hash(&mut hasher);
        let place = *places.entry(hasher.finish()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) if variable.shape.is_some() && variable.has_fragments_of(group[0]) => {
                group.push(variable)
            }
            // One that only has the same hash has a section of its own.
            _ => groups.push(vec![variable]),
        }
    }
    let left = groups.len().saturating_sub(MOST_SECTIONS);
    if left > 0 {
        let is_fine = |v: &VariableReport| v.shape.is_some() && v.states.iter().all(|&s| s <= State::Present);
        groups.sort_by_key(|group| is_fine(group[0]));
        groups.truncate(MOST_SECTIONS);
    }
    let most = MOST_SQUARES / (groups.len() as u64).max(1);
    for (number, group) in groups.iter().enumerate() {
        let paths: Vec<&str> = group.iter().map(|variable| variable.path.as_str()).collect();
        section::write(page, &paths, group[0], axes.of(paths[0]), number, most);
    }
    if left > 0 {
        let text = "more sections are left out, of variables that are like the others or fine; cfa check --json has all variables";
        let _ = writeln!(page, "<p class=\"left-out\">{} {text}</p>", grouped(left as u64));
    }
}

/// A square of a map or a bar of an axis.
struct Square<'a> {
    /// The radio buttons to which it belongs.
    group: &'a str,
    /// Its position, as declarations of a style, if its place among the others does not determine it.
    place: &'a str,
    is_gap: bool,
    /// The attributes that give its colours.
    colours: &'a str,
}

impl Square<'_> {
    /// Writes it with its text.
    fn write(&self, page: &mut String, text: impl FnOnce(&mut String)) {
        page.push_str(if self.is_gap { "<label class=\"gap\"" } else { "<label" });
        if !self.place.is_empty() {
            let _ = write!(page, " style=\"{}\"", self.place);
        }
        let _ = write!(page, "><input type=\"radio\" name=\"{}\" {}><span>", self.group, self.colours);
        text(page);
        page.push_str("</span></label>\n");
    }
}

fn findings(page: &mut String, list: &[Finding]) {
    page.push_str("<section class=\"findings\">\n<h2>Findings</h2>\n");
    if list.is_empty() {
        page.push_str("<p class=\"facts\">None.</p>\n</section>\n");
        return;
    }
    page.push_str(
        "<div class=\"scroll\"><table>\n<thead><tr><th>Severity</th><th>Clause</th><th>Variable</th><th>Fragment</th>\
         <th>What</th><th>Rule</th></tr></thead>\n<tbody>\n",
    );
    for finding in list.iter().take(MOST_FINDINGS) {
        let severity = finding.severity.name();
        let fragment = finding.fragment.as_ref().map_or(String::new(), |f| format!("{f:?}"));
        let _ = writeln!(
            page,
            "<tr><td><span class=\"severity {severity}\">{severity}</span></td><td class=\"short\">{}</td><td class=\"short\">{}</td>\
             <td class=\"index\">{fragment}</td><td class=\"what\">{}</td><td class=\"short\"><code>{}</code></td></tr>",
            escape(&finding.clause),
            escape(finding.variable.as_deref().unwrap_or("file")),
            escape(&finding.message),
            finding.rule
        );
    }
    page.push_str("</tbody>\n</table></div>\n");
    if list.len() > MOST_FINDINGS {
        let text = "more rows are left out; cfa check --json has them";
        let _ = writeln!(
            page,
            "<p class=\"left-out\">{} {text}</p>",
            grouped((list.len() - MOST_FINDINGS) as u64)
        );
    }
    page.push_str("</section>\n");
}

fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().filter(|n| !n.is_empty()).unwrap_or(path).to_owned()
}

/// Returns a number with thin spaces between thousands.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// Escapes text for HTML, in elements and attributes; control characters are shown as a box.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Also marks that change the direction of writing, which could disguise a name.
            c if is_deceptive(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
