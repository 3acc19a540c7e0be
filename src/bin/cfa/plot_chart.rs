//! Draws a picture with `plotters`, as PNG or SVG.

use cfa::qgis::Colours;
use cfa::{Error, Kind, Result};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{
    register_font,
    text_anchor::{HPos, Pos, VPos},
    FontStyle,
};

use crate::plot_axis::{number_text, round_ticks, Axis};
use crate::plot_data::Picture;

/// The kind of a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Png,
    Svg,
}

/// The room to the right of the values, for the bar of colours.
const RIGHT: u32 = 110;
/// The maximum width and height of the area of values, and its minimum height.
const AREA: (u32, u32) = (800, 560);
const LEAST_HEIGHT: u32 = 240;
/// The room to the left of the values, unless labels have more characters than `SHORT_LABEL`.
const LEFT: u32 = 90;
const SHORT_LABEL: usize = 6;
const LONGEST_LABEL: usize = 16;
/// The width of a character of a label, in pixels.
const CHARACTER: u32 = 9;
const TOP: u32 = 64;
const BOTTOM: u32 = 62;
const FONT: &str = "sans-serif";
/// The colour of missing data.
const GREY: RGBColor = RGBColor(200, 200, 200);
const LINE: RGBColor = RGBColor(31, 90, 160);
const BAR_STEPS: usize = 256;

/// Returns how many values a map has room for, across and up. A map in SVG has room for fewer, since each is an element of
/// the file.
pub fn most_cells(form: Form) -> (u64, u64) {
    match form {
        Form::Png => (u64::from(AREA.0), u64::from(AREA.1)),
        Form::Svg => (400, 280),
    }
}

/// Returns the file of a picture.
pub fn drawn(picture: &Picture, form: Form) -> Result<Vec<u8>> {
    let failed = |e: String| Error::new(Kind::Internal, format!("the picture cannot be drawn: {e}"));
    register_font(FONT, FontStyle::Normal, dejavu::sans::regular()).map_err(|_| failed("no font".into()))?;
    let (width, height) = area(picture);
    let values = Values::of(picture);
    let left = left(picture, &values.axis);
    let size = (left + AREA.0 + RIGHT, height + TOP + BOTTOM);
    let place = Place { left, width, height };
    match form {
        Form::Svg => {
            let mut text = String::new();
            let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
            draw(&root, picture, &values, place).map_err(|e| failed(e.to_string()))?;
            drop(root);
            // Otherwise a viewer that scales the picture shows seams between the values.
            let crisp = "<svg shape-rendering=\"crispEdges\"";
            Ok(if picture.up.is_some() { text.replacen("<svg", crisp, 1) } else { text }.into_bytes())
        }
        Form::Png => {
            let mut pixels = vec![0; size.0 as usize * size.1 as usize * 3];
            let root = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
            draw(&root, picture, &values, place).map_err(|e| failed(e.to_string()))?;
            drop(root);
            encoded(&pixels, size).map_err(|e| failed(e.to_string()))
        }
    }
}

fn encoded(pixels: &[u8], (width, height): (u32, u32)) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

fn ends(axis: &Axis) -> (f64, f64) {
    let edges = axis.edges();
    let (a, b) = (edges[0], edges[edges.len() - 1]);
    (a.min(b), a.max(b))
}

/// Returns width and height of the area of values. If possible, degrees of latitude and longitude are equally long, and so
/// are metres of a projection in both directions.
fn area(picture: &Picture) -> (u32, u32) {
    match &picture.up {
        Some(up) if up.ground_unit.is_some() && up.ground_unit == picture.across.ground_unit => {
            let span = |axis| {
                let (low, high) = ends(axis);
                high - low
            };
            let ratio = span(up) / span(&picture.across);
            let height = (f64::from(AREA.0) * ratio) as u32;
            let width = match height {
                0..=LEAST_HEIGHT => AREA.0,
                h if h > AREA.1 => ((f64::from(AREA.1) / ratio) as u32).max(LEAST_HEIGHT),
                _ => AREA.0,
            };
            (width, height.clamp(LEAST_HEIGHT, AREA.1))
        }
        _ => (AREA.0, 420),
    }
}

type Drawn<DB> = std::result::Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

fn style(size: i32, h: HPos, v: VPos) -> TextStyle<'static> {
    (FONT, size).into_font().color(&BLACK).pos(Pos::new(h, v))
}

