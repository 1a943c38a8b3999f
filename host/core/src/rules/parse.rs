//! A rule's sentence. `read in this workspace`, `edit in ~/notes`, `read anywhere`; `rm -rf`, `run git status`, `run cargo test *`;
//! `tool WebFetch`. One way to write each thing; what is not understood is an error that says how to write it.

use super::command::CommandRule;
use super::{About, Does, Place, Rule};

/// A rule that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the rule '{rule}' {problem}")]
pub struct RuleError {
    /// As it was written.
    pub rule: String,
    /// What is wrong, and how to write it.
    pub problem: String,
}

pub(super) fn rule(text: &str, allows: bool) -> Result<Rule, RuleError> {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wrong = |problem: String| RuleError { rule: one_line.clone(), problem };
    if one_line.is_empty() || text.chars().any(|c| c.is_control()) {
        return Err(wrong(
            "is empty or holds control characters: write one sentence, such as 'read in this workspace'".into(),
        ));
    }
    let (first, rest) = one_line.split_once(' ').unwrap_or((&one_line, ""));
    let about = match first {
        "read" => About::Path { does: Does::Read, place: place(rest).map_err(wrong)? },
        "edit" => About::Path { does: Does::Edit, place: place(rest).map_err(wrong)? },
        "tool" => About::Tool(tool(rest).map_err(wrong)?),
        // By the text as it was written: spaces inside of quotes are the command's.
        "run" => About::Command(command(text.trim_start().trim_start_matches("run"), allows).map_err(wrong)?),
        _ => About::Command(command(text, allows).map_err(wrong)?),
    };
    Ok(Rule { text: format!("{} {one_line}", if allows { "allow" } else { "deny" }), about })
}

fn place(rest: &str) -> Result<Place, String> {
    let named = rest.strip_prefix("in ").unwrap_or(rest);
    match named {
        "this workspace" => Ok(Place::Workspace),
        "anywhere" if named == rest => Ok(Place::Anywhere),
        "" | "in" => {
            Err("does not say where: 'in this workspace', 'in ~/notes', 'in docs' (of the workspace), or 'anywhere'"
                .into())
        }
        path if path.contains(['*', '?', '[']) => {
            Err("has a pattern; name a folder or a file, all beneath it is meant".into())
        }
        path if path.starts_with('~') && path != "~" && !path.starts_with("~/") => {
            Err("names another user's home; write its path".into())
        }
        path => Ok(Place::Beneath(path.to_owned())),
    }
}

fn tool(name: &str) -> Result<String, String> {
    if name.is_empty() || name.contains(' ') {
        return Err("names no tool: write 'tool NAME', with the provider's own name of it".into());
    }
    Ok(name.to_owned())
}

fn command(text: &str, allows: bool) -> Result<CommandRule, String> {
    CommandRule::parse(text.trim(), allows)
}
