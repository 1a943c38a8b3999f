//! A program that is an HTTP server, as the player plays one: what is asked becomes lines, answers and events go out on their connections.

use super::cli::Host;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// Connections that are open.
#[derive(Clone, Default)]
pub(super) struct Served(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    events: Option<TcpStream>,
    /// What waits for an answer, by its path.
    asked: Vec<(String, TcpStream)>,
}

impl Served {
    /// Serves at the port that the arguments name, until the program ends.
    pub(super) fn listen(&self, arguments: &[String], lines: Sender<Host>) {
        let at = arguments.iter().position(|word| word == "--port").map(|at| at + 1);
        let port = at.and_then(|at| arguments.get(at)?.parse::<u16>().ok());
        let listener = port.and_then(|port| TcpListener::bind(("127.0.0.1", port)).ok());
        let (Some(listener), served) = (listener, self.clone()) else { return };
        // What the real one says once it serves; before that it takes connections and answers nothing on them.
        println!("opencode server listening on http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (served, lines) = (served.clone(), lines.clone());
                std::thread::spawn(move || served.take(stream, &lines));
            }
        });
    }

    fn open(&self) -> std::sync::MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One connection is one request.
    fn take(&self, mut stream: TcpStream, lines: &Sender<Host>) -> Option<()> {
        let (method, path, body) = read(&stream)?;
        if path == "/event" {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            stream.write_all(head.as_bytes()).ok()?;
            self.open().events = Some(stream);
            return lines.send(Host::Listens).ok();
        }
        self.open().asked.push((path.clone(), stream));
        let line = json!({"http": method, "path": path, "body": body});
        lines.send(Host::Line(line.to_string())).ok()
    }

    /// True once somebody listens to events.
    pub(super) fn is_heard(&self) -> bool {
        self.open().events.is_some()
    }

    /// Answers what was asked first of this path; what nobody asked is answered to nobody.
    pub(super) fn answer(&self, answer: &Value) {
        let mut open = self.open();
        let Some(at) = open.asked.iter().position(|(path, _)| *path == answer["path"]) else { return };
        let (_, mut stream) = open.asked.remove(at);
        let body = answer["body"].as_str().unwrap_or_default();
        let head = format!("HTTP/1.1 {} X\r\ncontent-type: application/json\r\n", answer["status"]);
        // A good answer without a body has no length either.
        let length =
            if answer["status"] == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let _ = stream.write_all(format!("{head}{length}\r\n{body}").as_bytes());
    }

    /// Tells an event.
    pub(super) fn tell(&self, event: &str) {
        if let Some(stream) = &mut self.open().events {
            let _ = stream.write_all(format!("data: {event}\n\n").as_bytes()).and_then(|()| stream.flush());
        }
    }
}

fn read(stream: &TcpStream) -> Option<(String, String, Value)> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(bytes) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    Some((method, path, serde_json::from_slice(&body).unwrap_or_default()))
}
