//! A server that does what no server should, one misdeed for each path, and a plugin that asks it what its prompt says.

use crate::http;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("../web/plugin.rs");
const MANIFEST: &str = include_str!("../web/plugin.toml");

/// The argument that makes `play` the server.
pub const SERVE: &str = "__serve";

/// The plugin; its prompt is a list of steps, as JSON. Built once per test program.
pub fn plugin() -> Vec<u8> {
    static BUILT: OnceLock<Vec<u8>> = OnceLock::new();
    BUILT.get_or_init(|| crate::guest::build("web", SOURCE, MANIFEST).expect("the plugin builds")).clone()
}

/// How many streams that never end were left by who read them.
static LEFT: AtomicU32 = AtomicU32::new(0);
/// What was answered to what was asked.
static ANSWERED: Mutex<String> = Mutex::new(String::new());

/// Serves until it is killed. `deaf` first: it listens to nobody; `deaf FILE`: it says in the file where it should. `told FILE`: it says
/// there which password it was given.
pub fn serve(arguments: &[String]) -> ExitCode {
    let Some(port) = http::port(arguments) else { return ExitCode::from(2) };
    if arguments[0] == "deaf" {
        if arguments[1].contains('/') {
            std::fs::write(&arguments[1], port.to_string()).expect("the file");
        }
        loop {
            std::thread::park();
        }
    }
    if arguments[0] == "told" {
        std::fs::write(&arguments[1], std::env::var("WEB_PASSWORD").unwrap_or_default()).expect("the file");
    }
    // One that starts slowly: who asks must wait.
    std::thread::sleep(Duration::from_millis(150));
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port");
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || _ = answer(stream));
    }
    ExitCode::SUCCESS
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let request = http::request(&stream)?;
    let (_, target) = request.asked().unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    let body = String::from_utf8_lossy(&request.body);
    match path {
        "/echo" => {
            let wanted = std::env::var("WEB_PASSWORD").unwrap_or_default();
            let head = request.head.join("|");
            whole(&mut stream, &format!("{head}| {body} password={wanted}"))
        }
        "/missing" => {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\nnope")
        }
        "/redirect" => stream.write_all(b"HTTP/1.1 302 Found\r\nlocation: http://192.0.2.1/\r\ncontent-length: 0\r\n\r\n"),
        "/endless-head" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
            for n in 0.. {
                stream.write_all(format!("x-{}: {}\r\n", n % 7, "y".repeat(4_000)).as_bytes())?;
            }
            Ok(())
        }
        "/many-headers" => {
            let many: String = (0..100).map(|n| format!("x-{n}: y\r\n")).collect();
            stream.write_all(format!("HTTP/1.1 200 OK\r\n{many}content-length: 0\r\n\r\n").as_bytes())
        }
        "/huge" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
            loop {
                stream.write_all(&[b'x'; 8_192])?;
            }
        }
        "/huge-length" => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nxx"),
        "/slow-head" => wait(stream),
        "/slow-body" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab")?;
            wait(stream)
        }
        "/cut" => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly so much"),
        "/garbage" => stream.write_all(b"SSH-2.0-whoever\r\n\r\n"),
        "/close" => Ok(()),
        "/events" => {
            begin(&mut stream)?;
            let text = ": hello\n\ndata: gr\u{fc}\u{df}e \u{1f600}\n\nevent: named\r\ndata: {\"a\":1}\r\n\r\ndata: two\rdata: lines\r\rid: 7\nretry: 1\ndata\n\ndata: cut";
            // Every byte in a piece of its own.
            for byte in text.as_bytes() {
                stream.write_all(&[*byte])?;
                stream.flush()?;
            }
            Ok(())
        }
        "/events-cut" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n9\r\nda")
        }
        "/flood" => {
            begin(&mut stream)?;
            for n in 0..4_000 {
                stream.write_all(format!("data: {n} {}\n\n", "z".repeat(1_000)).as_bytes())?;
            }
            Ok(())
        }
        "/endless-events" => {
            begin(&mut stream)?;
            while stream.write_all(b"data: tick\n\n").is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
            LEFT.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
        "/ask" => {
            begin(&mut stream)?;
            stream.write_all(b"event: message\ndata: {\"type\":\"ask\",\"id\":\"q1\"}\n\n")?;
            while ANSWERED.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(())
        }
        // Over at once; what asks is the last of many.
        "/late-ask" => {
            begin(&mut stream)?;
            let before: String = (0..30).map(|n| format!("data: {n}\n\n")).collect();
            stream.write_all(format!("{before}event: message\ndata: {{\"type\":\"ask\",\"id\":\"q1\"}}\n\n").as_bytes())
        }
        "/answered-soon" => {
            let until = Instant::now() + Duration::from_secs(1);
            while ANSWERED.lock().unwrap_or_else(PoisonError::into_inner).is_empty() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            let answered = ANSWERED.lock().unwrap_or_else(PoisonError::into_inner).clone();
            whole(&mut stream, &format!("answered [{answered}]"))
        }
        "/answered" => {
            let left = LEFT.load(Ordering::SeqCst);
            let answered = ANSWERED.lock().unwrap_or_else(PoisonError::into_inner).clone();
            whole(&mut stream, &format!("answered [{answered}] left {left}"))
        }
        answer if answer.starts_with("/answers/") => {
            *ANSWERED.lock().unwrap_or_else(PoisonError::into_inner) = format!("{answer} {body}");
            whole(&mut stream, "true")
        }
        _ => stream.write_all(b"HTTP/1.1 500 What\r\ncontent-length: 0\r\n\r\n"),
    }
}

fn begin(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
}

fn whole(stream: &mut TcpStream, text: &str) -> std::io::Result<()> {
    stream.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{text}", text.len()).as_bytes())
}

/// Says nothing until the other side goes.
fn wait(mut stream: TcpStream) -> std::io::Result<()> {
    stream.read_to_end(&mut Vec::new()).map(drop)
}
