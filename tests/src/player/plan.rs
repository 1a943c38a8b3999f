//! From a recording to what is done: what the player says, what it waits for, and what the driver must bring about.
//!
//! Pure. **The plan follows from the file alone, so player and driver, which are two programs, make the same one. Each of
//! the client's lines is in it once: waited for, or left out with its kind.**

use super::dialect::{Asked, Dialect, Requests, Start};
use super::parts::{Part, answer, parts};
use super::recording::{Dir, Recording, Row};
use jackfield_core::contract::Content;

/// One step of the player.
#[derive(Debug, Clone)]
pub struct Step {
    /// The line of the file.
    pub at: usize,
    /// What is done.
    pub what: What,
    /// The recorded line.
    pub line: String,
}

/// What a step is.
#[derive(Debug, Clone)]
pub enum What {
    /// Say the line.
    Say,
    /// Say it on stderr.
    Complain,
    /// Wait for a line of the host that means this.
    Wait(Asked),
    /// A message goes into the open turn, which our host stops first: its interrupt is waited for.
    Into(Asked),
    /// Wait for a line that means this; what brings it about was done before.
    Follows(Asked),
    /// The host writes this, and the program did not live to read it.
    Unread(Asked),
    /// A line that the host does not write, by kind.
    LeaveOut(String),
    /// The host wrote it in the start before, in which the conversation was copied.
    Before(Asked),
    /// It was said in the start before, of the copy that was made there.
    SaidBefore,
    /// Go on once the host has opened the conversation, of which the recording has nothing.
    Opens,
    /// Go on once the host has written its first message. Our host writes it as soon as the handshake is through; what the
    /// program said to lines that our host leaves out would come before or after it, by chance.
    Hold,
    /// Wait until the host closes stdin.
    HangUp,
    /// End with this code.
    Exit(i32),
    /// Wait to be killed.
    Killed,
}

impl What {
    /// The line of the host's that is waited for.
    pub fn awaited(&self) -> Option<Asked> {
        match self {
            What::Wait(asked) | What::Follows(asked) => Some(asked.clone()),
            What::Into(_) => Some(Asked::Interrupt),
            _ => None,
        }
    }
}

/// One start of the program.
#[derive(Debug, Clone)]
pub struct Incarnation {
    /// Its number in the recording.
    pub proc: u32,
    /// Which of its conversations it is, from 0.
    pub part: usize,
    /// How it was started, and the conversation opened.
    pub start: Start,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

impl Incarnation {
    /// The person's first message: without one our host starts nothing.
    pub fn first_message(&self) -> Option<&[Content]> {
        self.messages().next().map(|(_, content)| content)
    }

    /// The person's messages that the host sends, with the steps at which they are sent.
    pub fn messages(&self) -> impl Iterator<Item = (usize, &[Content])> {
        self.steps.iter().enumerate().filter_map(|(index, step)| match &step.what {
            What::Wait(Asked::Message { content })
            | What::Follows(Asked::Message { content })
            | What::Unread(Asked::Message { content }) => Some((index, content.as_slice())),
            _ => None,
        })
    }

    /// The same start with nothing but the handshake, and the copy that is made by a message: the host needs the program to be
    /// asked, and says nothing to the model.
    pub fn only_greets(&self, dialect: &dyn Dialect) -> Incarnation {
        let exchange = |wanted: fn(&What) -> Option<&Asked>| {
            let asked = self.steps.iter().find(|step| wanted(&step.what).is_some())?;
            let says = |step: &&Step| matches!(step.what, What::Say) && dialect.answers(&asked.line, &step.line);
            let what = What::Wait(wanted(&asked.what)?.clone());
            Some([Step { what, ..asked.clone() }, self.steps.iter().find(says)?.clone()])
        };
        let greeting = exchange(|what| match what {
            What::Wait(asked @ Asked::Handshake) => Some(asked),
            _ => None,
        });
        let copied = exchange(|what| match what {
            What::Before(asked) => Some(asked),
            _ => None,
        });
        let told = self.steps.iter().filter_map(|step| match &step.what {
            What::Before(asked) => Some(Step { what: What::Wait(asked.clone()), ..step.clone() }),
            What::SaidBefore => Some(Step { what: What::Say, ..step.clone() }),
            _ => None,
        });
        let copying: Vec<Step> = copied.map_or_else(|| told.collect(), |copied| copied.to_vec());
        let last = |what| Step { at: 0, what, line: String::new() };
        let steps = greeting.into_iter().flatten().chain(copying);
        Incarnation { steps: steps.chain([last(What::HangUp), last(What::Exit(0))]).collect(), ..self.clone() }
    }

