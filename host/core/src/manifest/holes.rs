//! From an argument template and values for its holes to a command line. Pure: a path is judged by its text, what it
//! points to is for the one who opens it.
//!
//! **A value can fill its hole and nothing else: it never becomes another argument, and never an option.**

use super::{Hole, SpawnProfile};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Longest value of a hole, in bytes: the longest path Linux takes.
const VALUE_BYTES: usize = 4096;
/// Longest text, in bytes: Linux takes 128 KiB in one argument, with its end and the template's own words.
const TEXT_BYTES: usize = 124 * 1024;

/// Why a command line cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HoleError {
    /// The profile has no such hole.
    #[error("profile '{profile}' has no hole '{hole}'; its manifest declares: {known}")]
    Unknown {
        /// The profile.
        profile: String,
        /// The hole.
        hole: String,
        /// The holes it has.
        known: String,
    },
    /// A hole was filled twice.
    #[error("hole '{hole}' of profile '{profile}' was given two values; give it one")]
    Twice {
        /// The profile.
        profile: String,
        /// The hole.
        hole: String,
    },
    /// The value does not fit the hole.
    #[error("the value {value:?} does not fit hole '{hole}' of profile '{profile}': {expected}")]
    Misfit {
        /// The profile.
        profile: String,
        /// The hole.
        hole: String,
        /// The value, cut.
        value: String,
        /// What would fit.
        expected: String,
    },
}

impl HoleError {
    /// Stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            HoleError::Unknown { .. } => "unknown-hole",
            HoleError::Twice { .. } => "hole-filled-twice",
            HoleError::Misfit { .. } => "hole-misfit",
        }
    }
}

impl SpawnProfile {
    /// The arguments, without the program. An argument or a group with a hole that has no value is left out.
    pub fn command_line(&self, holes: &[(String, String)], workspace: &Path) -> Result<Vec<String>, HoleError> {
        Ok(self.filled(&self.values(holes, workspace)?))
    }

    /// The same as it may be written down: a text is told by its size.
    pub fn shown_line(&self, holes: &[(String, String)], workspace: &Path) -> Result<Vec<String>, HoleError> {
        let mut values = self.values(holes, workspace)?;
        for (name, value) in &mut values {
            if self.holes.get(*name) == Some(&Hole::Text) {
                *value = format!("({} bytes of text)", value.len());
            }
        }
        Ok(self.filled(&values))
    }

    fn values<'a>(
        &self,
        holes: &'a [(String, String)],
        workspace: &Path,
    ) -> Result<BTreeMap<&'a str, String>, HoleError> {
        let mut values = BTreeMap::new();
        for (name, value) in holes {
            let hole = self.holes.get(name).ok_or_else(|| HoleError::Unknown {
                profile: self.profile.clone(),
                hole: short(name),
                known: if self.holes.is_empty() {
                    "none".to_owned()
                } else {
                    self.holes.keys().cloned().collect::<Vec<_>>().join(", ")
                },
            })?;
            let value = hole.fill(value, workspace).map_err(|expected| HoleError::Misfit {
                profile: self.profile.clone(),
                hole: name.clone(),
                value: short(value),
                expected,
            })?;
            if values.insert(name.as_str(), value).is_some() {
                return Err(HoleError::Twice { profile: self.profile.clone(), hole: name.clone() });
            }
        }
        Ok(values)
    }

    fn filled(&self, values: &BTreeMap<&str, String>) -> Vec<String> {
        let mut line = Vec::new();
        for arg in &self.args {
            let filled: Option<Vec<String>> = arg.parts().iter().map(|part| fill(part, values)).collect();
            line.extend(filled.into_iter().flatten());
        }
        line
    }
}

