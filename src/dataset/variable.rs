//! A variable of an open dataset: its properties, and reading it.

use std::fmt;
use std::sync::Arc;

use ndarray::{ArrayD, IxDyn};

use crate::container::array::Array;
use crate::container::read::zeroed;
use crate::container::tree::{self, DimensionId, Group, VariableId};
use crate::dataset::Dataset;
use crate::dialect;
use crate::error::{Error, Kind, Result};
use crate::model::Aggregation;
use crate::read::scatter::Destination;
use crate::read::{self, AggregationFile, Request};
use crate::selection::Selection;
use crate::threads::progress::{Listener, Progress};
use crate::value::{Attribute, Attributes, DataType, Values};

/// A variable, aggregated or ordinary; both are read in the same way.
#[derive(Clone)]
pub struct Variable {
    dataset: Dataset,
    id: VariableId,
}

/// A number type that values can be read as.
pub trait Number: Copy + Default + private::Sealed {
    /// The corresponding data type.
    const TYPE: DataType;
}

mod private {
    /// Restricts [`super::Number`] to plain numbers, whose bytes may be written freely.
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($rust:ty => $name:ident),*) => {$(
        impl private::Sealed for $rust {}
        impl Number for $rust {
            const TYPE: DataType = DataType::$name;
        }
    )*};
}
numbers!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    f32 => F32, f64 => F64);

/// Where a read writes its values, and in which form.
pub struct Output<'a> {
    /// The requested type: the variable's own or any other number type that can hold the values.
    pub data_type: DataType,
    /// The bytes to fill.
    pub buffer: &'a mut [u8],
    /// Index of the first element in `buffer`, in elements.
    pub first: usize,
    /// Distance between neighbours along each dimension, in elements; `None` for C order.
    pub strides: Option<&'a [i64]>,
    /// One byte per element in C order: 1 valid, 0 missing.
    pub mask: Option<&'a mut [u8]>,
    /// Whether values are converted to the requested type even if that changes them; `None` uses the option of the
    /// dataset.
    pub lossy: Option<bool>,
    /// Watches the read and may stop it; called in the thread that reads.
    pub progress: Option<&'a Listener<'a>>,
}

impl<'a> Output<'a> {
    /// Creates the output for a buffer in C order, without mask.
    pub fn new(data_type: DataType, buffer: &'a mut [u8]) -> Self {
        Output { data_type, buffer, first: 0, strides: None, mask: None, lossy: None, progress: None }
    }
}

impl Variable {
    pub(crate) fn new(dataset: Dataset, id: VariableId) -> Self {
        Variable { dataset, id }
    }

    fn shared(&self) -> &Arc<AggregationFile> {
        self.dataset.shared()
    }

    fn stored(&self) -> &tree::Variable {
        &self.shared().tree().variables[self.id.0]
    }

    /// Returns the dataset it belongs to.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Returns its index in the file's list of variables.
    pub fn id(&self) -> VariableId {
        self.id
    }

    /// Returns its name without path.
    pub fn name(&self) -> &str {
        &self.stored().name
    }

    /// Returns its absolute path.
    pub fn path(&self) -> &str {
        &self.stored().path
    }

    /// Returns the type of its data.
    pub fn data_type(&self) -> DataType {
        self.stored().array.data_type
    }

    /// Returns its attributes as stored, including those of the aggregation.
    pub fn attributes(&self) -> &Attributes {
        &self.stored().attributes
    }

    /// Returns its attributes in the logical view, without those that define the aggregation.
    pub fn logical_attributes(&self) -> impl Iterator<Item = &Attribute> {
        let raw = self.shared().options.raw_view;
        self.attributes().iter().filter(move |a| raw || !dialect::defines_aggregation(a))
    }

    /// Returns the group that contains it.
    pub fn group(&self) -> &Group {
        let tree = self.shared().tree();
        &tree.groups[self.stored().group.0]
    }

    /// Returns the array that is stored under its name.
    pub(crate) fn stored_array(&self) -> &Array {
        &self.stored().array
    }

