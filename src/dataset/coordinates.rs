//! Decoded coordinates: unpacked, unsigned if `_Unsigned` says so, with missing values marked, as numbers, words or
//! dates. All code that prints, compares or selects by coordinates gets them from here.

use crate::canonical::{Conversion, DateTime, Target, TimeUnits};
use crate::container::read::zeroed;
use crate::container::tree::DimensionId;
use crate::dataset::coordinate_blocks::BLOCK;
use crate::dataset::select::{is_longitude, Parts, Range};
use crate::dataset::variable::{Output, Variable};
use crate::error::{Error, Kind, Result};
use crate::model::slabs::Slabs;
use crate::selection::Selection;
use crate::value::{text_of, Attributes, DataType, Values};

/// Decoded values, and which of them are missing.
pub(crate) struct Meant {
    pub values: Values,
    /// Per value, 1 if it is valid and 0 if it is missing.
    valid: Vec<u8>,
}

impl Meant {
    /// Returns the number at an index, or `None` if it is missing or a word.
    fn number(&self, i: usize) -> Option<f64> {
        self.values.f64_at(i).filter(|_| self.is_valid(i))
    }

    fn is_valid(&self, i: usize) -> bool {
        self.valid.get(i) == Some(&1)
    }

    /// Returns all numbers, with NaN for missing ones.
    pub fn numbers(&self) -> Vec<f64> {
        (0..self.values.len()).map(|i| self.number(i).unwrap_or(f64::NAN)).collect()
    }
}

/// Decodes numbers to the type and units of the target. `units` (with calendar) are those of the stored numbers if
/// their attributes have none; `valid` marks the numbers that are missing already.
///
/// # Errors
/// `Units` and `Calendar` if the units cannot be converted, `Attribute` for packing attributes that are not numbers.
pub(crate) fn meant(
    stored: &[u8],
    valid: Option<Vec<u8>>,
    attributes: &Attributes,
    data_type: DataType,
    units: (Option<&str>, Option<&str>),
    target: &Target,
) -> Result<Meant> {
    let conversion = Conversion::new(attributes, data_type, units.0, units.1, target, false)?;
    let n = data_type.size().map_or(0, |size| stored.len() / size);
    let mut valid = valid.map_or_else(|| filled(n, 1), Ok)?;
    let mut bytes = filled(n.saturating_mul(target.data_type().size().unwrap_or(1)), 0)?;
    conversion.apply_masked(stored, &mut bytes, &mut valid, true)?;
    let values = Values::from_native_bytes(target.data_type(), &bytes)
        .ok_or_else(|| Error::new(Kind::Internal, "converted coordinates are not whole"))?;
    Ok(Meant { values, valid })
}

/// Returns `n` equal bytes.
///
/// # Errors
/// `Limit` if there is no memory for them.
fn filled(n: usize, byte: u8) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let no_memory = |_| Error::new(Kind::Limit, "the coordinates do not fit into memory");
    bytes.try_reserve_exact(n).map_err(no_memory)?;
    bytes.resize(n, byte);
    Ok(bytes)
}

/// Returns the type of a variable's decoded numbers, whatever it stores.
pub fn meant_type(attributes: &Attributes, data_type: DataType) -> DataType {
    let packing = ["scale_factor", "add_offset"].map(|n| attributes.get(n));
    if packing.iter().all(Option::is_none) {
        let unsigned = attributes.text("_Unsigned").is_some_and(|t| t.eq_ignore_ascii_case("true"));
        return match (data_type, unsigned) {
            (DataType::I8, true) => DataType::U8,
            (DataType::I16, true) => DataType::U16,
            (DataType::I32, true) => DataType::U32,
            (DataType::I64, true) => DataType::U64,
            (other, _) => other,
        };
    }
    // CF section 8.1: the unpacked type is that of the attributes, if it can hold the packed numbers.
    let single = packing.iter().flatten().all(|v| v.data_type() == DataType::F32);
    let narrow = matches!(data_type, DataType::I8 | DataType::U8 | DataType::I16 | DataType::U16);
    if single && (narrow || data_type == DataType::F32) {
        DataType::F32
    } else {
        DataType::F64
    }
}

