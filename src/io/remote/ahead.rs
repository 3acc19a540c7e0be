//! Connections that are made before a request needs them.
//!
//! A file on a server that the user names is mostly an aggregation file, and its fragments mostly lie on the same
//! server. So a few connections to it are made while the first request is under way. The first headers of fragments are
//! then requested at once, and the data of these fragments use the network while other connections are being made.
//!
//! A connection is made exactly as a request makes it, under the same checks, by an agent whose connector ([`Making`])
//! keeps it, so that the request is not sent. The agent of requests has another connector ([`Taking`]), which takes one
//! that is kept, or makes its own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ureq::http::uri::{Authority, Scheme};
use ureq::unversioned::transport::{ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport};

/// Makes connections, and has those that no request has taken yet.
#[derive(Debug, Default)]
pub(super) struct Spare {
    connector: DefaultConnector,
    kept: Mutex<Vec<Kept>>,
}

type Connection = Box<dyn Transport>;

#[derive(Debug)]
struct Kept {
    server: Option<(Scheme, Authority)>,
    since: Instant,
    connection: Connection,
}

/// How long to wait for what a server sends after the handshake of TLS.
const MOMENT: Duration = Duration::from_millis(1);

impl Spare {
    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, details: &ConnectionDetails<'_>) -> Option<Connection> {
        let server = server(details);
        loop {
            let mut kept = self.lock();
            kept.retain(|one| one.since.elapsed() < details.config.max_idle_age());
            let first = kept.iter().position(|one| one.server == server)?;
            let mut connection = kept.remove(first).connection;
            drop(kept);
            if is_usable(&mut connection) {
                return Some(connection);
            }
        }
    }
}

fn server(details: &ConnectionDetails<'_>) -> Option<(Scheme, Authority)> {
    Some((details.uri.scheme()?.clone(), details.uri.authority()?.clone()))
}

/// Returns whether a connection on which nothing was requested is still open, and the server has sent nothing.
fn is_usable(connection: &mut Connection) -> bool {
    if !connection.is_tls() {
        return connection.is_open();
    }
    // After the handshake a server sends tickets. They are bytes for `is_open`, and no input.
    let moment = NextTimeout { after: MOMENT.into(), ..NextTimeout::default() };
    match connection.await_input(moment) {
        Err(ureq::Error::Timeout(_)) => true,
        Err(ureq::Error::Io(error)) => error.kind() == std::io::ErrorKind::TimedOut,
        _ => false,
    }
}

/// Takes a connection that is kept, or makes one.
#[derive(Debug)]
pub(super) struct Taking(pub(super) Arc<Spare>);

impl Connector for Taking {
    type Out = Connection;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<()>,
    ) -> Result<Option<Connection>, ureq::Error> {
        match self.0.take(details) {
            Some(connection) => Ok(Some(connection)),
            None => self.0.connector.connect(details, chained),
        }
    }
}

/// Makes a connection and keeps it, so that the request for which it was made is not sent.
#[derive(Debug)]
pub(super) struct Making(pub(super) Arc<Spare>);

impl Connector for Making {
    type Out = Connection;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<()>,
    ) -> Result<Option<Connection>, ureq::Error> {
        if let Some(connection) = self.0.connector.connect(details, chained)? {
            let kept = Kept { server: server(details), since: Instant::now(), connection };
            self.0.lock().push(kept);
        }
        Ok(None)
    }
}
