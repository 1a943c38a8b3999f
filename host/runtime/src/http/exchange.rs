//! One exchange: the request goes out, the head of the answer comes back as the effect's result, the body in it or as messages.
//!
//! **A result always precedes the messages of its channel, and `Closed` follows the last of them**, once, if the channel opened at all. A
//! stream whose reader is behind stops reading, and then the server waits.

use super::error::HttpError;
use super::reach::reach;
use crate::framing::{Piece, Splitter};
use crate::process::{ChannelEvent, ReadBudget};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use jackfield_core::contract::{ChannelExit, EffectResult, EffectValue, Fault, FrameData, HttpResponse, Pairs};
use jackfield_core::limits::Limits;
use jackfield_core::manifest::Framing;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};

/// What is asked, settled in every detail. `Debug` is left out on purpose: headers may hold secrets.
pub(crate) struct Request {
    /// The effect, and the channel if the answer streams.
    pub id: u32,
    /// Where the program listens.
    pub port: u16,
    /// The process below which everything of the program's runs.
    pub root: u32,
    /// When the program was started.
    pub began: Instant,
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// How the body of the answer is cut, if it streams.
    pub stream: Option<Framing>,
}

/// What ends an exchange from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    No,
    /// Nobody wants it any more: it is not answered.
    Cancelled,
    /// The program that serves it has ended.
    ServerGone,
}

/// The handle of an open exchange. **Dropped, it cancels.**
#[derive(Debug)]
pub(crate) struct Exchange {
    stop: watch::Sender<Stop>,
    /// It became a stream.
    streams: Arc<AtomicBool>,
}

impl Exchange {
    pub(crate) fn cancel(&self) {
        self.stop.send_if_modified(|stop| std::mem::replace(stop, Stop::Cancelled) != Stop::Cancelled);
    }

    /// The program has ended: who waits for an answer has it so. A stream that it began is read to its end.
    pub(crate) fn server_gone(&self) {
        self.stop.send_if_modified(|stop| *stop == Stop::No && std::mem::replace(stop, Stop::ServerGone) == Stop::No);
    }

    /// True once nothing of it comes any more. What a stream said may still wait for its reader: it is over by its `Closed`.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.is_closed() && !self.streams.load(Ordering::SeqCst)
    }
}

/// Begins an exchange. What comes of it arrives at `results` and, of a stream, at `frames`.
pub(crate) fn begin(
    request: Request,
    limits: Arc<Limits>,
    frames: mpsc::Sender<ChannelEvent>,
    results: mpsc::UnboundedSender<EffectResult>,
) -> Exchange {
    let (stop, stopped) = watch::channel(Stop::No);
    let streams = Arc::new(AtomicBool::new(false));
    let way =
        Way { id: request.id, budget: ReadBudget::new(&limits), limits, frames, results, streams: streams.clone() };
    tokio::spawn(way.run(request, stopped));
    Exchange { stop, streams }
}

struct Way {
    id: u32,
    limits: Arc<Limits>,
    budget: ReadBudget,
    frames: mpsc::Sender<ChannelEvent>,
    results: mpsc::UnboundedSender<EffectResult>,
    streams: Arc<AtomicBool>,
}

impl Way {
    async fn run(self, request: Request, mut stopped: watch::Receiver<Stop>) {
        let framing = request.stream;
        let answer = tokio::select! {
            biased;
            stop = until_stopped(&mut stopped) => match stop {
                Stop::ServerGone => Err(HttpError::ServerGone),
                _ => return,
            },
            answer = self.ask(request) => answer,
        };
        match answer {
            Err(error) => self.tell(Err(error.fault())),
            Ok(Answer::Whole(response)) => self.tell(Ok(EffectValue::Response(response))),
            Ok(Answer::Stream(response, body)) => {
                self.streams.store(true, Ordering::SeqCst);
                self.tell(Ok(EffectValue::Response(response)));
                let framing = framing.unwrap_or(Framing::Sse);
                let fault = tokio::select! {
                    biased;
                    () = until_cancelled(&mut stopped) => None,
                    read = self.stream(body, framing) => read.err().map(|error| error.fault()),
                };
                self.close(fault).await;
            }
        }
    }

    fn tell(&self, outcome: Result<EffectValue, Fault>) {
        let _ = self.results.send(EffectResult { id: self.id, outcome });
    }

    async fn close(&self, fault: Option<Fault>) {
        let exit = ChannelExit { channel: self.id, code: None, signal: None, stderr_tail: String::new(), fault };
        let _ = self.frames.send(ChannelEvent::Closed { channel: self.id, exit }).await;
    }

