//! Resolves the names of servers, and remembers the addresses for a moment.
//!
//! The client asks for addresses before each request, also before one on a connection that is there, and each time a
//! thread is started for it. A read of many fragments makes hundreds of requests to one server.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::uri::{Authority, Scheme};
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::address::is_public;
use super::client::Refusal;

/// How long addresses are remembered: a server that moves, or divides its clients among several machines, is found
/// where it is then.
const MOMENT: Duration = Duration::from_secs(2);

/// Addresses, and since when they are known.
type Known = (Instant, Vec<SocketAddr>);

/// Resolves names.
#[derive(Default)]
pub(super) struct Names {
    resolver: DefaultResolver,
    only_public: bool,
    known: Mutex<HashMap<(Scheme, Authority), Known>>,
}

impl Names {
    /// Resolves to public addresses only.
    pub(super) fn public() -> Self {
        Names { only_public: true, ..Names::default() }
    }

    fn find(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<Vec<SocketAddr>, ureq::Error> {
        let found = self.resolver.resolve(uri, config, timeout)?;
        let allowed = |address: &&SocketAddr| !self.only_public || is_public(address.ip());
        let addresses: Vec<SocketAddr> = found.iter().filter(allowed).copied().collect();
        match found.first() {
            Some(other) if addresses.is_empty() => {
                Err(ureq::Error::Other(Box::new(Refusal::PrivateAddress(*other))))
            }
            _ => Ok(addresses),
        }
    }
}

impl Resolver for Names {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let server = uri.scheme().cloned().zip(uri.authority().cloned());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let remembered = server.as_ref().and_then(|server| {
            let mut known = known();
            known.retain(|_, (since, _)| since.elapsed() < MOMENT);
            known.get(server).map(|(_, addresses)| addresses.clone())
        });
        let addresses = match remembered {
            Some(addresses) => addresses,
            None => {
                let addresses = self.find(uri, config, timeout)?;
                if let Some(server) = server {
                    known().insert(server, (Instant::now(), addresses.clone()));
                }
                addresses
            }
        };
        let mut resolved = self.empty();
        addresses.into_iter().for_each(|address| resolved.push(address));
        Ok(resolved)
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names").field("only_public", &self.only_public).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(names: &Names, address: &str) -> Result<Vec<SocketAddr>, ureq::Error> {
        let (uri, timeout) = (address.parse().unwrap(), NextTimeout::default());
        names.resolve(&uri, &Config::default(), timeout).map(|found| found.iter().copied().collect())
    }

    #[test]
    fn addresses_are_remembered_for_a_moment() {
        let (names, here) = (Names::default(), "127.0.0.1:7".parse().unwrap());
        assert_eq!(resolve(&names, "http://127.0.0.1:7/a").unwrap(), [here]);
        let moved: SocketAddr = "127.0.0.2:7".parse().unwrap();
        let keep = |since: Instant| {
            names.known.lock().unwrap().values_mut().for_each(|known| *known = (since, vec![moved]));
        };
        keep(Instant::now());
        assert_eq!(resolve(&names, "http://127.0.0.1:7/b").unwrap(), [moved]);
        assert_eq!(resolve(&names, "http://127.0.0.1:8/b").unwrap().len(), 1);
        assert_eq!(names.known.lock().unwrap().len(), 2);
        keep(Instant::now().checked_sub(MOMENT).unwrap());
        assert_eq!(resolve(&names, "http://127.0.0.1:7/c").unwrap(), [here]);
        assert_eq!(names.known.lock().unwrap().len(), 1);
    }

    #[test]
    fn an_address_that_is_not_public_is_refused_each_time() {
        let names = Names::public();
        for _ in 0..2 {
            let refusal = resolve(&names, "http://127.0.0.1/").unwrap_err().to_string();
            assert!(refusal.contains("127.0.0.1 is not a public one"), "{refusal}");
        }
        assert!(resolve(&names, "http://8.8.8.8/").is_ok());
    }
}
