//! Answers what the provider asks: by the word on the command line, or by the person at the terminal.
//!
//! **Only what the provider offered is ever picked; whatever is not a clear yes is a no.** Questions and logins are for
//! people: without one they are dismissed.

use super::card::{ask, card, choices, headline_of};
use super::pick::{chosen, pick, refusal};
use crate::args::Approve;
use crate::output::plain;
use jackfield_core::contract::{Filled, Verdict};
use jackfield_core::event::{EventBody, Request, Ruled, SessionEvent};
use jackfield_core::id::RequestId;
use jackfield_core::requests::Reply;
use std::collections::VecDeque;
use std::io::Write;
use tokio::sync::mpsc;

/// Who is there to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Somebody at the terminal.
    Person,
    /// A script, which sees the requests in the stream and answers on stdin.
    Script,
    Nobody,
}

/// Who answered where nobody was there.
const NO_TERMINAL: &str = "no-terminal";
const END_OF_INPUT: &str = "end-of-input";

/// One answer to be given.
pub struct Answer {
    pub request: RequestId,
    /// What it answers, to be asked again if it does not count.
    asked: Request,
    pub reply: Reply,
    pub by: String,
}

impl Answer {
    /// True for a login, which can be tried in another way when one did not work.
    pub fn is_login(&self) -> bool {
        self.asked.is_login()
    }

    /// True when it was given because there was nobody to be asked.
    pub fn is_for_nobody(&self) -> bool {
        [NO_TERMINAL, END_OF_INPUT].contains(&self.by.as_str())
    }
}

/// Who answers.
pub struct Approver {
    /// The word on the command line.
    rule: Approve,
    who: Who,
    /// What is given as the answerer where nobody is there.
    nobody: &'static str,
    /// Whoever reads the stream sees the requests in it.
    silent: bool,
    told_nobody: bool,
    waiting: VecDeque<Request>,
    asked: Option<Request>,
    answers: VecDeque<Answer>,
    lines: Option<mpsc::UnboundedReceiver<String>>,
    filled: Vec<Filled>,
}

impl Approver {
    /// `silent`: nothing is to be written for people.
    pub fn new(rule: Approve, who: Who, silent: bool) -> Approver {
        Approver {
            rule,
            who,
            nobody: NO_TERMINAL,
            silent,
            told_nobody: false,
            waiting: VecDeque::new(),
            asked: None,
            answers: VecDeque::new(),
            lines: None,
            filled: Vec::new(),
        }
    }

    /// Looks at an event: a request is answered or put to the person, a request that is over is forgotten.
    pub fn take(&mut self, event: &SessionEvent) {
        if event.draft.origin.replayed {
            return;
        }
        match &event.draft.body {
            EventBody::RequestOpened { request } => self.opened(request),
            EventBody::RequestResolved { request, .. } => {
                self.waiting.retain(|one| one.id != *request);
                if self.asked.as_ref().is_some_and(|one| one.id == *request) {
                    self.asked = None;
                    self.ask_next();
                }
            }
            _ => {}
        }
    }

    /// A rule decides what is allowed; which colour somebody likes it can't know. What an operator's rule answers is asked of
    /// nobody; what one may forbid is not allowed by a word that was given for everything.
    fn opened(&mut self, request: &Request) {
        if let Some(Ruled::Rule { .. }) = &request.ruled {
            return;
        }
        let is_permission = !request.options.is_empty() && request.questions.is_empty() && !request.is_login();
        match self.rule {
            Approve::Allow if is_permission && request.ruled.is_none() => {
                self.answers.push_back(by_rule(request, true, "rule --approve allow"))
            }
            Approve::Deny if is_permission => self.answers.push_back(by_rule(request, false, "rule --approve deny")),
            _ if self.who == Who::Person => {
                self.waiting.push_back(request.clone());
                self.ask_next();
            }
            _ if self.who == Who::Script => self.waiting.push_back(request.clone()),
            _ => self.answer_for_nobody(request),
        }
    }

    fn answer_for_nobody(&mut self, request: &Request) {
        if !std::mem::replace(&mut self.told_nobody, true) {
            let notice = match self.rule {
                _ if self.nobody == END_OF_INPUT => "no more input can come: what is asked is refused",
                Approve::Ask => "nobody can be asked here, so --approve ask becomes deny",
                _ => "nobody can be asked here, so questions are closed without an answer",
            };
            eprintln!("! {notice}");
        }
        if !self.silent {
            let question = request.questions.first().map(|question| question.text.clone());
            eprintln!("? {}", plain(&question.unwrap_or_else(|| headline_of(request))));
        }
        self.answers.push_back(by_rule(request, false, self.nobody));
    }

