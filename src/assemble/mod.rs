//! Runs the steps of a read: plan, fragments, canonical form, scatter.

mod strings;

pub(crate) use strings::strings;

use crate::canonical::{Conversion, Target};
use crate::container::read::zeroed;
use crate::container::tree::VariableId;
use crate::dataset::{Dataset, Shared};
use crate::error::{Error, Kind, Result};
use crate::fragment::{self, Chain, Placement, Raw};
use crate::model::fragments::{Block, Fragment};
use crate::model::Aggregation;
use crate::options::MissingFragments;
use crate::plan::{Plan, Span};
use crate::scatter::Destination;
use crate::selection::Selection;
use crate::value::DataType;

/// Fragments that are looked up at once; bounds the memory for their names.
const BLOCK: usize = 4096;

/// What a read of numbers wants.
pub(crate) struct Request<'a> {
    /// Which part.
    pub(crate) selection: &'a Selection,
    /// In which type.
    pub(crate) data_type: DataType,
    /// Where the values go.
    pub(crate) values: &'a Destination<'a>,
    /// Where validity goes: 1 valid, 0 missing.
    pub(crate) mask: Option<&'a Destination<'a>>,
}

/// Reads numbers or chars of a variable, aggregated or ordinary.
pub(crate) fn numbers(
    dataset: &Dataset,
    id: VariableId,
    request: &Request<'_>,
    outer: Option<&Chain<'_>>,
) -> Result<()> {
    if request.selection.is_empty() {
        return Ok(());
    }
    let shared = dataset.shared();
    let variable = &shared.tree().variables[id.0];
    let own = variable.array.data_type;
    let text = |t: DataType| !t.is_number();
    if own == DataType::String || (text(own) || text(request.data_type)) && own != request.data_type {
        return Err(Error::new(Kind::Type, format!("{own} data cannot be read as {}", request.data_type)));
    }
    let target = Target::new(&variable.attributes, own);
    let sink = Sink::new(&target, request, shared.options.lossy_casts)?;
    let Some(aggregation) = shared.aggregation(id)? else {
        return ordinary(shared, id, &sink);
    };
    let chain = Chain::enter(outer, shared, id)?;
    let assembly = Assembly { dataset, id, aggregation, target: &target, chain: &chain };
    assembly.each_block(request.selection, |block, entries| match entries {
        Block::UniqueValues(values) => {
            let conversion = Conversion::for_unique(values.data_type(), &target, sink.lossy)?;
            for i in 0..block.len() {
                let raw = values.native_bytes_at(i).ok_or_else(|| not_numbers("unique values"))?;
                let spans = block.piece(i);
                sink.repeat(&conversion, &raw, &at_of(&spans), &count_of(&spans))
                    .map_err(|e| e.in_fragment(&index_of(&spans)))?;
            }
            Ok(())
        }
        Block::Fragments(list) => {
            for (i, fragment) in list.iter().enumerate() {
                let spans = block.piece(i);
                assembly.piece(fragment, &spans, &sink).map_err(|e| e.in_fragment(&index_of(&spans)))?;
            }
            Ok(())
        }
    })
}

fn ordinary(shared: &Shared, id: VariableId, sink: &Sink<'_>) -> Result<()> {
    let array = &shared.tree().variables[id.0].array;
    let selection = sink.request.selection;
    let mut raw = zeroed(selection, array.element.size())?;
    shared.container.read(array, selection, &mut raw)?;
    let conversion = Conversion::for_request(sink.target, sink.target.data_type(), sink.lossy)?;
    let strides = c_order(selection.count());
    sink.put(&conversion, &raw, &vec![0; selection.rank()], selection.count(), &strides)
}

/// An aggregation variable that is being read.
pub(crate) struct Assembly<'a> {
    pub(crate) dataset: &'a Dataset,
    pub(crate) id: VariableId,
    pub(crate) aggregation: &'a Aggregation,
    pub(crate) target: &'a Target,
    pub(crate) chain: &'a Chain<'a>,
}

