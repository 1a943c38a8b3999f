//! How a login is offered, answered and heard of: the host's own options beside the provider's methods, and what events say. Does nothing.

use jackfield_core::contract::{
    Event, EventBody as Told, Fault, FaultKind, Offer, RequestEnd, Status, Subject, Verdict,
};
use jackfield_core::event::{EventBody, LEAVE, LOGGED_IN, Request};
use jackfield_core::id::ThreadId;
use jackfield_core::manifest::Manifest;
use jackfield_core::normalizer::Routed;
use jackfield_core::requests::Reply;

/// What an answer to a login request asks for.
pub(super) enum Step {
    GoOn,
    Leave,
    Method(String),
}

impl Step {
    /// Nothing for a login that is none of methods: its answer is the plugin's to translate.
    pub(super) fn of(asked: &Request, reply: &Reply) -> Option<Step> {
        if !asked.is_login_choice() {
            return None;
        }
        match reply {
            Reply::Dismissed => Some(Step::Leave),
            Reply::Chosen(chosen) if chosen.option_id == LOGGED_IN => Some(Step::GoOn),
            Reply::Chosen(chosen) if chosen.option_id == LEAVE => Some(Step::Leave),
            Reply::Chosen(chosen) => Some(Step::Method(chosen.option_id.clone())),
            _ => None,
        }
    }
}

pub(super) fn own_options() -> [Offer; 2] {
    let offer = |id: &str, label: &str, verdict| Offer { id: id.into(), label: label.into(), verdict };
    [offer(LOGGED_IN, "I have logged in: go on", Verdict::Neutral), offer(LEAVE, "Leave it", Verdict::RejectOnce)]
}

/// The host's own options beside the methods that a plugin offers; those that take a person at a terminal are said instead.
pub(super) fn with_own_options(event: &mut Event, manifest: &Manifest) {
    let Told::RequestsOpened(requests) = &mut event.body else { return };
    let terminal = |id: &str| manifest.login.iter().any(|way| way.method == id && way.profile.is_some());
    for request in requests {
        let Subject::Login(login) = &mut request.subject else { continue };
        if request.options.iter().any(|offer| offer.verdict == Verdict::Neutral) {
            request.options.retain(|offer| ![LOGGED_IN, LEAVE].contains(&offer.id.as_str()) && !terminal(&offer.id));
            request.options.extend(own_options());
            login.text = format!("{}{}", login.text, at_terminal(manifest));
        }
    }
}

/// How a person logs in at a terminal, where the manifest says how.
pub(super) fn at_terminal(manifest: &Manifest) -> String {
    match manifest.login.iter().any(|way| way.profile.is_some()) {
        true => format!(" Run `jackfield login {}` in a terminal.", manifest.name),
        false => String::new(),
    }
}

/// What an event says about logins, read before the event is taken in.
#[derive(Default)]
pub(super) struct Said {
    /// Ends of requests, by the provider's ids.
    pub(super) ends: Vec<RequestEnd>,
    pub(super) logged_in: bool,
    pub(super) missing: Option<Fault>,
}

impl Said {
    pub(super) fn of(event: &Event) -> Said {
        if event.scope.as_ref().is_some_and(|scope| scope.replayed || scope.parent.is_some()) {
            return Said::default();
        }
        match &event.body {
            Told::RequestsClosed(ends) => Said { ends: ends.clone(), ..Said::default() },
            Told::Account(account) => Said { logged_in: account.logged_in == Some(true), ..Said::default() },
            Told::TurnEnded(end) => {
                let missing = end.fault.clone().filter(|fault| fault.kind == FaultKind::Auth);
                Said { missing, ..Said::default() }
            }
            _ => Said::default(),
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        self.missing.is_some()
    }
}

/// The thread in which a turn failed.
pub(super) fn thread_that_met(routed: &[Routed]) -> Option<ThreadId> {
    let failed = |one: &&Routed| matches!(one.draft.body, EventBody::TurnEnded { status: Status::Failed, .. });
    routed.iter().rev().find(failed).map(|one| one.thread.clone())
}
