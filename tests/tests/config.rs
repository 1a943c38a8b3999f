//! The configuration file at the program's doors: what is right works, what is wrong is named with its line, and what is
//! unavailable is kept. Resuming uses the instance that the thread was begun with.

use jackfield_tests::door::{Door, Ended, text};
use std::os::unix::fs::PermissionsExt;

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

/// A program that shakes hands, answers each message, and writes down how it was started.
const PLAYS: &str = r#"printf '%s|%s|%s\n' "$CLAUDE_CONFIG_DIR" "$SECRET_WORD" "$*" >> "$HOME/starts"
read first
id=$(printf '%s' "$first" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
while read -r line; do
  case "$line" in *'"type":"user"'*) ;; *) continue ;; esac
  printf '%s\n' '{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","model":"m","tools":[]}'
  printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"x"}'
done"#;

fn starts(door: &Door) -> Vec<String> {
    let seen = std::fs::read_to_string(door.data().parent().unwrap().join("home/starts")).unwrap_or_default();
    seen.lines().map(str::to_owned).collect()
}

fn two_accounts(door: &Door) -> String {
    let exe = text(&door.script("fake-claude", PLAYS));
    format!(
        r#"
default_instance = "work"

[instances.work]
provider = "claude-code"
label = "The account of the firm"
model = "model-w"
exe = {{ claude = "{exe}" }}
exe_args = ["--flag-w"]
env = {{ CLAUDE_CONFIG_DIR = "/work-account" }}
options = {{ max_turns = 7 }}

[instances.home]
provider = "claude-code"
exe = {{ claude = "{exe}" }}
env = {{ CLAUDE_CONFIG_DIR = "/home-account" }}
"#
    )
}

