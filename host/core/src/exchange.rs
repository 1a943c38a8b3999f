//! Whether a plugin may ask this of an HTTP server: its origin, its route, its headers, its size; and what the guards are shown of it.
//!
//! Pure. **What is judged is what is sent**: the path is taken apart, decoded, compared and put together again; a body that a guard
//! has looked at is written anew from what it saw. A path that could be read in two ways is refused. Tests: below, and
//! `tests/tests/http.rs` through the whole house.

use crate::contract::{FrameData, HttpRequest};
use crate::limits::Limits;
use crate::manifest::{Manifest, Origin};
use serde_json::{Value, json};

/// A request that may be made, as far as the manifest says.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked<'a> {
    /// Of whom.
    pub origin: &'a Origin,
    /// The method.
    pub method: String,
    /// The path without its query: what a record holds of it.
    pub path: String,
    /// The query, as it is sent, without its `?`.
    pub query: Option<String>,
    /// Headers of the plugin's, in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The body is JSON; where a guard looks at it, it is written anew.
    pub is_json: bool,
    /// A guard looks at what this origin is asked.
    pub guarded: bool,
    /// What a guard is shown: `{"method", "segments", "query", "body"}`.
    pub shown: Value,
}

/// Why it is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeRefusal {
    /// No such origin.
    #[error("the manifest of {plugin} has no origin '{origin}'; it has {known}")]
    NoOrigin {
        /// The plugin.
        plugin: String,
        /// The origin.
        origin: String,
        /// Those it has.
        known: String,
    },
    /// The path is not one.
    #[error(
        "'{path}' is no path that is read in one way only: it begins with '/', has neither empty segments nor '.' and '..', and what is written as %XX decodes to text without '/' and control characters"
    )]
    Path {
        /// The path, cut.
        path: String,
    },
    /// The manifest does not ask for it.
    #[error("the manifest of {plugin} does not ask for {method} {path} of '{origin}'; it asks for: {routes}")]
    NoRoute {
        /// The plugin.
        plugin: String,
        /// The method.
        method: String,
        /// The path, cut.
        path: String,
        /// The origin.
        origin: String,
        /// What it asks for.
        routes: String,
    },
    /// A header that is not the plugin's to set.
    #[error("the header '{name}' is not a plugin's to set, or has a value that is no header's; it may set {}", MAY_SET.join(", "))]
    Header {
        /// Its name, cut.
        name: String,
    },
    /// The body is neither text nor bytes, or a guard must read it and it is no JSON.
    #[error("the body of {method} {path} {problem}")]
    Body {
        /// The method.
        method: String,
        /// The path, cut.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// More than may be sent.
    #[error("the body has {bytes} bytes, at most {limit} may be sent (limit http_request_bytes)")]
    TooLarge {
        /// How much.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
}

impl ExchangeRefusal {
    /// Stable name of the refusal.
    pub fn code(&self) -> &'static str {
        match self {
            ExchangeRefusal::NoOrigin { .. } => "no-such-origin",
            ExchangeRefusal::Path { .. } => "path-malformed",
            ExchangeRefusal::NoRoute { .. } => "route-not-declared",
            ExchangeRefusal::Header { .. } => "header-refused",
            ExchangeRefusal::Body { .. } => "body-malformed",
            ExchangeRefusal::TooLarge { .. } => "request-too-large",
        }
    }

    /// True when the plugin may not, false when what it said is malformed.
    pub fn is_denial(&self) -> bool {
        matches!(
            self,
            ExchangeRefusal::NoOrigin { .. } | ExchangeRefusal::NoRoute { .. } | ExchangeRefusal::Header { .. }
        )
    }
}

/// Headers that a plugin may set: none of them changes whom or what a request is about.
const MAY_SET: [&str; 6] = ["accept", "content-type", "if-match", "if-none-match", "last-event-id", "prefer"];

