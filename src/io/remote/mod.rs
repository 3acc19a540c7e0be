//! Files on servers, over http(s), and objects in S3: the engine's own client, also inside GDAL.
//!
//! An aggregation file is untrusted and names addresses. So `access` checks each address, `client` checks the network
//! addresses that a name resolves to before it makes a connection, and `request` follows redirections itself, one by
//! one, and checks each like the first. Bytes are requested by range; if a file changes while it is read, `file` fails.
//! Many requests wait at the same time, as many as `flow` lets a server have, each on a thread of its own
//! ([`crate::threads::errands`]): whoever waits for one can leave. Cookies and `.netrc` are not used; `s3` alone reads
//! files of credentials, for buckets that the user named.

mod access;
mod address;
mod ahead;
mod blocks;
mod client;
mod content_range;
mod date;
mod file;
mod flow;
mod proxy;
mod request;
mod resolver;
mod s3;
mod url;

pub(crate) use access::{Access, S3Settings};
pub use file::RemoteFile;
pub use url::Url;
