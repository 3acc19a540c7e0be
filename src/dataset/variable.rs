//! A variable of an open dataset: what it is, and reading it.

use std::fmt;
use std::sync::Arc;

use ndarray::{ArrayD, IxDyn};

use crate::container::array::Array;
use crate::container::read::zeroed;
use crate::container::tree::{self, DimensionId, VariableId};
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::model::Aggregation;
use crate::read::scatter::Destination;
use crate::read::{self, AggregationFile, Request};
use crate::selection::Selection;
use crate::threads::progress::{Fraction, Listener, Progress};
use crate::value::{Attributes, DataType, Values};

/// A variable, aggregated or ordinary; both are read alike.
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
    /// Keeps [`super::Number`] to plain numbers, whose bytes may be written freely.
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

/// Where and how a read puts its values.
pub struct Output<'a> {
    /// The type wanted; the variable's own or any other number type that can hold the values.
    pub data_type: DataType,
    /// The bytes to fill.
    pub buffer: &'a mut [u8],
    /// Index of the first element in `buffer`, in elements.
    pub first: usize,
    /// Distance between neighbours along each dimension, in elements; `None` for C order.
    pub strides: Option<&'a [i64]>,
    /// One byte per element in C order: 1 valid, 0 missing.
    pub mask: Option<&'a mut [u8]>,
    /// Whether values are given in the type wanted even where they change; `None`: as the dataset was opened.
    pub lossy: Option<bool>,
    /// Watches the read and may stop it; called in the thread that reads.
    pub progress: Option<&'a Fraction<'a>>,
}

impl<'a> Output<'a> {
    /// A buffer in C order, without mask.
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

    /// The dataset it belongs to.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Its place in the file's list of variables.
    pub fn id(&self) -> VariableId {
        self.id
    }

    /// Its name without path.
    pub fn name(&self) -> &str {
        &self.stored().name
    }

    /// Its absolute path.
    pub fn path(&self) -> &str {
        &self.stored().path
    }

    /// The type of its data.
    pub fn data_type(&self) -> DataType {
        self.stored().array.data_type
    }

    /// Its attributes as stored, those of the aggregation included.
    pub fn attributes(&self) -> &Attributes {
        &self.stored().attributes
    }

    /// The array that is stored under its name.
    pub(crate) fn stored_array(&self) -> &Array {
        &self.stored().array
    }

    /// The value that stands for missing data in reads without mask; `None` if there is none.
    pub fn missing_value(&self) -> Option<Values> {
        self.shared().target(self.id).missing_value()
    }

    /// The value that the settings choose for missing data, where the variable has none.
    pub(crate) fn chosen_missing_value(&self) -> Option<Values> {
        let target = self.shared().target(self.id);
        target.missing_value().filter(|_| target.is_chosen())
    }

    /// How its data are aggregated; `None` for an ordinary variable.
    ///
    /// # Errors
    /// What is wrong with the aggregation.
    pub fn aggregation(&self) -> Result<Option<&Aggregation>> {
        self.shared().aggregation(self.id)
    }

    /// Its dimensions in the logical view.
    ///
    /// # Errors
    /// What is wrong with the aggregation.
    pub fn dimensions(&self) -> Result<&[DimensionId]> {
        Ok(match self.aggregation()? {
            Some(aggregation) => &aggregation.dimensions,
            None => &self.stored().dimensions,
        })
    }

    /// Its shape in the logical view.
    ///
    /// # Errors
    /// What is wrong with the aggregation.
    pub fn shape(&self) -> Result<&[u64]> {
        Ok(match self.aggregation()? {
            Some(aggregation) => aggregation.grid.shape(),
            None => &self.stored().array.shape,
        })
    }

