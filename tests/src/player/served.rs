//! A program that is an HTTP server, as the player plays one: what is asked becomes lines, answers and events go out on their connections.

use super::cli::Host;
use crate::http;
use serde_json::{Value, json};
use std::io::Write;
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
    /// Serves at the port that the arguments name, until the program ends, and says so once it does.
    pub(super) fn listen(&self, arguments: &[String], announces: &str, lines: Sender<Host>) {
        let listener = http::port(arguments).and_then(|port| TcpListener::bind(("127.0.0.1", port)).ok());
        let (Some(listener), served) = (listener, self.clone()) else { return };
        println!("{announces}http://{}", listener.local_addr().expect("an address"));
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
        let request = http::request(&stream).ok()?;
        let (method, path) = request.asked()?;
        if path == "/event" {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            stream.write_all(head.as_bytes()).ok()?;
            self.open().events = Some(stream);
            return lines.send(Host::Listens).ok();
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        self.open().asked.push((path.to_owned(), stream));
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
