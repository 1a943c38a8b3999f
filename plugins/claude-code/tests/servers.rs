//! MCP servers that the host gives, and tasks that it stops or waits for: what is written, and what is told.

#[path = "support/live.rs"]
mod live;

use jackfield_plugin_claude_code::ClaudeCode;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{Harness, word};
use live::{answers, event, frame, init, last_written, ready, shake_hands, shake_hands_as};
use serde_json::{Value, json};

fn server(name: &str, transport: McpTransport, address: &str, disabled: &[&str]) -> McpServer {
    McpServer {
        name: name.into(),
        transport,
        address: address.into(),
        args: vec!["--serve".into()],
        values: vec![("TOKEN".into(), "${secret:TOKEN}".into())],
        disabled_tools: disabled.iter().map(|tool| (*tool).to_owned()).collect(),
        extra: vec![],
    }
}

fn set(servers: &[McpServer]) -> CommandBody {
    CommandBody::SetMcpServers(servers.to_vec())
}

/// The program's answer to our last control request.
fn answer(harness: &mut Harness<ClaudeCode>, response: Value) -> Vec<Output> {
    let id = last_written(harness)["request_id"].clone();
    frame(
        harness,
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": id, "response": response}}),
    )
}

/// Servers as they are told: name, status, tools, what is wrong.
fn told(outputs: &[Output]) -> Vec<String> {
    let Some(EventBody::McpServers(servers)) = event(outputs, |body| matches!(body, EventBody::McpServers(_))) else {
        return vec![];
    };
    let line = |state: &McpState| {
        format!(
            "{} {} {} {}",
            state.name,
            word(&state.status),
            state.tools.join("+"),
            state.message.as_deref().unwrap_or_default()
        )
    };
    servers.iter().map(|state| line(state).trim_end().to_owned()).collect()
}

#[test]
fn servers_given_before_the_start_go_out_right_after_the_handshake() {
    let mut harness = Harness::<ClaudeCode>::new();
    harness.start("{}");
    let servers = [
        server("echo", McpTransport::Stdio, "echo-mcp", &["pong"]),
        server("far", McpTransport::Http, "https://far.example/mcp", &[]),
        server("old", McpTransport::Sse, "https://old.example/sse", &[]),
        server("off", McpTransport::Stdio, "off-mcp", &["*"]),
    ];
    assert_eq!(answers(&harness.command(set(&servers))), ["2 Applied"]);
    assert!(harness.written.is_empty());
    harness.open(None, &[]);
    shake_hands(&mut harness);
    let values = json!({"TOKEN": "${secret:TOKEN}"});
    let request = last_written(&harness)["request"].clone();
    let expected = json!({
        "subtype": "mcp_set_servers",
        "servers": {
            "echo": {"type": "stdio", "command": "echo-mcp", "args": ["--serve"], "env": values},
            "far": {"type": "http", "url": "https://far.example/mcp", "headers": values},
            "old": {"type": "sse", "url": "https://old.example/sse", "headers": values},
        },
        "denied_tools": ["mcp__echo__pong"],
    });
    assert_eq!(request, expected);
    let outputs =
        answer(&mut harness, json!({"added": ["echo", "far"], "removed": [], "errors": {"far": "ECONNREFUSED"}}));
    assert_eq!(told(&outputs), ["echo Pending", "far Failed  ECONNREFUSED", "old Pending", "off Cancelled"]);
    assert_eq!(last_written(&harness)["request"], json!({"subtype": "mcp_status"}));
    let status = json!({"mcpServers": [
        {"name": "echo", "status": "connected", "tools": [{"name": "ping"}]},
        {"name": "far", "status": "failed", "error": "ECONNREFUSED"},
    ]});
    let outputs = answer(&mut harness, status);
    assert_eq!(told(&outputs), ["echo Running ping", "far Failed  ECONNREFUSED", "off Cancelled"]);
    // At each turn they are told again; a server that was switched off elsewhere has no tools.
    let mut begins = init();
    begins["mcp_servers"] = json!([{"name": "echo", "status": "disabled"}]);
    begins["tools"] = json!(["Bash", "mcp__echo__ping"]);
    assert_eq!(told(&frame(&mut harness, begins)), ["echo Cancelled", "off Cancelled"]);
}