/// Reads and decodes a part of a variable. Characters are not decoded.
///
/// # Errors
/// Those of reading, and `Attribute` for packing attributes that are not numbers.
pub(crate) fn read(variable: &Variable, part: &Selection) -> Result<Meant> {
    let data_type = variable.data_type();
    let Some(size) = data_type.size() else {
        let words = variable.read_strings(part)?;
        let valid = words.iter().map(|w| u8::from(w.is_some())).collect();
        return Ok(Meant {
            values: Values::String(words.into_iter().map(Option::unwrap_or_default).collect()),
            valid,
        });
    };
    let place = |e: Error| e.in_variable(variable.path()).in_file(variable.dataset().name());
    let mut stored = zeroed(part, size).map_err(place)?;
    let mut valid = zeroed(part, 1).map_err(place)?;
    variable.read_into(part, Output { mask: Some(&mut valid), ..Output::new(data_type, &mut stored) })?;
    if data_type == DataType::Char {
        valid.fill(1);
        return Ok(Meant { valid, values: Values::Char(stored) });
    }
    let attributes = variable.attributes();
    // The target has no units, so that none are converted.
    let target = Target::new(&Attributes::default(), meant_type(attributes, data_type));
    meant(&stored, Some(valid), attributes, data_type, (None, None), &target).map_err(place)
}

/// Reads decoded numbers, such as coordinates: unpacked, unsigned if `_Unsigned` says so, NaN if they are missing.
///
/// # Errors
/// Those of reading; `Type` for text, `Attribute` for packing attributes that are not numbers.
pub fn numbers(variable: &Variable, part: &Selection) -> Result<Vec<f64>> {
    if !variable.data_type().is_number() {
        let message = format!("data of type {} are not numbers", variable.data_type());
        return Err(Error::new(Kind::Type, message)
            .in_variable(variable.path())
            .in_file(variable.dataset().name()));
    }
    Ok(read(variable, part)?.numbers())
}

/// The coordinates of a part of one dimension.
pub struct Coordinates {
    /// The name of the dimension.
    pub dimension: String,
    /// The coordinate values, unpacked; `None` if there is no coordinate variable, so that indices are used instead.
    pub values: Option<Values>,
    pub(in crate::dataset) time: Option<TimeUnits>,
    /// Whether they are longitudes, which may be written in any turn of the circle.
    pub(in crate::dataset) is_longitude: bool,
    valid: Vec<u8>,
    ranges: Vec<Range>,
}

impl Coordinates {
    /// Returns the coordinates of the selected part of dimension `d` of a variable.
    ///
    /// # Errors
    /// Those of reading the coordinate variable.
    pub fn along(variable: &Variable, d: usize, part: &Selection) -> Result<Coordinates> {
        let mut coordinates = Coordinates::indices(variable, d, part)?;
        let id = variable.dimensions()?[d];
        let Some(coordinate) = coordinate_of(variable, id)? else { return Ok(coordinates) };
        let shape = coordinate.shape()?;
        let (mut start, mut count, mut step) =
            (vec![part.start()[d]], vec![part.count()[d]], vec![part.step()[d]]);
        if let [_, length] = shape {
            (start, count, step) =
                ([start, vec![0]].concat(), [count, vec![*length]].concat(), [step, vec![1]].concat());
        }
        let is_text = coordinate.data_type() == DataType::Char && shape.len() > 1;
        coordinates.decode(&coordinate, &Selection::new(&start, &count, &step, shape)?, is_text)?;
        Ok(coordinates)
    }

    /// Returns a part of a variable's own values as coordinates, in C order. Characters along its last dimension make
    /// words.
    ///
    /// # Errors
    /// Those of reading it.
    pub fn of(variable: &Variable, part: &Selection) -> Result<Coordinates> {
        let mut coordinates = Coordinates {
            dimension: String::new(),
            values: None,
            valid: Vec::new(),
            time: None,
            is_longitude: false,
            ranges: Vec::new(),
        };
        coordinates.decode(variable, part, variable.data_type() == DataType::Char)?;
        Ok(coordinates)
    }

    /// Reads the values of a part of a coordinate variable, and its units of time. With `is_text`, characters along the
    /// last dimension make words.
    fn decode(&mut self, coordinate: &Variable, part: &Selection, is_text: bool) -> Result<()> {
        let Meant { values, valid } = match is_text {
            true => words(coordinate, part)?,
            false => read(coordinate, part)?,
        };
        (self.values, self.valid) = (Some(values), valid);
        self.is_longitude = is_longitude(coordinate.attributes());
        let text = |name: &str| coordinate.attributes().text(name);
        self.time = text("units").and_then(|u| TimeUnits::parse(&u, text("calendar").as_deref()).ok());
        if let Some(warning) = self.time.as_ref().and_then(TimeUnits::warning) {
            coordinate.dataset().shared().warn(warning);
        }
        Ok(())
    }

    /// Returns the units of the times, if the coordinates are times that can be printed as dates.
    pub(crate) fn time(&self) -> Option<&TimeUnits> {
        self.time.as_ref()
    }

