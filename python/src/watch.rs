//! Lets the interpreter run signal handlers and the user's progress function while the engine works.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors;

/// The time between two looks at signals. KeyboardInterrupt must take effect within 0.2 s.
const INTERVAL: Duration = Duration::from_millis(50);

/// Watches one call of the engine, which reports to it in the thread that made the call.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    state: Mutex<State>,
}

struct State {
    last: Instant,
    /// What a signal handler or the progress function raised.
    raised: Option<PyErr>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Watch { progress, state: Mutex::new(State { last: Instant::now(), raised: None }) }
    }

    /// Reports how much is done, at most every 50 ms. Returns whether to continue.
    pub(crate) fn tell(&self, done: u64, total: u64) -> bool {
        let Ok(mut state) = self.state.lock() else { return false };
        if state.raised.is_some() || state.last.elapsed() < INTERVAL {
            return state.raised.is_none();
        }
        state.last = Instant::now();
        let told = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                // The end is reported once, by `finish`.
                Some(progress) if done < total => progress.call1(py, (done as f64 / total as f64,)).map(drop),
                _ => Ok(()),
            }
        });
        state.raised = told.err();
        state.raised.is_none()
    }

    /// Returns the result of the call, or what was raised meanwhile. After success, the progress function is called
    /// with 1.
    pub(crate) fn finish<T>(self, py: Python<'_>, result: cfa::Result<T>) -> PyResult<T> {
        let raised = self.state.into_inner().ok().and_then(|state| state.raised);
        match (raised, result) {
            (Some(raised), _) => Err(raised),
            (None, Err(error)) => Err(errors::raise(py, error)),
            (None, Ok(value)) => {
                if let Some(progress) = self.progress {
                    progress.call1(py, (1.0,))?;
                }
                Ok(value)
            }
        }
    }
}
