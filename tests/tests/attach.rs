//! `run --attach` and `--mcp-config`: what goes along with a message, and every way in which it can't.

use jackfield_tests::door::{Door, text};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

const JACKFIELD: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

#[test]
fn a_file_that_cannot_go_is_named_with_the_way_out() {
    let door = Door::new(JACKFIELD).limits(&json!({ "prompt_bytes": 4_000 }));
    let work = door.work();
    std::fs::write(work.join("large.txt"), "x".repeat(3_001)).expect("a file");
    std::fs::write(work.join("half.txt"), "x".repeat(2_000)).expect("a file");
    std::fs::write(work.join("empty"), "").expect("a file");
    let cases: &[(&[&str], &[&str])] = &[
        (&["gone.png"], &["--attach gone.png", "no such file"]),
        (&["."], &["--attach .", "folder"]),
        (&["empty"], &["--attach empty", "it is empty"]),
        (&["/dev/null"], &["no regular file"]),
        (&["large.txt"], &["3001 bytes", "3000", "limit prompt_bytes 4000"]),
        // Together they are too large.
        (&["half.txt", "half.txt"], &["2000 bytes", "limit prompt_bytes"]),
    ];
    for (files, words) in cases {
        let attached = files.iter().flat_map(|file| ["--attach", file]);
        let args: Vec<&str> = ["run", "hello"].into_iter().chain(attached).collect();
        door.run(&args).expect(2, words);
    }
    let closed = work.join("closed");
    std::fs::write(&closed, "x").expect("a file");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).expect("closed");
    // Whoever may read everything can read this, too.
    if std::fs::read(&closed).is_err() {
        door.run(&["run", "hello", "--attach", "closed"]).expect(2, &["can't be read"]);
    }
}

#[test]
fn a_provider_without_attachments_refuses_before_anything_is_said() {
    let door = Door::new(JACKFIELD);
    std::fs::write(door.work().join("note.txt"), "a note").expect("a file");
    let ended = door.run(&["run", "hello", "--json", "--attach", "note.txt"]);
    let ended = ended.expect(3, &["takes no attachments", "name the file in your message"]);
    assert!(ended.of_type("run.created").is_empty(), "{}", ended.stdout);
}

/// The file's bytes reach the provider's program, by the wire's own record.
#[test]
fn a_file_reaches_the_program() {
    let door = Door::new(JACKFIELD);
    std::fs::write(door.work().join("dot.png"), b"\x89PNG\r\n\x1a\nrest").expect("a file");
    let program = r#"while IFS= read -r line; do case "$line" in
        *initialize*) echo '{"type":"control_response","response":{"subtype":"success","request_id":"jackfield-1","response":{}}}';;
        *'"type":"user"'*) echo '{"type":"result","subtype":"success","is_error":false,"result":"seen","session_id":"x"}';;
    esac; done"#;
    let exe = format!("claude={}", text(&door.script("claude", program)));
    let file = door.data().join("wire.jsonl");
    let args =
        ["run", "--provider", "claude-code", "--exe", &exe, "--attach", "dot.png", "--record", &text(&file), "Look"];
    door.run(&args).expect(0, &["lines are recorded"]);
    let wire = std::fs::read_to_string(&file).expect("the recording");
    let line =
        wire.lines().find(|line| line.contains("iVBORw0KGgpyZXN0")).unwrap_or_else(|| panic!("not sent: {wire}"));
    assert!(line.contains("image/png") && line.contains("Look"), "{line}");
}

#[test]
fn a_wrong_server_list_is_named_by_its_place_and_a_right_one_reaches_the_provider() {
    let door = Door::new(JACKFIELD);
    let file = door.work().join("mcp.json");
    let cases = [
        ("no json", "it is no JSON"),
        (r#"{"servers": {}}"#, "it has no mcpServers"),
        (r#"{"mcpServers": {"a": {"command": "x", "args": [1]}}}"#, "mcpServers.a.args[0] is a number"),
        (r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "${NOT_SET_HERE}"}}}}"#, "mcpServers.a.env.K"),
        (r#"{"mcpServers": {"a": {"type": "pigeon"}}}"#, "mcpServers.a.type"),
    ];
    for (content, wanted) in cases {
        std::fs::write(&file, content).expect("a file");
        door.run(&["run", "hello", "--mcp-config", "mcp.json"]).expect(2, &["--mcp-config mcp.json", wanted]);
    }
    door.run(&["run", "hello", "--mcp-config", "gone.json"]).expect(2, &["can't be read"]);
    std::fs::write(&file, r#"{"mcpServers": {"files": {"command": "x"}}}"#).expect("a file");
    let servers = ["run", "servers", "--mcp-config", "mcp.json"];
    door.run(&servers).expect(0, &["I may use the MCP servers files."]);
    // Where the provider takes none, the run says so.
    let off = [&servers[..], &["--option", r#"capabilities={"tools.supports-mcp-tools":false}"#]].concat();
    door.run(&off).expect(4, &["MCP servers cannot be given to the provider"]);
}
