//! Reports as one page for a browser: the findings, and the fragments of each variable as a coloured map.
//!
//! The page needs nothing else (no scripts, fonts or pictures from elsewhere), so it can be mailed and archived.
//! Everything that comes from the file is escaped.

mod map;

use std::fmt::Write;

use super::report::{Finding, Report, State, VariableReport};
use super::rules::Severity;
use crate::error::message::is_deceptive;
use map::Map;

/// Distinguishes a report from other pages: it begins with this.
pub(super) const MARK: &str =
    "<!DOCTYPE html>\n<!-- Report of cfa check, which replaces it when it is told to write here again. -->\n";

const STYLE: &str = include_str!("style.css");

/// Returns the pixels from one square to the next, depending on the number of squares across.
fn pitch(columns: u64) -> u64 {
    match columns {
        0..=12 => 34,
        13..=30 => 24,
        31..=60 => 16,
        _ => 9,
    }
}

/// Returns the page.
pub fn html(report: &Report) -> String {
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
    for variable in &report.variables {
        section(&mut page, variable, report.fragments_checked);
    }
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

fn section(page: &mut String, variable: &VariableReport, checked: bool) {
    let _ = write!(page, "<section class=\"variable\">\n<h2>{}</h2>\n", escape(&variable.path));
    let Some(shape) = &variable.shape else {
        let _ = write!(
            page,
            "<p class=\"facts\">{} · {}</p>\n<p class=\"broken\">It cannot be decoded; the findings below say why.</p>\n</section>\n",
            escape(variable.dialect.name()),
            escape(variable.data_type.cdl_name())
        );
        return;
    };
    let sizes: Vec<String> = variable
        .dimensions
        .iter()
        .zip(shape)
        .map(|(name, &size)| format!("{} {}", escape(name), grouped(size)))
        .collect();
    let form: Vec<String> = variable.fragments().iter().map(|&n| grouped(n)).collect();
    let form = if form.len() > 1 { format!(" ({})", form.join(" × ")) } else { String::new() };
    let count = variable.fragment_count().unwrap_or(0);
    let _ = writeln!(
        page,
        "<p class=\"facts\">{} · {} · {} · {} fragment{}{form}</p>",
        escape(variable.dialect.name()),
        escape(variable.data_type.cdl_name()),
        if sizes.is_empty() { "scalar".to_owned() } else { sizes.join(", ") },
        grouped(count),
        if count == 1 { "" } else { "s" },
    );
    if checked {
        bar(page, variable);
        if let Some(map) = Map::of(variable) {
            drawing(page, &map);
        }
    }
    page.push_str("</section>\n");
}

/// Writes how many fragments are in each state: a bar and the legend of the map.
fn bar(page: &mut String, variable: &VariableReport) {
    let counts = variable.counts();
    page.push_str("<div class=\"bar\">");
    for (state, n) in &counts {
        let _ = write!(
            page,
            "<span class=\"{}\" style=\"flex-grow:{n}\" title=\"{} {}\"></span>",
            state.name(),
            grouped(*n),
            state.meaning()
        );
    }
    page.push_str("</div>\n<ul class=\"legend\">\n");
    for state in State::ALL.into_iter().filter(|&s| s != State::Unchecked) {
        let n = counts.iter().find(|(s, _)| *s == state).map_or(0, |(_, n)| *n);
        let none = if n == 0 { " class=\"none\"" } else { "" };
        let _ = writeln!(
            page,
            "<li{none}><span class=\"swatch {}\"></span>{} <b>{}</b></li>",
            state.name(),
            state.meaning(),
            grouped(n)
        );
    }
    page.push_str("</ul>\n");
}

fn drawing(page: &mut String, map: &Map) {
    let pitch = pitch(map.columns);
    let side = pitch - if pitch > 12 { 2 } else { 1 };
    let (width, height) = (map.columns * pitch, map.rows * pitch);
    let down = if map.down.is_empty() { String::new() } else { format!("{} ↓ &nbsp; ", escape(&map.down)) };
    let across = if map.across.is_empty() { String::new() } else { format!("{} →", escape(&map.across)) };
    let per_square = map.bin.0.saturating_mul(map.bin.1);
    let note = match per_square {
        1 => String::new(),
        n => format!(
            " &nbsp; <em>each square stands for up to {} fragments; its foot shows the most remarkable of them</em>",
            grouped(n)
        ),
    };
    let _ = write!(
        page,
        "<p class=\"axes\">{down}{across}{note}</p>\n<div class=\"map\"><svg role=\"img\" aria-label=\"map of the fragments\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
    );
    for cell in &map.cells {
        let (x, y) = (cell.column * pitch, cell.row * pitch);
        let _ = write!(
            page,
            "<g><title>{}</title><rect class=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\"/>",
            escape(&cell.title),
            cell.common.name(),
        );
        if cell.common != cell.state {
            // One among thousands must still be visible.
            let part = (side as f64 * cell.share.max(0.34)).round() as u64;
            let _ = write!(
                page,
                "<rect class=\"{}\" x=\"{x}\" y=\"{}\" width=\"{side}\" height=\"{part}\"/>",
                cell.state.name(),
                y + side - part,
            );
        }
        page.push_str("</g>\n");
    }
    page.push_str("</svg></div>\n");
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
    for finding in list {
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
    page.push_str("</tbody>\n</table></div>\n</section>\n");
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
            '\n' => out.push('\n'),
            // Marks that change the direction of writing could disguise a name.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if is_deceptive(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_file_is_escaped() {
        assert_eq!(
            escape("<a href='x'>&\"\0\u{202e}"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\u{fffd}\u{fffd}"
        );
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(grouped(12), "12");
        assert_eq!(file_name("/a/b.nc"), "b.nc");
    }
}
