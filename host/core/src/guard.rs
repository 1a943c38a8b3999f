//! Guarded exchanges: no answer to a provider's request for approval leaves the host unless a user or a rule gave it.
//!
//! The manifest says how to recognise a request in what the provider sends, and its answer in what the plugin writes. The
//! session task shows every frame (`observe_frame`) before the plugin gets it, records what was decided (`authorize`), and
//! asks before every write (`check_write`).
//! **A write that allows needs a decision that allows, for that very request, with that very input, once.** A write that
//! refuses grants nothing and passes while nobody has decided. What a rule of the operator forbids nobody can allow: the
//! session judges each request by the frame's own words (`call`, `rule`). What the guard does not remember it refuses: ids beyond the
//! bound, requests never seen. It is pure, and keeps digests of inputs, never the inputs. Tests: `guard/tests.rs`.

mod input;
mod offers;

use crate::limits::Limits;
use crate::manifest::{GuardRule, Manifest};
use crate::rules::{Call, Does, Ruling};
use input::InputDigest;
use offers::Offers;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// What a user or a rule decided about a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Authorization {
    /// The tool may run.
    pub allow: bool,
    /// The input as the user changed it; absent when it stays as the provider asked.
    pub edited_input: Option<Value>,
    /// The option that was picked changes rules (its verdict is allow-session or allow-always, or reject-always).
    pub always: bool,
}

/// A request that a guard recognised: its profile and its exact id, where `1` and `"1"` are two.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GuardKey {
    profile: String,
    id: String,
}

/// What became of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It stands for the next answer.
    Yes,
    /// No guarded request of this id is open: nothing to record.
    NotGuarded,
    /// Two open requests have this id as text: none was decided. Use the key of the frame that asked.
    Ambiguous,
}

/// Why a write is not let through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardRefusal {
    /// It allows what the provider never asked.
    #[error("the plugin allows request {id}, which the provider never made (or too long ago)")]
    NotAsked {
        /// The id in the answer.
        id: String,
    },
    /// It allows what nobody decided.
    #[error("the plugin allows request {id} by itself; only a user or a rule can")]
    NotAuthorized {
        /// The id in the answer.
        id: String,
    },
    /// It allows what was refused.
    #[error("the plugin allows request {id}, which was refused")]
    WasRefused {
        /// The id in the answer.
        id: String,
    },
    /// It allows what a rule of the operator forbids.
    #[error("the plugin allows request {id}, which the rule '{rule}' forbids")]
    DeniedByRule {
        /// The id in the answer.
        id: String,
        /// The rule.
        rule: String,
    },
    /// It was answered before.
    #[error("the plugin answers request {id} a second time")]
    Answered {
        /// The id in the answer.
        id: String,
    },
    /// It lets another input run than was decided.
    #[error("the plugin's answer to request {id} has another input than the one that was decided on")]
    InputChanged {
        /// The id in the answer.
        id: String,
    },
    /// It changes rules though that was not picked.
    #[error("the plugin's answer to request {id} has {pointer}, which only an option that says so may bring")]
    NotOffered {
        /// The id in the answer.
        id: String,
        /// What it has.
        pointer: String,
    },
}

impl GuardRefusal {
    /// Stable name of the refusal.
    pub fn code(&self) -> &'static str {
        match self {
            GuardRefusal::NotAsked { .. } => "answer-not-asked",
            GuardRefusal::NotAuthorized { .. } => "answer-not-authorized",
            GuardRefusal::WasRefused { .. } => "answer-was-refused",
            GuardRefusal::DeniedByRule { .. } => "answer-denied-by-rule",
            GuardRefusal::Answered { .. } => "answered-twice",
            GuardRefusal::InputChanged { .. } => "answer-input-changed",
            GuardRefusal::NotOffered { .. } => "answer-not-offered",
        }
    }
}

/// A request that was seen.
#[derive(Debug, Clone)]
struct Seen {
    /// Index of the rule that recognised it: its answer is judged by the same one.
    rule: usize,
    input: InputDigest,
    offers: Offers,
    decision: Option<Decision>,
    answered: bool,
    ruling: Ruling,
    tool: Option<String>,
    does: Option<Does>,
}

/// A decision, as it is kept.
#[derive(Debug, Clone)]
struct Decision {
    allow: bool,
    input: InputDigest,
    always: bool,
    denied: Option<String>,
}

