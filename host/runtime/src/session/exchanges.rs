//! What a plugin asks of HTTP servers: the manifest, the guards, the record, and then the world; and which port a server of ours gets.
//!
//! **A plugin names an origin, never an address**: a server that the host started has the port that the host chose for it, whatever the
//! plugin believes, and is spoken to while that program runs. The key to an origin is the grant of the program that serves it.
//! Names and passwords are added here, behind the plugin's back. Called from `outlet` only.

use super::SessionStart;
use super::outlet::{Outcome, Outlet};
use super::secrets::{basic_of, missing_secret};
use crate::http::{self, Exchange, Request};
use jackfield_core::contract::{EffectBody, FaultKind, HttpRequest, Spawn};
use jackfield_core::exchange::{self, Asked};
use jackfield_core::manifest::{Hole, Origin};
use serde_json::json;

/// An exchange that is open.
pub(super) struct Asking {
    pub(super) exchange: Exchange,
    /// The channel of the program that serves it.
    pub(super) server: u32,
    /// What guards know it by.
    pub(super) carrier: String,
}

type Refusal = (&'static str, FaultKind, String);

impl Outlet {
    /// The wish with the port of a server in its hole, and that port.
    pub(super) fn with_port(&self, start: &SessionStart, wish: &Spawn) -> Result<(Spawn, Option<u16>), Refusal> {
        let manifest = start.generation.manifest();
        let hole = manifest.profile(&wish.profile).filter(|_| manifest.serves(&wish.profile));
        let hole = hole.and_then(|profile| profile.holes.iter().find(|(_, hole)| **hole == Hole::Port));
        let Some((hole, _)) = hole else { return Ok((wish.clone(), None)) };
        if wish.holes.iter().any(|(name, _)| name == hole) {
            let text = format!("the port of '{}' is chosen by the host; leave the hole '{hole}' out", wish.profile);
            return Err(("port-is-the-hosts", FaultKind::Denied, text));
        }
        if self.channels.values().any(|open| open.profile == wish.profile) {
            let text = format!("a server of profile '{}' runs already: an origin has one", wish.profile);
            return Err(("server-runs-already", FaultKind::Conflict, text));
        }
        let port = http::free_port().map_err(|error| {
            ("no-free-port", FaultKind::Internal, format!("no port is free on this machine: {error}"))
        })?;
        let mut settled = wish.clone();
        settled.holes.push((hole.clone(), port.to_string()));
        Ok((settled, Some(port)))
    }

    /// Asks a server, or refuses to.
    pub(super) fn exchange(&mut self, start: &SessionStart, id: u32, wish: &HttpRequest, body: &EffectBody) -> Outcome {
        let limits = self.shared.limits.clone();
        self.exchanges.retain(|_, asking| !asking.exchange.is_over());
        if self.exchanges.len() as u64 >= limits.session_exchanges {
            let text = format!(
                "{} exchanges of this session are open already (limit session_exchanges)",
                limits.session_exchanges
            );
            return self.refuse(start, body, "too-many-exchanges", FaultKind::Denied, text);
        }
        let manifest = start.generation.manifest();
        let asked = match exchange::read(manifest, wish, |origin| self.guards.guards(&origin.carrier()), &limits) {
            Ok(asked) => asked,
            Err(refusal) => {
                let kind = if refusal.is_denial() { FaultKind::Denied } else { FaultKind::Invalid };
                return self.refuse(start, body, refusal.code(), kind, refusal.to_string());
            }
        };
        let (origin, carrier) = (asked.origin.name.clone(), asked.origin.carrier());
        let (path, bytes) = (asked.path.clone(), asked.body.len());
        let rule = if asked.guarded { "guarded-origin" } else { "origin-of-program" };
        let (server, request) = match self.settle_exchange(id, wish.streaming, &carrier, asked) {
            Ok(settled) => settled,
            Err((code, kind, message)) => return self.refuse(start, body, code, kind, message),
        };
        let facts = json!({
            "effect": id,
            "origin": origin,
            "address": format!("127.0.0.1:{}", request.port),
            "method": request.method,
            "path": path,
            "bytes": bytes,
            "streaming": wish.streaming,
        });
        if let Some(refusal) = self.record(start, "http", rule, facts) {
            return refusal;
        }
        let exchange = http::begin(request, limits, self.frames.clone(), self.results.clone());
        self.exchanges.insert(id, Asking { exchange, server, carrier });
        Outcome::Taken
    }

    /// The server, and what goes to it.
    fn settle_exchange(
        &mut self,
        id: u32,
        streaming: bool,
        carrier: &str,
        asked: Asked<'_>,
    ) -> Result<(u32, Request), Refusal> {
        let origin = asked.origin;
        let Some(profile) = &origin.loopback else {
            let text = format!(
                "this host speaks to servers that it started itself; '{}' at {} is not supported",
                origin.name,
                origin.url.as_deref().unwrap_or_default()
            );
            return Err(("origin-unsupported", FaultKind::Unsupported, text));
        };
        let server = self.channels.iter().find(|(_, open)| open.profile == *profile);
        let Some((server, port, root, began)) =
            server.and_then(|(server, open)| Some((*server, open.port?, open.channel.root(), open.began)))
        else {
            let text =
                format!("no program of profile '{profile}' runs, which serves '{}'; start it first", origin.name);
            return Err(("server-not-running", FaultKind::NotFound, text));
        };
        let mut headers = asked.headers.clone();
        headers.extend(self.added_headers(origin)?);
        if asked.guarded {
            let checked = self.guards.check_write(carrier, &asked.shown);
            checked.map_err(|refusal| (refusal.code(), FaultKind::Denied, refusal.to_string()))?;
        }
        let is_json = asked.is_json;
        let request = Request {
            id,
            port,
            root,
            began,
            method: asked.method.clone(),
            target: asked.target(),
            headers,
            stream: streaming.then_some(origin.framing),
            body: match asked.into_sent() {
                body if is_json => self.secrets.filled(body),
                body => body,
            },
        };
        Ok((server, request))
    }

    /// What the host adds: the manifest says where a secret goes, the plugin never sees it.
    fn added_headers(&self, origin: &Origin) -> Result<Vec<(String, String)>, Refusal> {
        let who = format!("'{}'", origin.name);
        let missing = |name: &str| ("secret-missing", FaultKind::Auth, missing_secret(&who, name));
        let mut added = Vec::new();
        for (name, template) in &origin.headers {
            let value = self.secrets.filled_text(template).map_err(|name| missing(&name))?;
            added.push((name.clone(), value));
        }
        if let Some(basic) = &origin.basic {
            let password = self.secrets.value(&basic.secret).ok_or_else(|| missing(&basic.secret))?;
            added.push(("authorization".to_owned(), format!("Basic {}", basic_of(&basic.user, password))));
        }
        Ok(added)
    }
}
