//! What is asked of our own servers over HTTP, read by hand: no more of it than their one client says.

use std::io::{BufRead, BufReader, Error, Read, Result};
use std::net::TcpStream;

/// A request.
pub struct Request {
    /// Its head's lines, as they were written.
    pub head: Vec<String>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Request {
    /// How it is asked, and for what; nothing where the connection ended before that.
    pub fn asked(&self) -> Option<(&str, &str)> {
        let mut words = self.head.first()?.split(' ');
        Some((words.next()?, words.next()?))
    }
}

/// Reads the request of a connection.
pub fn request(stream: &TcpStream) -> Result<Request> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut head, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(bytes) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().map_err(Error::other)?;
        }
        head.push(line.to_owned());
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Request { head, body })
}

/// The port that a server's arguments name.
pub fn port(arguments: &[String]) -> Option<u16> {
    let at = arguments.iter().position(|word| word == "--port")?;
    arguments.get(at + 1)?.parse().ok()
}
