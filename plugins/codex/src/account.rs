//! The account behind the session: who it is, whether a login is missing, how much of its allowances is used, and the way in.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::session::{Call, Codex};
use crate::wire::{AccountRead, LoginStarted, Notice, RateLimits, Window};

/// The ways in that the program's protocol has and that take no key: a key is never given here.
const METHODS: [&str; 2] = ["chatgpt", "chatgptDeviceCode"];

/// Whether somebody is logged in, and logins that wait for a person.
#[derive(Debug, Default)]
pub(crate) struct Login {
    missing: bool,
    /// The configured service wants one.
    wanted: bool,
    /// The program's ids of those that wait. A later one ends those before it.
    waiting: Vec<String>,
}

fn request_of(login: &str) -> String {
    format!("login-{login}")
}

impl Codex {
    pub(crate) fn account_read(&mut self, cx: &mut Cx, answer: Result<Value, RpcError>) {
        let read: AccountRead = answer.ok().and_then(|read| serde_json::from_value(read).ok()).unwrap_or_default();
        self.login.wanted = read.requires_openai_auth;
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
        let text =
            "Codex is not logged in. Log in by one of its ways, or give it the key that its configuration names.";
        self.login.missing.then(|| Fault::new(FaultKind::Auth, text).with_code("auth-required"))
    }

    /// The command `authenticate`.
    pub(crate) fn authenticate(&mut self, cx: &mut Cx, op: u32, method: &str) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        if !METHODS.contains(&method) {
            let known = METHODS.join(", ");
            let text = format!(
                "Codex has no login `{method}` here; it has: {known}. A key is given at a terminal or in its environment."
            );
            return cx.fail(op, Fault::new(FaultKind::Invalid, text));
        }
        self.call(cx, Some(op), "account/login/start", json!({"type": method}), Call::Login { op });
    }

    pub(crate) fn login_started(&mut self, cx: &mut Cx, op: u32, answer: Result<Value, RpcError>) {
        let started: LoginStarted = match answer {
            Ok(started) => serde_json::from_value(started).unwrap_or_default(),
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
        };
        let id = started.login_id.unwrap_or_else(|| op.to_string());
        let text = match started.user_code {
            Some(_) => {
                "Open the page in any browser, log in to your account, and type the code; Codex goes on by itself then."
            }
            None => {
                "Open the page in a browser on this machine and log in to your account; Codex goes on by itself then."
            }
        };
        let url = started.auth_url.or(started.verification_url);
        let login = jackfield_sdk::prelude::Login { url, code: started.user_code, text: text.into() };
        cx.event(EventBody::RequestsOpened(vec![Request::new(request_of(&id), Subject::Login(login))]));
        self.login.waiting.push(id);
        cx.done(op, OpValue::Accepted);
    }

    /// The answer to a login that waits, which can only be that nobody wants it. False when it is about something else.
    pub(crate) fn give_up_login(&mut self, cx: &mut Cx, op: u32, request: &str) -> bool {
        let Some(id) = self.login.waiting.iter().find(|id| request_of(id) == request).cloned() else { return false };
        self.call(cx, None, "account/login/cancel", json!({"loginId": id}), Call::Nothing);
        cx.done(op, OpValue::Accepted);
        self.close_login(cx, &id, Status::Cancelled);
        true
    }

    /// `account/login/completed`: of a login that was given up or replaced it comes late.
    pub(crate) fn login_completed(&mut self, cx: &mut Cx, notice: &Notice) {
        self.login.missing &= !notice.success;
        let status = if notice.success { Status::Completed } else { Status::Failed };
        match &notice.login_id {
            Some(id) => self.close_login(cx, id, status),
            None if notice.success => std::mem::take(&mut self.login.waiting).iter().for_each(|id| {
                cx.event(EventBody::RequestsClosed(vec![RequestEnd { id: request_of(id), status }]));
            }),
            None => {}
        }
    }

    /// The answer to `account/logout`.
    pub(crate) fn logged_out(&mut self, cx: &mut Cx, op: u32, answer: Result<Value, RpcError>) {
        match answer {
            Ok(_) => {
                self.login.missing = self.login.wanted;
                cx.done(op, OpValue::Accepted);
            }
            Err(error) => cx.fail(op, crate::fault::of_call(&error)),
        }
    }

    fn close_login(&mut self, cx: &mut Cx, id: &str, status: Status) {
        let known = self.login.waiting.iter().position(|waiting| waiting == id);
        if let Some(at) = known {
            self.login.waiting.remove(at);
            cx.event(EventBody::RequestsClosed(vec![RequestEnd { id: request_of(id), status }]));
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