impl Hole {
    /// The value as it goes into the command line, or what would fit.
    fn fill(&self, value: &str, workspace: &Path) -> Result<String, String> {
        if *self == Hole::Text {
            let fits = !value.is_empty() && value.len() <= TEXT_BYTES && !value.contains('\0');
            return if fits { Ok(value.to_owned()) } else { Err(self.expected()) };
        }
        if value.is_empty() || value.len() > VALUE_BYTES {
            return Err(format!("a value has 1 to {VALUE_BYTES} bytes"));
        }
        if value.starts_with('-') {
            return Err("a value never begins with '-': it could be taken for an option".to_owned());
        }
        if value.chars().any(char::is_control) {
            return Err("a value has no control characters".to_owned());
        }
        let fits = match self {
            Hole::Enum { values } => values.iter().any(|known| known == value),
            Hole::Uuid => is_uuid(value),
            Hole::Port => is_digits(value) && value.parse::<u16>().is_ok_and(|port| port > 0),
            Hole::Integer => is_digits(value) && value.parse::<u64>().is_ok(),
            Hole::ModelId => is_model_id(value),
            Hole::PathInWorkspace => return path_in_workspace(value, workspace),
            Hole::Text => true,
        };
        if fits { Ok(value.to_owned()) } else { Err(self.expected()) }
    }

    /// What fits, in words.
    fn expected(&self) -> String {
        match self {
            Hole::Enum { values } => format!("one of {}", values.join(", ")),
            Hole::Uuid => "a UUID such as 123e4567-e89b-12d3-a456-426614174000".to_owned(),
            Hole::Port => "a port from 1 to 65535".to_owned(),
            Hole::Integer => "a whole number of 0 or more".to_owned(),
            Hole::ModelId => {
                "a model's name: letters, digits and . _ : / @ + [ ] -, at most 128, without '..'".to_owned()
            }
            Hole::PathInWorkspace => "a path in the workspace, without '..'".to_owned(),
            Hole::Text => format!(
                "a text of 1 to {TEXT_BYTES} bytes without NUL: the operating system takes no more in one argument"
            ),
        }
    }
}

fn is_digits(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_digit())
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

fn is_model_id(value: &str) -> bool {
    value.len() <= 128
        && !value.contains("..")
        && value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:/@+[]-".contains(&b))
}

fn path_in_workspace(value: &str, workspace: &Path) -> Result<String, String> {
    let path = Path::new(value);
    let plain = path.components().all(|c| !matches!(c, Component::ParentDir));
    let whole = workspace.join(path);
    if !plain || !whole.starts_with(workspace) {
        return Err(Hole::PathInWorkspace.expected());
    }
    whole.into_os_string().into_string().map_err(|_| "the workspace's path is not UTF-8".to_owned())
}

fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

/// A piece of a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Hole(&'a str),
}

/// Cuts a template into its pieces, or says what is wrong with it.
pub(super) fn pieces(template: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        pieces.push(Piece::Text(&rest[..at]));
        let tail = &rest[at..];
        if tail.starts_with("{{") || tail.starts_with("}}") {
            pieces.push(Piece::Text(&tail[..1]));
            rest = &tail[2..];
        } else if let Some(end) = tail.strip_prefix('{').and_then(|hole| hole.find('}')) {
            pieces.push(Piece::Hole(&tail[1..=end]));
            rest = &tail[end + 2..];
        } else {
            return Err(format!(
                "a single '{}' in {template:?}; a hole is {{name}}, a brace is written twice",
                &tail[..1]
            ));
        }
    }
    pieces.push(Piece::Text(rest));
    pieces.retain(|piece| *piece != Piece::Text(""));
    Ok(pieces)
}

