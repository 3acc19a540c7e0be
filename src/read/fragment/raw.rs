//! A fragment's array before it is converted to canonical form, whatever its source.

use std::sync::Arc;

use super::compressed::Expanded;
use super::files::OpenFile;
use super::foreign::Foreign;
use super::{Chain, Host};
use crate::container::array::Array;
use crate::container::read::{self, Kept};
use crate::container::tree::VariableId;
use crate::container::{Container, Stored};
use crate::error::{Error, Kind, Result};
use crate::io::source::Source;
use crate::selection::Selection;
use crate::value::{Attributes, DataType};

/// An opened fragment.
pub(crate) enum Raw {
    /// A variable of a file.
    Stored {
        /// The file.
        container: Arc<Container>,
        /// The variable.
        variable: Stored,
        /// Its path in the file, to look up its dimensions again.
        path: String,
        /// The open fragment file, if it is not the aggregation file.
        file: Option<Arc<OpenFile>>,
    },
    /// A variable of a file that was read before, so that nothing else is needed.
    Known {
        /// The file.
        file: Arc<OpenFile>,
        /// The data.
        array: Arc<Array>,
    },
    /// An aggregation variable.
    Nested {
        /// The file.
        host: Arc<dyn Host>,
        /// The variable.
        variable: VariableId,
        /// Its shape.
        shape: Vec<u64>,
        /// Whether it has no value for missing data, so that only a mask shows them.
        unmarked: bool,
    },
    /// An array that represents another one.
    Expanded(Expanded),
    /// An array in a file of another format.
    Foreign(Foreign),
}

impl Raw {
    /// Returns the shape of the array.
    pub(crate) fn shape(&self) -> &[u64] {
        match self {
            Raw::Stored { variable, .. } => &variable.array.shape,
            Raw::Known { array, .. } => &array.shape,
            Raw::Nested { shape, .. } => shape,
            Raw::Expanded(array) => array.shape(),
            Raw::Foreign(array) => array.shape(),
        }
    }

    /// Returns the array in the file, if there is one.
    pub(crate) fn array(&self) -> Option<&Array> {
        match self {
            Raw::Stored { variable, .. } => Some(&variable.array),
            Raw::Known { array, .. } => Some(array),
            Raw::Nested { .. } | Raw::Expanded(_) => None,
            Raw::Foreign(_) => None,
        }
    }

    /// Returns the array before it is expanded.
    pub(crate) fn unexpanded(&self) -> &Raw {
        match self {
            Raw::Expanded(array) => array.stored().unexpanded(),
            other => other,
        }
    }

    /// Returns the size of a chunk in memory, if the stored data have chunks.
    pub(crate) fn chunk_bytes(&self) -> Option<usize> {
        let array = self.unexpanded().array()?;
        let sizes = array.chunk()?.iter().map(|&n| usize::try_from(n).unwrap_or(usize::MAX));
        Some(sizes.fold(array.element.size(), usize::saturating_mul))
    }

    /// Returns whether its values alone do not show what is missing: it may have elements that are not stored, or no
    /// value for missing data.
    pub(crate) fn is_unmarked(&self) -> bool {
        match self {
            Raw::Nested { unmarked, .. } => *unmarked,
            Raw::Expanded(array) => array.is_unmarked(),
            _ => false,
        }
    }

    /// Returns the type of its elements.
    pub(crate) fn data_type(&self) -> DataType {
        match self {
            Raw::Stored { variable, .. } => variable.array.data_type,
            Raw::Known { array, .. } => array.data_type,
            Raw::Nested { host, variable, .. } => host.tree().variables[variable.0].array.data_type,
            Raw::Expanded(array) => array.stored().data_type(),
            Raw::Foreign(array) => array.data_type(),
        }
    }

    /// Returns its attributes. Those of a known fragment were used when it was read first.
    pub(crate) fn attributes(&self) -> &Attributes {
        static NONE: Attributes = Attributes::none();
        match self {
            Raw::Known { .. } => &NONE,
            Raw::Stored { variable, .. } => &variable.attributes,
            Raw::Nested { host, variable, .. } => &host.tree().variables[variable.0].attributes,
            Raw::Expanded(array) => array.stored().attributes(),
            Raw::Foreign(array) => array.attributes(),
        }
    }

    /// Returns the name of the file, for messages.
    pub(crate) fn file(&self) -> Option<&str> {
        match self {
            Raw::Stored { container, .. } => Some(container.name()),
            Raw::Known { file, .. } => Some(file.source.name()),
            Raw::Nested { host, .. } => Some(host.container().name()),
            Raw::Expanded(array) => array.stored().file(),
            Raw::Foreign(array) => Some(array.file()),
        }
    }

    /// Returns the bytes of the file and the array in it, if there is one.
    pub(crate) fn in_file(&self) -> Option<(&dyn Source, &Array)> {
        match self {
            Raw::Stored { container, variable, .. } => Some((&**container.source(), &variable.array)),
            Raw::Known { file, array } => Some((&*file.source, array)),
            Raw::Nested { .. } | Raw::Expanded(_) => None,
            Raw::Foreign(_) => None,
        }
    }

    /// Reads numbers or chars in C order and native byte order. Writes to `valid` which are present (1) and which are
    /// missing (0) whatever their values.
    ///
    /// # Errors
    /// `FragmentUnreadable` for a damaged file; for a nested aggregation those of its own fragments.
    pub(crate) fn read(
        &self,
        selection: &Selection,
        out: &mut [u8],
        mut valid: Option<&mut [u8]>,
        chain: Option<&Chain<'_>>,
        kept: &mut Kept<'_>,
    ) -> Result<()> {
        if let Some(valid) = valid.as_deref_mut() {
            valid.fill(1);
        }
        match self {
            Raw::Stored { container, variable, .. } => {
                read::numbers(&**container.source(), &variable.array, selection, out, kept)
                    .map_err(|e| e.in_file(container.name()))
            }
            Raw::Known { file, array } => read::numbers(&*file.source, array, selection, out, kept)
                .map_err(|e| e.in_file(file.source.name())),
            Raw::Nested { host, variable, .. } => {
                Arc::clone(host).read_numbers(*variable, selection, out, valid, chain)
            }
            Raw::Expanded(array) => array.read(selection, out, valid, chain, kept),
            Raw::Foreign(array) => array.read(selection, out),
        }
    }

    /// Reads strings in C order, with `None` for those that a nested aggregation marks as missing, and for those that
    /// are not stored.
    pub(crate) fn read_strings(
        &self,
        selection: &Selection,
        chain: &Chain<'_>,
    ) -> Result<Vec<Option<String>>> {
        match self {
            Raw::Stored { container, variable, .. } => {
                Ok(container.read_strings(&variable.array, selection)?.into_iter().map(Some).collect())
            }
            Raw::Nested { host, variable, .. } => Arc::clone(host).read_strings(*variable, selection, chain),
            Raw::Expanded(array) => array.read_strings(selection, chain),
            Raw::Known { .. } => Err(strings_are_not_bytes()),
            Raw::Foreign(_) => Err(strings_are_not_bytes()),
        }
    }
}

/// Returns the error for strings that should be read as bytes.
pub(crate) fn strings_are_not_bytes() -> Error {
    Error::new(Kind::FragmentType, "strings where numbers or characters are expected")
}
