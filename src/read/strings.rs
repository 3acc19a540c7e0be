//! Reads string data. Fragments may be strings, or chars with a trailing dimension for the length.

use std::sync::{Arc, Mutex, PoisonError};

use super::plan::{at_of, count_of, index_of, Span};
use super::sink::c_order;
use super::{AggregationFile, Preparation};
use crate::canonical::Target;
use crate::container::read::{zeroed, Kept};
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::model::feature::{fill_byte, missing_texts};
use crate::model::fragments::{Fragment, Lookup, View};
use crate::model::room::Room;
use crate::read::fragment::{unreadable, Chain, Placement, Raw};
use crate::selection::{offsets, Selection};
use crate::threads::progress::Progress;
use crate::threads::workers::{self, Queue};
use crate::value::{text_of, Attributes, DataType, Values};

/// Reads strings of a variable in C order, with `None` for missing ones.
///
/// The empty string, `_FillValue` and `missing_value` are missing.
pub(crate) fn strings(
    file: &Arc<AggregationFile>,
    id: VariableId,
    selection: &Selection,
    progress: Option<&Progress<'_>>,
    outer: Option<&Chain<'_>>,
) -> Result<Vec<Option<String>>> {
    let variable = &file.tree().variables[id.0];
    let own = variable.array.data_type;
    if own != DataType::String {
        return Err(Error::new(Kind::Type, format!("{own} data cannot be read as strings")));
    }
    let marks = MissingTexts::of(&variable.attributes);
    let Some(aggregation) = file.aggregation(id)? else {
        let values = file.container.read_strings(&variable.array, selection)?;
        return Ok(values.into_iter().map(|s| marks.mask(s)).collect());
    };
    let mut out = Strings::new(selection)?;
    if selection.is_empty() {
        return Ok(out.values);
    }
    let chain = Chain::enter(outer, &**file, id)?.watched(progress);
    let target = Target::new(&variable.attributes, own);
    let preparation = Preparation::new(file, id, aggregation, &target, &chain);
    preparation.each_block(selection, |block, entries| {
        match entries {
            Lookup::UniqueValues(Values::String(list)) => {
                for (i, value) in list.into_iter().enumerate() {
                    let spans = block.spans(i);
                    let still = vec![0; spans.len()];
                    out.put(&at_of(&spans), &count_of(&spans), &[marks.mask(value)], &still)?;
                }
            }
            Lookup::UniqueValues(other) => {
                return Err(Error::new(
                    Kind::FragmentType,
                    format!("unique values of type {} for string data", other.data_type()),
                ))
            }
            Lookup::Fragments(list) => {
                let mut read = || -> Result<()> {
                    for (i, fragment) in list.iter().enumerate() {
                        let spans = block.spans(i);
                        preparation
                            .string_piece(fragment, &spans, &marks, &mut out)
                            .map_err(|e| e.in_fragment(&index_of(&spans)))?;
                        chain.advance(count_of(&spans).iter().product())?;
                    }
                    Ok(())
                };
                if !preparation.may_wait(&list) {
                    return read();
                }
                // Another thread reads, so that the listener is called while it waits for a server.
                let read = Mutex::new(read);
                let task = |(), _: &Queue<()>, (): &mut ()| {
                    let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
                    read()
                };
                workers::run_waiting([()], 1, chain.progress(), || (), task)?;
            }
        }
        Ok(())
    })?;
    Ok(out.values)
}

