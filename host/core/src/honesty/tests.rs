//! Each detector finds its lie, and finds nothing in an honest conversation.

use super::*;
use crate::contract::Event;
use serde_json::{Value, json};

fn event(body: Value) -> Event {
    Event { scope: None, body: serde_json::from_value(body).expect("an event of the contract") }
}

fn start(op: u32) -> Event {
    event(json!({"type": "turn_started", "value": {"op": op}}))
}

fn end(op: u32, status: &str) -> Event {
    event(json!({"type": "turn_ended", "value": {"op": op, "status": status, "background": false}}))
}

fn say() -> Event {
    event(json!({"type": "delta", "value": {"id": "m", "kind": "assistant", "whole": false, "text": "hi"}}))
}

fn said() -> Event {
    event(
        json!({"type": "items", "value": [{"id": "m", "status": "completed", "body": {"type": "assistant", "value": []}}]}),
    )
}

fn tool(id: &str, status: &str, kind: &str, input: &str) -> Event {
    event(json!({"type": "items", "value": [{"id": id, "status": status, "body": {"type": "tool", "value":
        {"kind": kind, "name": "Bash", "input": input}}}]}))
}

fn ask(id: &str, item: Option<&str>) -> Event {
    event(
        json!({"type": "requests_opened", "value": [{"id": id, "item": item, "subject": {"type": "approval", "value": {"kind": "execute"}}}]}),
    )
}

fn inside(parent: &str) -> crate::contract::Scope {
    crate::contract::Scope { thread: None, turn: None, parent: Some(parent.into()), replayed: false }
}

fn honesty() -> Honesty {
    Honesty::new(&Limits::default())
}

fn found(mode: &str, events: &[Event]) -> Vec<&'static str> {
    let mut honesty = honesty();
    honesty.begins_with(&vec![("approvals".into(), mode.into())]);
    events.iter().flat_map(|event| honesty.told(event)).map(|finding| finding.flag).collect()
}

#[test]
fn an_honest_conversation_raises_nothing() {
    let run = [
        start(1),
        say(),
        said(),
        tool("t", "running", "execute", "ls"),
        ask("r", Some("t")),
        tool("t", "completed", "execute", "ls"),
        end(1, "completed"),
    ];
    assert_eq!(found("ask", &run), Vec::<&str>::new());
}

#[test]
fn each_lie_is_found() {
    let lies: &[(&str, &str, Vec<Event>)] = &[
        ("ask", "approvals.supports-command-approval", vec![start(1), tool("t", "completed", "execute", "ls")]),
        ("ask", "approvals.supports-file-change-approval", vec![start(1), tool("t", "completed", "edit", "a")]),
        ("edits", "approvals.supports-command-approval", vec![start(1), tool("t", "completed", "execute", "ls")]),
        ("auto", "streaming.emits-message-completed", vec![start(1), say(), end(1, "completed")]),
        (
            "auto",
            "tools.emits-tool-completed",
            vec![start(1), tool("t", "running", "execute", "ls"), end(1, "completed")],
        ),
        (
            "auto",
            "tools.emits-tool-started",
            vec![start(1), tool("t", "completed", "execute", "ls"), end(1, "completed")],
        ),
        ("auto", "turns.emits-turn-started", vec![end(1, "completed")]),
        ("auto", "turns.emits-turn-completed", vec![start(1), start(2)]),
        (
            "auto",
            "identity.native-item-ids",
            vec![start(1), tool("t", "completed", "execute", "ls"), tool("t", "running", "execute", "rm")],
        ),
        (
            "auto",
            "identity.native-request-ids",
            vec![
                ask("0", None),
                event(json!({"type": "requests_closed", "value": [{"id": "0", "status": "completed"}]})),
                ask("0", Some("t")),
            ],
        ),
    ];
    let more: Vec<(&str, Value)> = vec![
        (
            "tools.exposes-tool-item-ids",
            json!({"type": "items", "value": [{"status": "running", "body": {"type": "tool", "value": {"kind": "read"}}}]}),
        ),
        (
            "planning.plan-deltas-have-item-ids",
            json!({"type": "delta", "value": {"kind": "plan", "whole": false, "text": "1."}}),
        ),
        (
            "approvals.approvals-have-native-request-ids",
            json!({"type": "requests_opened", "value": [{"id": "", "subject": {"type": "questions"}}]}),
        ),
        ("threads.exposes-native-thread-id", json!({"type": "threads", "value": [{"id": "", "state": "idle"}]})),
        (
            "subagents.exposes-subagent-thread-ids",
            json!({"type": "tasks", "value": [{"id": "k", "kind": "subagent", "status": "completed", "background": false}]}),
        ),
    ];
    for (flag, body) in more {
        assert_eq!(found("auto", &[event(body)]), [flag]);
    }
    let inside = Event { scope: Some(inside("d")), ..say() };
    assert_eq!(found("auto", &[start(1), inside, end(1, "completed")]), ["subagents.emits-subagent-lifecycle"]);
    for status in ["unknown", "running"] {
        assert_eq!(found("auto", &[start(1), end(1, status)]), ["turns.terminal-status-quality"]);
    }
    for (mode, flag, events) in lies {
        assert_eq!(found(mode, events), [*flag], "{mode} {events:?}");
    }
}

