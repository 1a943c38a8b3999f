//! A hostile plugin's words into the normalizer, between the acts of a host: runs, interrupts, answers, messages into open turns.

use crate::bytes::Bytes;
use crate::{Verdict, decode, holds, life};
use jackfield_core::capability::Staged;
use jackfield_core::contract::{CapabilitySet, Chosen, Content, Filled, Reply, ToolOutput};
use jackfield_core::event::{AttemptReason, Request, SessionEnd, SessionEvent};
use jackfield_core::id::{RunId, SessionId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_core::normalizer::{
    BeginRun, Cause, Disposed, JoinedRun, Normalizer, Routed, SessionEnded, SessionScope,
};
use jackfield_core::policy::{Handling, PolicyConfig};

const STEPS: usize = 400;

/// Plays a case.
pub fn play(data: &[u8]) -> Verdict {
    let first = Play::new(data).play_out();
    let events = first.numbered();
    let cut = data.first().map_or(0, |byte| usize::from(*byte)) * events.len() / 256;
    life::judge(&events, cut)?;
    let ledger = first.normalizer.ledger();
    holds!(ledger.balanced(), "the ledger does not balance: {ledger:?}");
    holds!(ledger.frames_in == first.frame, "{} frames came in, {} are counted", first.frame, ledger.frames_in);
    let rest =
        (first.normalizer.has_open_turn(), first.normalizer.open_requests().len(), first.normalizer.roster().len());
    holds!(rest == (false, 0, 0), "after the end: {rest:?}");
    let runs =
        events.iter().filter(|event| matches!(event.draft.body, jackfield_core::event::EventBody::RunEnded { .. }));
    holds!(runs.count() as u32 == first.runs, "{} runs, and not one end for each", first.runs);
    // Its words are long, and yet what comes of them is bounded.
    let again = Play::new(data).play_out();
    holds!(again.numbered() == events, "played again it is another");
    Ok(())
}

/// The events that a case makes, numbered as a thread's log has them.
pub fn events(data: &[u8]) -> Vec<SessionEvent> {
    Play::new(data).play_out().numbered()
}

struct Play<'a> {
    bytes: Bytes<'a>,
    normalizer: Normalizer,
    capabilities: Staged,
    out: Vec<Routed>,
    at_ms: u64,
    frame: u64,
    op: u32,
    runs: u32,
    /// Messages that the plugin has and of which nothing is known.
    handed: Vec<RunId>,
}

