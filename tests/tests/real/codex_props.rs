//! What Codex's cases bring to the stage: an MCP server that asks a person, a picture.

use jackfield_core::contract::{McpServer, McpTransport};
use jackfield_tests::real::Stage;
use serde_json::Value;

/// An MCP server that asks a person for a name before it gives its only tool's result.
const FORMS: &str = r#"id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(id "$1")" "$2"; }
while read -r line; do
    case "$line" in
    *'"method":"initialize"'*) answer "$line" '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"forms","version":"1"}}' ;;
    *'"method":"tools/list"'*) answer "$line" '{"tools":[{"name":"fill","description":"Fills in a form","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}}]}' ;;
    *'"method":"tools/call"'*)
        call=$line
        printf '%s\n' '{"jsonrpc":"2.0","id":900,"method":"elicitation/create","params":{"message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","description":"Your name"}},"required":["name"]}}}'
        ;;
    *'"id":900'*)
        case "$line" in *'"name":"Ada"'*) said=hello-Ada ;; *) said=nobody ;; esac
        answer "$call" '{"content":[{"type":"text","text":"'"$said"'"}]}'
        ;;
    *'"method":"ping"'*) answer "$line" '{}' ;;
    esac
done
"#;

/// As a session has it.
pub(super) fn forms(stage: &Stage) -> Vec<McpServer> {
    let script = stage.folder.with_file_name("forms.sh");
    std::fs::write(&script, FORMS).expect("the server");
    vec![McpServer {
        name: "forms".into(),
        transport: McpTransport::Stdio,
        address: "/bin/sh".into(),
        args: vec![script.display().to_string()],
        values: vec![],
        disabled_tools: vec![],
        extra: vec![],
    }]
}

/// The smallest picture that there is.
pub(super) const DOT: [u8; 67] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x00, 0x00, 0x00, 0x02, 0x00, 0x01, 0x48, 0xaf, 0xa4, 0x71, 0x00, 0x00,
    0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// The lines of a type.
pub(super) fn of<'a>(lines: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |line| line["type"] == kind)
}