    /// Reads numbers into a caller's buffer.
    ///
    /// # Errors
    /// `Request` when selection or buffer do not fit, `Type` when the values cannot be given in the wanted type, and
    /// what is wrong with the aggregation or a fragment.
    pub fn read_into(&self, selection: &Selection, output: Output<'_>) -> Result<()> {
        let element = output.data_type.size().ok_or_else(|| {
            Error::new(Kind::Request, "strings are not read into a byte buffer; use read_strings")
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
            let tell = listener(output.progress);
            let progress = tell.as_ref().map(|tell| watched(tell, selection));
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

    /// Fetches and decodes ahead what a later read of this part needs, as far as the cache holds it.
    ///
    /// Best effort, on all threads of the dataset; it comes back when all is done. What is wrong with a fragment is
    /// left for the read to tell.
    ///
    /// # Errors
    /// `Request` when the selection is not one of this variable; what is wrong with the aggregation.
    pub fn advise(&self, selection: &Selection) -> Result<()> {
        let run = || {
            Selection::new(selection.start(), selection.count(), selection.step(), self.shape()?)?;
            read::ahead(self.shared(), self.id, selection)
        };
        run().map_err(|e| self.place(e))
    }

    /// Reads values in the variable's own type, in C order; missing ones are its missing value (an empty string for
    /// strings).
    ///
    /// # Errors
    /// As [`Variable::read_into`].
    pub fn read_values(&self, selection: &Selection) -> Result<Values> {
        let data_type = self.data_type();
        let Some(element) = data_type.size() else {
            let strings = self.read_strings(selection)?;
            return Ok(Values::String(strings.into_iter().map(Option::unwrap_or_default).collect()));
        };
        let mut bytes = zeroed(selection, element).map_err(|e| self.place(e))?;
        self.read_into(selection, Output::new(data_type, &mut bytes))?;
        Values::from_native_bytes(data_type, &bytes)
            .ok_or_else(|| Error::new(Kind::Internal, "element size does not divide the data"))
    }

    /// Reads numbers of type `T` into an array; missing ones are the variable's missing value.
    ///
    /// # Errors
    /// As [`Variable::read_into`].
    pub fn read<T: Number>(&self, selection: &Selection) -> Result<ArrayD<T>> {
        let size = std::mem::size_of::<T>();
        // Only checks that the whole fits; the buffer below is of `T` for its alignment.
        let too_large =
            || Error::new(Kind::Limit, "the selection does not fit into memory; ask for a smaller part");
        let n = selection.len().and_then(|n| usize::try_from(n).ok()).ok_or_else(too_large)?;
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(n).map_err(|_| self.place(too_large()))?;
        values.resize(n, T::default());
        // SAFETY: `T` is a plain number (the trait is sealed), so its memory may be seen and written as bytes.
        let bytes = unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast::<u8>(), n * size) };
        self.read_into(selection, Output::new(T::TYPE, bytes))?;
        let shape: Vec<usize> = selection.count().iter().map(|&c| c as usize).collect();
        ArrayD::from_shape_vec(IxDyn(&shape), values)
            .map_err(|e| Error::new(Kind::Internal, "shape of the result").because(e))
    }

    /// Reads strings in C order; `None` is missing.
    ///
    /// # Errors
    /// As [`Variable::read_into`]; `Type` when the variable does not hold strings.
    pub fn read_strings(&self, selection: &Selection) -> Result<Vec<Option<String>>> {
        self.read_strings_with(selection, None)
    }

    /// As [`Variable::read_strings`], watched.
    ///
    /// # Errors
    /// As [`Variable::read_strings`]; `Cancelled`.
    pub fn read_strings_with(
        &self,
        selection: &Selection,
        progress: Option<&Fraction<'_>>,
    ) -> Result<Vec<Option<String>>> {
        let tell = listener(progress);
        let progress = tell.as_ref().map(|tell| watched(tell, selection));
        read::strings(self.shared(), self.id, selection, progress.as_ref(), None).map_err(|e| self.place(e))
    }

    fn place(&self, error: Error) -> Error {
        error.in_variable(self.path()).in_file(self.dataset.name())
    }
}

/// Tells a fraction to whoever wants it.
fn listener<'a>(tell: Option<&'a Fraction<'a>>) -> Option<impl Fn(u64, u64) -> bool + Sync + 'a> {
    tell.map(|tell| move |done: u64, total: u64| tell(done as f64 / total as f64))
}

/// The progress of a read that this thread begins.
fn watched<'a>(tell: &'a Listener<'a>, selection: &Selection) -> Progress<'a> {
    let total = selection.len().unwrap_or(u64::MAX).max(1);
    Progress::new(Some(tell), total, "the read was cancelled").in_this_thread()
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variable").field("file", &self.dataset.name()).field("path", &self.path()).finish()
    }
}
