//! Limits how many requests a server has at a time: as many as the setting says, fewer after it refused some.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Kind, Result};
use crate::threads::stop::{Stop, GLANCE};

/// Requests up to this size are small: they take the server's time rather than that of the network, so twice as many
/// are sent.
const SMALL: u64 = 64 << 10;
/// The weight of a large request; that of a small one is 1.
const LARGE: u32 = 2;
/// The limit is lowered at most once in this time: refusals of requests that were sent together count as one.
const LOWERING: Duration = Duration::from_secs(1);

/// The requests that one server has, under one set of settings.
#[derive(Debug)]
pub(super) struct Flow {
    most: u32,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    limit: u32,
    in_flight: u32,
    /// When requests may be sent again.
    open_at: Option<Instant>,
    /// When the limit was lowered last.
    lowered: Option<Instant>,
    /// The weight of the requests that were answered since the limit changed.
    answered: u32,
    /// How many requests were answered in all.
    answers: u64,
    /// When a request was answered last, or the flow was woken.
    awake: Option<Instant>,
}

impl Flow {
    /// Creates the flow to a server that should have this many large requests at most.
    pub(super) fn new(concurrency: usize) -> Self {
        let most = u32::try_from(concurrency).unwrap_or(u32::MAX / LARGE).max(1).saturating_mul(LARGE);
        let state = State {
            limit: most,
            in_flight: 0,
            open_at: None,
            lowered: None,
            answered: 0,
            answers: 0,
            awake: None,
        };
        Flow { most, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many requests the server has answered.
    pub(super) fn answers(&self) -> u64 {
        self.lock().answers
    }

    /// Wakes a flow in which nothing was answered for this long; returns whether it did.
    pub(super) fn wakes(&self, idle: Duration) -> bool {
        let mut state = self.lock();
        let is_asleep = state.awake.is_none_or(|at| at.elapsed() >= idle);
        if is_asleep {
            state.awake = Some(Instant::now());
        }
        is_asleep
    }

    /// Waits until a request for this many bytes may be sent.
    ///
    /// # Errors
    /// `Cancelled` if `left` is set meanwhile: nobody waits for the answer any more.
    pub(super) fn enter(&self, bytes: u64, left: &Stop) -> Result<Turn<'_>> {
        let weight = if bytes <= SMALL { 1 } else { LARGE };
        let mut state = self.lock();
        loop {
            if left.is_set() {
                return Err(Error::new(Kind::Cancelled, "cancelled"));
            }
            let closed = state.open_at.map(|at| at.saturating_duration_since(Instant::now()));
            let closed = closed.filter(|time| !time.is_zero());
            if closed.is_none() && (state.in_flight == 0 || state.in_flight + weight <= state.limit) {
                state.in_flight += weight;
                return Ok(Turn { flow: self, weight });
            }
            let glance = closed.unwrap_or(GLANCE).min(GLANCE);
            state = self.changed.wait_timeout(state, glance).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A request that may be sent. Dropping it makes room for another.
pub(super) struct Turn<'a> {
    flow: &'a Flow,
    weight: u32,
}

impl Turn<'_> {
    /// Counts an answer. After as many as the limit allows, it allows one more.
    pub(super) fn answered(&self) {
        let mut state = self.flow.lock();
        state.answers += 1;
        state.awake = Some(Instant::now());
        state.answered += self.weight;
        if state.answered >= state.limit {
            state.answered = 0;
            state.limit = state.limit.saturating_add(LARGE).min(self.flow.most);
        }
    }

    /// Halves the limit, unless that was just done, and pauses all requests for as long as the server asks for.
    pub(super) fn refused(&self, pause: Option<Duration>) {
        let mut state = self.flow.lock();
        let now = Instant::now();
        if state.lowered.is_none_or(|at| now.duration_since(at) >= LOWERING) {
            state.lowered = Some(now);
            state.answered = 0;
            state.limit = (state.limit.min(state.in_flight) / 2).max(LARGE);
        }
        if let Some(open_at) = pause.and_then(|pause| now.checked_add(pause)) {
            state.open_at = Some(state.open_at.map_or(open_at, |at| at.max(open_at)));
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.flow.lock().in_flight -= self.weight;
        self.flow.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(flow: &Flow) -> u32 {
        flow.lock().limit
    }

    #[test]
    fn twice_as_many_small_requests_as_large_ones() {
        let (flow, stay) = (Flow::new(4), Stop::default());
        let large: Vec<_> = (0..4).map(|_| flow.enter(1 << 20, &stay).unwrap()).collect();
        let leave = Stop::default();
        leave.set();
        assert_eq!(flow.enter(1, &leave).err().map(|e| e.kind()), Some(Kind::Cancelled));
        drop(large);
        let small: Vec<_> = (0..8).map(|_| flow.enter(1, &stay).unwrap()).collect();
        assert_eq!(flow.lock().in_flight, 8);
        drop(small);
        assert_eq!(flow.lock().in_flight, 0);
    }

    #[test]
    fn refusals_lower_the_limit_once_a_round_and_answers_raise_it() {
        let (flow, stay) = (Flow::new(8), Stop::default());
        let sent: Vec<_> = (0..8).map(|_| flow.enter(1 << 20, &stay).unwrap()).collect();
        sent.iter().for_each(|turn| turn.refused(Some(Duration::ZERO)));
        assert_eq!(limit(&flow), 8);
        drop(sent);
        for _ in 0..20 {
            let turn = flow.enter(1 << 20, &stay).unwrap();
            flow.lock().lowered = None;
            turn.refused(None);
        }
        assert_eq!(limit(&flow), 2);
        for _ in 0..100 {
            flow.enter(1 << 20, &stay).unwrap().answered();
        }
        assert_eq!((limit(&flow), flow.answers()), (16, 100));
    }

    #[test]
    fn a_flow_wakes_once_and_again_when_nothing_was_answered_for_a_while() {
        let (flow, stay, idle) = (Flow::new(8), Stop::default(), Duration::from_secs(100));
        assert!(flow.wakes(idle) && !flow.wakes(idle));
        assert!(flow.wakes(Duration::ZERO));
        flow.lock().awake = None;
        flow.enter(1, &stay).unwrap().answered();
        assert!(!flow.wakes(idle));
    }

    #[test]
    fn nothing_is_sent_while_the_server_asks_for_a_pause() {
        let (flow, stay) = (Flow::new(8), Stop::default());
        flow.enter(1, &stay).unwrap().refused(Some(Duration::from_millis(100)));
        let begin = Instant::now();
        drop(flow.enter(1, &stay).unwrap());
        assert!(begin.elapsed() >= Duration::from_millis(90));
    }
}
