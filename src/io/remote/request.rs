//! Sends one request for bytes: waits for its turn, follows redirections, and retries after temporary failures.
//!
//! How often it retries depends on the failure. A server that refuses for the moment (429, 503), answers with another
//! temporary status, stalls or breaks off is asked again `HTTP_MAX_RETRY` times; refusals are counted from the last
//! request that it did answer, since fewer are sent at a time after each. If a server that answered before cannot be
//! reached, as while it restarts, it is asked again for up to [`LOST`]. A server that was never reached is not asked
//! again.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::http::{header, HeaderName, Response, StatusCode};
use ureq::{Body, Timeout};

use super::access::Access;
use super::client::{Client, Refusal, Settings};
use super::s3::Review;
use super::url::Url;
use crate::error::{Error, Kind, Result};
use crate::options::OpenOptions;
use crate::threads::stop::Stop;

/// The maximum number of redirections; browsers follow 20, and no archive needs as many.
const MOST_REDIRECTIONS: usize = 10;
/// The first and the longest pause between attempts.
const PAUSE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(10));
/// How long a server that answered before may be out of reach, and the longest pause between attempts to reach it.
const LOST: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(1));

/// What all requests for one file have in common.
#[derive(Debug)]
pub(super) struct Session {
    access: Access,
    settings: Settings,
}

/// Why an attempt failed.
pub(super) enum Failure {
    /// Another attempt would fail too.
    Final(Error),
    /// Another attempt may succeed, after a pause. The server may say how long.
    Passing(Error, Option<Duration>),
    /// The server has too many requests. It may say how long to wait.
    Refused(Error, Option<Duration>),
    /// The connection broke.
    Lost(Error),
    /// There was no connection.
    Unreached(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Final(error)
    }
}

/// An answer of a server that is not a redirection.
pub(super) struct Answer {
    /// The address that answered.
    pub(super) url: Url,
    pub(super) response: Response<Body>,
}

impl Session {
    pub(super) fn new(access: Access, options: &OpenOptions) -> Self {
        Session { access, settings: Settings::of(options) }
    }

    /// Makes connections to the server of an address, for requests that will follow.
    pub(super) fn connect_ahead(&self, url: &Url) {
        if let Ok(permit) = self.access.judge(url) {
            Client::with(self.settings).connect_ahead(url, &permit);
        }
    }

