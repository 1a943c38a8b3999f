//! Answers what the provider asks: by the word on the command line, or by the person at the terminal.
//!
//! **Only what the provider offered is ever picked; whatever is not a clear yes is a no.** Questions and logins are for
//! people: without one they are dismissed.

use crate::args::Approve;
use crate::output::{headline, plain};
use jackfield_core::contract::{Chosen, Filled, Offer, Question, Verdict};
use jackfield_core::event::{EventBody, Request, RequestSubject, SessionEvent};
use jackfield_core::id::RequestId;
use jackfield_core::requests::Reply;
use std::collections::VecDeque;
use std::io::Write;
use tokio::sync::mpsc;

/// One answer to be given.
pub struct Answer {
    pub request: RequestId,
    pub reply: Reply,
    pub by: String,
}

/// Who answers.
pub struct Approver {
    who: Who,
    waiting: VecDeque<Request>,
    asked: Option<Request>,
    answers: VecDeque<Answer>,
    lines: Option<mpsc::UnboundedReceiver<String>>,
    filled: Vec<Filled>,
}

enum Who {
    Rule(Approve),
    Person,
    Nobody,
}

impl Approver {
    pub fn new(approve: Approve) -> Approver {
        Approver::of(match approve {
            Approve::Ask => Who::Person,
            rule => Who::Rule(rule),
        })
    }

    pub fn without_person() -> Approver {
        Approver::of(Who::Nobody)
    }

    fn of(who: Who) -> Approver {
        Approver {
            who,
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
            EventBody::RequestOpened { request } => match &self.who {
                Who::Person => {
                    self.waiting.push_back(request.clone());
                    self.ask_next();
                }
                Who::Rule(rule) => {
                    let allow = *rule == Approve::Allow;
                    let by = if allow { "rule --approve allow" } else { "rule --approve deny" };
                    self.answers.push_back(by_rule(request, allow, by));
                }
                Who::Nobody => self.answers.push_back(by_rule(request, false, "no-terminal")),
            },
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
        self.asked = None;
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
                eprint!("  not one of them. {}", choices(&request.options));
                let _ = std::io::stderr().flush();
            }
        }
    }

    fn take_filled(&mut self, request: &Request, line: &str) {
        let question = &request.questions[self.filled.len()];
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
        self.answers.push_back(Answer { request: request.id.clone(), reply, by: "user".into() });
        self.asked = None;
        self.ask_next();
    }

    /// The terminal is gone: nobody can be asked any more.
    fn end_of_input(&mut self) {
        self.lines = None;
        self.who = Who::Nobody;
        for request in self.asked.take().into_iter().chain(self.waiting.drain(..)) {
            self.answers.push_back(by_rule(&request, false, "no-terminal"));
        }
    }
}

/// Lines of the terminal, from a thread of their own: a read of a terminal can't be cancelled.
fn read_lines() -> mpsc::UnboundedReceiver<String> {
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

fn chosen(offer: &Offer) -> Reply {
    Reply::Chosen(Chosen { option_id: offer.id.clone(), note: None, input: None })
}

fn by_rule(request: &Request, allow: bool, by: &str) -> Answer {
    let once = |wanted: Verdict| request.options.iter().find(|offer| offer.verdict == wanted);
    let reply = match once(Verdict::AllowOnce).filter(|_| allow) {
        Some(offer) => chosen(offer),
        None => refusal(request),
    };
    Answer { request: request.id.clone(), reply, by: by.to_owned() }
}

/// The mildest refusal that is offered; else the card is closed, which never is consent.
fn refusal(request: &Request) -> Reply {
    let mut refusals =
        request.options.iter().filter(|offer| matches!(offer.verdict, Verdict::RejectOnce | Verdict::Abort));
    refusals.next().map_or(Reply::Dismissed, chosen)
}

/// What a person typed: a number, the first letter of what an option does, or its label.
fn pick<'a>(options: &'a [Offer], line: &str) -> Option<&'a Offer> {
    let word = line.to_lowercase();
    let verdict = match word.as_str() {
        "y" | "yes" => Some(Verdict::AllowOnce),
        "n" | "no" => Some(Verdict::RejectOnce),
        _ => None,
    };
    let by_number = word.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    by_number
        .or_else(|| options.iter().find(|offer| verdict == Some(offer.verdict)))
        .or_else(|| options.iter().find(|offer| !word.is_empty() && offer.label.to_lowercase() == word))
}

fn card(request: &Request) -> String {
    let what = match &request.subject {
        RequestSubject::Approval { tool } => format!(
            "{} wants to run: {}",
            tool.name.as_deref().unwrap_or("a tool"),
            tool.title.as_deref().or(tool.input.as_deref()).unwrap_or("(no details)")
        ),
        RequestSubject::Plan { text } => format!("a plan is proposed:\n{text}"),
        RequestSubject::Questions => "a question".to_owned(),
        RequestSubject::Login { login } => {
            format!("a login is needed: {} {}", login.text, login.url.as_deref().unwrap_or_default())
        }
        RequestSubject::HostTool { tool } => {
            format!("a tool of ours is called: {}", tool.name.as_deref().unwrap_or_default())
        }
        RequestSubject::Unknown { name, json } => format!("something that this version does not know ({name}): {json}"),
    };
    let mut card = format!("\n? {}\n", plain(&what));
    if let Some(reason) = &request.reason {
        card += &format!("  because: {}\n", plain(reason));
    }
    if let Some(raw) = &request.raw {
        card += &format!("  the provider's own words: {}\n", headline(raw, 300));
    }
    card += &match request.questions.first() {
        Some(question) => ask(question),
        None => choices(&request.options),
    };
    card
}

fn choices(options: &[Offer]) -> String {
    let list: Vec<_> =
        options.iter().enumerate().map(|(n, offer)| format!("[{}] {}", n + 1, plain(&offer.label))).collect();
    match list.is_empty() {
        true => "  Enter closes this: ".into(),
        false => format!("  {}  (y, n, or a number; Enter refuses): ", list.join("  ")),
    }
}

fn ask(question: &Question) -> String {
    let mut text = format!("  {}\n", plain(&question.text));
    for (n, choice) in question.choices.iter().enumerate() {
        let about = choice.description.as_deref().map(|about| format!(" ({})", plain(about))).unwrap_or_default();
        text += &format!("  [{}] {}{about}\n", n + 1, plain(&choice.label));
    }
    text + if question.multiple { "  numbers, with commas: " } else { "  a number or your own words: " }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(id: &str, verdict: Verdict) -> Offer {
        Offer { id: id.into(), label: id.to_uppercase(), verdict }
    }

    #[test]
    fn a_person_picks_by_number_letter_or_label_and_nothing_else() {
        let options = [
            offer("once", Verdict::AllowOnce),
            offer("always", Verdict::AllowAlways),
            offer("no", Verdict::RejectOnce),
        ];
        let picked = |line: &str| pick(&options, line).map(|offer| offer.id.as_str());
        assert_eq!(picked("1"), Some("once"));
        assert_eq!(picked("y"), Some("once"));
        assert_eq!(picked("N"), Some("no"));
        assert_eq!(picked("always"), Some("always"));
        for wrong in ["", "0", "4", "maybe", "-1", "yess"] {
            assert_eq!(picked(wrong), None, "{wrong}");
        }
        assert_eq!(pick(&[offer("always", Verdict::AllowAlways)], "y").map(|offer| offer.id.as_str()), None);
    }
}