impl<'a> Play<'a> {
    fn new(data: &'a [u8]) -> Play<'a> {
        let scope = SessionScope {
            instance: "p".into(),
            session: SessionId::from_digits("5"),
            epoch: 0,
            thread: ThreadId::from_digits("a1"),
        };
        let mut bytes = Bytes::new(data);
        let tight = Limits {
            open_items: 2,
            open_requests: 2,
            item_text_bytes: 3,
            label_bytes: 4,
            unknown_raw_bytes: 1,
            held_updates: 1,
            ended_kept: 1,
            diagnostics_kept: 2,
            ..Limits::default()
        };
        let limits = if bytes.once_in(4) { tight } else { Limits::default() };
        let declared = CapabilitySet { revision: 0, provider_version: None, capabilities: vec![] };
        Play {
            normalizer: Normalizer::new(scope, &limits),
            capabilities: Staged::new(declared),
            bytes,
            out: Vec::new(),
            at_ms: 1_000,
            frame: 0,
            op: 0,
            runs: 0,
            handed: Vec::new(),
        }
    }

    fn play_out(mut self) -> Self {
        let mut steps = 0;
        while !self.bytes.is_over() && steps < STEPS {
            steps += 1;
            self.step();
            if self.bytes.below(3) == 0 {
                let rest = self.normalizer.end_batch();
                self.out.extend(rest);
            }
        }
        // A session ends its messages before itself.
        for run in std::mem::take(&mut self.handed) {
            self.joined(run, true);
        }
        let rest = self.normalizer.end_batch();
        self.out.extend(rest);
        let ended = SessionEnded::new(SessionEnd::ProviderExited, None);
        let closing = self.normalizer.end_session(ended);
        self.out.extend(closing);
        self
    }

    fn step(&mut self) {
        match self.bytes.below(20) {
            0 | 1 => self.begin(),
            2 => {
                let run = self.any_run();
                self.normalizer.interrupting(&run);
            }
            3 => {
                let (run, fault) = (self.any_run(), decode::fault(&mut self.bytes));
                let told = self.normalizer.fail_run(&run, fault);
                self.out.extend(told);
            }
            4 | 5 => self.answer(),
            6 => {
                self.at_ms += self.bytes.pick(&[1, 300, 5_000, 100_000]);
                let told = self.normalizer.tick(self.at_ms);
                self.out.extend(told);
            }
            7 => self.nothing_comes_of_a_frame(),
            8 => self.hand(),
            9 if !self.handed.is_empty() => {
                let run = self.handed.remove(0);
                let inferred = self.bytes.below(2) == 0;
                self.joined(run, inferred);
            }
            10 => {
                let native = self.bytes.id();
                let bound = self.normalizer.bind_thread(&native, ThreadId::from_digits("a1"));
                self.out.extend(bound);
            }
            11 => {
                let set = decode::capabilities(&mut self.bytes);
                if self.capabilities.negotiate(set) {
                    let effective = self.capabilities.effective().capabilities;
                    self.normalizer.set_handling(Handling::of(&effective, &PolicyConfig::default()));
                }
            }
            12 => {
                let (run, turn) = (self.any_run(), self.bytes.id_or_none());
                let told = self.normalizer.delivered(&run, turn, self.at_ms);
                self.out.extend(told);
            }
            _ => self.frame(),
        }
    }

    fn begin(&mut self) {
        self.op += 1;
        self.runs += 1;
        let begun = self.normalizer.begin_run(BeginRun {
            run: run(self.op),
            ordinal: self.op,
            op: self.op,
            thread: ThreadId::from_digits("a1"),
            content: vec![Content::Text(self.bytes.text())],
            attempt: AttemptReason::Initial,
            at_ms: self.at_ms,
        });
        self.out.extend(begun);
    }

    fn any_run(&mut self) -> RunId {
        run(self.bytes.below(self.op as usize + 1) as u32)
    }

    fn hand(&mut self) {
        self.op += 1;
        let content = [Content::Text(self.bytes.text())];
        self.normalizer.hand(&ThreadId::from_digits("a1"), &run(self.op), self.op, &content);
        self.handed.push(run(self.op));
        self.runs += 1;
    }

    fn joined(&mut self, run: RunId, inferred: bool) {
        let into = if self.bytes.below(2) == 0 { None } else { Some(self.any_run()) };
        let joined = JoinedRun {
            run,
            thread: ThreadId::from_digits("a1"),
            content: vec![Content::Text("into it".into())],
            into,
            inferred,
            at_ms: self.at_ms,
        };
        let told = self.normalizer.joined(joined);
        self.out.extend(told);
    }

    fn answer(&mut self) {
        let open = self.normalizer.open_requests();
        if open.is_empty() {
            return;
        }
        let request = open[self.bytes.below(open.len())].clone();
        let reply = reply(&mut self.bytes, &request);
        if self.normalizer.answer(&request.id, reply, "user").is_ok() && self.bytes.below(4) > 0 {
            let outcome = if self.bytes.once_in(3) { Err(decode::fault(&mut self.bytes)) } else { Ok(()) };
            let told = self.normalizer.answered(&request.id, outcome);
            self.out.extend(told);
        }
    }

    fn nothing_comes_of_a_frame(&mut self) {
        self.frame += 1;
        self.normalizer.frame_in(self.frame);
        let disposed = match self.bytes.below(6) {
            0 => return,
            1 => Disposed::Noise,
            2 => Disposed::TooLarge,
            3 => Disposed::Fenced,
            _ => Disposed::Plugin(decode::disposition(&mut self.bytes)),
        };
        self.normalizer.dispose(self.frame, disposed);
    }

    fn frame(&mut self) {
        self.frame += 1;
        self.normalizer.frame_in(self.frame);
        for _ in 0..=self.bytes.below(3) {
            let event = decode::event(&mut self.bytes);
            self.normalizer.frame_out(self.frame);
            let told = self.normalizer.accept(Cause { frame: Some(self.frame), at_ms: self.at_ms }, event);
            self.out.extend(told);
        }
    }

    fn numbered(&self) -> Vec<SessionEvent> {
        let number = |(at, routed): (usize, &Routed)| SessionEvent {
            seq: at as u64 + 1,
            at_ms: 0,
            thread: routed.thread.clone(),
            draft: routed.draft.clone(),
        };
        self.out.iter().enumerate().map(number).collect()
    }
}

fn run(op: u32) -> RunId {
    RunId::from_digits(&format!("b{op}"))
}

/// An answer that fits, or does not.
fn reply(b: &mut Bytes<'_>, request: &Request) -> Reply {
    match b.below(6) {
        0..=2 => {
            let offered = b.below(request.options.len().max(1));
            let option_id = request.options.get(offered).map_or_else(|| b.id(), |offer| offer.id.clone());
            Reply::Chosen(Chosen { option_id, note: b.text_or_none(), input: b.text_or_none() })
        }
        3 => Reply::Filled(b.list(2, |b| Filled { question: b.id(), values: b.list(2, Bytes::id) })),
        4 => Reply::Output(ToolOutput { content: vec![], failed: b.below(2) == 0 }),
        _ => Reply::Dismissed,
    }
}
