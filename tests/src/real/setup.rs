//! What an operator sets up for each CLI so that it talks to the mock model and to nobody else: variables, and files of its own.

use anyhow::{Context, Result};
use std::path::Path;

/// Variables that an operator would set; a CLI that has its model's address from a file has it from there.
pub(super) fn environment(cli: &str, url: &str) -> Vec<(String, String)> {
    let service = format!("{url}/v1");
    let pairs: &[(&str, &str)] = match provider(cli) {
        "claude-code" => &[
            ("ANTHROPIC_BASE_URL", url),
            ("ANTHROPIC_API_KEY", "sk-ant-dummy"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "2"),
        ],
        "codex" => &[("MOCK_API_KEY", "dummy-key")],
        "copilot" => &[
            ("COPILOT_PROVIDER_BASE_URL", &service),
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_PROVIDER_API_KEY", "dummy-key"),
            ("COPILOT_MODEL", "mock-model"),
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_AUTO_UPDATE", "false"),
        ],
        "gemini" => &[
            ("GEMINI_API_KEY", "dummy-key"),
            ("GOOGLE_GEMINI_BASE_URL", url),
            ("GEMINI_MODEL", "gemini-2.5-flash"),
            ("GEMINI_CLI_NO_RELAUNCH", "true"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ("NO_BROWSER", "1"),
        ],
        "opencode" => &[
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ],
        _ => &[],
    };
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Files of the CLI's own, in its home.
pub(super) fn files(cli: &str, home: &Path, url: &str) -> Result<()> {
    let (file, text) = match provider(cli) {
        "codex" => (".codex/config.toml", CODEX),
        "gemini" => (".gemini/settings.json", GEMINI),
        "opencode" => (".config/opencode/opencode.json", OPENCODE),
        _ => return Ok(()),
    };
    let file = home.join(file);
    std::fs::create_dir_all(file.parent().context("its folder")?)?;
    Ok(std::fs::write(file, text.replace("@URL@", url))?)
}

/// A CLI's name without its version.
fn provider(cli: &str) -> &str {
    let known = ["claude-code", "codex"].into_iter().find(|name| cli.starts_with(name));
    known.unwrap_or(cli)
}

/// Codex takes the address of its model from its configuration alone. Commands only read unless somebody is asked.
const CODEX: &str = r#"model = "gpt-5.5"
model_provider = "mock"
approval_policy = "on-request"
sandbox_mode = "read-only"

[model_providers.mock]
name = "Mock"
base_url = "@URL@/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false
"#;

/// Gemini CLI asks how to log in unless this says it.
const GEMINI: &str = r#"{
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "general": { "disableAutoUpdate": true, "enableAutoUpdate": false, "checkpointing": { "enabled": false } }
}
"#;

/// OpenCode takes a service of another kind from its configuration alone, and asks nobody unless this says it.
const OPENCODE: &str = r#"{
  "autoupdate": false,
  "share": "disabled",
  "model": "mock/mock-model",
  "small_model": "mock/mock-model",
  "permission": { "edit": "ask", "bash": "ask", "webfetch": "deny" },
  "provider": {
    "mock": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Mock",
      "options": { "baseURL": "@URL@/v1", "apiKey": "dummy-key" },
      "models": {
        "mock-model": {
          "name": "Mock model", "limit": { "context": 200000, "output": 8192 }, "tool_call": true, "reasoning": true
        }
      }
    }
  }
}
"#;
