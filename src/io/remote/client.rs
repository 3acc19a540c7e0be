//! Makes connections: decides to which addresses, limits their time, and keeps them for the next request.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ureq::config::Config;
use ureq::http::{header, Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::Resolver;
use ureq::unversioned::transport::{Connector, DefaultConnector};
use ureq::{Agent, Body, Proxy};

use super::access::Permit;
use super::ahead::{Making, Spare, Taking};
use super::flow::Flow;
use super::proxy::{self, Exceptions};
use super::resolver::Names;
use super::url::{Origin, Url};
use crate::options::OpenOptions;
use crate::threads::errands;
use crate::threads::process::PerProcess;

/// The settings that requests depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    allow_private_network: bool,
    pub(super) connect_timeout: Duration,
    pub(super) stall_timeout: Duration,
    pub(super) max_retry: usize,
    pub(super) deadline: Duration,
    concurrency: usize,
}

impl Settings {
    pub(super) fn of(options: &OpenOptions) -> Self {
        // The clock cannot represent every duration, and sockets accept no timeout of zero.
        let bounded = |time: Duration| time.clamp(Duration::from_millis(1), Duration::from_secs(86_400));
        Settings {
            allow_private_network: options.allow_private_network,
            connect_timeout: bounded(options.http_connect_timeout),
            stall_timeout: bounded(options.http_stall_timeout),
            max_retry: options.http_max_retry,
            deadline: bounded(options.http_deadline),
            concurrency: options.http_concurrency,
        }
    }
}

/// Connections under the same settings.
pub(super) struct Client {
    settings: Settings,
    direct: Agent,
    /// Makes connections for it, and sends no requests.
    ahead: Agent,
    http: Route,
    https: Route,
    /// Servers that are contacted without a proxy.
    exceptions: Exceptions,
    /// The requests to each server, by its origin.
    flows: Mutex<HashMap<Origin, Arc<Flow>>>,
}

/// How the servers that are not exceptions are reached.
enum Route {
    Direct,
    Through(Agent),
    /// The environment names something that is not a proxy.
    Unusable,
}

/// The maximum number of clients that are kept; programs use one set of settings, tests a few.
const KEPT: usize = 16;
/// The number of servers above which those that have no requests are forgotten.
const MOST_FLOWS: usize = 1000;
/// The maximum number of idle connections that are kept, to one server and in all.
const IDLE: usize = 256;
/// The maximum number of connections that are made ahead. Their requests keep the network busy until others are made.
const AHEAD: usize = 16;
/// The sizes of the buffers of a connection. They are small, since there are many connections: received bytes are passed
/// on at once, and requests are short.
const INPUT: usize = 32 << 10;
const OUTPUT: usize = 8 << 10;

