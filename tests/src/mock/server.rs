//! The server itself: a thread with its own event loop, a listener on loopback, and the list of what it saw.

use super::script::{Block, Scripts};
use super::wire::{Answer, Move};
use super::{chat, gemini, responses, turns};
use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;

/// A running server; it ends when this is dropped.
pub struct Mock {
    port: u16,
    shared: Arc<Shared>,
    _stop: oneshot::Sender<()>,
}

/// A request that was seen.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Method and path.
    pub line: String,
    /// The script its messages named; `None` for what is not the conversation.
    pub script: Option<String>,
    /// The step of that script.
    pub step: usize,
    /// Its body.
    pub body: Value,
}

struct Shared {
    scripts: Scripts,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    seen: Vec<Seen>,
    asked: HashMap<(Option<String>, usize), u32>,
    answers: u32,
}

impl Mock {
    /// Starts it in the calling thread's network, on a port of its own (or the one given).
    pub fn start(scripts: Scripts, port: u16) -> Result<Mock> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", port)).context("no port on loopback")?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared { scripts, log: Mutex::default() });
        let (stop, stopped) = oneshot::channel::<()>();
        let router = router(shared.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("mock-model".into()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                tokio::select! {
                    _ = axum::serve(listener, router) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Mock { port, shared, _stop: stop })
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address, as a CLI wants it.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.log().seen.clone()
    }

    /// The requests of the conversation, leaving out titles and probes.
    pub fn conversation(&self) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.script.is_some()).collect()
    }
}

impl Shared {
    fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers an answer, among all and among those of its step.
    fn count(&self, place: (Option<String>, usize)) -> (u32, u32) {
        let mut log = self.log();
        log.answers += 1;
        let number = log.answers;
        let asked = log.asked.entry(place).or_default();
        *asked += 1;
        (number, *asked)
    }

    fn note(&self, method: &Method, uri: &Uri, place: (Option<String>, usize), body: Value) {
        let line = format!("{method} {}", uri.path());
        self.log().seen.push(Seen { line, script: place.0, step: place.1, body });
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/messages", post(messages))
        .route("/v1/responses", post(respond))
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .route("/v1beta/models/{call}", post(generate))
        .route("/v1/messages/count_tokens", post(count))
        .fallback(anything)
        .layer(DefaultBodyLimit::disable())
        .with_state(shared)
}

async fn count(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    shared.note(&method, &uri, (None, 0), parse(&body));
    json_response(StatusCode::OK, &json!({ "input_tokens": 100 }))
}

async fn anything(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    shared.note(&method, &uri, (None, 0), parse(&body));
    if method == Method::HEAD {
        return StatusCode::OK.into_response();
    }
    let error = json!({ "type": "not_found_error", "message": "the mock model has no such path" });
    json_response(StatusCode::NOT_FOUND, &json!({ "type": "error", "error": error }))
}

async fn messages(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    let request = parse(&body);
    let streamed = request["stream"] == true;
    answer(&shared, &method, &uri, request, |answer| match streamed {
        true => events(answer.stream()),
        false => json_response(StatusCode::OK, &answer.whole()),
    })
}

async fn respond(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    answer(&shared, &method, &uri, parse(&body), |answer| events(responses::stream(answer)))
}

async fn complete(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    let request = parse(&body);
    let streamed = request["stream"] == true;
    answer(&shared, &method, &uri, request, |answer| match streamed {
        true => events(chat::stream(answer)),
        false => json_response(StatusCode::OK, &chat::whole(answer)),
    })
}

/// In this dialect the path says which model is asked, and for what.
async fn generate(
    State(shared): State<Arc<Shared>>,
    Path(call): Path<String>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    let mut request = parse(&body);
    let (model, wanted) = call.split_once(':').unwrap_or((&call, ""));
    if wanted == "countTokens" {
        shared.note(&method, &uri, (None, 0), request);
        return json_response(StatusCode::OK, &json!({ "totalTokens": 100 }));
    }
    if let Some(body) = request.as_object_mut() {
        body.insert("model".into(), model.into());
    }
    let asked = request.clone();
    answer(&shared, &method, &uri, request, |answer| match wanted {
        "streamGenerateContent" => events(gemini::stream(answer)),
        _ => json_response(StatusCode::OK, &gemini::whole(answer, &asked)),
    })
}

async fn models(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) -> Response {
    shared.note(&method, &uri, (None, 0), Value::Null);
    let model = json!({ "id": "mock-model", "object": "model", "created": 1, "owned_by": "mock" });
    json_response(StatusCode::OK, &json!({ "object": "list", "data": [model] }))
}

/// Answers with what the script says, in the dialect that `said` speaks.
fn answer(
    shared: &Shared,
    method: &Method,
    uri: &Uri,
    request: Value,
    said: impl FnOnce(&Answer<'_>) -> Response,
) -> Response {
    let (script, step) = turns::place(&request);
    let (number, asked) = shared.count((script.clone(), step));
    let mut blocks = shared.scripts.step(script.as_deref(), step);
    let model = request["model"].as_str().unwrap_or("mock").to_owned();
    shared.note(method, uri, (script, step), request);
    if let Some(Block::Http { status, body, headers, times }) = blocks.first() {
        if times.is_none_or(|times| asked <= times) {
            return refusal(*status, body, headers);
        }
        blocks.remove(0);
    }
    said(&Answer { number, model: &model, blocks: &blocks })
}

/// The answer as server-sent events, played at its pace.
fn events(moves: Vec<Move>) -> Response {
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(play(moves, sender));
    let body = Body::from_stream(ReceiverStream::new(receiver));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// Plays an answer into the connection until it ends or the client has gone.
async fn play(moves: Vec<Move>, sender: mpsc::Sender<std::io::Result<String>>) {
    for one in moves {
        let sent = match one {
            Move::Send(bytes) => sender.send(Ok(bytes)).await,
            Move::Cut => sender.send(Err(std::io::Error::other("cut by the script"))).await,
            Move::Pause(time) => {
                tokio::select! {
                    () = tokio::time::sleep(time) => Ok(()),
                    () = sender.closed() => return,
                }
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

fn refusal(status: u16, body: &Value, headers: &std::collections::BTreeMap<String, String>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json_response(status, body);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (header::HeaderName::try_from(name), header::HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn json_response(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// A body that is no JSON is kept as text: what a client really sent is what a test must see.
fn parse(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| String::from_utf8_lossy(body).into_owned().into())
}
