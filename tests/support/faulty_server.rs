//! A local server that misbehaves on request: a closure answers each request, byte by byte.
#![allow(dead_code)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    /// By names in lower case.
    pub headers: HashMap<String, String>,
    /// How many came before.
    pub number: usize,
}

impl Request {
    /// The requested bytes.
    pub fn range(&self) -> Range<usize> {
        let text = self.headers["range"].strip_prefix("bytes=").unwrap();
        let (first, last) = text.split_once('-').unwrap();
        first.parse().unwrap()..last.parse::<usize>().unwrap() + 1
    }
}

/// What is sent, in this order; the connection is closed at the end unless it is to be kept.
pub enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    Keep,
}

/// An answer that is sent at once.
pub fn whole(text: impl Into<Vec<u8>>) -> Vec<Step> {
    vec![Step::Send(text.into())]
}

/// An answer without a body.
pub fn status(line: &str, headers: &str) -> Vec<Step> {
    whole(format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\nConnection: close\r\n{headers}\r\n"))
}

/// The head of an answer with these bytes of a file.
pub fn partial_head(range: &Range<usize>, length: usize, headers: &str) -> String {
    format!(
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {}-{}/{length}\r\nContent-Length: {}\r\n{headers}\r\n",
        range.start,
        range.end - 1,
        range.len()
    )
}

/// The answer of a server that does what it should.
pub fn partial(request: &Request, file: &[u8]) -> Vec<Step> {
    partial_with(request, file, "ETag: \"1\"\r\nConnection: close\r\n")
}

/// The same on a connection that serves again.
pub fn partial_kept(request: &Request, file: &[u8]) -> Vec<Step> {
    let mut answer = partial_with(request, file, "ETag: \"1\"\r\n");
    answer.push(Step::Keep);
    answer
}

fn partial_with(request: &Request, file: &[u8], headers: &str) -> Vec<Step> {
    let range = request.range();
    let range = range.start.min(file.len())..range.end.min(file.len());
    if range.is_empty() {
        return status("416 Range Not Satisfiable", &format!("Content-Range: bytes */{}\r\n", file.len()));
    }
    let mut answer = partial_head(&range, file.len(), headers).into_bytes();
    answer.extend(&file[range]);
    whole(answer)
}

pub struct Server {
    pub port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Answers until the test process ends.
    pub fn start(answer: impl Fn(&Request) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        let connections = Arc::<AtomicUsize>::default();
        let counter = Arc::clone(&connections);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::Relaxed);
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || serve(stream, &seen, &*answer));
            }
        });
        Server { port, requests, connections }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Request>>, answer: &dyn Fn(&Request) -> Vec<Step>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    while let Some(Ok(first)) = lines.next() {
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = HashMap::new();
        for line in lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()) {
            if let Some((name, value)) = line.split_once(':') {
                headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            }
        }
        let request = {
            let mut seen = seen.lock().unwrap();
            let request = Request { path, headers, number: seen.len() };
            seen.push(request.clone());
            request
        };
        let mut keep = false;
        for step in answer(&request) {
            match step {
                Step::Send(bytes) if stream.write_all(&bytes).is_err() => return,
                Step::Send(_) => {}
                Step::Wait(time) => thread::sleep(time),
                Step::Keep => keep = true,
            }
        }
        if !keep {
            return;
        }
    }
}
