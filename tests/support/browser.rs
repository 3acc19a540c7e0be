//! Headless Chromium, driven through a pipe by its DevTools protocol: a page is shown, the pointer moved, keys pressed,
//! and what is seen asked for.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{channel, Receiver};
use std::time::Duration;

use serde_json::{json, Value};

/// How long an answer may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    session: String,
    last: u64,
    /// The addresses that were requested.
    pub requests: Vec<String>,
    _profile: tempfile::TempDir,
}

fn pipe() -> (OwnedFd, OwnedFd) {
    let mut ends = [0; 2];
    // SAFETY: the array has room for two descriptors, which nothing else owns.
    unsafe {
        assert_eq!(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC), 0);
        (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
    }
}

impl Browser {
    /// Starts a browser with a page of this size, in pixels; `None` if there is none.
    pub fn start(width: u32, height: u32) -> Option<Browser> {
        let program = ["chromium", "chromium-browser", "google-chrome"]
            .into_iter()
            .find(|p| Command::new(p).arg("--version").output().is_ok_and(|o| o.status.success()))?;
        let profile = tempfile::tempdir().unwrap();
        let ((their_in, to), (from, their_out)) = (pipe(), pipe());
        let mut command = Command::new(program);
        command.arg(format!("--user-data-dir={}", profile.path().display())).args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--remote-debugging-pipe",
            "about:blank",
        ]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (a, b) = (their_in.into_raw_fd(), their_out.into_raw_fd());
        // SAFETY: only system calls that a forked child may use. The copies come first, since one may have the number
        // that the other is to get.
        unsafe {
            command.pre_exec(move || {
                let (a, b) = (libc::fcntl(a, libc::F_DUPFD, 10), libc::fcntl(b, libc::F_DUPFD, 10));
                match a >= 0 && b >= 0 && libc::dup2(a, 3) == 3 && libc::dup2(b, 4) == 4 {
                    true => Ok(()),
                    false => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let child = command.spawn().unwrap();
        // SAFETY: the child has copies of its own.
        drop(unsafe { (OwnedFd::from_raw_fd(a), OwnedFd::from_raw_fd(b)) });
        let (send, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(File::from(from)).split(0) {
                let Ok(message) = message else { return };
                if send.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    return;
                }
            }
        });
        let mut browser = Browser {
            child,
            to: File::from(to),
            from: messages,
            session: String::new(),
            last: 0,
            requests: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached =
            browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        browser.call("Network.enable", json!({}));
        browser.call("Page.enable", json!({}));
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        browser.call("Emulation.setDeviceMetricsOverride", size);
        Some(browser)
    }

    fn next(&mut self) -> Value {
        let message = self.from.recv_timeout(PATIENCE).expect("an answer of the browser");
        if message["method"] == "Network.requestWillBeSent" {
            self.requests.push(message["params"]["request"]["url"].as_str().unwrap().to_owned());
        }
        message
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.next();
            if answer["id"] == json!(self.last) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// Shows a file, and waits until it is loaded.
    pub fn show(&mut self, path: &Path) {
        self.call("Page.navigate", json!({"url": format!("file://{}", path.display())}));
        while self.next()["method"] != "Page.loadEventFired" {}
    }

    /// Returns the value of an expression of JavaScript.
    pub fn ask(&mut self, expression: &str) -> Value {
        let answer = self.call("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Scrolls the element with this selector and number into view, and moves the pointer to its middle.
    pub fn point_at(&mut self, selector: &str, n: usize) {
        let place = self.ask(&format!(
            "(() => {{ const e = document.querySelectorAll({selector:?})[{n}]; e.scrollIntoView({{block: 'center'}});
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": place[0], "y": place[1]}));
    }

    /// Presses a key, by its name.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            _ => panic!("{key}"),
        };
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Returns the page as it looks, as PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", json!({"format": "png"}));
        decoded(answer["data"].as_str().unwrap())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Decodes base64.
fn decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for c in text.bytes().filter(|&c| c != b'=') {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        (bits, count) = (bits << 6 | u32::from(digit), count + 6);
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