    /// Returns the value that marks missing data in reads without mask, or `None` if there is none.
    pub fn missing_value(&self) -> Option<Values> {
        self.shared().target(self.id).missing_value()
    }

    /// Returns the value that the settings choose for missing data, if the variable has none.
    pub(crate) fn chosen_missing_value(&self) -> Option<Values> {
        let target = self.shared().target(self.id);
        target.missing_value().filter(|_| target.is_chosen())
    }

    /// Returns how its data are aggregated, or `None` for an ordinary variable.
    ///
    /// # Errors
    /// The errors of decoding the aggregation.
    pub fn aggregation(&self) -> Result<Option<&Aggregation>> {
        self.shared().aggregation(self.id)
    }

    /// Returns its dimensions in the logical view.
    ///
    /// # Errors
    /// The errors of decoding the aggregation.
    pub fn dimensions(&self) -> Result<&[DimensionId]> {
        Ok(match self.aggregation()? {
            Some(aggregation) => &aggregation.dimensions,
            None => &self.stored().dimensions,
        })
    }

    /// Returns its shape in the logical view.
    ///
    /// # Errors
    /// The errors of decoding the aggregation.
    pub fn shape(&self) -> Result<&[u64]> {
        Ok(match self.aggregation()? {
            Some(aggregation) => aggregation.grid.shape(),
            None => &self.stored().array.shape,
        })
    }

    /// Reads numbers into a caller's buffer.
    ///
    /// # Errors
    /// `Request` if selection or buffer do not fit, `Type` if the values cannot be returned in the requested type, and
    /// the errors of decoding the aggregation or reading a fragment.
    pub fn read_into(&self, selection: &Selection, output: Output<'_>) -> Result<()> {
        let element = output.data_type.size().ok_or_else(|| {
            Error::new(Kind::Request, "strings cannot be read into a byte buffer; use read_strings")
        });
        let run = || {
            let element = element?;
            let shape = selection.count();
            let values = match output.strides {
                Some(strides) => Destination::strided(output.buffer, output.first, strides, shape, element)?,
                None => {
                    let first = output.first.saturating_mul(element).min(output.buffer.len());
                    Destination::c_order(&mut output.buffer[first..], shape, element)?
                }
            };
            let mask = output.mask.map(|m| Destination::c_order(m, shape, 1)).transpose()?;
            let progress = output.progress.map(|listener| watched(listener, selection));
            let request = Request {
                selection,
                data_type: output.data_type,
                values: &values,
                mask: mask.as_ref(),
                lossy: output.lossy,
                progress: progress.as_ref(),
            };
            read::numbers(self.shared(), self.id, &request, None)?;
            progress.as_ref().map_or(Ok(()), Progress::finish)
        };
        run().map_err(|e| self.place(e))
    }

    /// Fetches and decodes in advance what a later read of this part needs, as far as the cache holds it.
    ///
    /// This is best effort and uses all threads of the dataset; it returns when everything is done. Errors of fragments
    /// are ignored, and the later read reports them.
    ///
    /// # Errors
    /// `Request` if the selection does not fit this variable; the errors of decoding the aggregation.
    pub fn advise(&self, selection: &Selection) -> Result<()> {
        let run = || {
            selection.check(self.shape()?)?;
            read::ahead(self.shared(), self.id, selection)
        };
        run().map_err(|e| self.place(e))
    }

    /// Reads values in the variable's own type, in C order. Missing ones have its missing value (an empty string for
    /// strings).
    ///
    /// # Errors
    /// As [`Variable::read_into`].
    pub fn read_values(&self, selection: &Selection) -> Result<Values> {
        self.read_values_with(selection, None)
    }

