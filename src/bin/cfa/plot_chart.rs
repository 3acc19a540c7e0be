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

const WIDTH: u32 = 1000;
/// The widest and highest area of values, and the lowest.
const AREA: (u32, u32) = (800, 560);
const LEAST_HEIGHT: u32 = 240;
const LEFT: u32 = 90;
const TOP: u32 = 64;
const BOTTOM: u32 = 62;
const FONT: &str = "sans-serif";
/// Where data are missing.
const GREY: RGBColor = RGBColor(200, 200, 200);
const LINE: RGBColor = RGBColor(31, 90, 160);
const BAR_STEPS: usize = 256;

/// Returns how many values a map has room for, across and up. In SVG each is an element of the file.
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
    let size = (WIDTH, height + TOP + BOTTOM);
    match form {
        Form::Svg => {
            let mut text = String::new();
            let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
            draw(&root, picture, width, height).map_err(|e| failed(e.to_string()))?;
            drop(root);
            Ok(text.into_bytes())
        }
        Form::Png => {
            let mut pixels = vec![0; size.0 as usize * size.1 as usize * 3];
            let root = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
            draw(&root, picture, width, height).map_err(|e| failed(e.to_string()))?;
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

/// Returns width and height of the area of values. Degrees of latitude are as long as those of longitude, if possible.
fn area(picture: &Picture) -> (u32, u32) {
    match &picture.up {
        Some(up) if up.is_degrees && picture.across.is_degrees => {
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

fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    picture: &Picture,
    width: u32,
    height: u32,
) -> Drawn<DB> {
    root.fill(&WHITE)?;
    let middle = (LEFT + width / 2) as i32;
    root.draw(&Text::new(fitted(&picture.title, 70), (middle, 10), style(22, HPos::Center, VPos::Top)))?;
    root.draw(&Text::new(fitted(&picture.place, 110), (middle, 38), style(17, HPos::Center, VPos::Top)))?;
    match &picture.up {
        Some(up) => map(root, picture, up, width, height)?,
        None => line(root, picture, width, height)?,
    }
    root.present()
}

fn fitted(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn map<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    picture: &Picture,
    up: &Axis,
    width: u32,
    height: u32,
) -> Drawn<DB> {
    let frame =
        Frame::new(&picture.across, ends(&picture.across), up, ends(up), up.is_downward, width, height);
    let (x, y) = (|v| frame.x(v), |v| frame.y(v));
    root.draw(&Rectangle::new([frame.corner(false), frame.corner(true)], GREY.filled()))?;
    let columns = picture.across.centres.len();
    let (xs, ys) = (picture.across.edges(), up.edges());
    for (row, edges) in ys.windows(2).enumerate() {
        let values = &picture.values[row * columns..(row + 1) * columns];
        let mut from = 0;
        while from < columns {
            // Neighbours of one colour are one rectangle.
            let colour = colour_of(&picture.colours, values[from]);
            let mut to = from + 1;
            while to < columns && colour_of(&picture.colours, values[to]) == colour {
                to += 1;
            }
            if let Some(colour) = colour {
                let corners = [(x(xs[from]), y(edges[0])), (x(xs[to]), y(edges[1]))];
                root.draw(&Rectangle::new(corners, colour.filled()))?;
            }
            from = to;
        }
    }
    frame.draw(root)?;
    bar(root, picture, width, height)
}

fn line<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    picture: &Picture,
    width: u32,
    height: u32,
) -> Drawn<DB> {
    let (low, high) = match picture.extremes {
        _ if picture.is_chosen => (picture.colours.low, picture.colours.high),
        (low, high) if low < high && (high - low).is_finite() => {
            (low - (high - low) * 0.05, high + (high - low) * 0.05)
        }
        _ => (picture.colours.low, picture.colours.high),
    };
    let values = Axis {
        centres: vec![low, high],
        ticks: round_ticks(low, high, false).into_iter().map(|t| (t, number_text(t))).collect(),
        title: picture.units.clone(),
        is_upright: true,
        is_downward: false,
        is_degrees: false,
    };
    // A profile: heights, pressures and depths go up.
    let is_profile = picture.across.is_upright && !picture.across.is_degrees;
    let centres = &picture.across.centres;
    let along = match centres[..] {
        [_] => ends(&picture.across),
        _ => (centres[0].min(centres[centres.len() - 1]), centres[0].max(centres[centres.len() - 1])),
    };
    let frame = match is_profile {
        true => Frame::new(
            &values,
            (low, high),
            &picture.across,
            along,
            picture.across.is_downward,
            width,
            height,
        ),
        false => Frame::new(&picture.across, along, &values, (low, high), false, width, height),
    };
    let edges = picture.across.edges();
    let is_missing = |i: &usize| !picture.values[*i].is_finite();
    let mut from = 0;
    while let Some(first) = (from..picture.values.len()).find(is_missing) {
        from = (first..picture.values.len()).find(|i| !is_missing(i)).unwrap_or(picture.values.len());
        let (a, b) = (edges[first].clamp(along.0, along.1), edges[from].clamp(along.0, along.1));
        let corners = match is_profile {
            true => [(frame.x(low), frame.y(a)), (frame.x(high), frame.y(b))],
            false => [(frame.x(a), frame.y(low)), (frame.x(b), frame.y(high))],
        };
        root.draw(&Rectangle::new(corners, GREY.filled()))?;
    }
    let mut piece: Vec<(i32, i32)> = Vec::new();
    let points = picture.across.centres.iter().zip(&picture.values);
    for (at, value) in points.map(|(a, v)| (*a, *v)).chain([(0.0, f64::NAN)]) {
        if (low..=high).contains(&value) {
            piece.push(if is_profile {
                (frame.x(value), frame.y(at))
            } else {
                (frame.x(at), frame.y(value))
            });
            continue;
        }
        // What is missing or out of range interrupts the line; a value between two such is a dot.
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
    frame.draw(root)
}

/// The area of values: where numbers lie, and its ticks.
struct Frame<'a> {
    across: &'a Axis,
    up: &'a Axis,
    x: (f64, f64),
    /// At the foot, and at the top.
    y: (f64, f64),
    width: u32,
    height: u32,
}

impl<'a> Frame<'a> {
    fn new(
        across: &'a Axis,
        x: (f64, f64),
        up: &'a Axis,
        (low, high): (f64, f64),
        is_downward: bool,
        width: u32,
        height: u32,
    ) -> Self {
        let y = if is_downward { (high, low) } else { (low, high) };
        Frame { across, up, x, y, width, height }
    }

    fn x(&self, value: f64) -> i32 {
        LEFT as i32 + ((value - self.x.0) / (self.x.1 - self.x.0) * f64::from(self.width)).round() as i32
    }

    fn y(&self, value: f64) -> i32 {
        (TOP + self.height) as i32
            - ((value - self.y.0) / (self.y.1 - self.y.0) * f64::from(self.height)).round() as i32
    }

    fn corner(&self, is_end: bool) -> (i32, i32) {
        match is_end {
            false => (LEFT as i32, TOP as i32),
            true => ((LEFT + self.width) as i32, (TOP + self.height) as i32),
        }
    }

    fn draw<DB: DrawingBackend>(&self, root: &DrawingArea<DB, Shift>) -> Drawn<DB> {
        let ((left, top), (right, foot)) = (self.corner(false), self.corner(true));
        root.draw(&Rectangle::new([(left, top), (right, foot)], BLACK.stroke_width(1)))?;
        for (value, label) in &self.across.ticks {
            let x = self.x(*value);
            if (left..=right).contains(&x) {
                root.draw(&PathElement::new([(x, foot), (x, foot + 5)], BLACK))?;
                root.draw(&Text::new(label.as_str(), (x, foot + 9), style(16, HPos::Center, VPos::Top)))?;
            }
        }
        for (value, label) in &self.up.ticks {
            let y = self.y(*value);
            if (top..=foot).contains(&y) {
                root.draw(&PathElement::new([(left - 5, y), (left, y)], BLACK))?;
                root.draw(&Text::new(
                    fitted(label, 12),
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

/// Draws the bar that tells which colour is which value.
fn bar<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    picture: &Picture,
    width: u32,
    height: u32,
) -> Drawn<DB> {
    let (left, right) = ((LEFT + width + 22) as i32, (LEFT + width + 40) as i32);
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
    // In as many steps as the bar.
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
