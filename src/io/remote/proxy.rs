//! Reads the proxies that the environment names as curl and others do: `http_proxy`, `https_proxy`, `all_proxy`, and
//! `no_proxy`.

use ureq::{Proxy, ProxyProtocol};

/// Returns a variable of the environment.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns the proxy for a scheme, if the environment names one. The inner `None` is a proxy that cannot be used.
pub(super) fn named(scheme: &str, variable: impl Fn(&str) -> Option<String>) -> Option<Option<Proxy>> {
    let own = format!("{scheme}_proxy");
    let mut names = vec![own.clone(), own.to_uppercase(), "all_proxy".into(), "ALL_PROXY".into()];
    // For a program that a web server runs, this variable holds the header `Proxy` of the request.
    if variable("REQUEST_METHOD").is_some() {
        names.retain(|name| name != "HTTP_PROXY");
    }
    let text = names.iter().filter_map(|name| variable(name)).find(|text| !text.trim().is_empty())?;
    let proxy = Proxy::new(text.trim()).ok();
    Some(proxy.filter(|proxy| matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https)))
}

/// The hosts that are contacted without a proxy.
pub(super) struct Exceptions(Vec<String>);

impl Exceptions {
    pub(super) fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let text = variable("no_proxy").or_else(|| variable("NO_PROXY")).unwrap_or_default();
        let entries = text.split(',').map(|entry| entry.trim().to_ascii_lowercase());
        Exceptions(entries.filter(|entry| !entry.is_empty()).collect())
    }

    /// Returns whether an exception is the host, or a domain that contains it.
    pub(super) fn have(&self, host: &str) -> bool {
        let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
        self.0.iter().any(|entry| {
            let domain = entry.trim_start_matches('*').trim_start_matches('.').trim_matches(['[', ']']);
            let rest = host.strip_suffix(domain);
            entry == "*" || rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(scheme: &str, variables: &[(&str, &str)]) -> Option<Option<u16>> {
        let value = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, v)| v.to_string());
        named(scheme, value).map(|proxy| proxy.map(|proxy| proxy.port()))
    }

    #[test]
    fn each_scheme_has_its_proxy() {
        let both = [("http_proxy", "http://p:1"), ("HTTPS_PROXY", "q:2")];
        assert_eq!((port("http", &both), port("https", &both)), (Some(Some(1)), Some(Some(2))));
        let one = [("https_proxy", "http://p:1"), ("http_proxy", " ")];
        assert_eq!((port("http", &one), port("https", &one)), (None, Some(Some(1))));
        let all = [("ALL_PROXY", "http://p:1"), ("https_proxy", "http://q:2")];
        assert_eq!((port("http", &all), port("https", &all)), (Some(Some(1)), Some(Some(2))));
        assert_eq!(port("http", &[]), None);
    }

    #[test]
    fn a_request_to_a_web_server_names_no_proxy() {
        assert_eq!(port("http", &[("HTTP_PROXY", "http://p:1")]), Some(Some(1)));
        assert_eq!(port("http", &[("HTTP_PROXY", "http://p:1"), ("REQUEST_METHOD", "GET")]), None);
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_not_passed_over() {
        for text in ["socks5://p:1", "ftp://p:1", "http://", "p q"] {
            assert_eq!(port("http", &[("all_proxy", text)]), Some(None), "{text}");
        }
    }

    #[test]
    fn exceptions_are_hosts_and_domains() {
        let exceptions = |text: &str| {
            let text = text.to_owned();
            Exceptions::of(move |name: &str| (name == "no_proxy").then(|| text.clone()))
        };
        let some = exceptions("localhost, .Example.org,*.example.net,127.0.0.1, [::1]");
        for host in ["localhost", "example.org", "a.b.example.org", "a.EXAMPLE.net", "127.0.0.1", "[::1]"] {
            assert!(some.have(host), "{host}");
        }
        for host in ["other", "badexample.org", "example.org.evil", "127.0.0.10"] {
            assert!(!some.have(host), "{host}");
        }
        assert!(exceptions("*").have("anything") && !exceptions(" ,").have("anything"));
    }
}
