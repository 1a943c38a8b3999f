//! The view for people. The answer goes to stdout; what the provider does, asks and suffers goes to stderr, so that
//! `jackfield run … > answer.txt` holds the answer and nothing else. Colour and the sign of life only on a terminal.

use super::{End, View};
use crate::ledger;
use crate::output::{self, headline, plain};
use jackfield_core::contract::{Content, ContextEffect, Fault, Plan, Status, TextKind, Tool};
use jackfield_core::event::{EventBody, Item, ItemBody, RunStatus, SessionEvent, is_terminal};
use jackfield_core::id::ItemId;
use jackfield_core::run_limits::LIMIT_REACHED;
use jackfield_runtime::thread::Thread;
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How long nothing comes before a sign of life is shown.
const QUIET: Duration = Duration::from_secs(2);

pub struct Text {
    colour: bool,
    /// Columns of the terminal.
    width: usize,
    live: bool,
    answer_on_terminal: bool,
    /// True while the last line on the screen is not finished.
    mid_line: bool,
    /// True while a sign of life stands on the last line.
    sign: bool,
    last: Instant,
    started: Instant,
    shown_text: HashMap<ItemId, usize>,
    shown_tools: HashMap<ItemId, String>,
    reasoning: bool,
    steps: Vec<(String, Status)>,
    refusal: String,
    thread: String,
}

