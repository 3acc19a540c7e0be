//! A random aggregation: its grid, its fragments as stored, and the values that a reader must return.

use cfa::DataType;

use super::{indices, numbers, offset, Data, Format, Rng, Var, NUMBER_TYPES};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    Cf113,
    Unique,
    Draft,
    DraftValue,
    Cfa062,
    Cfa06b1,
    Terms,
    Json,
}

/// Where a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    File,
    /// A file that is itself an aggregation.
    Nested,
    SameFile,
    /// Named, and not there.
    Absent,
    /// Not named at all.
    WhollyMissing,
    Value,
}

/// Missing values of aggregation variables: one that no fragment holds, and one that some hold as if it were valid.
const FILLS: [f64; 2] = [119.0, 3.0];
/// What the aggregation variable may call missing besides; fragments hold it, too.
const MISSING: [f64; 2] = [118.0, 4.0];
/// Marks of the fragments.
const OWN_FILL: f64 = 99.0;
const OWN_MISSING: f64 = 98.0;
const TOO_LARGE: f64 = 60.0;

#[derive(Clone, Debug)]
pub struct Part {
    pub place: Place,
    pub shape: Vec<usize>,
    /// Expected values in C order of the canonical shape, before the aggregation variable's missing values count.
    pub expected: Vec<Option<f64>>,
    /// The variable as it is stored.
    pub var: Var,
    pub format: Format,
    /// Order of the aggregated dimensions in the stored array, and which are reversed (CFA-0.4).
    pub axes: Vec<usize>,
    pub reversed: Vec<usize>,
    pub old_version: bool,
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub text: Text,
    pub format: Format,
    pub data_type: DataType,
    pub fill: Option<f64>,
    /// Its `missing_value`.
    pub missing: Vec<f64>,
    pub units: Option<String>,
    pub calendar: Option<String>,
    /// Per dimension, the sizes of the fragments.
    pub sizes: Vec<Vec<usize>>,
    pub parts: Vec<Part>,
}

const FORMATS: [Format; 4] = [Format::Nc4, Format::Cdf1, Format::Cdf2, Format::Cdf5];

fn type_in(rng: &mut Rng, format: Format) -> DataType {
    loop {
        let data_type = rng.pick(&NUMBER_TYPES);
        if format.has(data_type) {
            return data_type;
        }
    }
}

/// What kind of units there are; each has a conversion written out here.
#[derive(Clone, Copy, PartialEq)]
enum Quantity {
    None,
    Length,
    Temperature,
    Time(usize),
}

/// Calendars with the days from 2000-02-01 to 2000-03-01, and an alias.
const CALENDARS: [(&str, &str, f64); 6] = [
    ("standard", "gregorian", 29.0),
    ("proleptic_gregorian", "proleptic_gregorian", 29.0),
    ("noleap", "365_day", 28.0),
    ("all_leap", "366_day", 29.0),
    ("360_day", "360_day", 30.0),
    ("julian", "julian", 29.0),
];

impl Scenario {
    pub fn random(seed: u64) -> Scenario {
        let rng = &mut Rng::new(seed);
        let texts = [
            Text::Cf113,
            Text::Cf113,
            Text::Unique,
            Text::Draft,
            Text::DraftValue,
            Text::Cfa062,
            Text::Cfa06b1,
            Text::Terms,
            Text::Json,
        ];
        let text = rng.pick(&texts);
        let format = if rng.once_in(2) { Format::Nc4 } else { rng.pick(&FORMATS) };
        let data_type = type_in(rng, format);
        let scalar =
            rng.once_in(12) && matches!(text, Text::Cf113 | Text::Unique | Text::Cfa062 | Text::Json);
        let rank = if scalar { 0 } else { 1 + rng.below(4) };
        let sizes: Vec<Vec<usize>> = (0..rank)
            .map(|_| {
                let pieces = 1 + rng.below(3);
                (0..pieces).map(|_| if rng.once_in(3) { 1 } else { 1 + rng.below(5) }).collect()
            })
            .collect();
        let wide = data_type.size() != Some(1);
        let quantity = match rng.below(5) {
            1 if wide => Quantity::Length,
            2 if data_type.is_float() => Quantity::Temperature,
            3 | 4 if wide => Quantity::Time(rng.below(CALENDARS.len())),
            _ => Quantity::None,
        };
        let (units, calendar) = match quantity {
            Quantity::None => (None, None),
            Quantity::Length => (Some("m".into()), None),
            Quantity::Temperature => (Some("K".into()), None),
            Quantity::Time(c) => (Some("hours since 2000-02-01".into()), Some(CALENDARS[c].0.into())),
        };
        let grid: Vec<usize> = sizes.iter().map(Vec::len).collect();
        let mut scenario = Scenario {
            text,
            format,
            data_type,
            fill: rng.once_in(2).then(|| rng.pick(&FILLS)),
            missing: if rng.once_in(4) { MISSING.to_vec() } else { Vec::new() },
            units,
            calendar,
            sizes,
            parts: Vec::new(),
        };
        let parts = indices(&grid).map(|index| scenario.part(rng, quantity, &index)).collect();
        scenario.parts = parts;
        scenario
    }

