//! Draws how files fill the grid of a variable: a line for each position along all dimensions but the last.

use std::collections::HashMap;

use cfa::create::PlannedVariable;

use crate::style::{brief, printable};

/// The maximum numbers of columns and of lines. If there are more positions, several share one.
const COLUMNS: u64 = 60;
const LINES: u64 = 24;

/// Returns the drawing; nothing for a variable whose files differ along fewer than two dimensions.
pub fn drawn(variable: &PlannedVariable) -> Vec<String> {
    let counts: Vec<u64> = variable.dimensions.iter().map(|d| d.parts.len().max(1) as u64).collect();
    let split: Vec<usize> = (0..counts.len()).filter(|&d| counts[d] > 1).collect();
    let all = counts.iter().try_fold(1u64, |n, &count| n.checked_mul(count));
    let (Some(all), [rows @ .., last]) = (all, &split[..]) else { return Vec::new() };
    if rows.is_empty() {
        return Vec::new();
    }
    // The last dimension with several parts makes the columns, and all others make the rows.
    let (width, height) = (counts[*last], all / counts[*last]);
    let (wide, high) = (width.div_ceil(COLUMNS), height.div_ceil(LINES));
    let mut found: HashMap<(u64, u64), u64> = HashMap::new();
    for place in &variable.places {
        *found.entry((place / width / high, place % width / wide)).or_default() += 1;
    }
    let part = |d: usize, i: u64| {
        let dimension = &variable.dimensions[d];
        let place = dimension.parts.get(i as usize).map_or(String::new(), |(_, place, _)| place);
        format!("{} {}", brief(&dimension.name), brief(&place))
    };
    let each = if wide == 1 { "a part".to_owned() } else { format!("{wide} parts") };
    let mut lines =
        vec![format!("  columns ({each} each): {} to {}", part(*last, 0), part(*last, width - 1))];
    for line in 0..height.div_ceil(high) {
        let row = line * high;
        let many = high.min(height - row);
        let mark = |column: u64| {
            let wanted = many * wide.min(width - column * wide);
            match found.get(&(line, column)) {
                _ if variable.places.is_empty() => '#',
                None => '.',
                Some(n) if *n == wanted => '#',
                Some(_) => '+',
            }
        };
        let marks: String = (0..width.div_ceil(wide)).map(mark).collect();
        let mut rest = row;
        let mut names: Vec<String> = Vec::with_capacity(rows.len());
        for &d in rows.iter().rev() {
            names.insert(0, part(d, rest % counts[d]));
            rest /= counts[d];
        }
        let more = if many > 1 { format!(" and {} more", many - 1) } else { String::new() };
        lines.push(format!("  {marks}  {}{more}", printable(&names.join(", "))));
    }
    lines.push("  # a file, . no file, + files for some".to_owned());
    lines
}
