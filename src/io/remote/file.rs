//! A file on a server, read by ranges.

use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;
use ureq::http::{header, Response, StatusCode};
use ureq::Body;

use super::access::Access;
use super::blocks::{Blocks, BLOCK};
use super::content_range::{self, ContentRange};
use super::date;
use super::request::{text, unexpected, Answer, Failure, Session};
use super::url::Url;
use crate::error::{Error, Kind, Result};
use crate::io::location::{fingerprint, FileState};
use crate::io::os::check_end;
use crate::io::source::{join, Fetched, Source};
use crate::options::OpenOptions;
use crate::threads::errands::{self, Sent};
use crate::threads::stop::Stop;

/// If a server does not serve parts of files, a file no longer than this is read whole.
const WHOLE: u64 = 16 << 20;
/// An aggregation file no longer than this is read whole as soon as its first block does not suffice.
const SHORT: u64 = 2 << 20;
/// The maximum size of all files together that are kept whole.
const MOST_HELD: u64 = 256 << 20;
/// Reads of at least this size are not served from blocks.
const LARGE: usize = 4 * BLOCK as usize;
/// The maximum size of one request. It is bounded since an answer that breaks off is requested again, and each request
/// has a deadline.
const MOST: usize = 8 << 20;
/// The number of requests of that size that one read sends at a time.
const AT_ONCE: usize = 4;
/// Ranges that are at most this far apart are requested together: what lies between them costs less time than another
/// request.
const GAP: u64 = 64 << 10;

/// A file on a server, open for reading by any number of threads at once.
pub struct RemoteFile(Arc<Opened>);

/// The state that requests share. A request may outlive the reader that waits for it.
struct Opened {
    url: Url,
    name: String,
    session: Session,
    length: u64,
    version: Expected,
    /// The address that answered last: the first one, or the one that it redirected to.
    answering: Mutex<Url>,
    blocks: Blocks,
    /// Whether the server serves parts of the file.
    has_parts: bool,
    /// Whether the file is to be read whole, since many small parts of it are going to be read.
    wants_whole: AtomicBool,
    /// All bytes, if they were read together.
    whole: OnceCell<Whole>,
    changed: AtomicBool,
}

/// A file that is kept as a whole and counts towards the total of such files.
struct Whole(Vec<u8>);

static HELD: AtomicU64 = AtomicU64::new(0);

impl Whole {
    /// Returns `None` if no more files can be kept.
    fn new(bytes: Vec<u8>) -> Option<Self> {
        let whole = Whole(bytes);
        let length = whole.0.len() as u64;
        (HELD.fetch_add(length, Ordering::Relaxed) + length <= MOST_HELD).then_some(whole)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        HELD.fetch_sub(self.0.len() as u64, Ordering::Relaxed);
    }
}

/// What a server reports about the contents. Another version has other contents.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    length: u64,
    etag: Option<String>,
    modified: Option<String>,
}

/// The version that every answer must have.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Expected {
    /// The server reported it when the file was opened.
    Reported(Version),
    /// It was recorded earlier, and no request was needed to open the file.
    Recorded(u64),
}

impl Expected {
    fn is(&self, version: &Version, length: u64) -> bool {
        match self {
            Expected::Reported(own) => own == version,
            Expected::Recorded(number) => version.length == length && version.fingerprint() == Some(*number),
        }
    }
}

impl Version {
    fn fingerprint(&self) -> Option<u64> {
        fingerprint::of_remote(self.length, self.etag.as_deref(), self.modified.as_deref())
    }

    fn of(response: &Response<Body>, length: u64) -> Self {
        let own = |text: &str| text.trim().to_owned();
        let etag = text(response, header::ETAG).map(|tag| own(tag.strip_prefix("W/").unwrap_or(tag)));
        Version { length, etag, modified: text(response, header::LAST_MODIFIED).map(own) }
    }
}