impl Preparation<'_> {
    fn string_piece(
        &self,
        fragment: &Fragment,
        spans: &[Span],
        marks: &MissingTexts,
        out: &mut Strings,
    ) -> Result<()> {
        let index = index_of(spans);
        // Strings that are not written stay missing.
        self.open(fragment, &index, |raw, _| self.string_version(raw, fragment.view(), spans, marks, out))
            .map(drop)
    }

    /// Reads the strings of one version.
    fn string_version(
        &self,
        raw: Raw,
        view: Option<&View>,
        spans: &[Span],
        marks: &MissingTexts,
        out: &mut Strings,
    ) -> Result<()> {
        let index = index_of(spans);
        let canonical = self.aggregation.grid.shape_of(&index);
        let raw = self.place(raw, &index, view)?;
        let marks = marks.and(raw.attributes());
        let mut read = || -> Result<()> {
            match raw.data_type() {
                DataType::String => {
                    let piece = Placement::new(raw.shape(), &canonical, view)?.piece(spans)?;
                    let values = raw.read_strings(&piece.selection, self.chain).map_err(unreadable)?;
                    let masked: Vec<_> = values.into_iter().map(|s| s.and_then(|s| marks.mask(s))).collect();
                    out.put(&piece.at, &piece.count, &masked, &piece.strides)
                }
                DataType::Char => self.char_piece(&raw, view, spans, &canonical, &marks, out),
                other => Err(Error::new(Kind::FragmentType, format!("{other} values for string data"))),
            }
        };
        read().map_err(|e| match raw.file() {
            Some(file) => e.in_file(file),
            None => e,
        })
    }

    fn char_piece(
        &self,
        raw: &Raw,
        view: Option<&View>,
        spans: &[Span],
        canonical: &[u64],
        marks: &MissingTexts,
        out: &mut Strings,
    ) -> Result<()> {
        let (stored, length) = match raw.shape().split_last() {
            Some((&length, rest)) if Placement::new(rest, canonical, view).is_ok() => (rest, Some(length)),
            // Without a dimension for the length, each char is a string.
            _ => (raw.shape(), None),
        };
        let piece = Placement::new(stored, canonical, view)?.piece(spans)?;
        let fill = fill_byte(raw.attributes());
        let text = |field: &[u8]| match fill {
            Some(fill) if field.iter().all(|&byte| byte == fill) => None,
            _ => marks.mask(text_of(field).trim_end_matches(' ').to_owned()),
        };
        let selection = match length {
            Some(length) => with_trailing(&piece.selection, length, raw.shape())?,
            None => piece.selection.clone(),
        };
        let chars = selection.len().unwrap_or(u64::MAX);
        Room::for_places(piece.selection.len().unwrap_or(0)).take_bytes(chars)?;
        let mut bytes = zeroed(&selection, 1)?;
        let mut kept = Kept::sharing(self.chain.chunks);
        raw.read(&selection, &mut bytes, None, Some(self.chain), &mut kept).map_err(unreadable)?;
        let texts: Vec<Option<String>> = match length {
            Some(0) => vec![None; piece.selection.len().unwrap_or_default() as usize],
            length => bytes.chunks_exact(length.unwrap_or(1) as usize).map(text).collect(),
        };
        out.put(&piece.at, &piece.count, &texts, &piece.strides)
    }
}

/// Returns the same selection with the whole of a trailing dimension.
fn with_trailing(selection: &Selection, length: u64, shape: &[u64]) -> Result<Selection> {
    let mut start = selection.start().to_vec();
    let mut count = selection.count().to_vec();
    let mut step = selection.step().to_vec();
    start.push(0);
    count.push(length);
    step.push(1);
    Selection::new(&start, &count, &step, shape)
}

/// Strings that mean missing data.
struct MissingTexts(Vec<String>);

impl MissingTexts {
    fn of(attributes: &Attributes) -> Self {
        MissingTexts(missing_texts(attributes))
    }

    /// Returns these texts and those of a fragment.
    fn and(&self, attributes: &Attributes) -> Self {
        let mut all = missing_texts(attributes);
        all.extend_from_slice(&self.0);
        MissingTexts(all)
    }

    fn mask(&self, text: String) -> Option<String> {
        (!text.is_empty() && !self.0.contains(&text)).then_some(text)
    }
}

/// The strings of a result, in C order.
struct Strings {
    values: Vec<Option<String>>,
    strides: Vec<usize>,
    room: Room,
}

impl Strings {
    fn new(selection: &Selection) -> Result<Self> {
        let mut values = Vec::new();
        let n = selection.len().and_then(|n| usize::try_from(n).ok());
        match n.filter(|&n| values.try_reserve_exact(n).is_ok()) {
            Some(n) => values.resize(n, None),
            None => return Err(Error::new(Kind::Limit, "the selection does not fit into memory")),
        }
        let room = Room::for_places(values.len() as u64);
        Ok(Strings { values, strides: c_order(selection.count()), room })
    }

    fn put(&mut self, at: &[u64], count: &[u64], source: &[Option<String>], strides: &[usize]) -> Result<()> {
        let signed = |strides: &[usize]| strides.iter().map(|&stride| stride as i64).collect::<Vec<_>>();
        let first: usize = at.iter().zip(&self.strides).map(|(&at, stride)| at as usize * stride).sum();
        let places = offsets(count, &signed(&self.strides));
        for (from, to) in offsets(count, &signed(strides)).zip(places) {
            let (from, to) = (from as usize, first + to as usize);
            if let Some(text) = &source[from] {
                self.room.take(text)?;
            }
            self.values[to].clone_from(&source[from]);
        }
        Ok(())
    }
}
