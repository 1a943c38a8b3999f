//! Programs that take one message as an argument and print an answer, as aider's recordings show one. **There is no protocol**: what is
//! printed is what is said, whatever it says.

use super::dialect::{Asked, Dialect, INTERRUPTED, Requested, Requests, Start};
use super::told::{Said, Told};
use jackfield_core::contract::Content;

/// The dialect.
pub struct Plain;

/// What aider prints when it was interrupted; the recorder sent the signal and wrote no line of its own for that.
const ON_INTERRUPT: &str = "^C again to exit";

/// Arguments of the recorded client that our host writes, too, without a value.
const OURS: &[&str] = &[
    "--no-check-update",
    "--no-show-model-warnings",
    "--no-analytics",
    "--no-pretty",
    "--no-gitignore",
    "--yes-always",
];

impl Dialect for Plain {
    fn provider(&self) -> &'static str {
        "plain"
    }

    fn start(&self, arguments: &[String]) -> Start {
        let mut start = Start::default();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            match word.split_once('=').unwrap_or((word.as_str(), "")) {
                ("--message", "") => start.says = rest.next().cloned(),
                ("--message", text) => start.says = Some(text.to_owned()),
                ("--model", _) => start.selection.extend(rest.next().map(|model| ("model".to_owned(), model.clone()))),
                (flag, _) if OURS.contains(&flag) => {}
                (flag, _) if flag.starts_with("--") => {
                    start.not_ours.push(format!("start/{flag}"));
                    rest.next();
                }
                _ => start.not_ours.push("start/file".into()),
            }
        }
        start
    }

    fn asked(&self, line: &str, _requests: &Requests) -> Asked {
        match line {
            INTERRUPTED => Asked::Interrupt,
            text => Asked::Message { content: vec![Content::Text(text.to_owned())] },
        }
    }

    fn requested(&self, _line: &str) -> Option<Requested> {
        None
    }

    /// Nothing that is printed does; the program's own end does.
    fn ends_turn(&self, _line: &str) -> bool {
        false
    }

    fn answers(&self, _asked: &str, _said: &str) -> bool {
        false
    }

    fn session(&self, _line: &str) -> Option<String> {
        None
    }

    fn answers_by_itself(&self, _host: &str) -> Option<String> {
        None
    }

    fn kind_of_frame(&self, _line: &str) -> String {
        "text".into()
    }

    /// All that was printed is one text.
    fn told(&self, lines: &[String], _messages: &[String]) -> Told {
        let text = lines.concat();
        let said = Some(Said { nested: false, text }).filter(|said| !said.text.is_empty());
        Told { assistant: said.into_iter().collect(), ..Told::default() }
    }

    fn carries(&self, line: &str) -> Option<&'static str> {
        (!line.trim().is_empty()).then_some("a text")
    }

    fn is_raw(&self) -> bool {
        true
    }

    fn brought_about(&self, line: &str) -> Option<Asked> {
        (line == ON_INTERRUPT).then_some(Asked::Interrupt)
    }
}
