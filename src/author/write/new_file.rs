//! A file that is being written, under a temporary name until it is complete.

use std::path::Path;
use std::sync::Arc;

use super::blocks::block_shape;
use super::check::{self, Variables};
use super::description::{Data, File, Format, Group};
use super::netcdf4::Encoded;
use super::verify::{self, Slab};
use super::{cdf, classic, names, netcdf4};
use crate::author::out::{Out, Temporary};
use crate::container::composed::composed;
use crate::container::form::Form;
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::io::os;
use crate::selection::checked_product;
use crate::value::{DataType, Values};

/// The maximum number of chunks in a block. Each takes some hundred bytes besides its own until it is written.
const CHUNKS: u64 = 1 << 14;

/// A file that is being written. It gets its name on [`NewFile::commit`]; it is removed if dropped before that.
pub struct NewFile {
    writer: Option<Writer>,
    temporary: Temporary,
    out: Out,
    format: Format,
    /// Type and shape of every variable, by path without leading slash.
    variables: Variables,
    /// The blocks that were put, if they are to be read back.
    blocks: Option<Vec<Slab>>,
}

impl NewFile {
    /// Defines everything, writes the data that are in the description and stays open for more. A file that has the
    /// name when this one is finished is replaced, whatever it is.
    ///
    /// # Errors
    /// `Request` if the description is not consistent, `Unsupported` if the format cannot express it, `Io`.
    pub fn create(file: &File, path: &Path, format: Format) -> Result<NewFile> {
        NewFile::begin(file, Out::replacing_anything(path)?, format)
    }

    /// Same as [`NewFile::create`]; `out` determines what may be replaced.
    pub(crate) fn begin(file: &File, out: Out, format: Format) -> Result<NewFile> {
        let name = out.name();
        let place = |e: Error| e.in_file(&*name);
        let file = names::compose(file);
        let file = classic::lower(&file, format).map_err(place)?;
        let variables = check::check(&file).map_err(place)?;

        let temporary = out.temporary()?;
        let open =
            temporary.file().map_err(|e| place(Error::new(Kind::Io, "it cannot be written").because(e)))?;
        let writer = match format {
            Format::Netcdf4 => netcdf4::Writer::create(&file, open).map(Writer::Netcdf4),
            _ => cdf::Writer::create(&file, format, open).map(Writer::Classic),
        };
        let writer = Some(writer.map_err(place)?);
        let mut new = NewFile { writer, temporary, out, format, variables, blocks: None };
        new.put_described(&file, "").map_err(place)?;
        Ok(new)
    }

    /// Writes the values that are in the description.
    fn put_described(&mut self, group: &Group, path: &str) -> Result<()> {
        for variable in &group.variables {
            if let Data::Values(values) = &variable.data {
                let name = format!("{path}{}", variable.name);
                let shape = self.variables.get(&name).map(|v| v.1.clone()).unwrap_or_default();
                self.put(&name, &vec![0; shape.len()], &shape, values)?;
            }
        }
        group.groups.iter().try_for_each(|child| self.put_described(child, &format!("{path}{}/", child.name)))
    }

    /// Writes a block of a variable (a path without leading slash); the values are in C order and of its type.
    ///
    /// # Errors
    /// `Request` if the block does not fit the variable, `Io`.
    pub fn put(&mut self, variable: &str, start: &[u64], count: &[u64], values: &Values) -> Result<()> {
        let name = &*composed(variable.trim_start_matches('/'));
        if let Some(blocks) = &mut self.blocks {
            blocks.push(Slab::new(name, start, count, values));
        }
        let ready = self.encoder(variable).encode(start, count, values.clone(), &|| Ok(()));
        self.put_ready(ready.map_err(|e| e.in_file(self.out.name()))?)
    }

    /// Returns the best shape for blocks of about `cap` elements: whole chunks, if there are any, and not too many.
    pub(crate) fn block_shape(&self, variable: &str, cap: u64) -> Vec<u64> {
        let name = &*composed(variable.trim_start_matches('/'));
        let Some((_, shape)) = self.variables.get(name) else { return Vec::new() };
        let chunk = match &self.writer {
            Some(Writer::Netcdf4(writer)) => writer.chunk(name),
            _ => None,
        };
        let Some(chunk) = chunk else { return block_shape(shape, &vec![1; shape.len()], cap) };
        let most = checked_product(&chunk).unwrap_or(u64::MAX).saturating_mul(CHUNKS);
        block_shape(shape, &chunk, cap.min(most))
    }

    /// Returns an encoder that prepares blocks of a variable on other threads. Not for files that remember their
    /// blocks.
    pub(crate) fn encoder(&self, variable: &str) -> Encoder {
        let name = composed(variable.trim_start_matches('/')).into_owned();
        let (data_type, shape) = match self.variables.get(&name) {
            Some((data_type, shape)) => (Some(*data_type), shape.clone()),
            None => (None, Vec::new()),
        };
        let how = match &self.writer {
            Some(Writer::Netcdf4(writer)) => Some(writer.encoder(&name)),
            _ => None,
        };
        Encoder { name, data_type, shape, how }
    }