/// What was not promised is no lie: other modes, turns that were stopped, work that goes on, history.
#[test]
fn what_was_not_promised_is_no_lie() {
    let quiet: &[(&str, Vec<Event>)] = &[
        ("auto", vec![start(1), tool("t", "completed", "execute", "ls")]),
        ("edits", vec![start(1), tool("t", "completed", "edit", "a")]),
        ("ask", vec![start(1), ask("r", None), tool("t", "completed", "execute", "ls")]),
        ("ask", vec![start(1), tool("t", "declined", "execute", "ls")]),
        ("auto", vec![start(1), say(), end(1, "interrupted")]),
        ("auto", vec![start(1), tool("t", "running", "execute", "ls"), end(1, "failed")]),
        ("auto", vec![start(1), tool("t", "completed", "execute", "ls"), tool("t", "running", "execute", "ls")]),
        ("auto", vec![end(1, "failed")]),
        (
            "auto",
            vec![
                ask("0", None),
                event(json!({"type": "requests_closed", "value": [{"id": "0", "status": "completed"}]})),
                ask("0", None),
            ],
        ),
    ];
    for (mode, events) in quiet {
        assert_eq!(found(mode, events), Vec::<&str>::new(), "{mode} {events:?}");
    }
    let mut honesty = honesty();
    let mut told = tool("t", "completed", "execute", "ls");
    told.scope = Some(crate::contract::Scope { thread: None, turn: None, parent: None, replayed: true });
    honesty.begins_with(&vec![("approvals".into(), "ask".into())]);
    assert_eq!(honesty.told(&told), []);
}

#[test]
fn an_answer_for_good_ends_the_promise() {
    let mut honesty = honesty();
    honesty.begins_with(&vec![("approvals".into(), "ask".into())]);
    honesty.answered(None, "r", true);
    assert_eq!(honesty.told(&tool("t", "completed", "execute", "ls")), []);
}

#[test]
fn only_what_was_declared_is_narrowed() {
    let finding = interrupt_failed();
    assert!(finding.narrows(&Capabilities::strongest()));
    assert!(!finding.narrows(&Capabilities::default()));
}

fn mode(value: &str) -> Event {
    event(
        json!({"type": "settings", "value": [{"name": "approvals", "label": "Approvals", "value": value, "choices": []}]}),
    )
}

/// A call that was at work when the mode changed was begun under the old one; a change that was only asked for promises nothing.
#[test]
fn a_mode_speaks_of_what_begins_under_it() {
    let mut honesty = honesty();
    assert_eq!(honesty.told(&mode("auto")), []);
    assert_eq!(honesty.told(&tool("t", "running", "execute", "ls")), []);
    assert_eq!(honesty.told(&mode("ask")), []);
    assert_eq!(honesty.told(&tool("t", "completed", "execute", "ls")), []);
    assert_eq!(honesty.told(&tool("u", "completed", "execute", "ls")).len(), 1);
    honesty.unsettled();
    assert_eq!(honesty.told(&tool("v", "completed", "execute", "ls")), []);
}

/// Where two settings speak, only what both promise is promised.
#[test]
fn the_settings_in_force_promise_together() {
    let told = |asks: &str| {
        let choices = json!([{"value": "careful", "label": "Careful", "extra": [["asks", asks]]}]);
        event(json!({"type": "settings", "value": [
            {"name": "approvals", "label": "Approvals", "value": "ask", "choices": []},
            {"name": "mode", "label": "Mode", "value": "careful", "choices": choices},
        ]}))
    };
    for (asks, lies) in [("changes", 1), ("commands", 0), ("", 0)] {
        let mut honesty = honesty();
        assert_eq!(honesty.told(&told(asks)), []);
        assert_eq!(honesty.told(&tool("t", "completed", "edit", "a")).len(), lies, "{asks:?}");
    }
}

/// Silence is weaker evidence than the provider's own words.
#[test]
fn silence_must_be_seen_more_than_once() {
    let limits = Limits::default();
    assert!(interrupt_failed().needed(&limits) > 1);
    assert_eq!(refused("interrupt").expect("a finding").needed(&limits), 1);
}

#[test]
fn a_tool_that_is_off_is_left_alone() {
    let server = |disabled: &[&str]| McpServer {
        name: "mail".into(),
        transport: crate::contract::McpTransport::Stdio,
        address: "mail".into(),
        args: vec![],
        values: vec![],
        disabled_tools: disabled.iter().map(|tool| (*tool).to_owned()).collect(),
        extra: vec![],
    };
    let call = |id: &str, status: &str, name: &str| {
        event(json!({"type": "items", "value": [{"id": id, "status": status, "body": {"type": "tool", "value":
            {"kind": "unknown", "server": "mail", "name": name}}}]}))
    };
    let mut honesty = honesty();
    assert_eq!(honesty.told(&call("a", "running", "send")), []);
    honesty.served(&[server(&["send"])]);
    assert_eq!(honesty.told(&call("a", "completed", "send")), [], "it had begun before");
    assert_eq!(honesty.told(&call("b", "running", "send")), []);
    assert_eq!(honesty.told(&call("b", "failed", "send")), [], "it was kept from it");
    assert_eq!(honesty.told(&call("c", "completed", "read")), []);
    assert_eq!(honesty.told(&call("d", "completed", "send")).len(), 1);
    honesty.served(&[server(&["*"])]);
    assert_eq!(honesty.told(&call("e", "completed", "read")).len(), 1);
    honesty.served(&[server(&[])]);
    assert_eq!(honesty.told(&call("f", "completed", "send")), []);
}
