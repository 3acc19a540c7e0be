//! netCDF-4 files: the structure of HDF5 and its meaning in netCDF-4.
//!
//! Implements the parts of the HDF5 file format (version 4.0) that hold netCDF-4 data: superblocks 0 to 3, old and new
//! groups, compact and dense attributes, compact, contiguous and chunked layouts with every chunk index. Of the crate
//! `hdf5-reader` only the superblock is used.
//!
//! The memory that a file makes us use is bounded by its length, not by what it claims (`budget.rs`): trees are walked
//! node by node, each node once, and everything is counted before it is collected.
//!
//! Refused: structures that overlap, files shorter than their superblock says, external links, external data files,
//! virtual datasets, messages in the shared message table, types that netCDF does not have. In a listing, each of these
//! omits only the object or attribute that has it, and [`Tree::omitted`] reports it.

mod array_entry;
mod attribute;
mod btree1;
mod btree2;
mod budget;
pub mod chunk_index;
mod cursor;
mod dataset;
mod dataspace;
mod datatype;
mod dense;
mod doubling_table;
mod extensible_array;
mod extent;
mod filters;
mod fixed_array;
mod fractal_heap;
mod global_heap;
mod header;
mod index_walk;
mod layout;
mod links;
mod names;
mod netcdf4;
mod numbering;
mod shared_index;
mod storage;
mod store;
mod strings;
mod symbols;

use std::sync::Arc;

use once_cell::sync::OnceCell;

pub(crate) use self::attribute::is_bookkeeping;
use self::dataset::Dataset;
use self::header::{Header, ObjectKind};
use self::netcdf4::NON_COORDINATE;
use self::store::{guarded, Store};
use super::allowance::Allowance;
use super::array::Array;
use super::tree::Tree;
use super::Stored;
use crate::error::Result;
use crate::io::source::Source;

/// An open HDF5 file.
pub struct File {
    store: Store,
    tree: OnceCell<Tree>,
}

impl File {
    /// Opens the file. Returns `None` if the source is not an HDF5 file.
    ///
    /// # Errors
    /// `Damaged` if the superblock is broken or the file is shorter than it says; `Io`.
    pub fn open(source: &Arc<dyn Source>) -> Result<Option<Self>> {
        guarded(|| Ok(Store::open(source)?.map(|store| File { store, tree: OnceCell::new() })))
    }

    /// Returns whether a variable has an attribute with one of these names, as far as the file is legible, or `None` if
    /// the source is not an HDF5 file.
    ///
    /// # Errors
    /// If none is found: `Damaged` as for [`File::open`] and [`File::tree`]; `Io`, `Limit`.
    pub fn has_attribute(source: &Arc<dyn Source>, names: &[&str]) -> Result<Option<bool>> {
        guarded(|| {
            let Some((store, end)) = Store::open_any(source)? else { return Ok(None) };
            match names::has_attribute(&store, names) {
                Ok(true) => Ok(Some(true)),
                outcome => end.and(outcome).map(Some),
            }
        })
    }

    /// Returns all groups, dimensions and variables. They are parsed on the first call.
    ///
    /// # Errors
    /// `Damaged` if the root group cannot be read, `Limit` if there are too many objects; `Io`.
    pub fn tree(&self) -> Result<&Tree> {
        self.tree.get_or_try_init(|| {
            let store = self.store.again();
            let left = store.budget.left();
            let tree = guarded(|| netcdf4::tree(&store))?;
            store.allowance.note(left.saturating_sub(store.budget.left()));
            Ok(tree)
        })
    }

    /// Returns what may be kept of the file.
    pub(super) fn allowance(&self) -> &Arc<Allowance> {
        &self.store.allowance
    }

    /// Returns one variable by its path, without leading slash. The others are read only if its dimensions may be
    /// longer.
    ///
    /// # Errors
    /// `Damaged`, `Io`, or `Unsupported` if its type or the link to it is refused.
    pub fn variable(&self, path: &str) -> Result<Option<Stored>> {
        guarded(|| match self.find_variable(path)? {
            // The name in the file may be composed differently.
            None if !path.is_ascii() => self.variable_of_tree(path),
            found => Ok(found),
        })
    }

    /// Returns the strings of stored elements (fixed fields or heap references), one after the other in `fields`.
    ///
    /// # Errors
    /// `Request` if the data are not strings; `Damaged`, `Io`.
    pub fn strings(&self, array: &Array, fields: &[u8]) -> Result<Vec<String>> {
        guarded(|| strings::decode(&self.store.again(), array, fields))
    }

    /// As [`File::strings`], within what may still be kept of the file.
    ///
    /// # Errors
    /// As [`File::strings`]; `Limit`.
    pub(super) fn strings_of_table(&self, array: &Array, fields: &[u8]) -> Result<Vec<String>> {
        let store = self.store.again();
        store.budget.keep_at_most(store.allowance.left());
        guarded(|| strings::decode(&store, array, fields))
    }

    fn variable_of_tree(&self, path: &str) -> Result<Option<Stored>> {
        let tree = self.tree()?;
        Ok(tree.variable_at(path).map(|id| {
            let found = &tree.variables[id.0];
            Stored { attributes: found.attributes.clone(), array: Arc::clone(&found.array) }
        }))
    }

    fn find_variable(&self, path: &str) -> Result<Option<Stored>> {
        let store = &self.store.again();
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name.is_empty() || name.starts_with(NON_COORDINATE) {
            return Ok(None);
        }
        let Some(group) = links::follow(store, store.root, parent)? else {
            return Ok(None);
        };
        let header = Header::read(store, group)?;
        // A dimension of this name without a variable may exist beside a variable whose name has the prefix.
        for name in [name.to_owned(), format!("{NON_COORDINATE}{name}")] {
            let Some(link) = links::find(store, &header, &name)? else {
                continue;
            };
            let address = links::resolve(store, group, &link)?;
            let header = Header::read(store, address)?;
            if header.kind() != ObjectKind::Dataset {
                continue;
            }
            let dataset = Dataset::read(store, header)?;
            if !dataset.is_variable {
                continue;
            }
            let array = dataset.array(store)?;
            if array.can_be_short() && extent::may_be_short(store, address, &dataset) {
                if let Some(found) = self.variable_of_tree(path)? {
                    return Ok(Some(found));
                }
            }
            let attributes = dataset.attributes.decoded(store, |_, _| {});
            // What was left out for want of memory would be missed.
            store.budget.check()?;
            return Ok(Some(Stored { attributes, array: Arc::new(array) }));
        }
        Ok(None)
    }
}