impl RemoteFile {
    /// Opens a file with one request, which also fetches its first bytes. Returns `None` if there is no such file.
    ///
    /// # Errors
    /// `Policy`, `Io`, `Cancelled`; `Unsupported` for a long file on a server that does not serve parts of files.
    pub(crate) fn open(url: &Url, access: Access, options: &OpenOptions) -> Result<Option<Self>> {
        let (url, session) = (url.clone(), Session::new(access, options));
        let opened = errands::send(move |left| Opened::open(url, session, left))?.wait()??;
        Ok(opened.map(|opened| RemoteFile(Arc::new(opened))))
    }

    /// Makes connections to the server of a file that is about to be opened, since requests for others on it will follow.
    /// This does not wait for them, and has no errors: opening the file reports what is wrong.
    pub(crate) fn connect_ahead(url: &Url, access: Access, options: &OpenOptions) {
        let (url, session) = (url.clone(), Session::new(access, options));
        let _ = errands::start(move || session.connect_ahead(&url));
    }

    /// Returns a file whose length and state were recorded earlier, without a request. A later request that finds another
    /// state is an error, and the file is no longer current.
    pub(crate) fn recorded(
        url: &Url,
        access: Access,
        options: &OpenOptions,
        length: u64,
        fingerprint: u64,
    ) -> Self {
        RemoteFile(Arc::new(Opened {
            url: url.clone(),
            name: url.to_string(),
            session: Session::new(access, options),
            length,
            version: Expected::Recorded(fingerprint),
            answering: Mutex::new(url.clone()),
            blocks: Blocks::new(),
            has_parts: true,
            wants_whole: AtomicBool::new(false),
            whole: OnceCell::new(),
            changed: AtomicBool::new(false),
        }))
    }

    /// Returns a number for the version, if the server tells versions apart and serves parts of files.
    pub(crate) fn fingerprint(&self) -> Option<u64> {
        match &self.0.version {
            Expected::Recorded(number) => Some(*number),
            Expected::Reported(version) => version.fingerprint().filter(|_| self.0.has_parts),
        }
    }

    /// Returns the identity of the file, including its version.
    pub(crate) fn identity(&self) -> String {
        format!("{}\n{:?}", self.0.url.whole(), self.0.version)
    }

    /// Returns its length, and the time of its last change if the server reports it.
    pub(crate) fn state(&self) -> FileState {
        let modified = match &self.0.version {
            Expected::Reported(version) => version.modified.as_deref().and_then(date::parse),
            Expected::Recorded(_) => None,
        };
        FileState { length: self.0.length, modified }
    }

    /// Returns whether no request has shown so far that the file changed.
    pub(crate) fn is_current(&self) -> bool {
        self.0.is_current()
    }

    /// Returns the address to which the server redirected requests, if it did.
    pub(crate) fn led_to(&self) -> Option<Url> {
        Some(self.0.answering()).filter(|url| *url != self.0.url)
    }

    /// Sends a request for a range. `head` has its first bytes, which were read before.
    fn send(&self, range: Range<u64>, head: Vec<u8>) -> Result<Sent<Result<Vec<u8>>>> {
        let opened = Arc::clone(&self.0);
        errands::send(move |left| opened.request(range, head, left))
    }

