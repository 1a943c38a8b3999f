//! Recorded runs of the real aider, and what a person would see of them; and what no recording shows.

use jackfield_plugin_plain::PlainText;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::recording::{expect, lines};
use jackfield_sdk::testing::{Harness, word};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings")
}

/// Plays a recorded run: its message, what it printed, our signal where the recording has one, its end.
fn play(name: &str) -> (Vec<Output>, Pairs) {
    let mut harness = opened("{}");
    let mut outputs = vec![];
    for (dir, line) in &lines(&folder(), name) {
        let channel = |harness: &Harness<PlainText>| harness.spawned.last().unwrap().0;
        match dir.as_str() {
            "spawn" => {
                let spawn: Value = serde_json::from_str(line).unwrap();
                let argv: Vec<_> =
                    spawn["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
                let after = |flag: &str| argv.iter().position(|word| *word == flag).map(|at| argv[at + 1]).unwrap();
                let selection = vec![("model".to_owned(), after("--model").to_owned())];
                let message = Message { selection, ..Message::of_text(after("--message")) };
                outputs.extend(harness.command(CommandBody::SendRun(message)));
            }
            "out" => {
                // The recorder sent its signal while this was printed; it wrote no line of its own for that.
                if line == "^C again to exit" {
                    outputs.extend(harness.interrupt());
                }
                outputs.extend(harness.frame(channel(&harness), &format!("{line}\n")));
            }
            "exit" => outputs.extend(harness.closed(channel(&harness), line.parse().ok(), "")),
            _ => {}
        }
    }
    let holes = harness.spawned.last().unwrap().2.clone();
    (outputs, holes)
}

fn opened(options: &str) -> Harness<PlainText> {
    let mut harness = Harness::new();
    harness.start(options);
    harness.open(None, &[]);
    harness
}

/// The words as one text, and all else line by line.
fn shown(outputs: &[Output]) -> String {
    let (mut words, mut lines) = (String::new(), vec![]);
    for output in outputs {
        match output {
            Output::Event(Event { body: EventBody::Delta(delta), .. }) => words.push_str(&delta.text),
            Output::Event(Event { body: EventBody::TurnEnded(end), .. }) => {
                let fault = end
                    .fault
                    .as_ref()
                    .map(|fault| format!(" {} {:?}: {}", word(&fault.kind), fault.code, fault.message));
                let reason = end.reason.as_deref().unwrap_or("-");
                lines.push(format!("ended {} by {reason}{}", word(&end.status), fault.unwrap_or_default()));
            }
            Output::Event(Event { body: EventBody::Context(change), .. }) => {
                lines.push(format!("context {}", word(&change.what)))
            }
            Output::Done(OpResult { op, outcome: Ok(OpValue::Delivered(delivery)) }) => {
                lines.push(format!("done {op} {}", word(&delivery.how)));
            }
            Output::Done(OpResult { op, outcome: Ok(value) }) => lines.push(format!("done {op} {}", word(value))),
            Output::Done(OpResult { op, outcome: Err(fault) }) => {
                lines.push(format!("done {op} {}: {}", word(&fault.kind), fault.message));
            }
            Output::Effect(Effect { body: EffectBody::Signal(signal), .. }) => {
                lines.push(format!("signal {}", word(&signal.kind)))
            }
            _ => {}
        }
    }
    format!("{}{}", lines.iter().map(|line| format!("{line}\n")).collect::<String>(), words)
}

#[test]
fn recorded_runs_read_as_expected() {
    let names = ["error_http_401", "file_edit", "sigint_mid_turn", "text_stream"];
    let shown = names.map(|name| (name.to_owned(), shown(&play(name).0)));
    expect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected"), shown);
}

#[test]
fn a_message_is_one_hole_whatever_it_holds() {
    let (_, holes) = play("text_stream");
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(holes, [pair("model", "openai/mock-model"), pair("message", "Please answer <<script:hello>>")]);
    let mut harness = opened("{}");
    harness.say("--yes\n- and this");
    assert_eq!(harness.spawned[0].1, "aider");
    assert_eq!(harness.spawned[0].2, [pair("message", "--yes\n- and this")]);
}

#[test]
fn each_piece_is_shown_or_has_one_disposition() {
    let mut harness = opened("{}");
    harness.say("one");
    let channel = harness.spawned[0].0;
    let outputs = harness.frame(channel, "\u{1b}[32mHal");
    assert_eq!(shown(&outputs), "Hal");
    let silent = |kind: &str| [Output::Disposition(Disposition::Silent(kind.into()))];
    assert_eq!(harness.frame(channel, "\u{1b}[0"), silent("no-words"));
    assert_eq!(shown(&harness.frame(channel, "mlo\r\n")), "lo\n");
    assert_eq!(harness.stderr(channel, "a warning"), silent("stderr"));
    assert_eq!(harness.frame(channel + 99, "?"), [Output::Disposition(Disposition::Noise)]);
}

#[test]
fn the_exit_code_is_how_it_ended_and_its_last_words_are_why() {
    let ended = |printed: &str, code: Option<i32>, stderr: &str| {
        let mut harness = opened("{}");
        harness.say("one");
        let channel = harness.spawned[0].0;
        harness.frame(channel, printed);
        shown(&harness.closed(channel, code, stderr))
    };
    assert_eq!(ended("Error: all is lost", Some(0), "oh"), "ended Completed by exit code 0\n");
    assert_eq!(
        ended("It goes", Some(3), "no key"),
        "ended Failed by exit code 3 Unknown Some(\"3\"): The provider's program ended with exit code 3. Its last words: no key\n"
    );
    assert!(ended("It says why here", Some(1), " ").contains("It says why here"));
    assert!(ended("", None, "").contains("It said nothing"));
}

#[test]
fn a_second_message_goes_to_a_program_that_knows_nothing_of_the_first() {
    let mut harness = opened("{}");
    assert_eq!(shown(&harness.say("one")), "done 3 OpenedTurn\n");
    assert!(shown(&harness.say("two")).starts_with("done 4 Conflict"));
    harness.closed(harness.spawned[0].0, Some(0), "");
    assert_eq!(shown(&harness.say("two")), "done 5 OpenedTurn\ncontext Lost\n");
    assert_eq!(harness.spawned.len(), 2);
    let mut again = Harness::<PlainText>::new();
    again.start("{}");
    assert!(shown(&again.open(Some("main"), &[])).starts_with("done 2 NotFound"), "there is nothing to resume");
}

#[test]
fn an_interrupt_is_a_signal_and_then_a_plainer_one() {
    let mut harness = opened("{}");
    assert!(shown(&harness.interrupt()).starts_with("done 3 Conflict"));
    harness.say("one");
    assert_eq!(shown(&harness.interrupt()), "signal Interrupt\ndone 5 Interrupted\n");
    assert!(shown(&harness.interrupt()).starts_with("done 6 Conflict"));
    assert_eq!(shown(&harness.advance(5_000.0)), "signal Terminate\n");
    let outputs = harness.closed(harness.spawned[0].0, Some(0), "");
    assert_eq!(
        shown(&outputs),
        "ended Interrupted by exit code 0 Cancelled None: The program was stopped, and ended with exit code 0.\n"
    );
}

#[test]
fn another_program_takes_the_message_alone() {
    let mut harness = opened("{\"program\":\"other\"}");
    harness.say("one");
    assert_eq!((harness.spawned[0].1.as_str(), harness.spawned[0].2.len()), ("argument", 1));
    harness.closed(harness.spawned[0].0, Some(0), "");
    let choice = vec![("model".to_owned(), "m".to_owned())];
    let outputs = harness.command(CommandBody::SetSelection(choice));
    assert!(shown(&outputs).contains("--exe-arg"), "{outputs:?}");
}

#[test]
fn what_is_no_word_is_refused_before_anything_is_started() {
    let mut harness = opened("{}");
    let media = Media { mime: "image/png".into(), name: None, uri: None, base64: Some("AAAA".into()) };
    for content in [vec![Content::Media(media)], vec![], vec![" \n".into()]] {
        let outputs = harness.command(CommandBody::SendRun(Message { content, ..Message::of_text("") }));
        assert!(shown(&outputs).contains("Unsupported") || shown(&outputs).contains("Invalid"), "{outputs:?}");
    }
    assert!(harness.spawned.is_empty());
}

#[test]
fn a_program_that_can_not_be_started_fails_the_message() {
    let mut harness = Harness::<PlainText>::manual();
    harness.start("{}");
    harness.open(None, &[]);
    harness.say("one");
    let fault = Fault::new(FaultKind::NotFound, "'aider' is not in PATH");
    let outputs = harness.effect_done(harness.spawned[0].0, Err(fault));
    assert_eq!(shown(&outputs), "done 3 NotFound: 'aider' is not in PATH\n");
    assert_eq!(shown(&harness.say("two")), "", "the next one may be lucky");
    assert_eq!(harness.spawned.len(), 2);
}