    fn place(&self, rng: &mut Rng) -> Place {
        if matches!(self.text, Text::Unique | Text::DraftValue) {
            return Place::Value;
        }
        match rng.below(12) {
            0 => Place::Absent,
            1 | 2 => Place::SameFile,
            3 if matches!(self.text, Text::Cfa062 | Text::Cfa06b1) => Place::WhollyMissing,
            4 | 5 => Place::Nested,
            _ => Place::File,
        }
    }

    fn part(&self, rng: &mut Rng, quantity: Quantity, index: &[usize]) -> Part {
        let shape: Vec<usize> = index.iter().zip(&self.sizes).map(|(&i, sizes)| sizes[i]).collect();
        let place = self.place(rng);
        let format = match place {
            Place::SameFile => self.format,
            Place::Value => self.format,
            _ => rng.pick(&FORMATS),
        };
        let name = match place {
            Place::SameFile => format!("part_{}", index.iter().map(|i| format!("{i}_")).collect::<String>()),
            _ => "v".into(),
        };
        let data_type = type_in(rng, format);
        let total: usize = shape.iter().product();
        if place == Place::Value {
            let missing = self.fill.filter(|_| rng.once_in(4) && data_type.size() != Some(1));
            let value = missing.unwrap_or_else(|| rng.below(7) as f64);
            let var = Var::new("v", data_type, &[], Data::Numbers(vec![value]));
            let expected = vec![Some(value); total];
            let (axes, reversed) = ((0..shape.len()).collect(), Vec::new());
            return Part { place, shape, expected, var, format, axes, reversed, old_version: false };
        }
        let mut stored = Storage::random(rng, quantity, data_type, self.data_type.is_float());
        if rng.once_in(3) {
            stored.marks(rng, data_type);
        }
        let raw: Vec<f64> = (0..total).map(|_| stored.raw(rng)).collect();
        let expected: Vec<Option<f64>> = match place {
            Place::Absent | Place::WhollyMissing => vec![None; total],
            _ => raw.iter().map(|&x| stored.expected(x)).collect(),
        };
        // CFA-0.4 may have another order of dimensions and reversed ones.
        let json = self.text == Text::Json;
        let mut axes: Vec<usize> = (0..shape.len()).filter(|&d| shape[d] > 1 || !rng.once_in(2)).collect();
        let mut reversed = Vec::new();
        if json {
            for i in (1..axes.len()).rev() {
                axes.swap(i, rng.below(i + 1));
            }
            reversed = (0..shape.len()).filter(|_| rng.once_in(4)).collect();
        }
        let stored_shape: Vec<usize> = axes.iter().map(|&d| shape[d]).collect();
        let data: Vec<f64> = indices(&stored_shape)
            .map(|at| {
                let mut canonical = vec![0; shape.len()];
                for (&d, &i) in axes.iter().zip(&at) {
                    canonical[d] = if reversed.contains(&d) { shape[d] - 1 - i } else { i };
                }
                raw[offset(&canonical, &shape)]
            })
            .collect();
        let dims: Vec<(String, usize)> =
            axes.iter().map(|&d| (format!("{name}_{d}_{}", shape[d]), shape[d])).collect();
        let borrowed: Vec<(&str, usize)> = dims.iter().map(|(n, s)| (n.as_str(), *s)).collect();
        let mut var = Var::new(&name, data_type, &borrowed, Data::Numbers(data));
        var.attributes = stored.attributes(data_type);
        if rng.once_in(2) {
            var.chunks = Some(stored_shape.iter().map(|&n| 1 + rng.below(n)).collect());
        }
        let old_version = rng.once_in(3)
            && matches!(self.text, Text::Draft | Text::Cfa062 | Text::Cfa06b1)
            && place != Place::SameFile;
        Part { place, shape, expected, var, format, axes, reversed, old_version }
    }

    /// What missing data are read as without a mask, if the attributes say so.
    pub fn missing_value(&self) -> Option<f64> {
        self.fill.or(self.missing.first().copied())
    }

    /// The shape of the whole.
    pub fn shape(&self) -> Vec<usize> {
        self.sizes.iter().map(|sizes| sizes.iter().sum()).collect()
    }

    /// The whole, in C order, computed element by element; with the place of each element's fragment.
    pub fn expected(&self) -> Vec<(Option<f64>, Place)> {
        let grid: Vec<usize> = self.sizes.iter().map(Vec::len).collect();
        indices(&self.shape())
            .map(|index| {
                let (mut fragment, mut inside) = (Vec::new(), Vec::new());
                for (&i, sizes) in index.iter().zip(&self.sizes) {
                    let (mut at, mut rest) = (0, i);
                    while rest >= sizes[at] {
                        rest -= sizes[at];
                        at += 1;
                    }
                    fragment.push(at);
                    inside.push(rest);
                }
                let part = &self.parts[offset(&fragment, &grid)];
                // As in a plain variable, an element equal to a missing value is missing, wherever it comes from.
                let value = part.expected[offset(&inside, &part.shape)];
                (value.filter(|value| self.fill != Some(*value) && !self.missing.contains(value)), part.place)
            })
            .collect()
    }
}