#[test]
fn without_a_file_the_defaults_are_in_force() {
    let door = door();
    door.run(&["config", "check"]).expect(0, &["there is no", "config.toml", "defaults"]);
    let shown = door.run(&["config", "show"]).expect(0, &["default_provider", "scripted (default)", "frame_bytes"]);
    assert!(shown.stdout.contains("JACKFIELD_DATA"), "{}", shown.stdout);
    door.env("JACKFIELD_CONFIG", "/nonexistent/c.toml")
        .run(&["run", "hello"])
        .expect(2, &["/nonexistent/c.toml", "can't be read"]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (config, words) in [
        ("defualt_provider = \"scripted\"\n", ["line 1", "'defualt_provider'", "'default_provider'"]),
        ("\n[instances.a]\nprovider = 3\n", ["line 3", "a text in quotes", "not 3"]),
        ("[policy]\nhost_queue = 1\n", ["line 2", "true or false", "not 1"]),
        ("[limits\n", ["line 1", "config.toml", "config check"]),
    ] {
        let door = door();
        let path = door.config(config);
        door.run(&["run", "hello"]).expect(2, &words);
        door.run(&["config", "check"]).expect(2, &words[..1]);
        let json = door.run(&["config", "check", &text(&path), "--json"]).expect(2, &["\"error\""]);
        let found: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert!(found[0]["line"].as_u64().unwrap() > 0, "{found}");
    }
}

#[test]
fn what_the_syntax_does_not_say_is_checked_too() {
    for (config, words) in [
        ("default_instance = \"wrok\"\n[instances.work]\nprovider = \"scripted\"\n", ["line 1", "'wrok'", "'work'"]),
        ("[instances.a]\nmodel = \"m\"\n", ["line 1", "instance 'a'", "name a provider"]),
        ("[instances.a]\nprovider = \"x\"\nplugin = \"y\"\n", ["line 3", "leave one out", "error"]),
        ("retention_days = 0\n", ["line 1", "at least 1", "error"]),
        ("[limits]\nframe_bytes = 1\nprompt_bytes = 5\n", ["line 1", "do not fit", "prompt_bytes"]),
        ("[policy.blocked]\nfork-at-tipp = \"x\"\n", ["line 2", "'fork-at-tipp'", "'fork-at-tip'"]),
        (
            "[instances.a]\nprovider = \"claude-code\"\noptions = { max_turns = 0 }\n",
            ["line 3", "at least 1", "plugin inspect"],
        ),
        (
            "[instances.a]\nprovider = \"claude-code\"\noptions = { turns = 1 }\n",
            ["line 3", "no option 'turns'", "max_turns"],
        ),
        ("[instances.a]\nprovider = \"claude-code\"\nexe = { cluade = \"/x\" }\n", ["line 3", "'cluade'", "claude"]),
        (
            "[instances.a]\nprovider = \"claude-code\"\nenv = { LD_PRELOAD = \"/x\" }\n",
            ["line 3", "LD_PRELOAD", "loader"],
        ),
        ("[instances.a]\nprovider = \"scripted\"\nmax_cost = -1.0\n", ["line 3", "0 or more", "error"]),
    ] {
        let door = door();
        door.config(config);
        door.run(&["config", "check"]).expect(2, &words);
    }
}

#[test]
fn an_unknown_provider_is_kept_unavailable_and_never_replaced() {
    let door = door();
    door.config("default_provider = \"later\"\n[instances.new]\nprovider = \"other\"\n[instances.file]\nplugin = \"gone.wasm\"\n");
    let checked = door.run(&["config", "check"]).expect(0, &["unavailable", "'later'", "'other'", "gone.wasm"]);
    assert!(!checked.stdout.contains("error: "), "{}", checked.stdout);
    door.run(&["config", "show"]).expect(0, &["later", "instances.new", "unavailable: "]);
    let ended = door.run(&["run", "hello"]).expect(4, &["'later'", "unavailable", "No other takes its place"]);
    assert_eq!(ended.stdout, "");
    door.run(&["run", "--instance", "new", "hello"]).expect(4, &["instance 'new'", "'other'"]);
    door.run(&["run", "--instance", "file", "hello"]).expect(4, &["instance 'file'", "gone.wasm"]);
    door.run(&["run", "--provider", "scripted", "hello"]).expect(0, &[]);
    door.run(&["doctor"]).expect(0, &["new", "'other'"]);
}

#[test]
fn two_accounts_of_one_provider_are_two_instances() {
    let door = door();
    door.config(&two_accounts(&door));
    door.run(&["config", "check"]).expect(0, &["is right"]);
    door.run(&["run", "hello"]).expect(0, &[]);
    door.run(&["run", "--instance", "home", "--model", "model-h", "hello"]).expect(0, &[]);
    door.run(&["run", "--instance", "work", "--env", "CLAUDE_CONFIG_DIR=/over", "--model", "model-o", "hello"])
        .expect(0, &[]);
    let starts = starts(&door);
    assert_eq!(starts.len(), 3, "{starts:?}");
    assert!(starts[0].starts_with("/work-account||--flag-w -p") && starts[0].contains("--model model-w"), "{starts:?}");
    assert!(starts[0].contains("--max-turns 7"), "{starts:?}");
    assert!(starts[1].starts_with("/home-account||-p") && starts[1].contains("--model model-h"), "{starts:?}");
    assert!(starts[2].starts_with("/over||--flag-w -p") && starts[2].contains("--model model-o"), "{starts:?}");
    door.run(&["run", "--instance", "wrok", "hello"]).expect(2, &["'wrok'", "'work'"]);
    door.run(&["run", "--instance", "work", "--provider", "scripted", "hello"]).expect(2, &["--instance"]);
}

fn resumed(door: &Door, thread: &str, more: &[&str]) -> Ended {
    let mut args = vec!["run", "--resume", thread];
    args.extend(more);
    args.push("again");
    door.run(&args)
}

#[test]
fn a_thread_is_resumed_with_its_instance() {
    let door = door();
    door.config(&two_accounts(&door));
    let thread =
        door.run(&["run", "--json", "--instance", "home", "--model", "model-f", "hello"]).expect(0, &[]).thread();
    resumed(&door, &thread, &[]).expect(0, &[]);
    let last = starts(&door).pop().unwrap();
    assert!(last.starts_with("/home-account||") && last.contains("--model model-f"), "the flags stay, too: {last}");
    resumed(&door, &thread, &["--model", "model-g"]).expect(0, &[]);
    resumed(&door, &thread, &["--instance", "work"]).expect(0, &[]);
    let last = starts(&door).pop().unwrap();
    assert!(
        last.starts_with("/work-account||") && last.contains("--model model-w"),
        "another instance, its own settings: {last}"
    );
    door.config("[instances.hume]\nprovider = \"scripted\"\n");
    resumed(&door, &thread, &[]).expect(2, &[&thread, "instance 'work'", "does not have", "--instance NAME"]);
}

#[test]
fn flags_are_kept_with_a_thread_but_for_secrets() {
    let door = door();
    let exe = format!("claude={}", text(&door.script("fake-claude", PLAYS)));
    let begin = ["run", "--json", "--provider", "claude-code", "--exe", &exe, "--env", "CLAUDE_CONFIG_DIR=/a"];
    let thread = door.run(&[&begin[..], &["hello"]].concat()).expect(0, &[]).thread();
    resumed(&door, &thread, &[]).expect(0, &[]);
    assert!(starts(&door)[1].starts_with("/a||"), "{:?}", starts(&door));

    let thread =
        door.run(&[&begin[..], &["--env", "SECRET_WORD=marker-of-a-secret", "hello"]].concat()).expect(0, &[]).thread();
    resumed(&door, &thread, &[]).expect(2, &["--env SECRET_WORD", "was not kept", "give it again"]);
    resumed(&door, &thread, &["--env", "SECRET_WORD=another"]).expect(0, &[]);
    assert!(starts(&door).pop().unwrap().starts_with("/a|another|"), "{:?}", starts(&door));
    resumed(&door, &thread, &[]).expect(2, &["--env SECRET_WORD"]);
    for entry in std::fs::read_dir(door.data()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let bytes = std::fs::read(entry.path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("marker-of-a-secret"), "{}", entry.path().display());
    }
}

#[test]
fn wrong_options_are_refused_before_anything_starts() {
    let door = door();
    let exe = format!("claude={}", text(&door.script("fake-claude", PLAYS)));
    let run = ["run", "--provider", "claude-code", "--exe", &exe, "--option"];
    for (option, words) in
        [("max_turns=0", "at least 1"), ("max_turns=many", "type integer"), ("turns=1", "no option 'turns'")]
    {
        door.run(&[&run[..], &[option, "hello"]].concat()).expect(2, &[words, "plugin inspect"]);
    }
    assert!(starts(&door).is_empty(), "nothing was started");
    door.run(&["threads", "list"]).expect(0, &["no threads yet"]);
}

#[test]
fn variables_that_are_passed_on_must_be_there() {
    let door = door();
    door.config("[instances.a]\nprovider = \"claude-code\"\npass_env = [\"NOT_SET\"]\n");
    door.run(&["config", "check"]).expect(0, &["is right"]);
    door.run(&["run", "--instance", "a", "hello"]).expect(2, &["instance 'a'", "NOT_SET", "not set"]);
}

#[test]
fn a_file_of_secrets_that_others_can_read_is_warned_of() {
    let door = door();
    let path = door.config(
        "[instances.a]\nprovider = \"claude-code\"\nenv = { ANTHROPIC_API_KEY = \"sk-ant-marker0123456789\" }\n",
    );
    door.run(&["config", "check"]).expect(0, &["is right"]);
    let shown = door.run(&["config", "show"]).expect(0, &["[hidden]"]);
    assert!(!shown.stdout.contains("marker"), "{}", shown.stdout);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    door.run(&["config", "check"]).expect(0, &["warning", "others can read", "chmod 600"]);
}

#[test]
fn values_say_where_they_came_from_and_the_environment_counts_more() {
    let door = door().limits(&serde_json::json!({ "queued_runs": 3 }));
    door.config("[limits]\nqueued_runs = 2\nlabel_bytes = 2048\n[policy]\nhost_queue = false\n");
    let shown = door.run(&["config", "show", "--json"]).expect(0, &[]);
    let of = |key: &str| {
        let row = shown.events().into_iter().find(|row| row["key"] == key).unwrap_or_else(|| panic!("{key}"));
        (row["value"].to_string(), row["from"].as_str().unwrap().to_owned())
    };
    assert_eq!(of("limits.queued_runs"), ("3".into(), "JACKFIELD_LIMITS".into()));
    assert_eq!(of("limits.label_bytes"), ("2048".into(), "config.toml line 3".into()));
    assert_eq!(of("limits.open_items"), ("4096".into(), "default".into()));
    assert_eq!(of("policy.host_queue"), ("false".into(), "config.toml line 5".into()));
}

/// MCP servers of an instance reach its provider; those of the command line stand beside them.
#[test]
fn servers_of_an_instance_are_handed_on() {
    let door = door();
    door.config(concat!(
        "[instances.a]\nprovider = \"scripted\"\n",
        "[instances.a.mcp_servers.maps]\ncommand = \"maps\"\ndisabled_tools = [\"search\"]\n",
    ));
    door.run(&["config", "check"]).expect(0, &["is right"]);
    std::fs::write(door.work().join("mcp.json"), r#"{"mcpServers": {"mail": {"url": "http://127.0.0.1:1/"}}}"#)
        .unwrap();
    door.run(&["run", "--instance", "a", "servers"]).expect(0, &["I may use the MCP servers maps without search."]);
    door.run(&["run", "--instance", "a", "servers", "--mcp-config", "mcp.json"])
        .expect(0, &["I may use the MCP servers maps without search, mail."]);
    door.config("[instances.a]\nprovider = \"scripted\"\n[instances.a.mcp_servers.maps]\nurl = \"ftp://x\"\n");
    door.run(&["config", "check"]).expect(2, &["instance 'a'", "'maps' is either a program"]);
    door.run(&["run", "--instance", "a", "servers"]).expect(2, &["'maps' is either a program"]);
}

/// What the operator blocks is blocked in a run: the policy of the file is in force.
#[test]
fn policy_of_the_file_is_in_force() {
    let door = door();
    door.config("[policy.blocked]\nswitch-model = \"the house's model\"\n");
    let ended = door.run(&["run", "--json", "hello"]).expect(0, &[]);
    let hints = &ended.of_type("capabilities.updated")[0]["capabilities"]["hints"];
    let hint = hints.as_array().unwrap().iter().find(|hint| hint["operation"] == "switch-model").unwrap().to_string();
    assert!(hint.contains("blocked") && hint.contains("the house's model"), "{hint}");
}

#[test]
fn the_schema_is_that_of_the_file() {
    let schema = door().run(&["config", "schema"]).expect(0, &[]);
    let schema: serde_json::Value = serde_json::from_str(&schema.stdout).unwrap();
    let setup = &schema["$defs"]["Setup"]["properties"];
    for key in ["provider", "plugin", "options", "exe", "pass_env", "mcp_servers", "max_time"] {
        assert!(setup[key].is_object(), "{key}: {schema}");
    }
    assert_eq!(schema["additionalProperties"], false);
    assert!(schema["$defs"]["Limits"]["properties"]["frame_bytes"]["description"].is_string());
    assert!(schema["$defs"]["PolicyConfig"]["properties"]["not_built"].is_null());
}

#[test]
fn the_readmes_example_is_right() {
    let readme = std::fs::read_to_string(xtask::root().join("README.md")).unwrap();
    let example = readme.split("```toml\n").find(|block| block.starts_with("# config.toml")).expect("an example");
    let door = door();
    door.config(example.split("\n```").next().unwrap());
    door.run(&["config", "check"]).expect(0, &["is right"]);
}

/// Says what it was given: its answer holds the line that set the servers.
const TELLS: &str = r#"read first
printf '%s\n' "$first" >> "$HOME/heard"
id=$(printf '%s' "$first" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
while read -r line; do
  printf '%s\n' "$line" >> "$HOME/heard"
  case "$line" in *'"mcp_set_servers"'*) id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
    printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"; continue ;; esac
  case "$line" in *'"type":"user"'*) ;; *) continue ;; esac
  printf '%s\n' '{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","model":"m","tools":[]}'
  printf '{"type":"assistant","session_id":"11111111-1111-4111-8111-111111111111","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"I know %s"}]}}\n' "$TOLD"
  echo "on stderr: $TOLD" >&2
  printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"x","session_id":"11111111-1111-4111-8111-111111111111"}'