    /// Reads the whole file, if that is wanted and it can be kept. Called when a part of it is missing.
    fn take_whole(&self) -> Result<Option<&[u8]>> {
        let Opened { whole, wants_whole, blocks, length, .. } = &*self.0;
        if !wants_whole.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let read = || -> Result<Option<Whole>> {
            let head = blocks.head(&(0..*length));
            Ok(Whole::new(self.send(0..*length, head)?.wait()??))
        };
        let full = || Error::new(Kind::Limit, "no more whole files can be kept");
        match whole.get_or_try_init(|| read()?.ok_or_else(full)) {
            Ok(whole) => Ok(Some(&whole.0)),
            Err(error) if error.kind() == Kind::Limit => {
                wants_whole.store(false, Ordering::Relaxed);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Serves a small read from blocks, and requests those that are missing.
    fn read_blocks(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let Opened { blocks, length, .. } = &*self.0;
        let end = offset + buffer.len() as u64;
        let (count, last) = (length.div_ceil(BLOCK), (end - 1) / BLOCK);
        let mut at = offset;
        while at < end {
            let number = at / BLOCK;
            let (start, bytes): (u64, Arc<[u8]>) = match blocks.get(number) {
                Some(block) => (number * BLOCK, block),
                None => {
                    if let Some(whole) = self.take_whole()? {
                        buffer.copy_from_slice(&whole[offset as usize..end as usize]);
                        return Ok(());
                    }
                    let Range { start, end } = blocks.plan(number, last, count);
                    let (start, end) = (start * BLOCK, (end * BLOCK).min(*length));
                    let bytes = self.send(start..end, Vec::new())?.wait()??;
                    blocks.put(number, &bytes);
                    (start, bytes.into())
                }
            };
            let from = (at - start) as usize;
            let to = bytes.len().min((end - start) as usize);
            let into = (at - offset) as usize;
            buffer[into..into + to - from].copy_from_slice(&bytes[from..to]);
            at += (to - from) as u64;
        }
        Ok(())
    }
}

impl Opened {
    fn open(url: Url, session: Session, left: &Stop) -> Result<Option<Self>> {
        let opened = session.attempt(&url, BLOCK, left, |deadline| {
            let Answer { url: answering, mut response } = session.ask(&url, &(0..BLOCK), deadline)?;
            let status = response.status();
            let (length, bytes) = match status {
                StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(None),
                StatusCode::OK => (None, read_whole(&session, &url, &mut response)?),
                StatusCode::PARTIAL_CONTENT => {
                    let (range, length) = given(&response, 0)?;
                    let (mut bytes, mut done) = (vec![0; range.end.min(BLOCK) as usize], 0);
                    read_counted(&session, &url, &mut response, &mut bytes, &mut done)?;
                    bytes.truncate(done);
                    (Some(length), bytes)
                }
                // A server has no range of an empty file to serve.
                StatusCode::RANGE_NOT_SATISFIABLE
                    if content_range(&response).is_some_and(|range| range.length == 0) =>
                {
                    (Some(0), Vec::new())
                }
                _ => return Err(unexpected(status).into()),
            };
            let version = Version::of(&response, length.unwrap_or(bytes.len() as u64));
            Ok(Some((answering, version, length.is_none(), bytes)))
        });
        let name = url.to_string();
        let Some((answering, version, is_whole, bytes)) = opened.map_err(|e| e.in_file(&*name))? else {
            return Ok(None);
        };
        let (blocks, whole) = (Blocks::new(), OnceCell::new());
        match is_whole {
            true => {
                let message =
                    "the server does not send parts of files (it ignores the header Range), and no more whole \
                     files can be kept";
                let full = || Error::new(Kind::Limit, message).in_file(&*name);
                let _ = whole.set(Whole::new(bytes).ok_or_else(full)?);
            }
            // A block that broke off is requested again when it is needed.
            false if bytes.len() as u64 == version.length.min(BLOCK) => blocks.put(0, &bytes),
            false => {}
        }
        Ok(Some(Opened {
            url,
            name,
            session,
            length: version.length,
            version: Expected::Reported(version),
            answering: Mutex::new(answering),
            blocks,
            has_parts: !is_whole,
            wants_whole: AtomicBool::new(false),
            whole,
            changed: AtomicBool::new(false),
        }))
    }

    fn is_current(&self) -> bool {
        !self.changed.load(Ordering::Relaxed)
    }

    fn answering(&self) -> Url {
        lock(&self.answering).clone()
    }

    /// Returns the bytes of a range, with one request, or more if the server sends less than was requested. Its first
    /// bytes are those of `head`, which are not requested.
    fn request(&self, range: Range<u64>, head: Vec<u8>, left: &Stop) -> Result<Vec<u8>> {
        let len = (range.end - range.start) as usize;
        let no_memory =
            |_| Error::new(Kind::Limit, format!("no memory for {len} bytes of a file on a server"));
        let mut done = head.len().min(len);
        let mut buffer = head;
        buffer.try_reserve_exact(len - done).map_err(no_memory)?;
        buffer.resize(len, 0);
        let filled = self.session.attempt(&self.url, (len - done) as u64, left, |deadline| {
            while done < buffer.len() {
                let asked = self.answering();
                let fetched = self.fetch_from(&asked, range.start, &mut buffer, &mut done, deadline);
                fetched.map_err(|failure| self.turned_back(&asked, failure))?;
            }
            Ok(())
        });
        filled.map_err(|error| error.in_file(&*self.name))?;
        Ok(buffer)
    }

    /// Continues to fill a buffer, with one request.
    fn fetch_from(
        &self,
        asked: &Url,
        offset: u64,
        buffer: &mut [u8],
        done: &mut usize,
        deadline: Instant,
    ) -> Result<(), Failure> {
        let range = offset + *done as u64..offset + buffer.len() as u64;
        let Answer { url, mut response } = self.session.ask(asked, &range, deadline)?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {}
            // A server may ignore the `Range` header now and then.
            StatusCode::OK if matches!(self.version, Expected::Reported(_)) => {
                return Err(Failure::Passing(unexpected(StatusCode::OK), None))
            }
            status => {
                // A file that was never opened may have gone, and a redirection may be valid only for a while.
                if matches!(self.version, Expected::Recorded(_)) && *asked == self.url {
                    self.changed.store(true, Ordering::Relaxed);
                }
                return Err(unexpected(status).into());
            }
        }
        let (given, length) = given(&response, range.start)?;
        if !self.version.is(&Version::of(&response, length), self.length) {
            self.changed.store(true, Ordering::Relaxed);
            let message = "the file changed on the server while it was read; open it again";
            return Err(Error::new(Kind::Io, message).into());
        }
        *lock(&self.answering) = url;
        let count = buffer.len().min(*done + (given.end - given.start) as usize);
        let before = *done;
        read_counted(&self.session, asked, &mut response, &mut buffer[..count], done)?;
        match *done == before {
            true => Err(Failure::Passing(broke_off(), None)),
            false => Ok(()),
        }
    }

    /// Returns to the first address after a failure at a redirection, which may be valid only for a while.
    fn turned_back(&self, asked: &Url, failure: Failure) -> Failure {
        match failure {
            Failure::Final(error)
            | Failure::Passing(error, _)
            | Failure::Refused(error, _)
            | Failure::Lost(error)
            | Failure::Unreached(error)
                if *asked != self.url && error.kind() != Kind::Policy && self.is_current() =>
            {
                *lock(&self.answering) = self.url.clone();
                Failure::Passing(error, Some(Duration::ZERO))
            }
            failure => failure,
        }
    }
}

impl Source for RemoteFile {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn len(&self) -> u64 {
        self.0.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_end(self, offset, buffer.len())?;
        if let Some(whole) = self.0.whole.get() {
            buffer.copy_from_slice(&whole.0[offset as usize..offset as usize + buffer.len()]);
            return Ok(());
        }
        match buffer.len() {
            0 => Ok(()),
            count if count < LARGE => self.read_blocks(offset, buffer),
            count => {
                if let Some(whole) = self.take_whole()? {
                    buffer.copy_from_slice(&whole[offset as usize..offset as usize + count]);
                    return Ok(());
                }
                let mut at = offset;
                for together in buffer.chunks_mut(AT_ONCE * MOST) {
                    let mut sent = Vec::new();
                    for part in together.chunks_mut(MOST) {
                        sent.push((self.send(at..at + part.len() as u64, Vec::new())?, part));
                        at += sent.last().map_or(0, |(_, part)| part.len() as u64);
                    }
                    for (request, part) in sent {
                        part.copy_from_slice(&request.wait()??);
                    }
                }
                Ok(())
            }
        }
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn expect_pages(&self, size: u64) {
        self.0.blocks.expect_pages(size);
    }

    fn expect_all(&self) {
        let Opened { has_parts, length, wants_whole, .. } = &*self.0;
        wants_whole.store(*has_parts && *length <= SHORT, Ordering::Relaxed);
    }

    fn fetch(&self, ranges: &[Range<u64>]) -> Result<Fetched> {
        let inside = |range: &Range<u64>| range.start.min(self.len())..range.end.min(self.len());
        let ranges: Vec<_> = ranges.iter().map(inside).collect();
        let is_kept = |range: &Range<u64>| self.0.blocks.has(range);
        if self.0.whole.get().is_some() || !ranges.iter().all(is_kept) && self.take_whole()?.is_some() {
            return Ok(Fetched::default());
        }
        // A range that is longer than a request is a single chunk, which the read of that chunk divides.
        let short = |range: &Range<u64>| range.end - range.start <= MOST as u64;
        let (mut there, mut sent) = (Vec::new(), Vec::new());
        for range in join(&ranges, GAP, MOST as u64).into_iter().filter(short) {
            let head = self.0.blocks.head(&range);
            match head.len() as u64 == range.end - range.start {
                true => there.push((range.start, head)),
                false => sent.push((range.start, self.send(range, head)?)),
            }
        }
        for (start, request) in sent {
            there.push((start, request.wait()??));
        }
        there.sort_by_key(|piece| piece.0);
        Ok(Fetched::new(there))
    }
}

impl fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteFile")
            .field("url", &self.0.url)
            .field("version", &self.0.version)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn content_range(response: &Response<Body>) -> Option<ContentRange> {
    content_range::parse(text(response, header::CONTENT_RANGE)?)
}

/// Returns the byte range of an answer, which must begin at the requested offset, and the length of the file.
fn given(response: &Response<Body>, start: u64) -> Result<(Range<u64>, u64)> {
    check_encoding(response)?;
    match content_range(response) {
        Some(ContentRange { bytes: Some(bytes), length }) if bytes.start == start => Ok((bytes, length)),
        _ => Err(Error::new(Kind::Io, "the server sent other bytes than those requested")),
    }
}

/// Refuses compressed bytes, which are not those of the file.
fn check_encoding(response: &Response<Body>) -> Result<()> {
    match text(response, header::CONTENT_ENCODING) {
        None | Some("identity" | "") => Ok(()),
        Some(_) => Err(Error::new(Kind::Io, "the server compresses the file, so parts of it cannot be read")),
    }
}

/// Reads the body of an answer that has the whole file.
fn read_whole(session: &Session, url: &Url, response: &mut Response<Body>) -> Result<Vec<u8>, Failure> {
    check_encoding(response)?;
    let too_long = || {
        let message = format!(
            "the server does not send parts of files (it ignores the header Range), and the file is longer than {} MB",
            WHOLE >> 20
        );
        Failure::Final(Error::new(Kind::Unsupported, message))
    };
    let length = response.body().content_length();
    if length.is_some_and(|length| length > WHOLE) {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    let read = response.body_mut().as_reader().take(WHOLE + 1).read_to_end(&mut bytes);
    read.map_err(|error| session.failure(url, error.into()))?;
    match length {
        _ if bytes.len() as u64 > WHOLE => Err(too_long()),
        Some(length) if length != bytes.len() as u64 => Err(Failure::Passing(broke_off(), None)),
        _ => Ok(bytes),
    }
}

/// Continues to fill a buffer at `done`, which counts the bytes even if the connection breaks.
fn read_counted(
    session: &Session,
    url: &Url,
    response: &mut Response<Body>,
    buffer: &mut [u8],
    done: &mut usize,
) -> Result<(), Failure> {
    let is_chunked = response.headers().contains_key(header::TRANSFER_ENCODING);
    let is_delimited = is_chunked || response.headers().contains_key(header::CONTENT_LENGTH);
    let mut reader = response.body_mut().as_reader();
    while *done < buffer.len() {
        match reader.read(&mut buffer[*done..]) {
            Ok(0) => break,
            Ok(count) => *done += count,
            Err(error) => return Err(session.failure(url, error.into())),
        }
    }
    // A connection can be used again only after the end of the body was read. A body without a length ends with the
    // connection, and its end would have to be waited for.
    if is_delimited && *done == buffer.len() {
        let _ = reader.read(&mut [0]);
    }
    Ok(())
}

fn broke_off() -> Error {
    Error::new(Kind::Io, "the server's answer broke off")
}