/// The template with its holes filled; `None` when one has no value.
fn fill(template: &str, values: &BTreeMap<&str, String>) -> Option<String> {
    let pieces = pieces(template).expect("a manifest that exists was checked");
    pieces.into_iter().try_fold(String::new(), |mut filled, piece| {
        filled.push_str(match piece {
            Piece::Text(text) => text,
            Piece::Hole(name) => values.get(name)?,
        });
        Some(filled)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Arg, Framing};
    use super::*;

    fn profile() -> SpawnProfile {
        let text = |s: &str| s.to_owned();
        SpawnProfile {
            profile: text("main"),
            program: text("tool"),
            framing: Framing::Ndjson,
            args: vec![
                Arg::One(text("-p")),
                Arg::Group(vec![text("--model"), text("{model}")]),
                Arg::One(text("--mode={mode}")),
                Arg::Group(vec![text("--resume"), text("{resume}")]),
                Arg::One(text("{file}")),
                Arg::One(text("{{\"n\":{n}}}")),
                Arg::One(text("--say={words}")),
            ],
            env: vec![],
            secret_env: BTreeMap::new(),
            holes: BTreeMap::from([
                (text("model"), Hole::ModelId),
                (text("mode"), Hole::Enum { values: vec![text("ask"), text("auto")] }),
                (text("resume"), Hole::Uuid),
                (text("file"), Hole::PathInWorkspace),
                (text("n"), Hole::Integer),
                (text("words"), Hole::Text),
            ]),
        }
    }

    fn line(holes: &[(&str, &str)]) -> Result<Vec<String>, HoleError> {
        let holes: Vec<_> = holes.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        profile().command_line(&holes, Path::new("/w"))
    }

    #[test]
    fn what_is_not_filled_is_left_out_whole() {
        assert_eq!(line(&[]).unwrap(), ["-p"]);
        assert_eq!(
            line(&[("mode", "ask"), ("model", "big/one-2.5[1m]"), ("n", "3")]).unwrap(),
            ["-p", "--model", "big/one-2.5[1m]", "--mode=ask", "{\"n\":3}"]
        );
        assert_eq!(line(&[("file", "a/b")]).unwrap(), ["-p", "/w/a/b"]);
        assert_eq!(line(&[("file", "/w/a")]).unwrap(), ["-p", "/w/a"]);
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let bad = [
            ("model", "--dangerously"),
            ("model", "a b"),
            ("model", "a/../b"),
            ("model", "a\nb"),
            ("model", ""),
            ("mode", "never"),
            ("resume", "123"),
            ("resume", "123e4567-e89b-12d3-a456-42661417400g"),
            ("file", "../x"),
            ("file", "a/../../x"),
            ("file", "/etc/passwd"),
            ("file", "/wx"),
            ("n", "+1"),
            ("n", "-1"),
            ("n", "99999999999999999999"),
        ];
        for (hole, value) in bad {
            assert_eq!(line(&[(hole, value)]).unwrap_err().code(), "hole-misfit", "{hole}={value}");
        }
        assert!(Hole::Port.fill("0", Path::new("/")).is_err());
        assert!(Hole::Port.fill("65536", Path::new("/")).is_err());
        assert!(Hole::Port.fill("80", Path::new("/")).is_ok());
    }

    #[test]
    fn a_text_is_one_argument_whatever_it_holds_and_is_shown_by_its_size() {
        let words = "--yes\n\tand {n} \u{1b}[1m";
        assert_eq!(line(&[("words", words)]).unwrap(), ["-p", &format!("--say={words}")]);
        let holes = [("words".to_owned(), words.to_owned())];
        assert_eq!(profile().shown_line(&holes, Path::new("/w")).unwrap(), ["-p", "--say=(19 bytes of text)"]);
        for bad in ["", "a\0b", &"x".repeat(TEXT_BYTES + 1)] {
            assert_eq!(line(&[("words", bad)]).unwrap_err().code(), "hole-misfit", "{} bytes", bad.len());
        }
    }

    #[test]
    fn unknown_and_repeated_holes_are_refused() {
        let unknown = line(&[("nope", "x")]).unwrap_err();
        assert_eq!(unknown.code(), "unknown-hole");
        assert!(unknown.to_string().contains("model"), "{unknown}");
        assert_eq!(line(&[("n", "1"), ("n", "2")]).unwrap_err().code(), "hole-filled-twice");
    }
}