/// Holds a wish against the manifest. `guarded` says whether a guard looks at what this origin is asked.
pub fn read<'a>(
    manifest: &'a Manifest,
    wish: &HttpRequest,
    guarded: impl FnOnce(&Origin) -> bool,
    limits: &Limits,
) -> Result<Asked<'a>, ExchangeRefusal> {
    let Some(origin) = manifest.origin.iter().find(|origin| origin.name == wish.origin) else {
        let known: Vec<_> = manifest.origin.iter().map(|origin| origin.name.as_str()).collect();
        return Err(ExchangeRefusal::NoOrigin {
            plugin: manifest.full_name(),
            origin: short(&wish.origin),
            known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
        });
    };
    let target = Target::read(&wish.path).ok_or_else(|| ExchangeRefusal::Path { path: short(&wish.path) })?;
    if !origin.routes.iter().any(|route| route.allows(&wish.method, &target.segments, &target.query)) {
        let routes: Vec<_> = origin.routes.iter().map(ToString::to_string).collect();
        return Err(ExchangeRefusal::NoRoute {
            plugin: manifest.full_name(),
            method: short(&wish.method),
            path: short(&wish.path),
            origin: origin.name.clone(),
            routes: routes.join(", "),
        });
    }
    let headers = headers(&wish.headers)?;
    let malformed = |problem: &str| ExchangeRefusal::Body {
        method: wish.method.clone(),
        path: short(&target.path()),
        problem: problem.to_owned(),
    };
    let body = match &wish.body {
        None => Vec::new(),
        Some(FrameData::Text(text)) => text.clone().into_bytes(),
        Some(FrameData::Bytes(bytes)) => bytes.clone(),
        Some(FrameData::Named(_) | FrameData::Other(_)) => return Err(malformed("is neither text nor bytes")),
    };
    if body.len() as u64 > limits.http_request_bytes {
        return Err(ExchangeRefusal::TooLarge { bytes: body.len() as u64, limit: limits.http_request_bytes });
    }
    let json: Option<Value> = serde_json::from_slice(&body).ok();
    let guarded = guarded(origin);
    if guarded && json.is_none() && !body.is_empty() {
        return Err(malformed("is no JSON, and a guard must be able to read it"));
    }
    let query: serde_json::Map<_, _> =
        target.query.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect();
    let shown = json!({ "method": wish.method, "segments": target.segments, "query": query, "body": json });
    Ok(Asked {
        origin,
        method: wish.method.clone(),
        path: target.path(),
        query: target.to_query(),
        headers,
        is_json: json.is_some(),
        guarded,
        body,
        shown,
    })
}

impl Asked<'_> {
    /// Path and query, as they are sent.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The body as it is sent: where a guard looks at it as that guard read it, so that no second reading of it can differ.
    pub fn into_sent(self) -> Vec<u8> {
        match &self.shown["body"] {
            body if self.guarded && !body.is_null() => body.to_string().into_bytes(),
            _ => self.body,
        }
    }
}

fn headers(wished: &[(String, String)]) -> Result<Vec<(String, String)>, ExchangeRefusal> {
    let one = |(name, value): &(String, String)| {
        let name = name.to_ascii_lowercase();
        let printable = value.len() <= 1024 && value.bytes().all(|b| (0x20..0x7f).contains(&b));
        match MAY_SET.contains(&name.as_str()) && printable {
            true => Ok((name, value.clone())),
            false => Err(ExchangeRefusal::Header { name: short(&name) }),
        }
    };
    let all = wished.iter().map(one).collect::<Result<Vec<_>, _>>()?;
    match all.iter().enumerate().find(|(n, (name, _))| all[..*n].iter().any(|(other, _)| other == name)) {
        Some((_, (twice, _))) => Err(ExchangeRefusal::Header { name: twice.clone() }),
        None => Ok(all),
    }
}

/// A path and a query, decoded.
struct Target {
    segments: Vec<String>,
    query: Vec<(String, String)>,
}

/// Longest path with its query, in bytes: what servers commonly take of a request line.
const TARGET_BYTES: usize = 8 * 1024;

impl Target {
    fn read(text: &str) -> Option<Target> {
        if text.len() > TARGET_BYTES {
            return None;
        }
        let (path, query) = text.split_once('?').map_or((text, None), |(path, query)| (path, Some(query)));
        let segments = path.strip_prefix('/')?.split('/').map(decoded).collect::<Option<Vec<_>>>()?;
        let whole = |segment: &String| {
            !segment.is_empty() && !matches!(segment.as_str(), "." | "..") && !segment.contains(['/', '\\'])
        };
        if !segments.iter().all(whole) && path != "/" {
            return None;
        }
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        };
        let query = match query {
            None => Vec::new(),
            Some(query) => query.split('&').map(pair).collect::<Option<Vec<_>>>()?,
        };
        let distinct =
            query.iter().enumerate().all(|(n, (name, _))| !query[..n].iter().any(|(other, _)| other == name));
        distinct.then_some(Target { segments, query })
    }

    fn path(&self) -> String {
        self.segments.iter().map(|segment| format!("/{}", encoded(segment))).collect()
    }

    fn to_query(&self) -> Option<String> {
        let pairs: Vec<_> =
            self.query.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        (!pairs.is_empty()).then(|| pairs.join("&"))
    }
}