#[test]
fn servers_change_while_the_program_runs_and_a_list_replaces_the_one_before() {
    let mut harness = ready();
    assert_eq!(
        answers(&harness.command(set(&[server("echo", McpTransport::Stdio, "echo-mcp", &[])]))),
        [] as [&str; 0]
    );
    assert_eq!(last_written(&harness)["request"]["denied_tools"], json!([]), "an old list would stay");
    assert_eq!(answers(&answer(&mut harness, json!({"added": ["echo"], "errors": {}}))), ["3 Applied"]);
    answer(&mut harness, json!({"mcpServers": []}));
    assert_eq!(answers(&harness.command(set(&[]))), [] as [&str; 0]);
    assert_eq!(last_written(&harness)["request"]["servers"], json!({}));
    // A program that goes back is given them again.
    answer(&mut harness, json!({}));
    answer(&mut harness, json!({"mcpServers": []}));
    live::turn(&mut harness, "m1");
    let point = Point { turn: None, item: None, mark: Some("m1".into()), turns_after: 0 };
    harness.command(CommandBody::RollbackThread(point));
    harness.closed(harness.spawned.last().unwrap().0, Some(0), "");
    shake_hands(&mut harness);
    assert_eq!(last_written(&harness)["request"]["subtype"], "mcp_set_servers");
}

#[test]
fn an_older_version_is_never_given_a_server_whose_single_tools_are_off() {
    let echo = server("echo", McpTransport::Stdio, "echo-mcp", &["pong"]);
    let mut harness = Harness::<ClaudeCode>::new();
    harness.start("{}");
    harness.command(set(std::slice::from_ref(&echo)));
    harness.open(None, &[]);
    shake_hands_as(&mut harness, json!({}));
    assert_eq!(last_written(&harness)["request"]["servers"], json!({}));
    let why = "This version of Claude Code cannot be kept from single tools of an MCP server.";
    assert_eq!(told(&answer(&mut harness, json!({}))), [format!("echo Failed  {why}")]);
    assert_eq!(told(&answer(&mut harness, json!({"mcpServers": []}))), [format!("echo Failed  {why}")]);
    let before = harness.written.len();
    assert_eq!(answers(&harness.command(set(&[echo]))), ["4 Unsupported"]);
    let unknown = server("x", McpTransport::Unknown, "x", &[]);
    assert_eq!(answers(&harness.command(set(&[unknown]))), ["5 Unsupported"]);
    assert_eq!(harness.written.len(), before);
}

#[test]
fn a_task_is_stopped_and_waited_for_and_one_that_does_not_run_is_not_found() {
    let mut harness = ready();
    let task = |subtype: &str, more: Value| {
        let mut frame = json!({"type": "system", "subtype": subtype, "task_id": "b1"});
        frame.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        frame
    };
    assert_eq!(answers(&harness.command(CommandBody::StopTask("b1".into()))), ["3 NotFound"]);
    frame(&mut harness, task("task_started", json!({"task_type": "local_bash", "description": "wait"})));
    assert_eq!(answers(&harness.command(CommandBody::WaitTask("b1".into()))), [] as [&str; 0]);
    assert_eq!(answers(&harness.command(CommandBody::StopTask("b1".into()))), [] as [&str; 0]);
    assert_eq!(last_written(&harness)["request"], json!({"subtype": "stop_task", "task_id": "b1"}));
    frame(&mut harness, task("task_updated", json!({"patch": {"status": "killed"}})));
    assert_eq!(answers(&answer(&mut harness, json!({}))), ["5 Accepted"]);
    let outputs = frame(&mut harness, task("task_notification", json!({"status": "stopped", "summary": "wait"})));
    assert_eq!(answers(&outputs), ["4 Task"]);
    assert_eq!(answers(&harness.command(CommandBody::WaitTask("b1".into()))), ["6 NotFound"]);
}

#[test]
fn a_command_in_the_background_is_told_as_such_by_its_result_where_nothing_else_tells() {
    let mut harness = ready();
    harness.say("go");
    frame(&mut harness, init());
    frame(
        &mut harness,
        json!({"type": "system", "subtype": "task_started", "task_id": "b1", "tool_use_id": "t1", "task_type": "local_bash"}),
    );
    let content = json!([{"type": "tool_result", "tool_use_id": "t1", "content": "running"}]);
    let outputs = frame(
        &mut harness,
        json!({"type": "user", "message": {"content": content}, "tool_use_result": {"backgroundTaskId": "b1"}}),
    );
    let Some(EventBody::Tasks(tasks)) = event(&outputs, |body| matches!(body, EventBody::Tasks(_))) else {
        panic!("{outputs:?}")
    };
    assert!(tasks[0].background && tasks[0].item.as_deref() == Some("t1"), "{tasks:?}");
    let ended = frame(&mut harness, live::result());
    let ended = event(&ended, |body| matches!(body, EventBody::TurnEnded(_)));
    assert!(matches!(ended, Some(EventBody::TurnEnded(TurnEnd { background: true, .. }))), "{ended:?}");
}