/// The guarded exchanges of one session.
#[derive(Debug, Clone)]
pub struct Guards {
    rules: Vec<GuardRule>,
    seen: HashMap<GuardKey, Seen>,
    /// Keys in the order they were seen: the oldest that was answered is forgotten first.
    order: VecDeque<GuardKey>,
    most: usize,
}

impl Guards {
    /// The guards that a manifest declares.
    pub fn new(manifest: &Manifest, limits: &Limits) -> Self {
        // Answered requests are remembered too, so that a second answer is told from an unknown one.
        let most = (limits.open_requests as usize).saturating_mul(2);
        Guards { rules: manifest.guard.clone(), seen: HashMap::new(), order: VecDeque::new(), most }
    }

    /// True when exchanges on channels of this profile are guarded; here and below an origin is named by its carrier.
    pub fn guards(&self, profile: &str) -> bool {
        self.rules.iter().any(|rule| rule.is_of(profile))
    }

    /// False when this text can't hold a guarded request of the profile: spares most frames a second parsing. A request
    /// that hides from this one is only never allowed.
    pub fn may_concern(&self, profile: &str, text: &str) -> bool {
        let words = |rule: &GuardRule| rule.request.values().filter_map(Value::as_str).all(|word| text.contains(word));
        self.rules.iter().any(|rule| rule.is_of(profile) && words(rule))
    }

    /// Looks at what the provider sent on a channel of this profile; the requests in it that are guarded, and what each asks for.
    pub fn observe_frame(&mut self, profile: &str, frame: &Value) -> Vec<(GuardKey, Call)> {
        let mut found = Vec::new();
        for message in messages(frame) {
            // The first rule that fits is the one: a manifest puts its exceptions first.
            let fits = |rule: &GuardRule| rule.is_of(profile) && matches(&rule.request, message);
            let Some(index) = self.rules.iter().position(fits) else { continue };
            let rule = &self.rules[index];
            let Some(id) = message.pointer(&rule.request_id) else { continue };
            let input = rule.input.as_deref().and_then(|pointer| message.pointer(pointer));
            let tool = rule.tool.as_deref().and_then(|pointer| message.pointer(pointer));
            let call = Call::read(tool, &rule.call, input);
            let key = GuardKey { profile: profile.to_owned(), id: id.to_string() };
            let offers = rule.offers.as_ref().map(|shape| Offers::read(shape, message)).unwrap_or_default();
            found.push((key, index, InputDigest::of(input), offers, call));
        }
        let remembered = found
            .into_iter()
            .map(|(key, rule, input, offers, call)| (self.remember(key, rule, input, offers, &call), call));
        remembered.collect()
    }

    /// Keeps what the operator's rules say of a request.
    pub fn rule(&mut self, key: &GuardKey, ruling: Ruling) {
        if let Some(seen) = self.seen.get_mut(key) {
            seen.ruling = ruling;
        }
    }

    /// What the rules say of the open request whose id, as text, is this. Of two with one id no rule allows any.
    pub fn ruling(&self, request: &str) -> Ruling {
        let mut open = self.open(request).map(|(_, seen)| &seen.ruling);
        let Some(first) = open.next() else { return Ruling::Silent };
        let all = || std::iter::once(first).chain(self.open(request).map(|(_, seen)| &seen.ruling));
        match open.next() {
            None => first.clone(),
            Some(_) => match all().find(|ruling| matches!(ruling, Ruling::Deny(_))) {
                Some(deny) => deny.clone(),
                None if all().all(|ruling| *ruling == Ruling::Silent) => Ruling::Silent,
                None => Ruling::Ask("two open requests have one id".into()),
            },
        }
    }

    /// True when the answer to the request whose id is this has passed.
    pub fn is_answered(&self, request: &str) -> bool {
        self.seen.iter().any(|(key, seen)| seen.answered && key.has_text(request))
            && self.open(request).next().is_none()
    }

    /// Takes a decision back that was not used: an answer that comes after all is one that nobody gave.
    pub fn revoke(&mut self, request: &str) {
        let open = self.seen.iter_mut().filter(|(key, seen)| !seen.answered && key.has_text(request));
        open.for_each(|(_, seen)| seen.decision = None);
    }

    /// What the open request whose id is this would ask for with another input.
    pub fn edited(&self, request: &str, input: &Value) -> Option<Call> {
        let (_, seen) = self.open(request).next()?;
        let rule = &self.rules[seen.rule];
        let tool = seen.tool.clone().map(Value::String);
        Some(Call::read(tool.as_ref(), &rule.call, Some(input)))
    }

