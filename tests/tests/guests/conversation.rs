//! One conversation with each plugin, led as the host would: every batch, and what came of it.

use anyhow::{Result, ensure};
use jackfield_core::contract::*;
use jackfield_sandbox::{CallError, Session};
use serde_json::Value;

use crate::built::Built;

/// A conversation as the host would lead it: each batch, and what came of it.
pub async fn converse(built: &Built) -> Result<String> {
    let mut session = built.generation.session().await?;
    let message = |op, text: &str| command(op, Some("main"), CommandBody::SendRun(message(text)));
    let stop = CommandBody::Interrupt(Interrupt { turn: None, keep_background: false });
    let chosen = Reply::Chosen(Chosen { option_id: "yes".into(), note: None, input: None });
    let answer = |reply| CommandBody::Respond(Answer { request: "q1".into(), reply });
    let batches = vec![
        vec![command(1, None, start())],
        vec![done(1, Ok(EffectValue::Opened))],
        vec![frame("murmur clears its throat"), frame("17"), frame(r#"{"t":"ready","version":"1.0"}"#)],
        hard().iter().map(|line| frame(line)).collect(),
        vec![command(2, None, open(Some("gone")))],
        vec![command(3, None, open(None))],
        vec![message(4, "Use a töol")],
        vec![done(2, Ok(EffectValue::Written))],
        vec![message(5, "Too soon")],
        vec![
            frame(r#"{"t":"said","text":"Murmur, "}"#),
            frame(r#"{"t":"tool","id":"t1","name":"run","input":{"command":"echo \"hush\" ünï","n":1}}"#),
            frame(r#"{"t":"may","id":"q1","tool":"t1","name":"run","input":{"command":"echo hush"}}"#),
            Input::Frame(Frame { channel: 1, pipe: Pipe::Error, data: FrameData::Bytes(vec![0xff, 0x41]) }),
            Input::Frame(Frame { channel: 1, pipe: Pipe::Main, data: FrameData::Bytes(vec![0xff]) }),
        ],
        vec![command(6, Some("main"), answer(chosen))],
        vec![done(3, Ok(EffectValue::Written))],
        vec![frame(r#"{"t":"did","id":"t1","ok":false,"out":"no"}"#), frame(r#"{"t":"hum","for":2}"#)],
        vec![command(7, Some("main"), stop.clone())],
        vec![done(4, Err(denied()))],
        vec![command(8, Some("main"), stop.clone())],
        vec![done(5, Ok(EffectValue::Written))],
        vec![frame(r#"{"t":"end","how":"stopped"}"#)],
        vec![command(9, Some("main"), stop)],
        vec![message(10, "Again")],
        vec![done(6, Err(denied()))],
        vec![command(11, Some("main"), answer(Reply::Dismissed))],
        vec![Input::Timer(99), Input::Other(Other { name: "acme.new".into(), json: "null".into() })],
        vec![command(12, None, CommandBody::Other(Other { name: "acme.dance".into(), json: "null".into() }))],
        vec![command(13, Some("main"), CommandBody::ClearThread)],
        vec![Input::Close],
    ];
    let mut said = String::new();
    for (seq, batch) in batches.into_iter().enumerate() {
        said += &format!("# {seq}\n");
        for mut caused in feed(&mut session, seq as u32, batch).await? {
            in_order(&mut caused.output);
            said += &format!("{} {}\n", caused.cause, serde_json::to_string(&caused.output)?);
        }
    }
    let log = session.take_log();
    ensure!(log.is_empty(), "it said to the log: {log:?}");
    Ok(said)
}

/// Lines that one reader of JSON takes and another does not: half a character, Python's numbers, numbers that are too large, nesting that
/// would fill a stack.
fn hard() -> Vec<String> {
    let nested = |deep: usize| format!(r#"{{"t":"said","text":"deep","x":{}{}}}"#, "[".repeat(deep), "]".repeat(deep));
    let lines = [
        r#"{"t":"said","text":"\ud83d\ude00 whole, \\ud83d"}"#,
        r#"{"t":"said","text":"\ud83d half"}"#,
        r#"{"t":"said","text":"half \uDE00"}"#,
        r#"{"t":"said","text":"a name","\ud83d":1}"#,
        r#"{"t":"said","text":"a number","x":NaN}"#,
        r#"{"t":"said","text":"too large","x":1e400}"#,
        r#"{"t":"said","text":"no end"#,
        r#"{'t':'said','text':'quotes'}"#,
        r#"{"t":"said","text":"one"} {"t":"said","text":"two"}"#,
        "\u{feff}{\"t\":\"said\",\"text\":\"mark\"}",
        "",
    ];
    let brackets = format!(r#"{{"t":"said","text":"{}"}}"#, r#"[{\""#.repeat(3));
    let deep = [nested(126), nested(127), nested(100_000), "[".repeat(100_000), r#"{"t":"#.repeat(100_000), brackets];
    let digits = format!(r#"{{"t":"said","text":"too many digits","x":{}}}"#, "9".repeat(310));
    lines.map(str::to_owned).into_iter().chain(deep).chain([digits]).collect()
}

/// What is written is JSON: the order of its members is the language's, and says nothing.
fn in_order(output: &mut Output) {
    if let Output::Effect(Effect { body: EffectBody::Write(write), .. }) = output
        && let FrameData::Text(text) = &mut write.data
    {
        *text = serde_json::from_str::<Value>(text).expect("one JSON value").to_string();
    }
}

pub async fn feed(session: &mut Session, seq: u32, batch: Vec<Input>) -> Result<Vec<Caused>, CallError> {
    session.handle(Tick { now_ms: 1.0e12 + f64::from(seq), seq }, batch).await
}

pub fn command(op: u32, thread: Option<&str>, body: CommandBody) -> Input {
    Input::Command(Command { op, thread: thread.map(Into::into), body })
}

pub fn start() -> CommandBody {
    CommandBody::Start(StartSession {
        role: Role::Live,
        folder: "/w".into(),
        options: String::new(),
        epoch: 0,
        seed: "0".repeat(32),
        selection: vec![],
        extra: vec![],
    })
}

fn open(cursor: Option<&str>) -> CommandBody {
    let cursor = cursor.map(Into::into);
    CommandBody::OpenThread(OpenThread { cursor, selection: vec![], context: vec![], folder: None, extra: vec![] })
}

fn message(text: &str) -> Message {
    Message {
        content: vec![Content::Text(text.into()), Content::Text("second part".into())],
        turn: None,
        context: vec![],
        selection: vec![],
        uuid: "00000000-0000-4000-8000-000000000000".into(),
        enqueue: false,
        extra: vec![],
    }
}

pub fn frame(line: &str) -> Input {
    Input::Frame(Frame { channel: 1, pipe: Pipe::Main, data: FrameData::Text(line.into()) })
}

fn done(id: u32, outcome: Result<EffectValue, Fault>) -> Input {
    Input::EffectDone(EffectResult { id, outcome })
}

fn denied() -> Fault {
    let message = "No grant.".to_owned();
    Fault {
        kind: FaultKind::Denied,
        message,
        code: Some("x".into()),
        retryable: false,
        retry_after_ms: None,
        extra: vec![],
    }
}