    async fn ask(&self, request: Request) -> Result<Answer, HttpError> {
        let limits = &self.limits;
        let stream = reach(request.port, request.root, request.began, limits).await?;
        let streams = request.stream.is_some();
        let message = message(request)?;
        let of = |error: hyper::Error| HttpError::of(&error, limits);
        let answer = timeout(Duration::from_millis(limits.http_answer_ms), async {
            let mut client = http1::Builder::new();
            client.max_buf_size(limits.http_head_bytes as usize).max_headers(limits.http_headers as usize);
            let (mut sender, connection) = client.handshake(TokioIo::new(stream)).await.map_err(of)?;
            // Ends with the exchange: with the answer's body, or with the sender.
            tokio::spawn(async move { drop(connection.await) });
            let answer = sender.send_request(message).await.map_err(of);
            answer.map(|answer| (answer, sender))
        });
        let (answer, sender) = answer.await.map_err(|_| HttpError::NoAnswer { ms: limits.http_answer_ms })??;
        let status = answer.status();
        if status.is_redirection() && status.as_u16() != 304 {
            return Err(HttpError::Redirect { status: status.as_u16() });
        }
        if status.is_informational() {
            return Err(HttpError::Malformed { reason: format!("status {status}") });
        }
        let head = HttpResponse { status: status.as_u16().into(), headers: headers_of(&answer), body: None };
        let mut body = Body { incoming: answer.into_body(), _sender: sender };
        if streams && status.is_success() {
            return Ok(Answer::Stream(head, body));
        }
        let body = Some(as_data(self.whole(&mut body).await?));
        Ok(Answer::Whole(HttpResponse { body, ..head }))
    }

    async fn whole(&self, body: &mut Body) -> Result<Vec<u8>, HttpError> {
        let (most, silence) = (self.limits.http_body_bytes, self.limits.http_body_ms);
        let mut all = Vec::new();
        loop {
            let next = timeout(Duration::from_millis(silence), body.next(&self.limits)).await;
            let Some(bytes) = next.map_err(|_| HttpError::Stalled { ms: silence })? else { return Ok(all) };
            let bytes = bytes?;
            if (all.len() + bytes.len()) as u64 > most {
                return Err(HttpError::BodyTooLarge { bytes: most });
            }
            all.extend_from_slice(&bytes);
        }
    }

    async fn stream(&self, mut body: Body, framing: Framing) -> Result<(), HttpError> {
        let mut splitter = Splitter::new(framing, self.limits.frame_bytes as usize);
        let mut broke = Ok(());
        while let Some(bytes) = body.next(&self.limits).await {
            match bytes {
                Ok(bytes) => {
                    for piece in splitter.feed(&bytes) {
                        self.deliver(piece).await;
                    }
                }
                Err(error) => {
                    broke = Err(error);
                    break;
                }
            }
        }
        for piece in splitter.end() {
            self.deliver(piece).await;
        }
        broke
    }

    async fn deliver(&self, piece: Piece) {
        // An error means that nobody listens any more: then it is cancelled, too.
        let _ = self.frames.send(self.budget.event(self.id, piece).await).await;
    }
}

enum Answer {
    Whole(HttpResponse),
    Stream(HttpResponse, Body),
}

/// A body that is still to be read, with what keeps its connection.
struct Body {
    incoming: Incoming,
    _sender: http1::SendRequest<Full<Bytes>>,
}

impl Body {
    async fn next(&mut self, limits: &Limits) -> Option<Result<Bytes, HttpError>> {
        loop {
            match self.incoming.frame().await? {
                Ok(frame) => match frame.into_data() {
                    Ok(bytes) => return Some(Ok(bytes)),
                    // Trailers say nothing that anybody asked for.
                    Err(_) => continue,
                },
                Err(error) => return Some(Err(HttpError::of(&error, limits))),
            }
        }
    }
}

fn message(request: Request) -> Result<hyper::Request<Full<Bytes>>, HttpError> {
    let mut message = hyper::Request::builder()
        .method(request.method.as_str())
        .uri(request.target.as_str())
        .header("host", format!("127.0.0.1:{}", request.port))
        .header("connection", "close");
    for (name, value) in &request.headers {
        message = message.header(name.as_str(), value.as_str());
    }
    message.body(Full::new(Bytes::from(request.body))).map_err(|error| HttpError::Request { reason: error.to_string() })
}

fn headers_of(answer: &hyper::Response<Incoming>) -> Pairs {
    let one = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    answer.headers().iter().map(one).collect()
}

fn as_data(bytes: Vec<u8>) -> FrameData {
    String::from_utf8(bytes).map_or_else(|bytes| FrameData::Bytes(bytes.into_bytes()), FrameData::Text)
}

async fn until_stopped(stopped: &mut watch::Receiver<Stop>) -> Stop {
    stopped.wait_for(|stop| *stop != Stop::No).await.map_or(Stop::Cancelled, |stop| *stop)
}

/// The end of the program ends a stream by itself: what it said before is still in the connection.
async fn until_cancelled(stopped: &mut watch::Receiver<Stop>) {
    let _ = stopped.wait_for(|stop| *stop == Stop::Cancelled).await;
}
