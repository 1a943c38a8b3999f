//! What the recordings of a provider show of its capabilities: flags that were seen at work, each with a recording that shows it.
//!
//! It reads what the recordings came out as, which is kept beside them and held against them by other tests: the pictures of
//! `tests/recordings` (played through the whole house) and what each plugin said (`plugins/*/tests/expected`). **It says only what a line
//! proves**: a flag that no line can prove is not here, and counts as resting on the protocol's text. Its tests: `tests/tests/matrix.rs`.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// A provider, the folders of its recordings' pictures, and the folder of what its plugin said.
const SOURCES: &[(&str, &[&str], &str)] = &[
    ("claude-code", &["claude-code-2.1.332", "claude-code-2.1.197"], "plugins/claude-code/tests/expected"),
    ("codex", &["codex-0.171.0", "codex-0.120.0"], "plugins/codex/tests/expected"),
    ("copilot", &["copilot"], "plugins/acp/tests/expected/copilot"),
    ("gemini", &["gemini"], "plugins/acp/tests/expected/gemini"),
    ("opencode", &["opencode"], "plugins/acp/tests/expected/opencode"),
    ("claude-agent-acp", &["claude-agent-acp"], "plugins/acp/tests/expected/claude-agent-acp"),
    ("opencode-server", &["opencode-serve"], "plugins/opencode-server/tests/expected"),
    ("pi", &["pi-0.73.1"], "plugins/pi/tests/expected"),
    ("plain", &["aider-0.86.2"], "plugins/plain/tests/expected"),
];

/// Kinds of calls, as a plugin's texts name them.
const KINDS: &[&str] = &[
    "Read",
    "Edit",
    "Delete",
    "Move",
    "Search",
    "Execute",
    "Fetch",
    "Think",
    "Delegate",
    "Ask",
    "SwitchMode",
    "Unknown",
];

/// Flags, each with the recording that shows it.
pub type Shown = BTreeMap<&'static str, String>;

/// Providers that have recordings.
pub fn providers() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|(provider, ..)| *provider)
}

/// The provider that a recording (`FOLDER/NAME`) is of.
pub fn provider_of(recording: &str) -> Option<&'static str> {
    let (folder, _) = recording.split_once('/')?;
    SOURCES.iter().find(|(_, pictures, _)| pictures.contains(&folder)).map(|(provider, ..)| *provider)
}

/// What the recordings of this provider show.
pub fn of(root: &Path, provider: &str) -> Result<Shown> {
    let (_, pictures, said) =
        SOURCES.iter().find(|(name, ..)| *name == provider).with_context(|| format!("{provider} has no recordings"))?;
    let mut shown = Shown::new();
    for folder in *pictures {
        each(&root.join("tests/recordings").join(folder), &mut |name, text| picture(text, name, &mut shown))?;
    }
    each(&root.join(said), &mut |name, text| outputs(text, name, &mut shown))?;
    Ok(shown)
}

fn each(folder: &Path, read: &mut dyn FnMut(&str, &str)) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            each(&path, read)?;
        } else if path.extension().is_some_and(|kind| kind == "txt") {
            let beneath = folder.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{beneath}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
            read(&name, &std::fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// A picture: what a person saw.
pub fn picture(text: &str, name: &str, shown: &mut Shown) {
    let mut call = "";
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim_start().starts_with("| ")) {
        if let Some((_, told)) = line.split_once(" tool ") {
            call = told.split_once(", ").map_or("", |(_, kind)| kind.split(':').next().unwrap_or_default());
        }
        let line = line.trim_start();
        if line.starts_with("request: approval") {
            see(shown, "approvals.approvals-have-native-request-ids", name);
            match call {
                "execute" => see(shown, "approvals.supports-command-approval", name),
                "read" => see(shown, "approvals.supports-file-read-approval", name),
                "edit" => see(shown, "approvals.supports-file-change-approval", name),
                _ => {}
            }
        }
        let plain: &[(&str, &[&str])] = &[
            ("request: questions", &["planning.supports-structured-questions"]),
            ("request: plan", &["planning.emits-proposed-plan"]),
            ("= ", &["tools.emits-tool-output"]),
            ("todo", &["planning.emits-plan-updated", "planning.emits-todo-list"]),
            ("task subagent", &["subagents.supports-subagents", "subagents.emits-subagent-lifecycle"]),
            ("context: compacted", &["context.supports-compact"]),
            ("context: rewound", &["threads.can-rollback-thread", "checkpointing.provider-can-rollback-conversation"]),
        ];
        for (head, flags) in plain {
            if line.starts_with(head) {
                flags.iter().for_each(|flag| see(shown, flag, name));
            }
        }
    }
}

/// What a plugin said, line by line.
pub fn outputs(text: &str, name: &str, shown: &mut Shown) {
    for line in text.lines() {
        // Where it happened goes before what happened; history proves nothing.
        let mut line = line;
        while let Some((_, rest)) = line.strip_prefix(['(', '[']).and_then(|inside| inside.split_once([')', ']'])) {
            line = rest.trim_start();
        }
        let heads: &[(&str, &str)] = &[
            ("+Assistant ", "streaming.streams-assistant-text"),
            ("+Reasoning", "streaming.streams-reasoning"),
            ("+ToolOutput ", "streaming.streams-tool-output"),
            ("+Plan ", "streaming.streams-plan-text"),
        ];
        heads.iter().filter(|(head, _)| line.starts_with(head)).for_each(|(_, flag)| see(shown, flag, name));
        let words: Vec<&str> = line.split_whitespace().take(5).collect();
        match words.as_slice() {
            ["done", _, "JoinedTurn", ..] => see(shown, "turns.supports-active-steering", name),
            ["done", _, "Queued", ..] => see(shown, "turns.supports-queued-messages", name),
            ["turn", "ended", how, ..] | ["turn", "of", _, "ended", how] => {
                see(shown, "turns.emits-turn-completed", name);
                if *how == "Interrupted" {
                    see(shown, "turns.supports-interrupt", name);
                }
            }
            ["Completed", _, "assistant", ..] => see(shown, "streaming.emits-message-completed", name),
            [status, id, kind, ..] if KINDS.contains(kind) => call(status, id, name, shown),
            _ => {}
        }
    }
}

fn call(status: &str, id: &str, name: &str, shown: &mut Shown) {
    match status {
        "Running" | "Pending" | "Waiting" => see(shown, "tools.emits-tool-started", name),
        "Completed" | "Failed" | "Declined" => see(shown, "tools.emits-tool-completed", name),
        _ => return,
    }
    if id != "-" {
        see(shown, "tools.exposes-tool-item-ids", name);
    }
}

fn see(shown: &mut Shown, flag: &'static str, name: &str) {
    shown.entry(flag).or_insert_with(|| name.to_owned());
}