    /// Returns the bare indices of the selected part of dimension `d`.
    ///
    /// # Errors
    /// The errors of decoding the aggregation.
    pub fn indices(variable: &Variable, d: usize, part: &Selection) -> Result<Coordinates> {
        let dimension = variable.dataset().dimension(variable.dimensions()?[d]).name.clone();
        let ranges = Parts::from(part.clone()).ranges(d).to_vec();
        let (values, time, is_longitude) = (None, None, false);
        Ok(Coordinates { dimension, values, valid: Vec::new(), time, is_longitude, ranges })
    }

    /// Returns the coordinates of parts of dimension `d` of a variable, shifted as the parts say.
    ///
    /// # Errors
    /// As [`Coordinates::along`]; `Request` if the parts reach outside of the variable.
    pub fn along_parts(variable: &Variable, d: usize, parts: &Parts) -> Result<Coordinates> {
        let (ranges, shape) = (parts.ranges(d), variable.shape()?);
        match ranges {
            // A single range reads no more than it needs; several read the whole dimension.
            [range] => {
                let along = Coordinates::along(variable, d, &parts.first(d, shape)?)?;
                along.picked(&[Range { start: 0, step: 1, ..*range }], ranges, is_moved(ranges))
            }
            _ if shape[d] <= BLOCK => Coordinates::along(variable, d, &Selection::all(shape))?.picked(
                ranges,
                ranges,
                is_moved(ranges),
            ),
            _ => {
                parts.check(shape)?;
                Coordinates::joined(variable, d, ranges)
            }
        }
    }

    /// Returns the coordinates of ranges of a long dimension. A block is read once for all neighbouring ranges in it.
    fn joined(variable: &Variable, d: usize, ranges: &[Range]) -> Result<Coordinates> {
        let shape = variable.shape()?;
        let none = Selection::block(&vec![0; shape.len()], &vec![0; shape.len()], shape)?;
        let is_moved = is_moved(ranges);
        let mut joined = Coordinates::along(variable, d, &none)?.picked(&[], ranges, is_moved)?;
        let mut block: Option<(u64, u64, Coordinates)> = None;
        for range in ranges.iter().filter(|range| range.count > 0) {
            let ends = [range.start, range.index(range.count - 1)];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            if high - low >= BLOCK {
                let part = Parts::new((0..shape.len()).map(|_| vec![*range]).collect());
                let along = Coordinates::along(variable, d, &part.first(d, shape)?)?;
                joined.append(along.picked(&[Range { start: 0, step: 1, ..*range }], &[], is_moved)?);
                continue;
            }
            let (from, along) = match &block {
                Some((from, end, along)) if *from <= low && high < *end => (*from, along),
                _ => {
                    let (mut start, mut count) = (vec![0; shape.len()], vec![0; shape.len()]);
                    (start[d], count[d]) = (low, BLOCK.min(shape[d] - low));
                    let along = Coordinates::along(variable, d, &Selection::block(&start, &count, shape)?)?;
                    let (from, _, along) = block.insert((low, low + count[d], along));
                    (*from, &*along)
                }
            };
            joined.append(along.picked(&[Range { start: range.start - from, ..*range }], &[], is_moved)?);
        }
        Ok(joined)
    }

    /// Appends values of the same variable.
    fn append(&mut self, more: Coordinates) {
        if let (Some(values), Some(more)) = (&mut self.values, more.values) {
            values.append(more);
        }
        self.valid.extend(more.valid);
    }

    /// Returns the bare indices of parts of dimension `d`.
    ///
    /// # Errors
    /// As [`Coordinates::along_parts`].
    pub fn indices_of_parts(variable: &Variable, d: usize, parts: &Parts) -> Result<Coordinates> {
        let ranges = parts.ranges(d);
        Coordinates::indices(variable, d, &Selection::all(variable.shape()?))?.picked(ranges, ranges, false)
    }

    /// Returns those of these ranges of what was read, which are these ranges of the dimension; with a type for moved
    /// longitudes if `is_moved`.
    fn picked(&self, ranges: &[Range], of_dimension: &[Range], is_moved: bool) -> Result<Coordinates> {
        let (dimension, of_dimension) = (self.dimension.clone(), of_dimension.to_vec());
        let (time, is_longitude, valid) = (self.time, self.is_longitude, Vec::new());
        let mut picked =
            Coordinates { dimension, values: None, time, is_longitude, valid, ranges: of_dimension };
        let Some(values) = &self.values else { return Ok(picked) };
        let indices = || {
            ranges.iter().flat_map(|range| (0..range.count).map(|i| (range.index(i) as usize, range.shift)))
        };
        if indices().any(|(i, _)| i >= values.len()) {
            return Err(Error::new(Kind::Request, "the parts reach outside of the dimension"));
        }
        picked.valid = indices().map(|(i, _)| self.valid[i]).collect();
        picked.values = Some(match values {
            // Moved longitudes may be negative, whatever the type.
            values if is_moved => match values {
                Values::F32(list) => {
                    Values::F32(indices().map(|(i, by)| (f64::from(list[i]) + by) as f32).collect())
                }
                values => {
                    Values::F64(indices().map(|(i, by)| values.f64_at(i).unwrap_or(f64::NAN) + by).collect())
                }
            },
            values => values.elements(indices().map(|(i, _)| i)),
        });
        Ok(picked)
    }

