//! A file that is being written, under a temporary name until all is there.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use netcdf::FileMut;

use super::description::{Data, File, Format, Group};
use super::{classic, library};
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::os;
use crate::selection::checked_product;
use crate::value::{DataType, Values};

/// Tells the temporary files of one process apart.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A file that is being written; it takes its name on [`NewFile::commit`] and is removed when dropped before.
pub struct NewFile {
    file: Option<FileMut>,
    temporary: PathBuf,
    target: PathBuf,
    /// Type and rank of every variable, by path without leading slash.
    variables: HashMap<String, (DataType, usize)>,
}

impl NewFile {
    /// Defines everything, writes the data that are in the description and stays open for more.
    ///
    /// # Errors
    /// `Request` when the description is not consistent, `Unsupported` when the format cannot express it, `Io`.
    pub fn create(file: &File, path: &Path, format: Format) -> Result<NewFile> {
        let place = |e: Error| e.in_file(path.display().to_string());
        let file = classic::lower(file, format).map_err(place)?;
        let mut variables = HashMap::new();
        check(&file, &mut Vec::new(), "", &mut variables).map_err(place)?;
        let (target, temporary) = names(path).map_err(place)?;
        library::silence();
        let open = library::create(&temporary, format).map_err(place)?;
        let mut new = NewFile { file: Some(open), temporary, target, variables };
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
        let Some(file) = &mut self.file else { return Err(closed()) };
        library::put(file, name, start, count, values)
            .map_err(|e| self.give_up(e).in_file(self.target.display().to_string()))
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
    pub fn commit(mut self) -> Result<()> {
        let name = self.target.display().to_string();
        self.finish().map_err(|e| e.in_file(name))
    }

    fn finish(&mut self) -> Result<()> {
        let file = self.file.take().ok_or_else(closed)?;
        file.close().map_err(|e| self.give_up(library::failure(e)))?;
        // libnetcdf does not report every write that failed; what cannot be read back does not replace anything.
        let written = os::LocalFile::open(&self.temporary)?;
        Container::open(Arc::new(written))?.tree()?;
        let io = |e| Error::new(Kind::Io, "the new file cannot take its place").because(e);
        if let Ok(old) = fs::metadata(&self.target) {
            fs::set_permissions(&self.temporary, old.permissions()).map_err(io)?;
        }
        os::replace(&self.temporary, &self.target).map_err(io)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        drop(self.file.take());
        // After a commit there is nothing of this name.
        let _ = fs::remove_file(&self.temporary);
    }
}

fn closed() -> Error {
    Error::new(Kind::Internal, "the file is closed")
}

/// The file to be replaced (behind a symbolic link, its target) and a free name beside it.
fn names(path: &Path) -> Result<(PathBuf, PathBuf)> {
    let io = |e| Error::new(Kind::Io, "no file can be written there").because(e);
    let is_link = fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink());
    let target =
        if is_link { fs::canonicalize(path).map_err(io)? } else { std::path::absolute(path).map_err(io)? };
    if fs::metadata(&target).is_ok_and(|m| !m.is_file()) {
        return Err(Error::new(Kind::Io, "it is there and not a regular file"));
    }
    let (Some(directory), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(Error::new(Kind::Request, "it is not the name of a file"));
    };
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    // A long name leaves no room for more.
    let short: String = name.to_string_lossy().chars().take(60).collect();
    let directory = fs::canonicalize(directory).map_err(io)?;
    let temporary = directory.join(format!(".{short}.{}-{number}.tmp", std::process::id()));
    // Left by a process of the same number that was killed.
    if fs::symlink_metadata(&temporary).is_ok() {
        fs::remove_file(&temporary).map_err(io)?;
    }
    Ok((target, temporary))
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