    /// The answer did not count and the request is still open: it is put to the person again.
    pub fn ask_again(&mut self, answer: Answer) {
        if self.who == Who::Person {
            self.waiting.push_front(answer.asked);
            self.ask_next();
        }
    }

    /// The next answer; never comes while there is none.
    pub async fn next(&mut self) -> Answer {
        loop {
            if let Some(answer) = self.answers.pop_front() {
                return answer;
            }
            let line = match &mut self.lines {
                Some(lines) => lines.recv().await,
                None => std::future::pending().await,
            };
            match line {
                Some(line) => self.take_line(line.trim()),
                None => self.end_of_input(),
            }
        }
    }

    /// True while a question waits at the terminal.
    pub fn is_asking(&self) -> bool {
        self.asked.is_some()
    }

    /// The person stopped the run: nothing is asked any more.
    pub fn give_up(&mut self) {
        self.waiting.clear();
        if self.asked.take().is_some() {
            eprintln!();
        }
    }

    fn ask_next(&mut self) {
        if self.asked.is_some() {
            return;
        }
        let Some(request) = self.waiting.pop_front() else { return };
        eprint!("{}", card(&request));
        let _ = std::io::stderr().flush();
        self.lines.get_or_insert_with(read_lines);
        self.filled.clear();
        self.asked = Some(request);
    }

    fn take_line(&mut self, line: &str) {
        let Some(request) = self.asked.clone() else { return };
        if !request.questions.is_empty() {
            return self.take_filled(&request, line);
        }
        match pick(&request.options, line) {
            Some(offer) => self.answered(&request, chosen(offer)),
            None if line.is_empty() => self.answered(&request, refusal(&request)),
            None => {
                eprint!("  '{}' is none of these:\n{}", plain(line), choices(&request.options));
                let _ = std::io::stderr().flush();
            }
        }
    }

    fn take_filled(&mut self, request: &Request, line: &str) {
        let question = &request.questions[self.filled.len()];
        if line.is_empty() {
            return self.answered(request, Reply::Dismissed);
        }
        let picked = |word: &str| {
            word.parse::<usize>()
                .ok()
                .and_then(|n| question.choices.get(n.checked_sub(1)?))
                .map(|choice| choice.value.clone())
        };
        let words: Vec<&str> = if question.multiple { line.split(',').map(str::trim).collect() } else { vec![line] };
        let values: Vec<String> = words
            .iter()
            .filter(|word| !word.is_empty())
            .map(|word| picked(word).unwrap_or_else(|| (*word).to_owned()))
            .collect();
        self.filled.push(Filled { question: question.id.clone(), values });
        match request.questions.get(self.filled.len()) {
            Some(next) => eprint!("{}", ask(next)),
            None => {
                let filled = std::mem::take(&mut self.filled);
                self.answered(request, Reply::Filled(filled));
            }
        }
    }

    fn answered(&mut self, request: &Request, reply: Reply) {
        self.answers.push_back(Answer {
            request: request.id.clone(),
            asked: request.clone(),
            reply,
            by: "user".into(),
        });
        self.asked = None;
        self.ask_next();
    }

    /// The terminal is gone: nobody can be asked any more.
    fn end_of_input(&mut self) {
        self.lines = None;
        self.who = Who::Nobody;
        eprintln!();
        self.refuse_open();
    }

    /// No more lines of the script can come: what it left open is refused, and what is asked from now on. Without a script, nothing.
    pub fn script_left(&mut self) {
        if self.who == Who::Script {
            (self.who, self.nobody) = (Who::Nobody, END_OF_INPUT);
            self.refuse_open();
        }
    }

    /// The script has answered this one.
    pub fn forget(&mut self, request: &RequestId) {
        self.waiting.retain(|one| one.id != *request);
    }

    fn refuse_open(&mut self) {
        let open: Vec<Request> = self.asked.take().into_iter().chain(self.waiting.drain(..)).collect();
        for request in &open {
            self.answer_for_nobody(request);
        }
    }
}

/// Lines of the terminal, from a thread of their own: a read of a terminal can't be cancelled.
pub fn read_lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

fn by_rule(request: &Request, allow: bool, by: &str) -> Answer {
    let once = |wanted: Verdict| request.options.iter().find(|offer| offer.verdict == wanted);
    let reply = match once(Verdict::AllowOnce).filter(|_| allow) {
        Some(offer) => chosen(offer),
        None => refusal(request),
    };
    Answer { request: request.id.clone(), asked: request.clone(), reply, by: by.to_owned() }
}