    /// Writes a block that is ready.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn put_ready(&mut self, block: Ready) -> Result<()> {
        let name = block.name;
        let written = match (self.writer.as_mut().ok_or_else(closed)?, block.data) {
            (Writer::Netcdf4(writer), data) => writer.put(&name, data),
            (Writer::Classic(writer), Encoded::Block(start, count, values)) => {
                writer.put(&name, &start, &count, &values)
            }
            (Writer::Classic(_), _) => Err(Error::new(Kind::Internal, "chunks for a classic file")),
        };
        written.map_err(|e| e.in_variable(name).in_file(self.out.name()))
    }

    /// Remembers every block that is put, so that [`NewFile::commit_checked`] reads it back.
    pub(crate) fn remember_blocks(&mut self) {
        self.blocks.get_or_insert_default();
    }

    /// Completes the file, flushes it to disk and gives it its name.
    ///
    /// # Errors
    /// `Io`; the file that had the name before then stays.
    pub fn commit(self) -> Result<()> {
        self.end(None)
    }

    /// Same as [`NewFile::commit`], after checking that the written file is what `file` describes; see
    /// [`super::write_checked`].
    ///
    /// # Errors
    /// As [`NewFile::commit`]; `Internal` if it is not.
    pub fn commit_checked(self, file: &File) -> Result<()> {
        self.end(Some(file))
    }

    fn end(mut self, meant: Option<&File>) -> Result<()> {
        let name = self.out.name();
        self.finish(meant).map_err(|e| e.in_file(name))
    }

    fn finish(&mut self, meant: Option<&File>) -> Result<()> {
        match self.writer.take().ok_or_else(closed)? {
            Writer::Netcdf4(writer) => writer.finish()?,
            Writer::Classic(writer) => writer.finish()?,
        }
        // A file that cannot be read back replaces nothing.
        #[cfg(test)]
        spoil(self.temporary.path());
        let written = Container::open(Arc::new(os::LocalFile::open(self.temporary.path())?))?;
        match meant {
            Some(meant) => {
                let meant = names::compose(meant);
                verify::verify(&written, &meant, self.format, self.blocks.as_deref().unwrap_or_default())?
            }
            None => written.tree().map(|_| ())?,
        }
        self.out.take(&self.temporary)
    }
}

#[cfg(test)]
type Spoiler = fn(&mut Vec<u8>);

#[cfg(test)]
thread_local! {
    /// What a test does to the files that this thread writes, to show that the damage is noticed.
    pub(super) static SPOILER: std::cell::Cell<Option<Spoiler>> =
        const { std::cell::Cell::new(None) };
}

#[cfg(test)]
fn spoil(path: &Path) {
    let Some(spoiler) = SPOILER.get() else { return };
    let mut bytes = std::fs::read(path).unwrap();
    spoiler(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

fn closed() -> Error {
    Error::new(Kind::Internal, "the file is closed")
}

/// The writer of one of the formats.
enum Writer {
    Netcdf4(netcdf4::Writer),
    Classic(cdf::Writer),
}

/// Called between steps of long work; an error ends it.
pub(super) type Checkpoint<'a> = dyn Fn() -> Result<()> + 'a;

/// Prepares blocks of a variable for writing, on any thread.
#[derive(Debug)]
pub(crate) struct Encoder {
    name: String,
    data_type: Option<DataType>,
    shape: Vec<u64>,
    how: Option<netcdf4::Encoder>,
}

/// A block of a variable that is ready to be written.
#[derive(Debug)]
pub(crate) struct Ready {
    name: String,
    data: Encoded,
}

impl Encoder {
    /// Returns how chunks of the variable are stored, if they are compressed.
    pub(crate) fn form(&self) -> Option<Form> {
        self.how.as_ref().and_then(netcdf4::Encoder::form)
    }

    /// Returns a whole chunk within the shape that begins at `start` and is stored as these bytes.
    pub(crate) fn whole(&self, start: &[u64], bytes: Vec<u8>) -> Option<Ready> {
        let data = self.how.as_ref()?.whole(start, bytes)?;
        Some(Ready { name: self.name.clone(), data })
    }

    /// Prepares a block. Calls `check` before each chunk.
    ///
    /// # Errors
    /// `Request` if the block does not fit the variable; `Limit`; those of `check`.
    pub(crate) fn encode(
        &self,
        start: &[u64],
        count: &[u64],
        values: Values,
        check: &Checkpoint<'_>,
    ) -> Result<Ready> {
        let fits = self.data_type == Some(values.data_type())
            && is_within(start, count, &self.shape)
            && checked_product(count) == Some(values.len() as u64);
        if !fits {
            let message = "the block lies outside the variable, or its type or number of values is wrong";
            return Err(Error::new(Kind::Request, message).in_variable(&*self.name));
        }
        let data = match &self.how {
            Some(how) => how.encode(start, count, values, check).map_err(|e| e.in_variable(&*self.name))?,
            None => Encoded::Block(start.to_vec(), count.to_vec(), values),
        };
        Ok(Ready { name: self.name.clone(), data })
    }
}

fn is_within(start: &[u64], count: &[u64], shape: &[u64]) -> bool {
    let ends = start.iter().zip(count).map(|(start, count)| start.checked_add(*count));
    start.len() == shape.len()
        && count.len() == shape.len()
        && ends.zip(shape).all(|(end, size)| end.is_some_and(|end| end <= *size))
}