    /// Like [`Variable::read_values`], with progress.
    ///
    /// # Errors
    /// As [`Variable::read_into`]; `Cancelled`.
    pub(crate) fn read_values_with(
        &self,
        selection: &Selection,
        progress: Option<&Listener<'_>>,
    ) -> Result<Values> {
        let data_type = self.data_type();
        let Some(element) = data_type.size() else {
            let strings = self.read_strings_with(selection, progress)?;
            return Ok(Values::String(strings.into_iter().map(Option::unwrap_or_default).collect()));
        };
        let mut bytes = zeroed(selection, element).map_err(|e| self.place(e))?;
        self.read_into(selection, Output { progress, ..Output::new(data_type, &mut bytes) })?;
        Values::from_native_bytes(data_type, &bytes)
            .ok_or_else(|| Error::new(Kind::Internal, "element size does not divide the data"))
    }

    /// Reads values in the variable's own type, in C order, and whether each is valid.
    ///
    /// # Errors
    /// As [`Variable::read_into`].
    pub fn read_masked(&self, selection: &Selection) -> Result<(Values, Vec<bool>)> {
        let data_type = self.data_type();
        let Some(element) = data_type.size() else {
            let strings = self.read_strings(selection)?;
            let valid = strings.iter().map(Option::is_some).collect();
            return Ok((Values::String(strings.into_iter().map(Option::unwrap_or_default).collect()), valid));
        };
        let mut bytes = zeroed(selection, element).map_err(|e| self.place(e))?;
        let mut mask = zeroed(selection, 1).map_err(|e| self.place(e))?;
        self.read_into(selection, Output { mask: Some(&mut mask), ..Output::new(data_type, &mut bytes) })?;
        let values = Values::from_native_bytes(data_type, &bytes)
            .ok_or_else(|| Error::new(Kind::Internal, "element size does not divide the data"))?;
        Ok((values, mask.iter().map(|&valid| valid == 1).collect()))
    }

    /// Reads numbers of type `T` into an array. Missing ones have the variable's missing value.
    ///
    /// # Errors
    /// As [`Variable::read_into`].
    pub fn read<T: Number>(&self, selection: &Selection) -> Result<ArrayD<T>> {
        let size = std::mem::size_of::<T>();
        // This only checks that the whole fits; the buffer below is of `T` for its alignment.
        let too_large =
            || Error::new(Kind::Limit, "the selection does not fit into memory; ask for a smaller part");
        let n = selection.len().and_then(|n| usize::try_from(n).ok()).ok_or_else(too_large)?;
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(n).map_err(|_| self.place(too_large()))?;
        values.resize(n, T::default());
        // SAFETY: `T` is a plain number (the trait is sealed), so its memory may be read and written as bytes.
        let bytes = unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast::<u8>(), n * size) };
        self.read_into(selection, Output::new(T::TYPE, bytes))?;
        let shape: Vec<usize> = selection.count().iter().map(|&c| c as usize).collect();
        ArrayD::from_shape_vec(IxDyn(&shape), values)
            .map_err(|e| Error::new(Kind::Internal, "shape of the result").because(e))
    }

    /// Reads strings in C order, with `None` for missing ones.
    ///
    /// # Errors
    /// As [`Variable::read_into`]; `Type` if the variable does not hold strings.
    pub fn read_strings(&self, selection: &Selection) -> Result<Vec<Option<String>>> {
        self.read_strings_with(selection, None)
    }

    /// Like [`Variable::read_strings`], with progress.
    ///
    /// # Errors
    /// As [`Variable::read_strings`]; `Cancelled`.
    pub fn read_strings_with(
        &self,
        selection: &Selection,
        progress: Option<&Listener<'_>>,
    ) -> Result<Vec<Option<String>>> {
        let progress = progress.map(|listener| watched(listener, selection));
        read::strings(self.shared(), self.id, selection, progress.as_ref(), None).map_err(|e| self.place(e))
    }

    fn place(&self, error: Error) -> Error {
        error.in_variable(self.path()).in_file(self.dataset.name())
    }
}

/// The progress of a read that this thread begins.
fn watched<'a>(listener: &'a Listener<'a>, selection: &Selection) -> Progress<'a> {
    let total = selection.len().unwrap_or(u64::MAX).max(1);
    Progress::new(Some(listener), total, "the read was cancelled")
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variable").field("file", &self.dataset.name()).field("path", &self.path()).finish()
    }
}