/// Decodes `%XX`; nothing for what is no text, has a control character or is written in a way that servers read differently.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digit = |byte: &u8| (*byte as char).to_digit(16);
                bytes.push((digit(high)? * 16 + digit(low)?) as u8);
                tail
            }
            (b'%' | b'+' | b'#' | b'?' | b'\\' | b'"' | b'<' | b'>', _) => return None,
            (byte, tail) if byte.is_ascii_graphic() => {
                bytes.push(*byte);
                tail
            }
            _ => return None,
        };
    }
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}

fn encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        b if b.is_ascii_alphanumeric() || b"-_.~:@".contains(&b) => (b as char).to_string(),
        b => format!("%{b:02X}"),
    };
    text.bytes().map(one).collect()
}

fn short(text: &str) -> String {
    text.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest::from_toml(
            r#"
publisher = "acme"
name = "talker"
version = "0.1.0"
contract = "0.1.0-draft"
license = "MIT"
description = "Speaks."
[[spawn]]
profile = "main"
program = "talkerd"
framing = "raw"
args = ["--port", "{port}"]
[spawn.holes]
port = { type = "port" }
[[origin]]
name = "server"
loopback = "main"
routes = ["GET /event", "POST /session/*/answers/*", "GET /list?limit"]
"#,
        )
        .unwrap()
    }

    fn wish(method: &str, path: &str) -> HttpRequest {
        HttpRequest {
            origin: "server".into(),
            method: method.into(),
            path: path.into(),
            headers: vec![],
            body: None,
            streaming: false,
        }
    }

    fn asked(wish: &HttpRequest) -> Result<(String, Value), &'static str> {
        let manifest = manifest();
        let asked = read(&manifest, wish, |_| true, &Limits::default());
        asked.map(|asked| (asked.target(), asked.shown.clone())).map_err(|refusal| refusal.code())
    }

    #[test]
    fn what_is_judged_is_what_is_sent() {
        let (path, shown) = asked(&wish("POST", "/session/s%2D1/%61nswers/p%201")).unwrap();
        assert_eq!(path, "/session/s-1/answers/p%201");
        assert_eq!(shown["segments"], json!(["session", "s-1", "answers", "p 1"]));
        assert_eq!(asked(&wish("GET", "/list?limit=3")).unwrap().0, "/list?limit=3");
        let body = Some(FrameData::Text("{\"a\":1,\"a\":2}".into()));
        let manifest = manifest();
        let wish = HttpRequest { body, ..wish("POST", "/session/s/answers/p") };
        let asked = read(&manifest, &wish, |_| true, &Limits::default()).unwrap();
        assert_eq!(asked.into_sent(), b"{\"a\":2}");
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_no_path() {
        let paths = [
            "event",
            "",
            "//event",
            "/event/",
            "/./event",
            "/session/../event",
            "/session/%2e%2e/event",
            "/event%2fx",
            "/event%5cx",
            "/event%00",
            "/event%0d%0ax",
            "/eve nt",
            "/event#x",
            "/event%zz",
            "/event%ff",
            "/list?limit=1&limit=2",
            "/list?li+mit=1",
            "/event?a?b",
        ];
        for path in paths {
            assert_eq!(asked(&wish("GET", path)), Err("path-malformed"), "{path}");
        }
    }

    #[test]
    fn what_the_manifest_does_not_ask_for_is_not_asked() {
        for (method, path) in [
            ("POST", "/event"),
            ("get", "/event"),
            ("GET", "/list?directory=%2F"),
            ("GET", "/secret"),
            ("CONNECT", "/event"),
        ] {
            assert_eq!(asked(&wish(method, path)), Err("route-not-declared"), "{method} {path}");
        }
        assert_eq!(asked(&HttpRequest { origin: "other".into(), ..wish("GET", "/event") }), Err("no-such-origin"));
    }

    #[test]
    fn headers_and_bodies_are_held_to_what_they_may_be() {
        let header = |name: &str, value: &str| {
            asked(&HttpRequest { headers: vec![(name.into(), value.into())], ..wish("GET", "/event") }).map(drop)
        };
        assert_eq!(header("Accept", "text/event-stream"), Ok(()));
        for (name, value) in
            [("host", "x"), ("x-directory", "/"), ("content-length", "9"), ("accept", "a\r\nb: c"), ("cookie", "a")]
        {
            assert_eq!(header(name, value), Err("header-refused"), "{name}");
        }
        let body = |body: FrameData| {
            asked(&HttpRequest { body: Some(body), ..wish("POST", "/session/s/answers/p") }).map(drop)
        };
        assert_eq!(body(FrameData::Text("no json".into())), Err("body-malformed"));
        assert_eq!(body(FrameData::Named(("a".into(), "{}".into()))), Err("body-malformed"));
        let most = Limits::default().http_request_bytes as usize;
        assert_eq!(body(FrameData::Bytes(vec![b'1'; most + 1])), Err("request-too-large"));
    }
}