    /// What the open request whose id is this does, as far as rules care; `None` when no guard saw it.
    pub fn call_does(&self, request: &str) -> Option<Option<Does>> {
        self.open(request).next().map(|(_, seen)| seen.does)
    }

    fn open<'a>(&'a self, request: &'a str) -> impl Iterator<Item = (&'a GuardKey, &'a Seen)> {
        self.seen.iter().filter(move |(key, seen)| !seen.answered && key.has_text(request))
    }

    /// Keeps a request. The same one again, unanswered and unchanged, keeps its decision; any other takes its place undecided.
    fn remember(&mut self, key: GuardKey, rule: usize, input: InputDigest, offers: Offers, call: &Call) -> GuardKey {
        let asks_the_same = |seen: &Seen| seen.rule == rule && seen.input == input && seen.offers == offers;
        let same = self.seen.get(&key).is_some_and(|seen| !seen.answered && asks_the_same(seen));
        if !same {
            let (tool, does) = (call.tool.clone(), call.does);
            let seen =
                Seen { rule, input, offers, decision: None, answered: false, ruling: Ruling::Silent, tool, does };
            if self.seen.insert(key.clone(), seen).is_some() {
                self.order.retain(|other| *other != key);
            }
            self.order.push_back(key.clone());
            while self.order.len() > self.most {
                // One that still waits for its answer is kept longer: others may come and go meanwhile.
                let done = self.order.iter().position(|key| self.seen.get(key).is_none_or(|seen| seen.answered));
                if let Some(oldest) = self.order.remove(done.unwrap_or(0)) {
                    self.seen.remove(&oldest);
                }
            }
        }
        key
    }

    /// Records a decision on the open request whose id, as text, is this. A later decision on it replaces an earlier one.
    pub fn authorize(&mut self, request: &str, decision: Authorization) -> Recorded {
        let keys: Vec<_> = self.open(request).map(|(key, _)| key.clone()).collect();
        match keys.as_slice() {
            [] => Recorded::NotGuarded,
            [key] => self.authorize_key(key, decision),
            _ => Recorded::Ambiguous,
        }
    }

    /// Records a decision on the request that a frame made, whatever the plugin calls it.
    pub fn authorize_key(&mut self, key: &GuardKey, decision: Authorization) -> Recorded {
        let Some(seen) = self.seen.get_mut(key).filter(|seen| !seen.answered) else { return Recorded::NotGuarded };
        let input =
            decision.edited_input.as_ref().map_or_else(|| seen.input.clone(), |edited| InputDigest::of(Some(edited)));
        // An edited input is another one: whoever decided asked the rules about it.
        let denied = match &seen.ruling {
            Ruling::Deny(rule) if decision.edited_input.is_none() => Some(rule.clone()),
            _ => None,
        };
        seen.decision = Some(Decision { allow: decision.allow, input, always: decision.always, denied });
        Recorded::Yes
    }

    /// Asks whether the plugin may write this to a channel of this profile; an answer that passes is used up.
    pub fn check_write(&mut self, profile: &str, message: &Value) -> Result<(), GuardRefusal> {
        let mut answers = Vec::new();
        for part in messages(message) {
            let Some((rule, key)) = self.answered_by(profile, part) else { continue };
            // Two answers to one request in one write are one too many.
            if answers.contains(&key) {
                return Err(GuardRefusal::Answered { id: key.shown() });
            }
            self.check_answer(rule, &key, part)?;
            answers.push(key);
        }
        for key in answers {
            if let Some(seen) = self.seen.get_mut(&key) {
                seen.answered = true;
            }
        }
        Ok(())
    }

    /// The rule an answer is judged by: the one that recognised its request, else the first whose answers look like this.
    fn answered_by(&self, profile: &str, answer: &Value) -> Option<(&GuardRule, GuardKey)> {
        let has = |rule: &GuardRule| rule.answer_has.iter().all(|pointer| answer.pointer(pointer).is_some());
        let fits = |rule: &GuardRule| rule.is_of(profile) && matches(&rule.answer, answer) && has(rule);
        let candidates = || self.rules.iter().enumerate().filter(|(_, rule)| fits(rule));
        let keyed = |(index, rule)| (index, rule, GuardKey::in_answer(profile, rule, answer));
        let asked =
            candidates().map(keyed).find(|(index, _, key)| self.seen.get(key).is_some_and(|seen| seen.rule == *index));
        let (_, rule, key) = asked.or_else(|| candidates().map(keyed).next())?;
        Some((rule, key))
    }

    fn check_answer(&self, rule: &GuardRule, key: &GuardKey, answer: &Value) -> Result<(), GuardRefusal> {
        let id = key.shown();
        let seen = self.seen.get(key);
        let decision = seen.and_then(|seen| seen.decision.as_ref());
        if seen.is_some_and(|seen| seen.answered) {
            return Err(GuardRefusal::Answered { id });
        }
        let extra = rule.only_if_offered.iter().find(|pointer| answer.pointer(pointer).is_some_and(says_something));
        if let Some(pointer) = extra.or_else(|| named(&rule.allow_always, answer))
            && !decision.is_some_and(|decision| decision.always)
        {
            return Err(GuardRefusal::NotOffered { id, pointer: pointer.clone() });
        }
        let unknown = Offers::default();
        let picked = rule.offers.as_ref().and_then(|shape| {
            let offers = seen.map_or(&unknown, |seen| &seen.offers);
            Some((&shape.answer, offers.picked(answer.pointer(&shape.answer)?)))
        });
        if let Some((pointer, picked)) = &picked
            && picked.lasts
            && (picked.refuses || seen.is_some())
            && !decision.is_some_and(|decision| decision.always)
        {
            return Err(GuardRefusal::NotOffered { id, pointer: (*pointer).clone() });
        }
        if !allows(rule, answer) && picked.is_none_or(|(_, picked)| picked.refuses) {
            return Ok(());
        }
        let Some(seen) = seen else { return Err(GuardRefusal::NotAsked { id }) };
        let Some(decision) = decision else { return Err(GuardRefusal::NotAuthorized { id }) };
        if !decision.allow {
            return Err(GuardRefusal::WasRefused { id });
        }
        if let Some(rule) = &decision.denied {
            return Err(GuardRefusal::DeniedByRule { id, rule: rule.clone() });
        }
        // An answer without an input lets the provider's own run: right only when nobody edited it.
        let input = rule.answer_input.as_deref().and_then(|pointer| answer.pointer(pointer));
        let effective = input.map_or_else(|| seen.input.clone(), |input| InputDigest::of(Some(input)));
        if effective == decision.input { Ok(()) } else { Err(GuardRefusal::InputChanged { id }) }
    }
}