/// How the numbers of a fragment are stored, and what they mean.
struct Storage {
    scale: Option<f64>,
    offset: Option<f64>,
    fill: bool,
    missing: bool,
    limit: bool,
    unsigned: bool,
    units: Option<(&'static str, f64, f64)>,
    calendar: Option<&'static str>,
}

impl Storage {
    fn random(rng: &mut Rng, quantity: Quantity, data_type: DataType, fractions: bool) -> Storage {
        let (units, calendar): (Option<(&'static str, f64, f64)>, _) = match quantity {
            // An aggregation without units takes the numbers as they are.
            Quantity::None => (rng.pick(&[None, None, Some(("furlong", 1.0, 0.0))]), None),
            Quantity::Length => {
                let some =
                    [None, Some(("m", 1.0, 0.0)), Some(("km", 1e3, 0.0)), Some(("1000 metres", 1e3, 0.0))];
                let fraction = Some(("cm", 0.01, 0.0));
                (if fractions && rng.once_in(4) { fraction } else { rng.pick(&some) }, None)
            }
            Quantity::Temperature => {
                (rng.pick(&[None, Some(("K", 1.0, 0.0)), Some(("degC", 1.0, 273.15))]), None)
            }
            Quantity::Time(c) => {
                let (name, alias, days) = CALENDARS[c];
                let list = [
                    ("hours since 2000-02-01 00:00:00", 1.0, 0.0),
                    ("hours since 2000-03-01", 1.0, days * 24.0),
                    ("days since 2000-03-01", 24.0, days * 24.0),
                    ("days since 2000-02-02 12:00", 24.0, 36.0),
                    ("minutes since 2000-02-01", 1.0 / 60.0, 0.0),
                ];
                let n = if fractions { 5 } else { 4 };
                (Some(rng.pick(&list[..n])), Some(rng.pick(&[name, alias])))
            }
        };
        let mut scale = rng.pick(&[None, None, Some(2.0)]);
        if fractions && rng.once_in(4) {
            scale = Some(0.5);
        }
        let offset = rng.pick(&[None, None, Some(3.0)]);
        let plain = scale.is_none() && offset.is_none() && quantity == Quantity::None;
        let unsigned = plain && fractions && data_type == DataType::I8 && rng.once_in(2);
        Storage { scale, offset, fill: false, missing: false, limit: false, unsigned, units, calendar }
    }

    fn marks(&mut self, rng: &mut Rng, _: DataType) {
        (self.fill, self.missing, self.limit) = (!rng.once_in(3), rng.once_in(2), rng.once_in(3));
    }

    fn raw(&self, rng: &mut Rng) -> f64 {
        match rng.below(10) {
            0 if self.fill => OWN_FILL,
            1 if self.missing => OWN_MISSING,
            2 if self.limit => TOO_LARGE,
            // Stored in a signed byte, 200 is -56.
            3 if self.unsigned && !self.limit => -56.0,
            _ => rng.below(7) as f64,
        }
    }

    fn expected(&self, raw: f64) -> Option<f64> {
        let raw = if self.unsigned && raw < 0.0 { raw + 256.0 } else { raw };
        let masked =
            self.fill && raw == OWN_FILL || self.missing && raw == OWN_MISSING || self.limit && raw > 50.0;
        let (_, slope, intercept) = self.units.unwrap_or(("", 1.0, 0.0));
        let unpacked = raw * self.scale.unwrap_or(1.0) + self.offset.unwrap_or(0.0);
        (!masked).then_some(unpacked * slope + intercept)
    }

    fn attributes(&self, data_type: DataType) -> Vec<(String, netcdf::AttributeValue)> {
        let mut list = Vec::new();
        let mut add = |name: &str, value: netcdf::AttributeValue| list.push((name.to_owned(), value));
        if self.fill {
            add("_FillValue", numbers(data_type, &[OWN_FILL]));
        }
        if self.missing {
            add("missing_value", numbers(data_type, &[97.0, OWN_MISSING]));
        }
        if self.limit {
            add("valid_max", numbers(data_type, &[50.0]));
        }
        if let Some(scale) = self.scale {
            add("scale_factor", scale.into());
        }
        if let Some(offset) = self.offset {
            add("add_offset", (offset as f32).into());
        }
        if self.unsigned {
            add("_Unsigned", "true".into());
        }
        if let Some((units, ..)) = self.units {
            add("units", units.into());
        }
        if let Some(calendar) = self.calendar {
            add("calendar", calendar.into());
        }
        list
    }
}