    /// The ids that the conversation has in this start, as recorded.
    pub fn sessions(&self, dialect: &dyn Dialect) -> Vec<String> {
        let said = self.steps.iter().filter(|step| matches!(step.what, What::Say));
        said.filter_map(|step| dialect.session(&step.line)).chain(self.start.session.clone()).collect()
    }
}

/// The program's arguments, as a spawn line has them.
fn arguments(spawn: &str) -> Vec<String> {
    let spawn: serde_json::Value = serde_json::from_str(spawn).unwrap_or_default();
    let words = spawn["argv"].as_array().into_iter().flatten().skip(1);
    words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// The plan of a recording.
pub fn plan(recording: &Recording, dialect: &dyn Dialect) -> Vec<Incarnation> {
    let planned = recording.procs().into_iter().flat_map(|proc| {
        let rows: Vec<&Row> = recording.rows.iter().filter(|row| row.proc == proc).collect();
        let spawn = rows.iter().find(|row| row.dir == Dir::Spawn).map(|row| row.line.as_str()).unwrap_or_default();
        let start = dialect.start(&arguments(spawn));
        let parts = parts(&rows, dialect).into_iter().enumerate();
        parts.map(|(part, rows)| Planner::new(rows, dialect, start.clone()).plan(proc, part)).collect::<Vec<_>>()
    });
    planned.collect()
}

struct Planner<'a> {
    dialect: &'a dyn Dialect,
    rows: Vec<&'a Row>,
    /// The conversation that is spoken in, where its lines name it.
    conversation: Option<String>,
    start: Start,
    steps: Vec<Step>,
    requests: Requests,
    /// Messages that were sent and whose turn has not ended.
    open: usize,
    /// Messages into a turn that was being stopped and that got a turn of their own; our host keeps them until then.
    kept: Vec<Step>,
    sent_any: bool,
    opened: bool,
    /// The open turn was interrupted: our host asks once; asked again it changes nothing.
    interrupted: bool,
    /// The program had closed its stdout: it reads nothing more.
    gone: bool,
    /// Conversations that a line opened which our host leaves out: what is told of them is told to nobody.
    elsewhere: Vec<String>,
    /// A copy is being made by this line.
    copying: Option<String>,
}

impl<'a> Planner<'a> {
    fn new(Part { rows, conversation }: Part<'a>, dialect: &'a dyn Dialect, start: Start) -> Self {
        let rows = in_order_of_reading(rows, dialect);
        Planner {
            start,
            dialect,
            rows,
            conversation,
            steps: Vec::new(),
            requests: Requests::new(),
            open: 0,
            kept: Vec::new(),
            sent_any: false,
            opened: false,
            interrupted: false,
            gone: false,
            elsewhere: Vec::new(),
            copying: None,
        }
    }

    fn plan(mut self, proc: u32, part: usize) -> Incarnation {
        self.is_given_a_message();
        self.goes_on();
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            match row.dir {
                Dir::Out => self.says(row),
                Dir::Err => self.step(row, What::Complain),
                Dir::In => self.client_line(index, row),
                Dir::InEof if !self.gone => self.step(row, What::HangUp),
                Dir::Exit => self.step(row, exit(&row.line)),
                Dir::Note if row.line.contains("stdout eof") => self.gone = true,
                Dir::InEof | Dir::Spawn | Dir::Note | Dir::Http | Dir::Sse => {}
            }
        }
        let kept = std::mem::take(&mut self.kept);
        let kept = kept.into_iter().map(|step| Step { what: What::LeaveOut(INTO_STOPPED_TURN.into()), ..step });
        self.steps.extend(kept);
        self.hold();
        Incarnation { proc, part, start: self.start, steps: self.steps }
    }

    /// The message that the program was started with.
    fn is_given_a_message(&mut self) {
        let Some(text) = self.start.says.clone() else { return };
        let at = self.rows.iter().find(|row| row.dir == Dir::Spawn).map_or(0, |row| row.at);
        let asked = self.dialect.asked(&text, &self.requests);
        self.steps.push(Step { at, what: What::Wait(asked), line: text });
        (self.sent_any, self.open) = (true, 1);
    }

