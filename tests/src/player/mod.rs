//! The proof harness: a recorded conversation with a real CLI, played through the whole house, and judged.
//!
//! The way of a recording: `recording` (its lines) → `parts` (one conversation each) → `plan` (what the player plays and what the driver must do, by meaning
//! alone) → `cli` (a program that plays its part as if it were the real one, started by the real process layer) and
//! `drive` (the host's commands, in step with it over `stage`; the host is of `house`) → `seen` (what came of it) → `judge` (what must hold).
//! What a provider's lines mean is its `dialect`. **Nothing here shares code with a plugin: it is the second opinion.**
//! Tests: `tests/tests/recordings.rs`; by hand `cargo run -p jackfield-tests --bin play`.

pub mod acp;
mod acp_text;
mod act;
pub mod again;
mod beginning;
pub mod claude;
pub mod claude_frames;
mod claude_start;
mod claude_text;
pub mod cli;
pub mod codex;
mod codex_client;
mod codex_text;
pub mod dialect;
mod drive;
pub mod honesty;
pub mod house;
pub mod ids;
pub mod judge;
mod judge_text;
pub mod lists;
pub mod manner;
pub mod opencode_server;
mod opencode_server_text;
mod parts;
pub mod pi;
mod pi_text;
pub mod picture;
mod picture_item;
pub mod plain;
pub mod plan;
pub mod recording;
mod reply;
pub mod report;
pub mod rpc;
pub mod seen;
mod served;
mod snapshots;
pub mod stage;
pub mod told;

use dialect::Dialect;

/// The dialect of a provider's recordings.
pub fn dialect(provider: &str) -> Option<&'static dyn Dialect> {
    match provider {
        "claude-code" => Some(&claude::Claude),
        "codex" => Some(&codex::Codex),
        "copilot" => Some(&acp::Acp("copilot")),
        "gemini" => Some(&acp::Acp("gemini")),
        "opencode" => Some(&acp::Acp("opencode")),
        "claude-agent-acp" => Some(&acp::Acp("claude-agent-acp")),
        "opencode-server" => Some(&opencode_server::OpenCodeServer),
        "pi" => Some(&pi::Pi),
        "plain" => Some(&plain::Plain),
        _ => None,
    }
}

/// The argument that makes `play` the player.
pub const CLI: &str = "__cli";
