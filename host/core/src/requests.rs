//! What waits for an answer in one session.
//!
//! **A request is answered exactly once: the first answer wins, it may only hold what the provider offered, and whatever
//! does not fit fails closed and leaves the request open.** An answer counts once the plugin says that it is written.
//! The table knows nothing of turns but the one a request came from; when those end is the normalizer's affair.
//! Tests: cases c52 to c56 of `tests/normalizer`.

use crate::contract::{self, Answer, Chosen, Filled, Offer, Status, Verdict};
use crate::event::{Request, RequestSubject, Resolution};
use crate::id::{ItemId, RequestId, RunId, TurnId};
use crate::lifecycle::{self, RequestStatus, State};
use std::collections::VecDeque;

pub use crate::contract::Reply;

/// Why an answer was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// No such request.
    #[error("no request {id} in this session; list the open ones and answer one of those")]
    NotFound {
        /// The id that was given.
        id: String,
    },
    /// Somebody was first.
    #[error("request {id} was answered by {by}; nothing is left to do")]
    AlreadyResolved {
        /// The request.
        id: RequestId,
        /// Who answered.
        by: String,
    },
    /// Somebody was first, and the answer is on its way.
    #[error("{by} is answering request {id}; wait for request.resolved")]
    AlreadyAnswering {
        /// The request.
        id: RequestId,
        /// Who is answering.
        by: String,
    },
    /// It can't be answered any more.
    #[error("request {id} has expired or was withdrawn; send a message, and the provider will ask again")]
    Expired {
        /// The request.
        id: RequestId,
    },
    /// The option was not offered.
    #[error("{option:?} was not offered; pick one of {offered:?}")]
    InvalidOption {
        /// The option that was given.
        option: String,
        /// The ids that were offered.
        offered: Vec<String>,
    },
    /// The answer does not fit the request.
    #[error("the answer does not fit: {problem}; the request is still open")]
    InvalidAnswer {
        /// What is wrong.
        problem: String,
    },
}

impl AnswerError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not-found",
            Self::AlreadyResolved { .. } => "already-resolved",
            Self::AlreadyAnswering { .. } => "already-answering",
            Self::Expired { .. } => "expired",
            Self::InvalidOption { .. } => "invalid-option",
            Self::InvalidAnswer { .. } => "invalid-answer",
        }
    }
}

/// Where a request came from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    /// Index of the thread in the normalizer.
    pub thread: usize,
    pub run: Option<RunId>,
    pub turn: Option<TurnId>,
    pub parent: Option<ItemId>,
}

/// A request that is open or being answered.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub request: Request,
    pub native: String,
    pub place: Place,
    state: State<lifecycle::Request>,
    /// The answer that is on its way.
    answering: Option<Answering>,
}

#[derive(Debug, Clone)]
struct Answering {
    by: String,
    resolution: Resolution,
    stops_turn: bool,
}

/// A request that has just been resolved.
#[derive(Debug, Clone)]
pub(crate) struct Resolved {
    pub id: RequestId,
    pub item: Option<ItemId>,
    pub place: Place,
    pub resolution: Resolution,
    /// The option that was picked stops the turn: as good as an interrupt of ours.
    pub stops_turn: bool,
}

/// A request of an earlier session that its provider promised to ask again.
#[derive(Debug, Clone, PartialEq)]
pub struct Survivor {
    /// As it was shown.
    pub request: Request,
    /// The provider's id of it: by it, it is known again.
    pub native: String,
}

impl Survivor {
    /// True when this asks for the same thing: an answer to the one is an answer to the other.
    pub(crate) fn is(&self, told: &Request) -> bool {
        let ids = |request: &Request| request.questions.iter().map(|question| question.id.clone()).collect::<Vec<_>>();
        let before = &self.request;
        before.subject == told.subject && before.options == told.options && ids(before) == ids(told)
    }
}

/// All requests of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Requests {
    open: Vec<Open>,
    /// Those that were resolved lately, so that a late answer learns by whom.
    resolved: VecDeque<(RequestId, Resolution)>,
    remembered: usize,
}

impl Requests {
    pub fn new(remembered: usize) -> Self {
        Self { open: Vec::new(), resolved: VecDeque::new(), remembered }
    }

    pub fn open(&self) -> &[Open] {
        &self.open
    }

    pub fn has_native(&self, thread: usize, native: &str) -> bool {
        self.open.iter().any(|open| open.place.thread == thread && open.native == native)
    }

    pub fn add(&mut self, request: Request, native: String, place: Place) {
        self.open.push(Open { request, native, place, state: State::default(), answering: None });
    }