/// The area of values.
#[derive(Clone, Copy)]
struct Place {
    left: u32,
    width: u32,
    height: u32,
}

/// Returns the room that the labels on the left need.
fn left(picture: &Picture, values: &Axis) -> u32 {
    let up = match &picture.up {
        Some(up) => up,
        None if is_profile(picture) => &picture.across,
        None => values,
    };
    let longest = up.ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
    LEFT + CHARACTER * longest.min(LONGEST_LABEL).saturating_sub(SHORT_LABEL) as u32
}

/// Returns whether a line goes up: along heights, pressures and depths.
fn is_profile(picture: &Picture) -> bool {
    picture.across.is_upright && !picture.across.is_degrees
}

fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    picture: &Picture,
    values: &Values,
    place: Place,
) -> Drawn<DB> {
    root.fill(&WHITE)?;
    // Texts are centred above the values, and not cut on the left if the area is narrow.
    let middle = |text: &str, character: usize| {
        let half = (text.chars().count() * character / 2) as u32;
        (place.left + place.width / 2).max(half + 8) as i32
    };
    let (title, part) = (picture.title.as_str(), fitted(&picture.place, 110));
    root.draw(&Text::new(title, (middle(title, 12), 10), style(22, HPos::Center, VPos::Top)))?;
    root.draw(&Text::new(part.as_str(), (middle(&part, 8), 38), style(17, HPos::Center, VPos::Top)))?;
    match &picture.up {
        Some(up) => map(root, picture, up, place)?,
        None => line(root, picture, values, place)?,
    }
    root.present()
}

/// Returns a text, or its beginning if it has more than `most` characters.
pub fn fitted(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn map<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    picture: &Picture,
    up: &Axis,
    place: Place,
) -> Drawn<DB> {
    let frame = Frame::new(&picture.across, ends(&picture.across), up, ends(up), up.is_downward, place);
    let (x, y) = (|v| frame.x(v), |v| frame.y(v));
    root.draw(&Rectangle::new([frame.corner(false), frame.corner(true)], GREY.filled()))?;
    let columns = picture.across.centres.len();
    let (xs, ys) = (picture.across.cells(), up.cells());
    for (row, (foot, top)) in ys.into_iter().enumerate() {
        let values = &picture.values[row * columns..(row + 1) * columns];
        let mut from = 0;
        while from < columns {
            // Neighbours of one colour are one rectangle.
            let colour = colour_of(&picture.colours, values[from]);
            let mut to = from + 1;
            while to < columns
                && xs[to].0 == xs[to - 1].1
                && colour_of(&picture.colours, values[to]) == colour
            {
                to += 1;
            }
            if let Some(colour) = colour {
                let corners = [(x(xs[from].0), y(foot)), (x(xs[to - 1].1), y(top))];
                root.draw(&Rectangle::new(corners, colour.filled()))?;
            }
            from = to;
        }
    }
    frame.draw(root)?;
    bar(root, picture, place)
}

/// The axis of the values of a line.
struct Values {
    axis: Axis,
    low: f64,
    high: f64,
}

impl Values {
    fn of(picture: &Picture) -> Values {
        let (low, high) = match picture.extremes {
            _ if picture.is_chosen => (picture.colours.low, picture.colours.high),
            (low, high) if low < high && (high - low).is_finite() => {
                (low - (high - low) * 0.05, high + (high - low) * 0.05)
            }
            _ => (picture.colours.low, picture.colours.high),
        };
        let axis = Axis {
            centres: vec![low, high],
            ticks: round_ticks(low, high, false).into_iter().map(|t| (t, number_text(t))).collect(),
            title: picture.units.clone(),
            is_upright: true,
            is_downward: false,
            is_degrees: false,
            ground_unit: None,
            gap: f64::INFINITY,
        };
        Values { axis, low, high }
    }
}