    /// Returns the index of coordinate `i` in the dimension.
    fn index(&self, mut i: u64) -> u64 {
        for range in &self.ranges {
            if i < range.count {
                return range.index(i);
            }
            i -= range.count;
        }
        i
    }

    /// Returns whether the coordinates are times that can be printed as dates.
    pub fn are_dates(&self) -> bool {
        self.time.is_some()
    }

    /// Returns whether the coordinates are longitudes, by their attributes: the same place has several numbers, 360 apart.
    pub fn are_longitudes(&self) -> bool {
        self.is_longitude && !self.are_dates()
    }

    /// Returns whether coordinate `i` of the part is missing.
    pub fn is_missing(&self, i: u64) -> bool {
        self.values.is_some() && self.valid.get(i as usize) == Some(&0)
    }

    /// Returns coordinate `i` of the part as a number, or `None` if it is a word or missing.
    pub fn number(&self, i: u64) -> Option<f64> {
        let value = self.values.as_ref()?.f64_at(usize::try_from(i).ok()?)?;
        (!self.is_missing(i)).then_some(value)
    }

    /// Returns the date of coordinate `i` of the part.
    pub fn date(&self, i: u64) -> Option<DateTime> {
        self.time.as_ref()?.decode(self.number(i)?)
    }

    /// Returns the text of coordinate `i` of the part: a date, a number, a word, or its index; `_` if it is missing.
    pub fn label(&self, i: u64) -> String {
        if self.is_missing(i) {
            return "_".to_owned();
        }
        if let Some(date) = self.date(i) {
            return date.to_string();
        }
        let text = match &self.values {
            Some(Values::Char(_)) | None => None,
            Some(Values::String(words)) => words.get(i as usize).cloned(),
            Some(values) => values.decimal_at(i as usize),
        };
        text.unwrap_or_else(|| self.index(i).to_string())
    }
}

/// Returns whether longitudes are moved in one of these ranges.
fn is_moved(ranges: &[Range]) -> bool {
    ranges.iter().any(|range| range.shift != 0.0)
}

/// The number of characters that are read at once, and the most that a word may have room for.
const CHARACTERS: u64 = 1 << 20;

/// Reads rows of characters as words, some rows at a time: there may be room for far more characters than there are.
fn words(variable: &Variable, part: &Selection) -> Result<Meant> {
    let place = |e: Error| e.in_variable(variable.path()).in_file(variable.dataset().name());
    let length = part.count().last().copied().unwrap_or(0);
    if length > CHARACTERS {
        let message = format!("each of its texts has {length} characters, too many for a coordinate");
        return Err(place(Error::new(Kind::Limit, message)));
    }
    let mut words = Vec::new();
    for rows in Slabs::new(part, variable.shape()?, CHARACTERS) {
        let rows = rows?;
        let mut bytes = zeroed(&rows, 1).map_err(place)?;
        let mut valid = zeroed(&rows, 1).map_err(place)?;
        variable
            .read_into(&rows, Output { mask: Some(&mut valid), ..Output::new(DataType::Char, &mut bytes) })?;
        words.extend(bytes.chunks(length as usize).map(|row| text_of(row).trim_end().to_owned()));
    }
    Ok(Meant { valid: filled(words.len(), 1)?, values: Values::String(words) })
}

/// Returns the coordinate variable of a dimension of a variable: the one of its name in the nearest group between the
/// groups of the two (CF-1.13 section 2.7.1). Rows of characters have the length of the text as a second dimension.
pub(crate) fn coordinate_of(variable: &Variable, id: DimensionId) -> Result<Option<Variable>> {
    let dataset = variable.dataset();
    let tree = dataset.shared().tree();
    let dimension = &tree.dimensions[id.0];
    for group in tree.upward(tree.variables[variable.id().0].group) {
        if let Some(found) = tree.variable_in(group, &dimension.name) {
            let found = Variable::new(dataset.clone(), found);
            let is_text = found.data_type() == DataType::Char;
            match *found.dimensions()? {
                [own] if own == id => return Ok(Some(found)),
                [own, _] if own == id && is_text => return Ok(Some(found)),
                _ => {}
            }
        }
        if group == dimension.group {
            break;
        }
    }
    Ok(None)
}
