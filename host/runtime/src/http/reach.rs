//! The connection: to a port of this machine that the host chose, once the program takes it, and to nobody else.

use super::error::HttpError;
use crate::process;
use jackfield_core::limits::Limits;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout_at};

/// A port that nobody has just now. Whoever takes it before the program does is [noticed](reach).
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Connects; a program that has just begun is waited for.
pub(super) async fn reach(port: u16, root: u32, began: Instant, limits: &Limits) -> Result<TcpStream, HttpError> {
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    // Where the whole handshake has less time, the server has.
    let ms = limits.http_server_start_ms.min(limits.handshake_ms);
    let until = began + Duration::from_millis(ms);
    // One that took a connection before is not waited for again, but has time enough to take this one.
    let last = until.max(Instant::now() + Duration::from_millis(limits.http_retry_ms));
    let waits = Instant::now() < until;
    let not_up = || HttpError::NotUp { address: address.to_string(), ms };
    loop {
        match timeout_at(last, TcpStream::connect(address)).await {
            Err(_) => return Err(not_up()),
            Ok(Ok(stream)) => return is_ours(stream, port, root).await,
            Ok(Err(error)) if error.kind() == ErrorKind::ConnectionRefused && Instant::now() < until => {
                sleep(Duration::from_millis(limits.http_retry_ms)).await;
            }
            Ok(Err(error)) if error.kind() == ErrorKind::ConnectionRefused && waits => return Err(not_up()),
            Ok(Err(error)) => {
                return Err(HttpError::Refused { address: address.to_string(), reason: error.to_string() });
            }
        }
    }
}

/// Nothing has been said yet: whoever took the port meanwhile learns nothing.
async fn is_ours(stream: TcpStream, port: u16, root: u32) -> Result<TcpStream, HttpError> {
    let looked = tokio::task::spawn_blocking(move || process::listens(root, port)).await;
    match looked.unwrap_or(Some(false)) {
        // Where it can't be told, the port's number is all that is known.
        None | Some(true) => Ok(stream),
        Some(false) => Err(HttpError::NotOurs { address: SocketAddrV4::new(Ipv4Addr::LOCALHOST, port).to_string() }),
    }
}