impl Client {
    /// Returns the client for these settings. Its connections belong to this process alone: two processes that read
    /// from one connection would take each other's bytes.
    pub(super) fn with(settings: Settings) -> Arc<Client> {
        static CLIENTS: PerProcess<Mutex<Vec<Arc<Client>>>> = PerProcess::new();
        let mut clients = CLIENTS.get(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.iter().find(|client| client.settings == settings) {
            return Arc::clone(client);
        }
        if clients.len() == KEPT {
            clients.remove(0);
        }
        let route = |scheme: &str| match proxy::named(scheme, proxy::variable) {
            None => Route::Direct,
            Some(None) => Route::Unusable,
            // The user named the proxy itself, and the proxy resolves the names of servers.
            Some(proxy) => {
                Route::Through(agent(settings, proxy, DefaultConnector::default(), Names::default()))
            }
        };
        let spare = Arc::<Spare>::default();
        let (taking, making) = (Taking(Arc::clone(&spare)), Making(spare));
        let names = || match settings.allow_private_network {
            true => Names::default(),
            false => Names::public(),
        };
        let direct = agent(settings, None, taking, names());
        let ahead = agent(settings, None, making, names());
        let exceptions = Exceptions::of(proxy::variable);
        let client = Arc::new(Client {
            settings,
            direct,
            ahead,
            http: route("http"),
            https: route("https"),
            exceptions,
            flows: Mutex::default(),
        });
        clients.push(Arc::clone(&client));
        client
    }

    /// Returns the flow of requests to the server of an address.
    pub(super) fn flow(&self, url: &Url) -> Arc<Flow> {
        let mut flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        if flows.len() >= MOST_FLOWS && !flows.contains_key(&url.origin()) {
            flows.retain(|_, flow| Arc::strong_count(flow) > 1);
        }
        let flow =
            flows.entry(url.origin()).or_insert_with(|| Arc::new(Flow::new(self.settings.concurrency)));
        Arc::clone(flow)
    }

    /// Returns how a server is reached.
    fn route(&self, uri: &Uri) -> &Route {
        let is_exception = uri.host().is_some_and(|host| self.exceptions.have(host));
        match uri.scheme_str() {
            _ if is_exception => &Route::Direct,
            Some("https") => &self.https,
            _ => &self.http,
        }
    }

    /// Makes connections to the server of an address, which has no other ones, for requests that will follow. This does
    /// not wait for them. If one cannot be made, the request that needs it reports why.
    pub(super) fn connect_ahead(&self, url: &Url, permit: &Permit) {
        let Ok(uri) = permit.uri(url).parse::<Uri>() else { return };
        // Of a proxy it is not known how many connections it bears.
        if !matches!(self.route(&uri), Route::Direct)
            || !self.flow(url).wakes(self.ahead.config().max_idle_age())
        {
            return;
        }
        // The first request makes one more.
        for _ in 1..self.settings.concurrency.min(AHEAD + 1) {
            let (agent, uri) = (self.ahead.clone(), uri.clone());
            let made = errands::start(move || {
                let _ = agent.get(uri).call();
            });
            if made.is_err() {
                return;
            }
        }
    }

    /// Sends one request. A redirection is returned as an answer.
    pub(super) fn get(
        &self,
        url: &Url,
        range: &str,
        permit: &Permit,
        remaining: Duration,
    ) -> Result<Response<Body>, ureq::Error> {
        let uri: Uri = permit.uri(url).parse().map_err(ureq::http::Error::from)?;
        let refuse = |refusal: Refusal| Err(ureq::Error::Other(Box::new(refusal)));
        let agent = match self.route(&uri) {
            Route::Direct => &self.direct,
            Route::Through(_) if !permit.is_named => return refuse(Refusal::ThroughProxy),
            Route::Through(agent) => agent,
            Route::Unusable => return refuse(Refusal::UnusableProxy),
        };
        let mut request = agent.get(uri).header(header::RANGE, range);
        for (name, value) in permit.headers(range) {
            request = request.header(name, value);
        }
        // A request with settings of its own makes a new connection load the certificates again. So only a request
        // that is nearer to its deadline than others gets a timeout of its own.
        if remaining < self.settings.deadline.mul_f64(0.95) {
            request = request.config().timeout_global(Some(remaining)).build();
        }
        request.call()
    }
}

fn agent(
    settings: Settings,
    proxy: Option<Proxy>,
    connector: impl Connector,
    resolver: impl Resolver,
) -> Agent {
    let config = Config::builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("libcfa/", env!("CARGO_PKG_VERSION")))
        .accept_encoding("identity")
        .proxy(proxy)
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .max_idle_connections_per_host(IDLE)
        .max_idle_connections(IDLE)
        .input_buffer_size(INPUT)
        .output_buffer_size(OUTPUT)
        .timeout_resolve(Some(settings.connect_timeout))
        .timeout_connect(Some(settings.connect_timeout))
        .timeout_per_read(Some(settings.stall_timeout))
        .timeout_per_write(Some(settings.stall_timeout))
        .timeout_global(Some(settings.deadline))
        .build();
    Agent::with_parts(config, connector, resolver)
}

/// Why no request is sent to an address that the policy allows.
#[derive(Debug)]
pub(super) enum Refusal {
    PrivateAddress(SocketAddr),
    ThroughProxy,
    UnusableProxy,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::PrivateAddress(address) => write!(
                f,
                "its address {} is not a public one; ALLOW_PRIVATE_NETWORK=YES allows it",
                address.ip()
            ),
            Refusal::ThroughProxy => write!(
                f,
                "behind a proxy its address cannot be checked; a list in ALLOWED_SOURCES with it, or ALL, allows it"
            ),
            Refusal::UnusableProxy => write!(
                f,
                "the proxy of the environment is neither http nor https; hosts in no_proxy are reached without it"
            ),
        }
    }
}

impl std::error::Error for Refusal {}