fn line<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    picture: &Picture,
    &Values { axis: ref values, low, high }: &Values,
    place: Place,
) -> Drawn<DB> {
    let is_profile = is_profile(picture);
    let centres = &picture.across.centres;
    let along = match centres[..] {
        [_] => ends(&picture.across),
        _ => (centres[0].min(centres[centres.len() - 1]), centres[0].max(centres[centres.len() - 1])),
    };
    let frame = match is_profile {
        true => Frame::new(values, (low, high), &picture.across, along, picture.across.is_downward, place),
        false => Frame::new(&picture.across, along, values, (low, high), false, place),
    };
    let cells = picture.across.cells();
    let grey = |a: f64, b: f64| {
        let (a, b) = (a.clamp(along.0, along.1), b.clamp(along.0, along.1));
        let corners = match is_profile {
            true => [(frame.x(low), frame.y(a)), (frame.x(high), frame.y(b))],
            false => [(frame.x(a), frame.y(low)), (frame.x(b), frame.y(high))],
        };
        root.draw(&Rectangle::new(corners, GREY.filled()))
    };
    let is_missing = |i: &usize| !picture.values[*i].is_finite();
    let mut from = 0;
    while let Some(first) = (from..picture.values.len()).find(is_missing) {
        from = (first..picture.values.len()).find(|i| !is_missing(i)).unwrap_or(picture.values.len());
        grey(cells[first].0, cells[from - 1].1)?;
    }
    let is_gap = |i: usize| i > 0 && cells[i - 1].1 != cells[i].0;
    for i in (0..cells.len()).filter(|&i| is_gap(i)) {
        grey(cells[i - 1].1, cells[i].0)?;
    }
    let mut piece: Vec<(i32, i32)> = Vec::new();
    for i in 0..=picture.values.len() {
        let value = picture.values.get(i).copied().unwrap_or(f64::NAN);
        let is_drawn = (low..=high).contains(&value);
        if !is_drawn || is_gap(i) {
            // Values that are missing or out of range interrupt the line; a single value between two such is a dot.
            match piece[..] {
                [] => {}
                [one] => root.draw(&Circle::new(one, 2, LINE.filled()))?,
                _ => {
                    let stroke = LINE.stroke_width(if picture.values.len() > 400 { 1 } else { 2 });
                    root.draw(&PathElement::new(std::mem::take(&mut piece), stroke))?;
                }
            }
            piece.clear();
        }
        if is_drawn {
            let at = picture.across.centres[i];
            piece.push(match is_profile {
                true => (frame.x(value), frame.y(at)),
                false => (frame.x(at), frame.y(value)),
            });
        }
    }
    frame.draw(root)
}

/// The area of values: where numbers lie, and its ticks.
struct Frame<'a> {
    across: &'a Axis,
    up: &'a Axis,
    x: (f64, f64),
    /// The numbers at the foot and at the top.
    y: (f64, f64),
    place: Place,
}

impl<'a> Frame<'a> {
    fn new(
        across: &'a Axis,
        x: (f64, f64),
        up: &'a Axis,
        (low, high): (f64, f64),
        is_downward: bool,
        place: Place,
    ) -> Self {
        let y = if is_downward { (high, low) } else { (low, high) };
        Frame { across, up, x, y, place }
    }

    fn x(&self, value: f64) -> i32 {
        let share = (value - self.x.0) / (self.x.1 - self.x.0);
        self.place.left as i32 + (share * f64::from(self.place.width)).round() as i32
    }

    fn y(&self, value: f64) -> i32 {
        let share = (value - self.y.0) / (self.y.1 - self.y.0);
        (TOP + self.place.height) as i32 - (share * f64::from(self.place.height)).round() as i32
    }

    fn corner(&self, is_end: bool) -> (i32, i32) {
        match is_end {
            false => (self.place.left as i32, TOP as i32),
            true => ((self.place.left + self.place.width) as i32, (TOP + self.place.height) as i32),
        }
    }

