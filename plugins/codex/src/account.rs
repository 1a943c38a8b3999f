//! The account behind the session: who it is, whether a login is missing, how much of its allowances is used, and the way in.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::session::{Call, Codex};
use crate::wire::{AccountRead, LoginStarted, Notice, RateLimits, Window};

/// The one way in that can be taken from here.
const METHOD: &str = "chatgpt";

/// Whether somebody is logged in, and a login that waits for a person.
#[derive(Debug, Default)]
pub(crate) struct Login {
    missing: bool,
    waiting: Option<String>,
}

impl Codex {
    pub(crate) fn account_read(&mut self, cx: &mut Cx, answer: Result<Value, RpcError>) {
        let read: AccountRead = answer.ok().and_then(|read| serde_json::from_value(read).ok()).unwrap_or_default();
        self.login.missing = read.requires_openai_auth && read.account.is_none();
        if read.requires_openai_auth || read.account.is_some() {
            let account = read.account.unwrap_or_default();
            cx.event(EventBody::Account(Account {
                logged_in: Some(!self.login.missing),
                label: account.email.or(Some(account.kind).filter(|kind| !kind.is_empty())),
                plan: account.plan_type,
                limits: vec![],
                extra: vec![],
            }));
        }
        self.ready(cx);
    }

    /// Why no thread can be opened: nobody is logged in, and the configured service wants it.
    pub(crate) fn not_logged_in(&self) -> Option<Fault> {
        let text = "Codex is not logged in. Run `codex login`, or give it the key that its configuration names.";
        self.login.missing.then(|| Fault::new(FaultKind::Auth, text).with_code("auth-required"))
    }

    /// The command `authenticate`.
    pub(crate) fn authenticate(&mut self, cx: &mut Cx, op: u32, method: &str) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        if method != METHOD {
            let text = format!("Codex is logged in here by the method `{METHOD}`; a key is given in its environment.");
            return cx.fail(op, Fault::new(FaultKind::Invalid, text));
        }
        self.call(cx, Some(op), "account/login/start", json!({"type": METHOD}), Call::Login { op });
    }

    pub(crate) fn login_started(&mut self, cx: &mut Cx, op: u32, answer: Result<Value, RpcError>) {
        let started: LoginStarted = match answer {
            Ok(started) => serde_json::from_value(started).unwrap_or_default(),
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
        };
        let id = format!("login-{}", started.login_id.as_deref().unwrap_or("1"));
        let login = jackfield_sdk::prelude::Login {
            url: started.auth_url.or(started.verification_url),
            code: started.user_code,
            text: "Open the page and log in to your account; Codex goes on by itself then.".into(),
        };
        cx.event(EventBody::RequestsOpened(vec![Request::new(&id, Subject::Login(login))]));
        self.login.waiting = Some(id);
        cx.done(op, OpValue::Accepted);
    }

    /// `account/login/completed`.
    pub(crate) fn login_completed(&mut self, cx: &mut Cx, notice: &Notice) {
        self.login.missing &= !notice.success;
        if let Some(id) = self.login.waiting.take() {
            let status = if notice.success { Status::Completed } else { Status::Failed };
            cx.event(EventBody::RequestsClosed(vec![RequestEnd { id, status }]));
        }
    }

    /// `account/updated`.
    pub(crate) fn account_updated(&mut self, cx: &mut Cx, notice: &Notice) {
        self.login.missing &= notice.auth_mode.is_none();
        cx.event(EventBody::Account(Account {
            logged_in: notice.auth_mode.is_some().then_some(true),
            label: notice.auth_mode.clone(),
            plan: notice.plan_type.clone(),
            limits: vec![],
            extra: vec![],
        }));
    }
}

/// `account/rateLimits/updated`: nothing, when the account has no limits.
pub(crate) fn rate_limits(cx: &mut Cx, limits: &RateLimits) -> bool {
    let reached = limits.rate_limit_reached_type.is_some();
    let windows = [&limits.primary, &limits.secondary].into_iter().flatten();
    let limits_shown: Vec<_> = windows.map(|window| allowance(window, reached)).collect();
    if limits_shown.is_empty() && !reached && limits.plan_type.is_none() {
        return false;
    }
    cx.event(EventBody::Account(Account {
        logged_in: None,
        label: None,
        plan: limits.plan_type.clone(),
        limits: limits_shown,
        extra: vec![],
    }));
    true
}

fn allowance(window: &Window, reached: bool) -> RateLimit {
    let name = match window.window_duration_mins {
        Some(300.0) => "five-hour".to_owned(),
        Some(10_080.0) => "weekly".to_owned(),
        Some(minutes) => format!("{minutes}-minutes"),
        None => "requests".to_owned(),
    };
    RateLimit {
        name,
        used_percent: window.used_percent,
        resets_at_ms: window.resets_at.map(|seconds| seconds * 1000.0),
        reached: reached && window.used_percent.is_some_and(|used| used >= 100.0),
    }
}