    /// Checks an answer against what was offered, marks the request and translates the answer to native ids.
    pub fn answer(&mut self, id: &RequestId, reply: Reply, by: &str) -> Result<Answer, AnswerError> {
        let Some(open) = self.open.iter_mut().find(|open| open.request.id == *id) else {
            return Err(self.gone(id));
        };
        if let Some(answering) = &open.answering {
            return Err(AnswerError::AlreadyAnswering { id: id.clone(), by: answering.by.clone() });
        }
        let (resolution, stops_turn) = check(&open.request, &reply, by)?;
        open.answering =
            open.state.step(RequestStatus::Answering).then(|| Answering { by: by.to_owned(), resolution, stops_turn });
        Ok(Answer { request: open.native.clone(), reply })
    }

    /// An answer that stops the turn is on its way in this run.
    pub fn is_stopping(&self, run: &RunId) -> bool {
        let stops = |open: &Open| open.answering.as_ref().is_some_and(|answering| answering.stops_turn);
        self.open.iter().any(|open| open.place.run.as_ref() == Some(run) && stops(open))
    }

    /// The session ends and these are not over: the provider asks them again in the next one. What an answer is on its way to is
    /// not among them.
    pub fn leave_where(&mut self, pick: impl Fn(&Open) -> bool) {
        self.open.retain(|open| open.answering.is_some() || !pick(open));
    }

    /// One of an earlier session is over: whoever answers it late learns that.
    pub fn expired(&mut self, id: RequestId) {
        self.remember(id, Resolution::Expired);
    }

    fn remember(&mut self, id: RequestId, resolution: Resolution) {
        if self.resolved.len() >= self.remembered {
            self.resolved.pop_front();
        }
        self.resolved.push_back((id, resolution));
    }

    /// The plugin wrote the answer.
    pub fn written(&mut self, id: &RequestId) -> Option<Resolved> {
        let open = self.open.iter().find(|open| open.request.id == *id)?;
        let resolution = open.answering.as_ref()?.resolution.clone();
        self.resolve(id, resolution)
    }

    /// The plugin could not write the answer: the request is open again. False when it is not being answered.
    pub fn reopen(&mut self, id: &RequestId) -> bool {
        let open = self.open.iter_mut().find(|open| open.request.id == *id);
        open.is_some_and(|open| open.state.step(RequestStatus::Open) && open.answering.take().is_some())
    }

    /// The provider says that it needs no answer any more.
    pub fn close(&mut self, thread: usize, native: &str, status: Status) -> Option<Resolved> {
        let open = self.open.iter().find(|open| open.place.thread == thread && open.native == native)?;
        let answered = open.answering.as_ref().map(|answering| answering.resolution.clone());
        let resolution = match (status, answered) {
            (Status::Completed, Some(resolution)) => resolution,
            (Status::Completed, None) => Resolution::Answered { option: None, allowed: None, by: "provider".into() },
            (Status::Failed, _) => Resolution::Failed,
            // It is taken back because we are stopping the run, whichever of the two is heard first.
            (_, Some(Resolution::Dismissed)) => Resolution::Dismissed,
            _ => Resolution::Withdrawn,
        };
        let id = open.request.id.clone();
        self.resolve(&id, resolution)
    }

    /// Resolves all that this picks. One that nobody withdrew and whose answer is on its way ends with that answer: the
    /// provider can go on before the plugin hears that it was written.
    pub fn resolve_where(&mut self, resolution: &Resolution, pick: impl Fn(&Open) -> bool) -> Vec<Resolved> {
        let end = |open: &Open| match (&open.answering, resolution) {
            (Some(answering), Resolution::Withdrawn) => answering.resolution.clone(),
            // It stopped the turn itself.
            (Some(answering), Resolution::Dismissed) if answering.stops_turn => answering.resolution.clone(),
            _ => resolution.clone(),
        };
        let picked = self.open.iter().filter(|open| pick(open));
        let ends: Vec<_> = picked.map(|open| (open.request.id.clone(), end(open))).collect();
        ends.into_iter().filter_map(|(id, end)| self.resolve(&id, end)).collect()
    }

    fn resolve(&mut self, id: &RequestId, resolution: Resolution) -> Option<Resolved> {
        let at =
            self.open.iter_mut().position(|open| open.request.id == *id && open.state.step((&resolution).into()))?;
        let open = self.open.remove(at);
        self.remember(id.clone(), resolution.clone());
        let answered = matches!(resolution, Resolution::Answered { .. });
        let stops_turn = answered && open.answering.is_some_and(|answering| answering.stops_turn);
        Some(Resolved { id: id.clone(), item: open.request.item, place: open.place, resolution, stops_turn })
    }