done"#;

#[test]
fn a_secret_of_a_server_reaches_the_program_and_nothing_else() {
    const VALUE: &str = "marker-of-a-secret";
    let door = door().env("MAIL_TOKEN", VALUE);
    let exe = text(&door.script("tells", TELLS));
    door.config(&format!(
        "[instances.a]\nprovider = 'claude-code'\nexe = {{ claude = '{exe}' }}\nenv = {{ TOLD = '{VALUE}' }}\nsecrets = {{ mail = 'MAIL_TOKEN' }}\n\
         [instances.a.mcp_servers.mail]\ncommand = 'mail'\nenv = {{ TOKEN = '${{secret:mail}}' }}\n"
    ));
    door.run(&["config", "check"]).expect(0, &[]);
    let record = door.work().join("wire.jsonl");
    let ended = door
        .run(&["run", "--json", "--instance", "a", "--record", &text(&record), "say ${secret:mail}"])
        .expect(0, &[]);
    let heard = std::fs::read_to_string(door.data().parent().unwrap().join("home/heard")).unwrap();
    let lines = |word: &str| heard.lines().filter(|line| line.contains(word)).collect::<Vec<_>>().join("\n");
    assert!(lines("mcp_set_servers").contains(VALUE), "the program has it: {heard}");
    assert!(lines("\"type\":\"user\"").contains("${secret:mail}"), "what a person writes is no hole: {heard}");
    assert!(ended.said().contains("I know [secret mail]"), "{}", ended.said());
    let mut places = vec![
        ("stdout", ended.stdout.clone()),
        ("stderr", ended.stderr.clone()),
        ("recording", std::fs::read_to_string(&record).unwrap()),
    ];
    for entry in std::fs::read_dir(door.data()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        places.push(("data", String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned()));
    }
    for (place, text) in places {
        assert!(!text.contains(VALUE), "{place} has it");
    }
}