impl Assembly<'_> {
    /// Looks up the touched fragments block by block.
    pub(crate) fn each_block(
        &self,
        selection: &Selection,
        mut visit: impl FnMut(&crate::plan::Block<'_>, Block) -> Result<()>,
    ) -> Result<()> {
        let shared = self.dataset.shared();
        let plan = Plan::new(&self.aggregation.grid, selection);
        for block in plan.blocks(BLOCK) {
            let place = block.selection(self.aggregation.grid.fragments())?;
            let entries = self.aggregation.fragments.lookup(
                &*shared.container,
                &place,
                &shared.runtime_substitutions,
            )?;
            visit(&block, entries)?;
        }
        Ok(())
    }

    /// Opens a fragment; `None` when it is missing and may be.
    pub(crate) fn open(&self, fragment: &Fragment) -> Result<Option<Raw>> {
        let Fragment::Stored { versions, .. } = fragment else { return Ok(None) };
        let fragments = &self.aggregation.fragments;
        match fragment::open(self.dataset, fragments, versions, self.id, self.chain) {
            Err(e)
                if e.kind() == Kind::FragmentMissing
                    && self.dataset.shared().options.missing_fragments == MissingFragments::Fill =>
            {
                self.dataset.shared().warn(format!("a missing fragment was filled: {e}"));
                Ok(None)
            }
            opened => opened.map(Some),
        }
    }

    /// The canonical shape of the fragment that the spans lie in.
    pub(crate) fn canonical_shape(&self, spans: &[Span]) -> Vec<u64> {
        let sizes = spans.iter().enumerate().map(|(d, span)| self.aggregation.grid.range(d, span.fragment));
        sizes.map(|range| range.end - range.start).collect()
    }

    fn piece(&self, fragment: &Fragment, spans: &[Span], sink: &Sink<'_>) -> Result<()> {
        let Some(mut raw) = self.open(fragment)? else {
            return sink.missing(&at_of(spans), &count_of(spans));
        };
        let view = fragment.view();
        let file = raw.file().map(str::to_owned);
        if let (Some(recorded), Some(file)) = (&self.aggregation.recorded, &file) {
            let index: Vec<u64> = spans.iter().map(|span| span.fragment).collect();
            fragment::check_recorded(self.dataset, recorded, &index, file)?;
        }
        let mut run = || {
            let canonical = self.canonical_shape(spans);
            if Placement::new(raw.shape(), &canonical, view).is_err() {
                if let Some(expanded) = fragment::expand(&raw, canonical.iter().product())? {
                    raw = expanded;
                }
            }
            let placement = Placement::new(raw.shape(), &canonical, view)?;
            let conversion = Conversion::new(
                raw.attributes(),
                raw.data_type(),
                view.and_then(|v| v.units.as_deref()),
                view.and_then(|v| v.calendar.as_deref()),
                self.target,
                sink.lossy,
            )?;
            for warning in conversion.warnings() {
                self.dataset.shared().warn(warning.clone());
            }
            let element = raw.data_type().size().ok_or_else(|| not_numbers("the fragment"))?;
            for piece in placement.pieces(spans)? {
                let mut bytes = zeroed(&piece.selection, element)?;
                raw.read(&piece.selection, &mut bytes, self.chain).map_err(fragment::unreadable)?;
                sink.put(&conversion, &bytes, &piece.at, &piece.count, &piece.strides)?;
            }
            Ok(())
        };
        run().map_err(|e: Error| match file {
            Some(file) => e.in_file(file),
            None => e,
        })
    }
}

/// Brings values to canonical form and to the requested type, and puts them into the caller's buffer.
struct Sink<'a> {
    target: &'a Target,
    request: &'a Request<'a>,
    /// From the variable's own type to the requested one, where that differs.
    cast: Option<Conversion>,
    lossy: bool,
}

impl<'a> Sink<'a> {
    fn new(target: &'a Target, request: &'a Request<'a>, lossy: bool) -> Result<Self> {
        let differs = request.data_type != target.data_type();
        let cast = differs.then(|| Conversion::for_request(target, request.data_type, lossy)).transpose()?;
        Ok(Sink { target, request, cast, lossy })
    }

    /// Converts stored elements and scatters them.
    fn put(
        &self,
        conversion: &Conversion,
        raw: &[u8],
        at: &[u64],
        count: &[u64],
        strides: &[usize],
    ) -> Result<()> {
        let n = count.iter().product::<u64>() as usize;
        let (values, valid) = self.convert(conversion, raw, n)?;
        self.request.values.copy(at, count, &values, strides);
        if let (Some(mask), Some(valid)) = (self.request.mask, valid) {
            mask.copy(at, count, &valid, strides);
        }
        Ok(())
    }

    /// Converts one stored element and fills a part with it.
    fn repeat(&self, conversion: &Conversion, raw: &[u8], at: &[u64], count: &[u64]) -> Result<()> {
        let (value, valid) = self.convert(conversion, raw, 1)?;
        self.request.values.fill(at, count, &value);
        if let (Some(mask), Some(valid)) = (self.request.mask, valid) {
            mask.fill(at, count, &valid);
        }
        Ok(())
    }

    /// Fills a part with the missing value.
    fn missing(&self, at: &[u64], count: &[u64]) -> Result<()> {
        let mut value = vec![0; size_of(self.target.data_type())?];
        let mut valid = self.request.mask.map(|_| vec![0]);
        self.target.fill(&mut value, valid.as_deref_mut())?;
        let value = self.cast(value, 1, valid.as_deref_mut())?;
        self.request.values.fill(at, count, &value);
        if let Some(mask) = self.request.mask {
            mask.fill(at, count, &[0]);
        }
        Ok(())
    }

    fn convert(&self, conversion: &Conversion, raw: &[u8], n: usize) -> Result<(Vec<u8>, Option<Vec<u8>>)> {
        let mut values = vec![0; n * size_of(self.target.data_type())?];
        let mut valid = self.request.mask.map(|_| vec![1; n]);
        conversion.apply(raw, &mut values, valid.as_deref_mut())?;
        let values = self.cast(values, n, valid.as_deref_mut())?;
        Ok((values, valid))
    }

    fn cast(&self, values: Vec<u8>, n: usize, valid: Option<&mut [u8]>) -> Result<Vec<u8>> {
        let Some(conversion) = &self.cast else { return Ok(values) };
        let mut cast = vec![0; n * size_of(self.request.data_type)?];
        match valid {
            Some(valid) => conversion.apply_masked(&values, &mut cast, valid)?,
            None => conversion.apply(&values, &mut cast, None)?,
        }
        Ok(cast)
    }
}

fn size_of(data_type: DataType) -> Result<usize> {
    data_type.size().ok_or_else(|| not_numbers("the variable"))
}

fn not_numbers(what: &str) -> Error {
    Error::new(Kind::FragmentType, format!("{what}: strings where numbers are expected"))
}

fn c_order(shape: &[u64]) -> Vec<usize> {
    crate::selection::c_strides(shape).iter().map(|&s| s as usize).collect()
}

pub(crate) fn at_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.at).collect()
}

pub(crate) fn count_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.count).collect()
}

pub(crate) fn index_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.fragment).collect()
}
