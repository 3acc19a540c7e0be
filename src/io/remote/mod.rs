//! Files on servers, over http(s): the engine's own client, also inside GDAL.
//!
//! An aggregation file is untrusted and names addresses, so each address is judged (`access`), the ones that a name
//! resolves to are looked at before a connection is made (`client`), and redirections are followed here, one by one, each
//! judged like the first (`request`). Bytes are asked for by range; a file that changes while it is read is an error
//! (`file`). Cookies, `.netrc` and files of credentials are not used.

mod access;
mod address;
mod blocks;
mod client;
mod content_range;
mod file;
mod proxy;
mod request;
mod url;

pub(crate) use access::Access;
pub use file::RemoteFile;
pub use url::Url;