    fn gone(&self, id: &RequestId) -> AnswerError {
        match self.resolved.iter().rev().find(|(known, _)| known == id) {
            Some((_, Resolution::Answered { by, .. })) => {
                AnswerError::AlreadyResolved { id: id.clone(), by: by.clone() }
            }
            Some((_, Resolution::Dismissed | Resolution::Failed)) => {
                AnswerError::AlreadyResolved { id: id.clone(), by: "host".into() }
            }
            Some((_, Resolution::Expired | Resolution::Withdrawn)) => AnswerError::Expired { id: id.clone() },
            None => AnswerError::NotFound { id: id.to_string() },
        }
    }
}

/// What comes of the answer once it is written, and whether it stops the turn.
fn check(request: &Request, reply: &Reply, by: &str) -> Result<(Resolution, bool), AnswerError> {
    let answered = |option: Option<String>, allowed| Resolution::Answered { option, allowed, by: by.to_owned() };
    match reply {
        Reply::Chosen(chosen) => {
            let offer = offered(&request.options, &chosen.option_id)?;
            check_edit(request, chosen, offer)?;
            let resolution = answered(Some(offer.id.clone()), allows(offer.verdict));
            Ok((resolution, offer.verdict == Verdict::Abort))
        }
        Reply::Filled(filled) => check_filled(request, filled).map(|()| (answered(None, None), false)),
        Reply::Output(_) if matches!(request.subject, RequestSubject::HostTool { .. }) => {
            Ok((answered(None, None), false))
        }
        Reply::Output(_) => Err(invalid("only a call of a host's tool takes an output")),
        Reply::Dismissed => Ok((Resolution::Dismissed, false)),
        Reply::Other(other) => Err(invalid(format!("nothing is known of a reply {:?}", other.name))),
    }
}

fn offered<'a>(options: &'a [Offer], id: &str) -> Result<&'a Offer, AnswerError> {
    options.iter().find(|offer| offer.id == id).ok_or_else(|| AnswerError::InvalidOption {
        option: id.to_owned(),
        offered: options.iter().map(|offer| offer.id.clone()).collect(),
    })
}

/// Whether an option of this verdict lets the thing happen; `None` where it does neither. One that is not known counts as allowing.
pub fn allows(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::AllowOnce | Verdict::AllowSession | Verdict::AllowAlways | Verdict::Unknown => Some(true),
        Verdict::RejectOnce | Verdict::RejectAlways | Verdict::Abort => Some(false),
        Verdict::Neutral => None,
    }
}

fn check_edit(request: &Request, chosen: &Chosen, offer: &Offer) -> Result<(), AnswerError> {
    let Some(input) = &chosen.input else { return Ok(()) };
    if !matches!(request.subject, RequestSubject::Approval { .. }) {
        return Err(invalid("only the input of a tool that asks for approval can be edited"));
    }
    if allows(offer.verdict) != Some(true) {
        return Err(invalid("an edited input goes with an option that allows"));
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(input) {
        Ok(_) => Ok(()),
        Err(error) => Err(invalid(format!("the edited input is not JSON ({error})"))),
    }
}

fn check_filled(request: &Request, filled: &[Filled]) -> Result<(), AnswerError> {
    if filled.is_empty() {
        return Err(invalid("no question is answered"));
    }
    for (at, answer) in filled.iter().enumerate() {
        let question = request.questions.iter().find(|question| question.id == answer.question);
        let Some(question) = question else {
            return Err(invalid(format!("there is no question {:?}", answer.question)));
        };
        if filled[..at].iter().any(|earlier| earlier.question == answer.question) {
            return Err(invalid(format!("question {:?} is answered twice", question.id)));
        }
        check_values(question, &answer.values)?;
    }
    Ok(())
}

fn check_values(question: &contract::Question, values: &[String]) -> Result<(), AnswerError> {
    let id = &question.id;
    if values.is_empty() || (values.len() > 1 && !question.multiple) {
        return Err(invalid(format!(
            "question {id:?} takes {} value",
            if question.multiple { "at least one" } else { "one" }
        )));
    }
    for value in values {
        let picked = question.choices.iter().any(|choice| choice.value == *value);
        let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok();
        let fits =
            picked || question.free_text || (question.schema.is_some() && question.choices.is_empty() && is_json());
        if !fits {
            return Err(invalid(format!("{value:?} is not among the choices of question {id:?}")));
        }
    }
    Ok(())
}

fn invalid(problem: impl Into<String>) -> AnswerError {
    AnswerError::InvalidAnswer { problem: problem.into() }
}