    fn draw<DB: DrawingBackend>(&self, root: &DrawingArea<DB, Shift>) -> Drawn<DB> {
        let ((left, top), (right, foot)) = (self.corner(false), self.corner(true));
        root.draw(&Rectangle::new([(left, top), (right, foot)], BLACK.stroke_width(1)))?;
        let ticks = self.across.ticks.iter().map(|(value, label)| (self.x(*value), label.as_str()));
        let mut ticks: Vec<(i32, &str)> = ticks.filter(|(x, _)| (left..=right).contains(x)).collect();
        ticks.sort_unstable();
        // If there is no room for all labels, every second, third, ... tick has one.
        let half = |label: &str| (label.chars().count() as u32 * CHARACTER / 2) as i32;
        let room = |a: &(i32, &str), b: &(i32, &str)| a.0 + half(a.1) < b.0 - half(b.1);
        let fits = |by: &usize| {
            let labelled: Vec<&(i32, &str)> = ticks.iter().step_by(*by).collect();
            labelled.windows(2).all(|w| room(w[0], w[1]))
        };
        let by = (1..ticks.len()).find(fits).unwrap_or(ticks.len().max(1));
        for (i, (x, label)) in ticks.into_iter().enumerate() {
            root.draw(&PathElement::new([(x, foot), (x, foot + 5)], BLACK))?;
            if i % by == 0 {
                root.draw(&Text::new(label, (x, foot + 9), style(16, HPos::Center, VPos::Top)))?;
            }
        }
        for (value, label) in &self.up.ticks {
            let y = self.y(*value);
            if (top..=foot).contains(&y) {
                root.draw(&PathElement::new([(left - 5, y), (left, y)], BLACK))?;
                root.draw(&Text::new(
                    fitted(label, LONGEST_LABEL),
                    (left - 9, y),
                    style(16, HPos::Right, VPos::Center),
                ))?;
            }
        }
        let middle = ((left + right) / 2, foot + 34);
        root.draw(&Text::new(self.across.title.as_str(), middle, style(17, HPos::Center, VPos::Top)))?;
        let turned = style(17, HPos::Center, VPos::Top).transform(FontTransform::Rotate270);
        root.draw(&Text::new(self.up.title.as_str(), (6, (top + foot) / 2), turned))
    }
}

/// Draws the bar that shows which colour means which value.
fn bar<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    picture: &Picture,
    Place { left, width, height }: Place,
) -> Drawn<DB> {
    let (left, right) = ((left + width + 22) as i32, (left + width + 40) as i32);
    let (top, foot) = (TOP as i32, (TOP + height) as i32);
    let Colours { low, high, .. } = picture.colours;
    let y = |value: f64| foot - ((value - low) / (high - low) * f64::from(foot - top)).round() as i32;
    for i in 0..BAR_STEPS {
        let at = |i: usize| low + (high - low) * i as f64 / BAR_STEPS as f64;
        let colour = colour_of(&picture.colours, (at(i) + at(i + 1)) / 2.0).unwrap_or(GREY);
        root.draw(&Rectangle::new([(left, y(at(i))), (right, y(at(i + 1)))], colour.filled()))?;
    }
    root.draw(&Rectangle::new([(left, top), (right, foot)], BLACK.stroke_width(1)))?;
    let point = |tip: i32, base: i32, value: f64| {
        let colour = colour_of(&picture.colours, value).unwrap_or(GREY);
        Polygon::new([(left, base), (right, base), ((left + right) / 2, tip)], colour.filled())
    };
    if picture.extremes.1 > high && picture.extremes.1.is_finite() {
        root.draw(&point(top - 14, top, high))?;
    }
    if picture.extremes.0 < low && picture.extremes.0.is_finite() {
        root.draw(&point(foot + 14, foot, low))?;
    }
    for value in round_ticks(low, high, false) {
        root.draw(&PathElement::new([(right, y(value)), (right + 5, y(value))], BLACK))?;
        let text = Text::new(number_text(value), (right + 9, y(value)), style(16, HPos::Left, VPos::Center));
        root.draw(&text)?;
    }
    let units = Text::new(
        fitted(&picture.units, 14),
        ((left + right) / 2, foot + 34),
        style(17, HPos::Center, VPos::Top),
    );
    root.draw(&units)
}

/// Returns the colour of a value; `None` if it is missing.
fn colour_of(colours: &Colours, value: f64) -> Option<RGBColor> {
    if !value.is_finite() {
        return None;
    }
    let share = ((value - colours.low) / (colours.high - colours.low)).clamp(0.0, 1.0);
    // The bar has as many steps.
    let share = ((share * BAR_STEPS as f64).floor().min(BAR_STEPS as f64 - 1.0) + 0.5) / BAR_STEPS as f64;
    let last = colours.stops.len() - 1;
    let at = share * last as f64;
    let i = (at as usize).min(last.saturating_sub(1));
    let (a, b) = (colours.stops[i], colours.stops[(i + 1).min(last)]);
    let mixed = |shift: u32| {
        let (a, b) = (f64::from(a >> shift & 255), f64::from(b >> shift & 255));
        (a + (b - a) * (at - i as f64)).round() as u8
    };
    Some(RGBColor(mixed(16), mixed(8), mixed(0)))
}