impl GuardKey {
    fn in_answer(profile: &str, rule: &GuardRule, answer: &Value) -> Self {
        let id = answer.pointer(&rule.answer_id).unwrap_or(&Value::Null);
        GuardKey { profile: profile.to_owned(), id: id.to_string() }
    }

    /// True when this is the id's text, as a plugin gives it in a request: `"a"` and `a`, `1` and `1`.
    fn has_text(&self, text: &str) -> bool {
        self.id == text || serde_json::from_str::<String>(&self.id).is_ok_and(|id| id == text)
    }

    /// The id for a message, cut.
    fn shown(&self) -> String {
        self.id.chars().take(80).collect()
    }
}

/// A message, or the messages of a batch: an answer must not slip through inside a list.
fn messages(value: &Value) -> impl Iterator<Item = &Value> {
    let (one, many) = match value {
        Value::Array(list) => (None, list.as_slice()),
        one => (Some(one), [].as_slice()),
    };
    one.into_iter().chain(many)
}

fn matches(pattern: &BTreeMap<String, Value>, message: &Value) -> bool {
    pattern.iter().all(|(pointer, value)| message.pointer(pointer) == Some(value))
}

fn allows(rule: &GuardRule, answer: &Value) -> bool {
    named(&rule.allow, answer).or_else(|| named(&rule.allow_always, answer)).is_some()
}

/// The first pointer at which an answer has one of its values; `{}` stands for whatever is there.
fn named<'a>(values: &'a BTreeMap<String, Vec<Value>>, answer: &Value) -> Option<&'a String> {
    let anything = |wanted: &Value| wanted.as_object().is_some_and(serde_json::Map::is_empty);
    let is_it = |wanted: &Value, value: &Value| wanted == value || (anything(wanted) && !value.is_null());
    let has = |pointer: &String, all: &[Value]| {
        answer.pointer(pointer).is_some_and(|value| all.iter().any(|wanted| is_it(wanted, value)))
    };
    values.iter().find(|(pointer, all)| has(pointer, all)).map(|(pointer, _)| pointer)
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
