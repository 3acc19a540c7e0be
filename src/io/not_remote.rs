//! Replaces `remote` in a build without that feature: there are no addresses, so no request is ever made.

use std::fmt;

use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::location::FileState;
use crate::io::source::Source;
use crate::options::OpenOptions;

/// An address on a server; there is none in this build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Url {}

impl Url {
    pub(crate) fn parse(name: &str) -> Result<Self> {
        let message = format!("'{}': this build cannot read from the network (feature remote)", redact(name));
        Err(Error::new(Kind::Unsupported, message))
    }

    pub(crate) fn meant(name: &str) -> Result<Vec<Self>> {
        Self::parse(name).map(|url| vec![url])
    }

    pub(crate) fn join(&self, _reference: &str) -> Result<Vec<Self>> {
        match *self {}
    }

    pub(crate) fn to_location(&self) -> String {
        match *self {}
    }

    pub(crate) fn has_user(&self) -> bool {
        match *self {}
    }

    pub(crate) fn has_query(&self) -> bool {
        match *self {}
    }
}

impl fmt::Display for Url {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// The user's settings for S3.
#[derive(Clone, Debug, Default)]
pub(crate) struct S3Settings;

/// What may be requested from servers.
#[derive(Clone, Debug)]
pub(crate) struct Access;

impl Access {
    pub(crate) fn of_named(url: &Url, _options: &OpenOptions, _s3: &S3Settings) -> Self {
        match *url {}
    }

    pub(crate) fn of_fragments(
        _remote: bool,
        _own: Vec<Url>,
        _home: Vec<Url>,
        _options: &OpenOptions,
        _s3: &S3Settings,
    ) -> Self {
        Access
    }
}

/// A file on a server; there is none in this build.
#[derive(Debug)]
pub enum RemoteFile {}

impl RemoteFile {
    pub(crate) fn open(url: &Url, _access: Access, _options: &OpenOptions) -> Result<Option<Self>> {
        match *url {}
    }

    pub(crate) fn connect_ahead(url: &Url, _access: Access, _options: &OpenOptions) {
        match *url {}
    }

    pub(crate) fn recorded(
        url: &Url,
        _access: Access,
        _options: &OpenOptions,
        _length: u64,
        _fingerprint: u64,
    ) -> Self {
        match *url {}
    }

    pub(crate) fn fingerprint(&self) -> Option<u64> {
        match *self {}
    }

    pub(crate) fn identity(&self) -> String {
        match *self {}
    }

    pub(crate) fn state(&self) -> FileState {
        match *self {}
    }

    pub(crate) fn is_current(&self) -> bool {
        match *self {}
    }

    pub(crate) fn led_to(&self) -> Option<Url> {
        match *self {}
    }
}

impl Source for RemoteFile {
    fn name(&self) -> &str {
        match *self {}
    }

    fn len(&self) -> u64 {
        match *self {}
    }

    fn read_at(&self, _offset: u64, _buffer: &mut [u8]) -> Result<()> {
        match *self {}
    }
}
