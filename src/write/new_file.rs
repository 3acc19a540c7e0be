//! A file that is being written, under a temporary name until all is there.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use netcdf::FileMut;

use super::description::{Data, File, Format, Group};
use super::verify::{self, Block};
use super::{classic, library};
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::os;
use crate::out::Out;
use crate::selection::checked_product;
use crate::value::{DataType, Values};

/// A file that is being written; it takes its name on [`NewFile::commit`] and is removed when dropped before.
pub struct NewFile {
    file: Option<FileMut>,
    temporary: PathBuf,
    out: Out,
    format: Format,
    /// Type and rank of every variable, by path without leading slash.
    variables: HashMap<String, (DataType, usize)>,
    /// What was put, where that is to be read again.
    blocks: Option<Vec<Block>>,
}

impl NewFile {
    /// Defines everything, writes the data that are in the description and stays open for more. A file that has the name
    /// when this one is finished is replaced, whatever it is.
    ///
    /// # Errors
    /// `Request` when the description is not consistent, `Unsupported` when the format cannot express it, `Io`.
    pub fn create(file: &File, path: &Path, format: Format) -> Result<NewFile> {
        NewFile::begin(file, Out::replacing_anything(path)?, format)
    }

    /// As [`NewFile::create`]; `out` tells what may be replaced.
    pub(crate) fn begin(file: &File, out: Out, format: Format) -> Result<NewFile> {
        let name = out.name();
        let place = |e: Error| e.in_file(&*name);
        let file = classic::lower(file, format).map_err(place)?;
        let mut variables = HashMap::new();
        check(&file, &mut Vec::new(), "", &mut variables).map_err(place)?;
        let temporary = out.temporary()?;
        library::silence();
        let open = library::create(&temporary, format).map_err(|e| {
            // It may have been made, and only not locked.
            let _ = fs::remove_file(&temporary);
            place(if format == Format::Netcdf4 && out.is_without_locks() { no_locks(e) } else { e })
        })?;
        let mut new = NewFile { file: Some(open), temporary, out, format, variables, blocks: None };
        let filled = new.fill(&file, format);
        filled.map_err(|e| place(new.give_up(e)))?;
        Ok(new)
    }

    fn fill(&mut self, file: &File, format: Format) -> Result<()> {
        let Some(open) = &mut self.file else { return Err(closed()) };
        library::define(open, file, "", format)?;
        if format != Format::Netcdf4 {
            open.enddef().map_err(library::failure)?;
        }
        write_values(open, file, &mut Vec::new(), "")
    }

    /// Writes a block of a variable (a path without leading slash); the values are in C order and of its type.
    ///
    /// # Errors
    /// `Request` when the block does not fit the variable, `Io`.
    pub fn put(&mut self, variable: &str, start: &[u64], count: &[u64], values: &Values) -> Result<()> {
        let name = variable.trim_start_matches('/');
        let fits = self.variables.get(name).is_some_and(|&(data_type, rank)| {
            data_type == values.data_type() && start.len() == rank && count.len() == rank
        });
        if !fits || checked_product(count) != Some(values.len() as u64) {
            let message = "the block has not the type, rank or number of values of the variable";
            return Err(Error::new(Kind::Request, message).in_variable(variable));
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.push(Block::new(name, start, count, values));
        }
        let Some(file) = &mut self.file else { return Err(closed()) };
        library::put(file, name, start, count, values).map_err(|e| self.give_up(e).in_file(self.out.name()))
    }

    /// Remembers every block that is put, so that [`NewFile::commit_checked`] reads it again.
    pub(crate) fn remember_blocks(&mut self) {
        self.blocks.get_or_insert_default();
    }

    /// HDF5 that cannot write what it has in its caches brings the process down when it closes the file or ends. So
    /// after a failure it gets a file in memory to write to.
    fn give_up(&self, error: Error) -> Error {
        if error.kind() == Kind::Io {
            // Without it the error is the same and only the end of the process is less orderly.
            let _ = os::divert_to_memory(&self.temporary);
        }
        error
    }

    /// Ends the file, brings it to the disk and gives it its name.
    ///
    /// # Errors
    /// `Io`; the file that had the name before is then still there.
    pub fn commit(self) -> Result<()> {
        self.end(None)
    }

    /// As [`NewFile::commit`], if the file that was written is what `file` describes; see [`super::write_checked`].
    ///
    /// # Errors
    /// As [`NewFile::commit`]; `Internal` when it is not.
    pub fn commit_checked(self, file: &File) -> Result<()> {
        self.end(Some(file))
    }