    /// A conversation that was opened in an earlier start, and that the client only goes on with.
    fn goes_on(&mut self) {
        let asked: Vec<&str> = self.rows.iter().filter(|row| row.dir == Dir::In).map(|row| row.line.as_str()).collect();
        let Some((id, [line, answer])) = self.dialect.resumes(&asked) else { return };
        let opening = Start { resume: Some(id.clone()), ..Start::default() };
        self.steps.push(Step { at: 0, what: What::Wait(Asked::Open(opening)), line });
        self.steps.push(Step { at: 0, what: What::Say, line: answer });
        self.start.resume = Some(id.clone());
        (self.conversation, self.opened) = (Some(id), true);
    }

    fn step(&mut self, row: &Row, what: What) {
        self.steps.push(Step { at: row.at, what, line: row.line.clone() });
    }

    fn says(&mut self, row: &Row) {
        if self.dialect.conversation(&row.line).is_some_and(|id| self.elsewhere.contains(&id)) {
            return;
        }
        if let Some(asked) = &self.copying {
            let made = self.dialect.answers(asked, &row.line);
            self.step(row, What::SaidBefore);
            if made {
                self.copying = None;
                self.step(row, What::Opens);
            }
            return;
        }
        if let Some(request) = self.dialect.requested(&row.line) {
            self.requests.insert(request.id.clone(), request);
        }
        if let Some(request) = self.dialect.withdraws(&row.line) {
            self.requests.remove(&request);
        }
        if let Some(asked) = self.dialect.brought_about(&row.line) {
            self.step(row, What::Wait(asked));
        }
        self.step(row, What::Say);
        if self.ends_turn(row) {
            self.interrupted = false;
            self.open = self.open.saturating_sub(1);
            if self.open == 0 && !self.kept.is_empty() {
                self.steps.push(self.kept.remove(0));
                self.open = 1;
            }
        }
    }

    fn client_line(&mut self, index: usize, row: &Row) {
        let asked = self.dialect.asked(&row.line, &self.requests);
        let after = self.rows.get(index + 1);
        self.gone |= after.is_some_and(|next| next.dir == Dir::Note && next.line.contains("write failed"));
        let refused = answer(self.dialect, &row.line, &self.rows[index + 1..])
            .is_some_and(|said| self.dialect.refuses(&row.line, &said.line));
        let left_out = match &asked {
            Asked::NotOurs(kind) => Some(kind.clone()),
            // Our host asks for nothing that it knows to be refused.
            _ if refused => Some(format!("refused/{}", asked.kind())),
            Asked::Open(_) if self.opened => Some("open/again".into()),
            _ if self.gone && !matches!(asked, Asked::Message { .. }) => Some("after-the-end".into()),
            Asked::Interrupt if self.open == 0 => Some("interrupt/idle".into()),
            Asked::Interrupt if self.interrupted => Some("interrupt/again".into()),
            Asked::StopTask(task) if !self.knows_task(task) => Some("stop-task/unknown".into()),
            Asked::Servers(_) if !self.sent_any => Some("servers/before-a-message".into()),
            Asked::Select(_) if !self.sent_any => Some("select/before-a-message".into()),
            _ => None,
        };
        if let Some(kind) = left_out {
            let is_http = self.dialect.announces().is_some();
            let answer = answer(self.dialect, &row.line, &self.rows[index + 1..]).filter(|_| is_http);
            let opened = answer.and_then(|said| self.dialect.session(&said.line));
            self.elsewhere.extend(opened.filter(|id| self.conversation.as_ref() != Some(id)));
            return self.step(row, What::LeaveOut(kind));
        }
        self.interrupted |= asked == Asked::Interrupt;
        if asked == Asked::Interrupt && self.dialect.interrupt_answers() {
            self.requests.clear();
        }
        match &asked {
            Asked::Open(opening) => return self.opens(row, opening.clone()),
            Asked::Message { .. } if !self.sent_any => {
                self.start.selection.extend(self.dialect.way(&row.line).selection)
            }
            Asked::Message { .. } => {}
            _ => return self.step(row, What::Wait(asked)),
        }
        self.sent_any = true;
        if self.gone {
            return self.step(row, What::Unread(asked));
        }
        if self.open == 0 {
            self.open = 1;
            return self.step(row, What::Wait(asked));
        }
        // It joined the open turn, or got one of its own, as the turns that follow tell.
        let has_its_own = self.turns_until_next_message(index) > self.open;
        match (self.interrupted, has_its_own) {
            (false, true) if self.dialect.is_stopped_for_a_message() => {
                self.step(row, What::Into(asked.clone()));
                self.interrupted = true;
                self.requests.clear();
                self.kept.push(Step { at: row.at, what: What::Follows(asked), line: row.line.clone() });
            }
            (false, _) => {
                self.open += usize::from(has_its_own);
                self.step(row, What::Wait(asked));
            }
            (true, true) => self.kept.push(Step { at: row.at, what: What::Wait(asked), line: row.line.clone() }),
            (true, false) => self.step(row, What::LeaveOut(INTO_STOPPED_TURN.into())),
        }
    }

