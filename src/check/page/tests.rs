//! Pages of made-up reports: what they say, that nothing of a file becomes HTML, and that their length is bounded.

use std::collections::HashMap;
use std::sync::Arc;

use super::*;
use crate::model::grid::Grid;
use crate::model::Dialect;
use crate::value::DataType;

fn variable(path: &str, fragments: &[u64], name: impl Fn(u64) -> String) -> VariableReport {
    let sizes: Vec<Vec<u64>> = fragments.iter().map(|&n| vec![2; n as usize]).collect();
    let shape: Vec<u64> = fragments.iter().map(|n| 2 * n).collect();
    let total = fragments.iter().product::<u64>();
    VariableReport {
        path: path.into(),
        dialect: Dialect::Cf113,
        data_type: DataType::F32,
        dimensions: (0..fragments.len()).map(|d| format!("d{d}")).collect(),
        grid: Some(Arc::new(Grid::from_sizes(&sizes, &shape).unwrap())),
        shape: Some(shape),
        states: vec![State::Present; total as usize],
        files: (0..total.min(6000)).map(|n| (n, name(n).into())).collect::<HashMap<u64, Arc<str>>>(),
    }
}

fn page(variables: Vec<VariableReport>, findings: Vec<Finding>) -> String {
    let report =
        Report { file: "/a/b.nc".into(), conventions: None, variables, findings, fragments_checked: true };
    html(&report, &AllAxes::default())
}

#[test]
fn text_of_the_file_is_escaped() {
    assert_eq!(
        escape("<a href='x'>&\"\0\n\u{202e}"),
        "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\u{fffd}\u{fffd}\u{fffd}"
    );
    assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
    assert_eq!(grouped(12), "12");
    assert_eq!(file_name("/a/b.nc"), "b.nc");
    let hostile = "<img src=x>\"'\u{1b}";
    let mut one = variable(hostile, &[2, 2], |n| format!("{hostile}{n}"));
    one.dimensions = vec![hostile.into(), hostile.into()];
    let text = page(vec![one], Vec::new());
    assert!(!text.contains("<img") && !text.contains('\u{1b}'));
    assert_eq!(text.matches("&lt;img").count(), 1 + 2 + 2 + 4 * 3, "{text}");
}

#[test]
fn a_square_names_its_fragment_its_file_and_its_part() {
    let mut one = variable("/v", &[3, 2], |n| format!("in/a/{n}.nc"));
    one.states[5] = State::Missing;
    let text = page(vec![one], Vec::new());
    assert!(text.contains("Files are in <code>in/a/</code>"));
    let last = "class=\"missing\"><span><b>fragment [2, 1]: missing</b><bdi>5.nc</bdi><i>d0 4–5</i><i>d1 2–3</i></span>";
    assert!(text.contains(last), "{text}");
    assert_eq!(text.matches("<label>").count(), 6);
}

#[test]
fn a_square_of_many_fragments_names_the_ends_and_what_is_remarkable() {
    let mut one = variable("/v", &[12_000], |n| format!("{n}.nc"));
    one.states[4] = State::Missing;
    let text = page(vec![one], Vec::new());
    let third = "<b>2 fragments, [4] to [5]: 1 missing, 1 present</b><bdi>4.nc</bdi><bdi>to 5.nc</bdi>\
                 <bdi>missing: 4.nc</bdi><i>d0 8–11</i>";
    assert!(text.contains(third), "{}", &text[..20_000]);
    assert!(text.contains("class=\"present foot\" style=\"--foot:var(--missing);--part:50%\""));
}

#[test]
fn variables_in_the_same_files_share_a_section() {
    let same = |path: &str| variable(path, &[4], |n| format!("{n}.nc"));
    let mut other = same("/c");
    other.states[1] = State::Wrong;
    let text = page(vec![same("/a"), other, same("/b")], Vec::new());
    assert_eq!(text.matches("<section class=\"variable\">").count(), 2);
    assert!(text.contains("<h2>/a, /b <small>(2 variables)</small></h2>") && text.contains("<h2>/c</h2>"));
}

#[test]
fn the_length_is_bounded() {
    let length = |variables: usize, fragments: &[u64], findings: usize| {
        let of = |v| variable(&format!("/v{v}"), fragments, |n| format!("{v}/{}{n}", "x".repeat(290)));
        let finding = Finding {
            rule: "oddity",
            clause: String::new(),
            severity: Severity::Note,
            variable: Some("/v".into()),
            fragment: Some(vec![1, 2]),
            message: "m".repeat(2500),
            count: 1,
        };
        page((0..variables).map(of).collect(), vec![finding; findings]).len()
    };
    for (variables, fragments) in
        [(1, &[6000][..]), (1, &[300_000]), (1, &[400, 400]), (60, &[2000]), (700, &[10, 30])]
    {
        let bytes = length(variables, fragments, 0);
        assert!(bytes < 8_000_000, "{variables} {fragments:?}: {bytes}");
    }
    assert!(length(0, &[], 100_000) < 4_000_000);
}