    fn end(mut self, meant: Option<&File>) -> Result<()> {
        let name = self.out.name();
        self.finish(meant).map_err(|e| e.in_file(name))
    }

    fn finish(&mut self, meant: Option<&File>) -> Result<()> {
        let file = self.file.take().ok_or_else(closed)?;
        file.close().map_err(|e| self.give_up(library::failure(e)))?;
        // libnetcdf does not report every write that failed; what cannot be read back does not replace anything.
        #[cfg(test)]
        spoil(&self.temporary);
        let written = Container::open(Arc::new(os::LocalFile::open(&self.temporary)?))?;
        match meant {
            Some(meant) => {
                verify::verify(&written, meant, self.format, self.blocks.as_deref().unwrap_or_default())?
            }
            None => written.tree().map(|_| ())?,
        }
        self.out.hold()?;
        self.out.take(&self.temporary)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        drop(self.file.take());
        // After a commit there is nothing of this name.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// HDF5 locks what it writes, and takes it for an error where there are no locks.
fn no_locks(error: Error) -> Error {
    let message = "its directory has no file locks, without which HDF5 writes only if HDF5_USE_FILE_LOCKING=FALSE is in the \
                   environment; the formats classic and cdf5 need none";
    Error::new(Kind::Io, message).because(error)
}

#[cfg(test)]
type Spoiler = fn(&mut Vec<u8>);

#[cfg(test)]
thread_local! {
    /// What a test does to files of this thread that are written, so that it is seen to be noticed.
    pub(super) static SPOILER: std::cell::Cell<Option<Spoiler>> =
        const { std::cell::Cell::new(None) };
}

#[cfg(test)]
fn spoil(path: &Path) {
    let Some(spoiler) = SPOILER.get() else { return };
    let mut bytes = fs::read(path).unwrap();
    spoiler(&mut bytes);
    fs::write(path, bytes).unwrap();
}

fn closed() -> Error {
    Error::new(Kind::Internal, "the file is closed")
}

type Scope<'a> = Vec<&'a Group>;

fn shape_of<'a>(dimensions: &'a [String], scope: &Scope<'a>) -> Result<Vec<u64>> {
    let size = |name: &String| scope.iter().rev().find_map(|g| g.dimension(name)).map(|d| d.size);
    dimensions
        .iter()
        .map(|name| {
            size(name).ok_or_else(|| {
                Error::new(Kind::MissingDimension, format!("dimension '{name}' is not described"))
            })
        })
        .collect()
}

fn check<'a>(
    group: &'a Group,
    scope: &mut Scope<'a>,
    path: &str,
    variables: &mut HashMap<String, (DataType, usize)>,
) -> Result<()> {
    scope.push(group);
    for variable in &group.variables {
        let name = format!("{path}{}", variable.name);
        let shape = shape_of(&variable.dimensions, scope).map_err(|e| e.in_variable(&*name))?;
        let wrong = |what: &str| Error::new(Kind::Request, what).in_variable(&*name);
        if let Data::Values(values) = &variable.data {
            if values.data_type() != variable.data_type {
                return Err(wrong("its values are of another type"));
            }
            if checked_product(&shape) != Some(values.len() as u64) {
                let message = format!("{} values for shape {shape:?}", values.len());
                return Err(wrong(&message));
            }
        }
        let fill = variable.attributes.get("_FillValue");
        if fill.is_some_and(|f| f.data_type() != variable.data_type || f.len() != 1) {
            return Err(wrong("its _FillValue is not one value of its type"));
        }
        if variables.insert(name.clone(), (variable.data_type, shape.len())).is_some() {
            return Err(wrong("there are two variables of this name"));
        }
    }
    for child in &group.groups {
        check(child, scope, &format!("{path}{}/", child.name), variables)?;
    }
    scope.pop();
    Ok(())
}

fn write_values<'a>(file: &mut FileMut, group: &'a Group, scope: &mut Scope<'a>, path: &str) -> Result<()> {
    scope.push(group);
    for variable in &group.variables {
        if let Data::Values(values) = &variable.data {
            let shape = shape_of(&variable.dimensions, scope)?;
            library::put(file, &format!("{path}{}", variable.name), &vec![0; shape.len()], &shape, values)?;
        }
    }
    for child in &group.groups {
        write_values(file, child, scope, &format!("{path}{}/", child.name))?;
    }
    scope.pop();
    Ok(())
}