    /// Repeats an attempt to request this many bytes until it succeeds, fails finally, or the time is over. Each attempt
    /// receives the deadline.
    ///
    /// # Errors
    /// The error of the last attempt; `Cancelled` if `left` is set.
    pub(super) fn attempt<T>(
        &self,
        url: &Url,
        bytes: u64,
        left: &Stop,
        mut attempt: impl FnMut(Instant) -> Result<T, Failure>,
    ) -> Result<T> {
        let flow = Client::with(self.settings).flow(url);
        let (mut deadline, mut lost_since) = (None, None);
        let (mut failures, mut answers, mut pause) = (0, 0, PAUSE.0);
        loop {
            let turn = flow.enter(bytes, left)?;
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + self.settings.deadline);
            let failure = match attempt(deadline) {
                Ok(value) => {
                    turn.answered();
                    return Ok(value);
                }
                Err(failure) => failure,
            };
            let is_known = flow.answers() > 0;
            let (error, wait) = match failure {
                Failure::Final(error) => return Err(error),
                Failure::Unreached(error) if !is_known => return Err(error),
                Failure::Unreached(error) | Failure::Lost(error)
                    if is_known && self.settings.max_retry > 0 =>
                {
                    let since = *lost_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > LOST.0 {
                        return Err(error);
                    }
                    (error, shortened(pause.min(LOST.1)))
                }
                Failure::Refused(error, wait) => {
                    turn.refused(wait);
                    // The server answers other requests: with fewer at a time, it will answer this one.
                    let now = flow.answers();
                    failures = if now > answers { 1 } else { failures + 1 };
                    answers = now;
                    (error, wait.unwrap_or_else(|| shortened(pause)))
                }
                Failure::Passing(error, wait) => {
                    failures += 1;
                    (error, wait.unwrap_or_else(|| shortened(pause)))
                }
                Failure::Unreached(error) | Failure::Lost(error) => {
                    failures += 1;
                    (error, shortened(pause))
                }
            };
            drop(turn);
            let remaining = deadline.saturating_duration_since(Instant::now());
            if failures > self.settings.max_retry || wait >= remaining || left.is_set() {
                return Err(error);
            }
            std::thread::sleep(wait);
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    /// Requests bytes of a file, and follows redirections.
    ///
    /// # Errors
    /// `Policy` for an address that is not allowed; `Io`.
    pub(super) fn ask(&self, url: &Url, bytes: &Range<u64>, deadline: Instant) -> Result<Answer, Failure> {
        let client: Arc<Client> = Client::with(self.settings);
        let range = format!("bytes={}-{}", bytes.start, bytes.end.saturating_sub(1));
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTIONS {
            let permit = self.access.judge(&url)?;
            let remaining = deadline.saturating_duration_since(Instant::now());
            let response = client.get(&url, &range, &permit, remaining);
            let mut response = response.map_err(|error| self.failure(&url, error))?;
            if let Some(object) = &permit.object {
                match object.review(response)? {
                    Review::Answer(answer) => response = answer,
                    Review::Repeat => continue,
                }
            }
            let status = response.status();
            let Some(location) = location(&response) else {
                return match status.as_u16() {
                    429 | 503 => Err(Failure::Refused(unexpected(status), pause_asked_for(&response))),
                    408 | 425 | 500 | 502 | 504 => {
                        Err(Failure::Passing(unexpected(status), pause_asked_for(&response)))
                    }
                    _ => Ok(Answer { url, response }),
                };
            };
            url = url.redirected(location)?;
        }
        let message = format!("the server redirects more than {MOST_REDIRECTIONS} times");
        Err(Error::new(Kind::Io, message).into())
    }

    /// Interprets an error of the client. Texts of the client are shown only where they cannot contain the address.
    pub(super) fn failure(&self, url: &Url, error: ureq::Error) -> Failure {
        let Settings { connect_timeout, stall_timeout, deadline, .. } = self.settings;
        let io = |message: String| Error::new(Kind::Io, message);
        let timeout = |what: &str, limit: Duration, setting: &str| {
            io(format!("{what} {} s (setting {setting})", limit.as_secs_f64()))
        };
        match error {
            ureq::Error::Other(reason) if reason.is::<Refusal>() => {
                Failure::Final(Error::new(Kind::Policy, format!("'{url}': {reason}")))
            }
            ureq::Error::Timeout(Timeout::Global) => {
                Failure::Final(timeout("the request took more than", deadline, "HTTP_DEADLINE"))
            }
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                Failure::Unreached(timeout("no connection within", connect_timeout, "HTTP_CONNECT_TIMEOUT"))
            }
            ureq::Error::Timeout(_) => Failure::Passing(
                timeout("the server sent nothing for", stall_timeout, "HTTP_STALL_TIMEOUT"),
                None,
            ),
            ureq::Error::Io(error) => match is_interruption(&error) {
                true => Failure::Lost(io(format!("the connection broke: {error}"))),
                false => Failure::Unreached(io(format!("no connection: {error}"))),
            },
            ureq::Error::HostNotFound => Failure::Final(io("no such host".into())),
            ureq::Error::Rustls(error) => Failure::Final(io(format!("no secure connection: {error}"))),
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                Failure::Final(io("the server does not speak HTTP/1.1".into()))
            }
            ureq::Error::ConnectProxyFailed(reason) => {
                Failure::Final(io(format!("the proxy does not connect: {reason}")))
            }
            _ => Failure::Final(io("the request cannot be made".into())),
        }
    }
}

/// Returns the error for an answer that has no bytes of the file.
pub(super) fn unexpected(status: StatusCode) -> Error {
    let reason = status.canonical_reason().unwrap_or("unknown");
    let advice = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "; credentials go to the server of the aggregation file \
             and to those that ALLOWED_SOURCES lists"
        }
        _ => "",
    };
    Error::new(Kind::Io, format!("the server answers {} ({reason}){advice}", status.as_u16()))
}

/// Returns the text of a header, if the header exists and is text.
pub(super) fn text(response: &Response<Body>, name: HeaderName) -> Option<&str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

fn location(response: &Response<Body>) -> Option<&str> {
    let is_redirection = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    // Real servers send names that they should have encoded.
    let location = response.headers().get(header::LOCATION).filter(|_| is_redirection);
    location.and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
}

fn pause_asked_for(response: &Response<Body>) -> Option<Duration> {
    let seconds = text(response, header::RETRY_AFTER)?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Returns whether an established connection was lost.
fn is_interruption(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut, UnexpectedEof, WouldBlock,
    };
    matches!(
        error.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | TimedOut | UnexpectedEof | WouldBlock
    )
}

/// Returns a part of a pause, so that many readers that failed together do not all retry at the same time.
fn shortened(pause: Duration) -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    pause.mul_f64(0.5 + f64::from(now.subsec_micros() % 1000) / 2000.0)
}