impl Text {
    pub fn new() -> Text {
        let stderr = io::stderr().is_terminal();
        Text {
            colour: stderr && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            width: output::width(),
            live: stderr,
            answer_on_terminal: io::stdout().is_terminal(),
            mid_line: false,
            sign: false,
            last: Instant::now(),
            started: Instant::now(),
            shown_text: HashMap::new(),
            shown_tools: HashMap::new(),
            reasoning: false,
            steps: Vec::new(),
            refusal: String::new(),
            thread: String::new(),
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn clear_sign(&mut self) {
        if std::mem::take(&mut self.sign) {
            eprint!("\r\x1b[K");
        }
    }

    /// A line about what happens, on stderr.
    fn line(&mut self, text: &str) {
        self.clear_sign();
        if std::mem::take(&mut self.mid_line) {
            // The answer's line is unfinished: on a terminal both share the screen.
            if self.answer_on_terminal {
                let _ = writeln!(io::stdout());
                let _ = io::stdout().flush();
            } else if self.reasoning {
                eprintln!();
            }
        }
        self.reasoning = false;
        eprintln!("{text}");
        self.last = Instant::now();
    }

    fn answer(&mut self, text: &str) -> io::Result<()> {
        self.clear_sign();
        if std::mem::take(&mut self.reasoning) {
            eprintln!();
        }
        let text = plain(text);
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        self.mid_line = !text.ends_with('\n');
        self.last = Instant::now();
        Ok(())
    }

    fn think(&mut self, text: &str) {
        self.clear_sign();
        let text = plain(text);
        if !self.reasoning {
            if std::mem::take(&mut self.mid_line) && self.answer_on_terminal {
                let _ = writeln!(io::stdout());
            }
            eprint!("{}", self.paint("2", "· "));
        }
        self.reasoning = true;
        eprint!("{}", self.paint("2", &text));
        let _ = io::stderr().flush();
        self.mid_line = true;
        self.last = Instant::now();
    }

    fn message_text(&mut self, item: &Item, text: &str, ended: bool) -> io::Result<()> {
        let shown = self.shown_text.entry(item.id.clone()).or_default();
        let rest = text.get(*shown..).unwrap_or_default().to_owned();
        *shown = text.len();
        let any = !text.is_empty();
        if !rest.is_empty() {
            self.answer(&rest)?;
        }
        if ended && any && std::mem::take(&mut self.mid_line) {
            let mut out = io::stdout().lock();
            out.write_all(b"\n")?;
            out.flush()?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Item, inside: bool) -> io::Result<()> {
        let ended = is_terminal(item.status);
        match &item.body {
            ItemBody::AssistantMessage { text, .. } if !inside => self.message_text(item, text, ended)?,
            ItemBody::Reasoning { text } => {
                let shown = self.shown_text.entry(item.id.clone()).or_default();
                let rest = text.get(*shown..).unwrap_or_default().to_owned();
                *shown = text.len();
                if !rest.is_empty() {
                    self.think(&rest);
                }
            }
            ItemBody::ProposedPlan { text } if ended => self.line(&plain(text)),
            ItemBody::Tool { tool, output, .. } => self.tool(item, tool, output, inside),
            _ => {}
        }
        Ok(())
    }

    fn tool(&mut self, item: &Item, tool: &Tool, output: &str, inside: bool) {
        let indent = if inside { "    " } else { "" };
        let name = tool.name.as_deref().unwrap_or("tool");
        let title = tool.title.as_deref().or(tool.input.as_deref()).unwrap_or_default();
        let head = format!(
            "{indent}{} {} {}",
            self.paint("36", "●"),
            self.paint("1", &headline(name, 40)),
            headline(title, self.width.saturating_sub(indent.len() + name.len().min(40) + 5))
        );
        let known = self.shown_tools.get(&item.id).cloned();
        if known.as_ref() != Some(&head) && (!title.is_empty() || is_terminal(item.status)) {
            self.shown_tools.insert(item.id.clone(), head.clone());
            self.line(&head);
        }
        if is_terminal(item.status) {
            self.tool_result(item.status, tool, output, indent);
        }
    }

    fn tool_result(&mut self, status: Status, tool: &Tool, output: &str, indent: &str) {
        let told = tool.content.iter().filter_map(text_of).collect::<Vec<_>>().join("\n");
        let result = if told.is_empty() { output } else { &told };
        let (word, colour) = match status {
            Status::Completed if result.trim().is_empty() => ("done", "32"),
            Status::Completed => ("", "32"),
            Status::Declined => ("refused ", "33"),
            Status::Failed => ("failed ", "31"),
            Status::Interrupted | Status::Cancelled => ("stopped ", "33"),
            _ => ("ended, outcome not known ", "33"),
        };
        let code = tool.exit_code.filter(|code| *code != 0).map(|code| format!("(exit code {code}) "));
        let mark = format!("└ {word}{}", code.unwrap_or_default());
        let rest = headline(result, self.width.saturating_sub(indent.len() + 4 + mark.chars().count()));
        let line = format!("{indent}  {}{}", self.paint(colour, &mark), self.paint("2", &rest));
        self.line(line.trim_end());
    }

    /// The list once, then only the steps that have changed.
    fn plan(&mut self, plan: &Plan) {
        let known = std::mem::take(&mut self.steps);
        for step in &plan.steps {
            let now = (step.text.clone(), step.status);
            if !known.contains(&now) {
                let mark = match step.status {
                    Status::Completed => self.paint("32", "☑"),
                    Status::Running => self.paint("36", "▸"),
                    _ => "☐".to_owned(),
                };
                self.line(&format!("  {mark} {}", headline(&step.text, self.width.saturating_sub(5))));
            }
            self.steps.push(now);
        }
    }

    fn run_ended(&mut self, status: RunStatus, reason: Option<&str>, fault: Option<&Fault>) {
        let took = self.started.elapsed().as_secs_f32();
        let text = match status {
            RunStatus::Completed => self.paint("2", &format!("✓ done in {took:.1} s · thread {}", self.thread)),
            RunStatus::Interrupted if reason == Some(LIMIT_REACHED) => {
                let why = fault.map(|fault| plain(&fault.message)).unwrap_or_default();
                self.paint("33", &format!("■ stopped after {took:.1} s: {why} (--resume {})", self.thread))
            }
            RunStatus::Interrupted => {
                self.paint("33", &format!("■ interrupted after {took:.1} s · go on with --resume {}", self.thread))
            }
            RunStatus::Cancelled => self.paint("33", "■ cancelled before it began"),
            _ => {
                let why = fault
                    .map(|fault| plain(&fault.message))
                    .or(reason.map(plain))
                    .unwrap_or_else(|| "no reason was given".into());
                // A refusal that was just shown is not told twice.
                let why = if !self.refusal.is_empty() && why == plain(&self.refusal) {
                    String::new()
                } else {
                    format!(": {why}")
                };
                self.paint("31", &format!("✗ failed{why}"))
            }
        };
        self.line(&text);
    }
}

fn text_of(content: &Content) -> Option<String> {
    match content {
        Content::Text(text) => Some(text.clone()),
        Content::Diff(diff) => Some(format!("changed {}", diff.path)),
        Content::Media(media) => Some(format!("[{}]", media.mime)),
        Content::Other(_) => None,
    }
}

impl View for Text {
    fn opened(&mut self, thread: &Thread, provider: &str) -> io::Result<()> {
        self.thread = thread.id().to_string();
        let text = self.paint("2", &format!("{provider} · {}", thread.id()));
        self.line(&text);
        Ok(())
    }

    fn event(&mut self, event: &SessionEvent) -> io::Result<()> {
        if event.draft.origin.replayed {
            return Ok(());
        }
        let inside = event.draft.parent.is_some();
        match &event.draft.body {
            EventBody::ItemStarted { item } | EventBody::ItemUpdated { item } | EventBody::ItemEnded { item } => {
                self.item(item, inside)?
            }
            EventBody::ItemDelta { item, kind: TextKind::Assistant, text } if !inside => {
                *self.shown_text.entry(item.clone()).or_default() += text.len();
                self.answer(text)?;
            }
            EventBody::ItemDelta { item, kind: TextKind::Reasoning | TextKind::ReasoningSummary, text } if !inside => {
                *self.shown_text.entry(item.clone()).or_default() += text.len();
                self.think(text);
            }
            EventBody::PlanUpdated { plan } => self.plan(plan),
            EventBody::RequestResolved { resolution, .. } => {
                let text = self.paint("2", &describe(resolution));
                self.line(&text);
            }
            EventBody::Retrying { retry } => {
                let text = self.paint(
                    "33",
                    &format!(
                        "… trying again ({}{}): {}",
                        retry.attempt,
                        retry.max_attempts.map(|most| format!(" of {most}")).unwrap_or_default(),
                        plain(&retry.fault.message)
                    ),
                );
                self.line(&text);
            }
            EventBody::Stalled { waiting_for, silent_ms } => {
                let text = self.paint(
                    "33",
                    &format!("… nothing from {waiting_for} for {} s; Ctrl-C interrupts", silent_ms / 1000),
                );
                self.line(&text);
            }
            EventBody::ContextChanged { change } if change.what == ContextEffect::Lost => {
                let text = self.paint("31", "! the provider began afresh: it does not know what was said before");
                self.line(&text);
            }
            EventBody::PolicyDecided { intent, decision } => {
                let text = self.paint("33", &format!("! {intent}: {}", plain(&decision.reason())));
                self.line(&text);
            }
            EventBody::CapabilityDemoted { flag, because, .. } => {
                let text = self.paint("33", &format!("! {flag} is not kept and counts for less: {}", plain(because)));
                self.line(&text);
            }
            EventBody::EffectRefused { effect, message, .. } => {
                self.refusal = message.clone();
                let text = self.paint("33", &format!("! refused to {effect}: {}", plain(message)));
                self.line(&text);
            }
            EventBody::Note { note } => {
                let text = self.paint("2", &plain(&note.text));
                self.line(&text);
            }
            EventBody::RunEnded { status, reason, fault, ledger, .. } => {
                if let Some(off) = ledger::off(ledger) {
                    let text = self.paint("33", &format!("! {off}; `jackfield doctor --session {}`", self.thread));
                    self.line(&text);
                }
                self.run_ended(*status, reason.as_deref(), fault.as_ref())
            }
            _ => {}
        }
        Ok(())
    }

    fn tick(&mut self) -> io::Result<()> {
        if self.live && !self.mid_line && self.last.elapsed() > QUIET {
            let text = self.paint("2", &format!("… {} s", self.last.elapsed().as_secs()));
            eprint!("\r\x1b[K{text}");
            io::stderr().flush()?;
            self.sign = true;
        }
        Ok(())
    }

    fn closed(&mut self, _: &End) -> io::Result<()> {
        self.clear_sign();
        Ok(())
    }

    fn waiting(&mut self, what: &str) {
        if self.live {
            eprint!("{}", self.paint("2", &format!("… {what}")));
            self.sign = true;
        }
    }

    fn lingering(&mut self, tasks: usize) {
        let (what, them) = if tasks == 1 { ("task still runs", "it") } else { ("tasks still run", "them") };
        let text = self.paint("33", &format!("… {tasks} background {what}; Ctrl-C ends {them}"));
        self.line(&text);
    }

    fn say(&mut self, text: &str) {
        let text = self.paint("33", &format!("! {text}"));
        self.line(&text);
    }
}

fn describe(resolution: &jackfield_core::event::Resolution) -> String {
    use jackfield_core::event::Resolution::*;
    match resolution {
        Answered { allowed: Some(true), by, .. } => format!("  → allowed ({by})"),
        Answered { allowed: Some(false), by, .. } => format!("  → refused ({by})"),
        Answered { by, .. } => format!("  → answered ({by})"),
        Withdrawn => "  → the provider took the question back".into(),
        Dismissed => "  → closed without an answer".into(),
        Expired => "  → it can't be answered any more".into(),
        Failed => "  → the provider did not take the answer".into(),
    }
}