#[test]
fn a_secret_that_is_not_there_stops_before_anything_starts() {
    let door = door();
    let server = "[instances.a.mcp_servers.mail]\ncommand = 'mail'\nenv = { TOKEN = '${secret:mail}' }\n";
    door.config(&format!("[instances.a]\nprovider = 'scripted'\n{server}"));
    door.run(&["config", "check"]).expect(2, &["${secret:mail}", "there is no secret 'mail'", "line 3"]);
    door.run(&["run", "--instance", "a", "hello"]).expect(2, &["there is no secret 'mail'"]);
    door.config(&format!("[instances.a]\nprovider = 'scripted'\nsecrets = {{ mail = 'NOT_SET' }}\n{server}"));
    door.run(&["config", "check"]).expect(0, &[]);
    door.run(&["run", "--instance", "a", "hello"]).expect(2, &["secret 'mail'", "NOT_SET", "not set"]);
    let file = door.work().join("mcp.json");
    std::fs::write(&file, r#"{"mcpServers": {"mail": {"command": "x", "env": {"T": "${secret:else}"}}}}"#).unwrap();
    door.run(&["run", "--mcp-config", &text(&file), "hello"]).expect(2, &["there is no secret 'else'"]);
}

#[test]
fn a_thread_stays_in_its_folder() {
    let door = door();
    let thread = door.run(&["run", "--json", "hello"]).expect(0, &[]).thread();
    let work = text(&door.work());
    door.run(&["run", "--json", "--resume", &thread, "--cwd", &work, "again"]).expect(0, &[]);
    door.run(&["run", "--json", "--resume", &thread, "--cwd", "/", "again"])
        .expect(2, &[&thread, "works in", "leave out --cwd"]);
}