    /// The conversation is opened; a copy of one, in a start of the program before this one.
    fn opens(&mut self, row: &Row, opening: Start) {
        self.opened = true;
        let (asked, copies) = (Asked::Open(opening.clone()), opening.fork);
        self.start = std::mem::take(&mut self.start).opened_by(opening);
        self.copying = Some(row.line.clone()).filter(|_| copies && self.dialect.tells_of_copies());
        self.step(row, if copies { What::Before(asked) } else { What::Wait(asked) });
    }

    /// True when this line ends a turn of the conversation itself, and not a subagent's.
    fn ends_turn(&self, row: &Row) -> bool {
        let elsewhere = || {
            let of = self.dialect.conversation(&row.line);
            of.is_some() && self.conversation.is_some() && of != self.conversation
        };
        self.dialect.ends_turn(&row.line) && !elsewhere()
    }

    fn knows_task(&self, task: &str) -> bool {
        self.steps.iter().any(|step| matches!(step.what, What::Say) && self.dialect.tells_of_task(&step.line, task))
    }

    fn hold(&mut self) {
        // Without a copy's own opening it is the handshake that the first message waits for.
        let begins = |step: &Step| matches!(step.what, What::Wait(Asked::Handshake | Asked::Open(_)));
        let Some(beginning) = self.steps.iter().rev().find(|step| begins(step)) else { return };
        let greeted = |step: &Step| matches!(step.what, What::Say) && self.dialect.answers(&beginning.line, &step.line);
        let Some(greeted) = self.steps.iter().position(greeted) else { return };
        let first = self.steps.iter().position(|step| {
            matches!(step.what, What::Wait(Asked::Message { .. }) | What::Unread(Asked::Message { .. }))
        });
        let left_out = self.steps.iter().skip(greeted).position(|step| matches!(step.what, What::LeaveOut(_)));
        if let (Some(first), Some(at)) = (first, left_out.map(|at| at + greeted))
            && at < first
        {
            let line = self.steps[at].line.clone();
            self.steps.insert(at, Step { at: self.steps[at].at, what: What::Hold, line });
        }
    }

    fn turns_until_next_message(&self, index: usize) -> usize {
        let is_message = |row: &&&Row| {
            row.dir == Dir::In && matches!(self.dialect.asked(&row.line, &self.requests), Asked::Message { .. })
        };
        let until = self.rows[index + 1..].iter().take_while(|row| !is_message(row));
        until.filter(|row| row.dir == Dir::Out && self.ends_turn(row)).count()
    }
}

/// The client's lines where the program read them.
fn in_order_of_reading<'a>(mut rows: Vec<&'a Row>, dialect: &dyn Dialect) -> Vec<&'a Row> {
    for index in (0..rows.len()).rev() {
        let row = rows[index];
        if row.dir != Dir::In || !dialect.is_read_when_answered(&row.line) {
            continue;
        }
        let answered =
            rows[index + 1..].iter().position(|said| said.dir == Dir::Out && dialect.answers(&row.line, &said.line));
        if let Some(after) = answered {
            rows[index..=index + after].rotate_left(1);
        }
    }
    rows
}

const INTO_STOPPED_TURN: &str = "message/into-stopped-turn";

fn exit(line: &str) -> What {
    match line.split_whitespace().next().and_then(|word| word.parse::<i32>().ok()) {
        Some(code) if code >= 0 => What::Exit(code),
        _ => What::Killed,
    }
}
