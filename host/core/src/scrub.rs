//! Texts that came from a plugin or a provider and are shown as a label, a title or an error.
//!
//! **They are data: bounded, without control or bidirectional characters, and errors without secrets.** An assistant's
//! own words never pass here: they keep every byte. Nothing is allocated for a text that is clean. Tests: below.

use std::borrow::Cow;

/// What stands in place of a secret.
const HIDDEN: &str = "[hidden]";
/// What stands at the end of a text that was cut.
const CUT: &str = "…";

/// A label: control characters (but for line ends and tabs) and bidirectional overrides removed, at most so many bytes.
pub fn label(text: &str, max_bytes: u64) -> Cow<'_, str> {
    let clean = if text.chars().any(steers) {
        Cow::Owned(text.chars().filter(|c| !steers(*c)).collect())
    } else {
        Cow::Borrowed(text)
    };
    match clean {
        Cow::Borrowed(text) if text.len() as u64 <= max_bytes => Cow::Borrowed(text),
        clean => Cow::Owned(cut(&clean, max_bytes)),
    }
}

/// An error: a label in which what looks like a secret is hidden.
pub fn error(text: &str, max_bytes: u64) -> String {
    cut(&secrets(&label(text, u64::MAX)), max_bytes)
}

/// The text, cut to so many bytes at a character's boundary, with a sign that it was.
pub fn cut(text: &str, max_bytes: u64) -> String {
    if text.len() as u64 <= max_bytes {
        return text.to_owned();
    }
    let room = (max_bytes as usize).saturating_sub(CUT.len());
    let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let sign = if max_bytes as usize >= CUT.len() { CUT } else { "" };
    format!("{}{sign}", &text[..end])
}

/// Hides what has the shape of a secret: `Bearer …`, `sk-…`, `key=…`, the user part and the query of a URL.
pub fn secrets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let (mut after_bearer, mut after_name) = (false, false);
    while !rest.is_empty() {
        let word_end = rest.find(is_separator).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(word_end);
        let gap_end = tail.find(|c| !is_separator(c)).unwrap_or(tail.len());
        let (gap, next) = tail.split_at(gap_end);
        let is_secret = (after_bearer && word.len() >= 6) || (after_name && !word.is_empty() && word != ":");
        if is_secret {
            out.push_str(HIDDEN)
        } else {
            out.push_str(&hide_in_word(word))
        }
        if !word.is_empty() {
            let lower = word.to_ascii_lowercase();
            after_bearer = ["bearer", "basic"].iter().any(|scheme| lower.ends_with(scheme)) && gap.trim().is_empty();
            // In JSON the name, the colon and the value are three words.
            after_name = if word == ":" { after_name } else { names_a_secret(word) && gap.starts_with('"') };
        }
        out.push_str(gap);
        rest = next;
    }
    out
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '<' | '>' | '(' | ')' | '{' | '}' | '[' | ']')
}

fn hide_in_word(word: &str) -> Cow<'_, str> {
    if let Some(at) = word.find("://") {
        return hide_in_url(word, at + 3);
    }
    if let Some(start) = token_start(word) {
        return Cow::Owned(format!("{}{HIDDEN}", &word[..start]));
    }
    if let Some((name, value)) = word.split_once(['=', ':'])
        && !value.is_empty()
        && names_a_secret(name)
    {
        return Cow::Owned(format!("{}{HIDDEN}", &word[..=name.len()]));
    }
    Cow::Borrowed(word)
}

fn hide_in_url(word: &str, authority: usize) -> Cow<'_, str> {
    let path = word[authority..].find(['/', '?', '#']).map_or(word.len(), |at| authority + at);
    let host = word[authority..path].rfind('@').map_or(authority, |at| authority + at);
    let user = if host > authority { HIDDEN } else { "" };
    let (body, query) = match word[path..].find('?') {
        Some(at) => (&word[host..path + at], Some(path + at)),
        None => (&word[host..], None),
    };
    if user.is_empty() && query.is_none() {
        return Cow::Borrowed(word);
    }
    let query = query.map_or(String::new(), |_| format!("?{HIDDEN}"));
    Cow::Owned(format!("{}{user}{body}{query}", &word[..authority]))
}

/// Where a token of a known shape begins in a word.
fn token_start(word: &str) -> Option<usize> {
    const SHAPES: [&str; 8] = ["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "xoxb-", "AKIA", "eyJ"];
    SHAPES
        .iter()
        .filter_map(|shape| {
            let at = word.find(shape)?;
            let at_start = at == 0 || !word[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            (at_start && word.len() - at >= shape.len() + 8).then_some(at)
        })
        .min()
}

fn names_a_secret(name: &str) -> bool {
    const NAMES: [&str; 8] = ["key", "token", "secret", "password", "passwd", "authorization", "credential", "apikey"];
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    NAMES.iter().any(|known| name.ends_with(known))
}

/// True when a variable of this name and value is to be treated as a secret: not shown, not stored. When in doubt, it is one.
pub fn is_secret(name: &str, value: &str) -> bool {
    const PARTS: [&str; 9] = ["key", "token", "secret", "pass", "auth", "cred", "cookie", "session", "private"];
    let lower = name.to_ascii_lowercase();
    // A long word without structure is what keys look like; a path or an address has separators.
    let opaque = value.len() >= 24
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "+=_".contains(c))
        && value.chars().any(|c| c.is_ascii_digit());
    PARTS.iter().any(|part| lower.contains(part)) || opaque || secrets(value) != value
}

/// True for characters that steer a terminal or turn a text's direction.
pub fn steers(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_label_is_not_copied() {
        assert!(matches!(label("ls -la\n\tx é 台", 100), Cow::Borrowed(_)));
    }

    #[test]
    fn a_label_cannot_steer_a_terminal() {
        assert_eq!(label("a\u{1b}[31mb\r\u{202e}c\u{2066}\0", 100), "a[31mbc");
    }

    #[test]
    fn a_secret_is_known_by_its_name_or_its_value() {
        for (name, value) in [
            ("SOME_API_KEY", "x"),
            ("DB_PASSWORD", "hunter2"),
            ("X", "sk-0123456789abcdef"),
            ("PROXY", "http://me:pw@host:1"),
            ("X", "a8Fz09QqLw21mmPx77tt55Rs"),
        ] {
            assert!(is_secret(name, value), "{name}");
        }
        for (name, value) in [
            ("BASE_URL", "http://127.0.0.1:8080"),
            ("DISABLE_X", "1"),
            ("CONFIG_DIR", "/home/me/.work-account"),
            ("MODEL", "name-4-5-20250929-and-more"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }

    #[test]
    fn a_cut_is_at_a_character() {
        assert_eq!(label("台台台", 8), "台…");
        assert_eq!(cut("台", 2), "");
        assert_eq!(cut("abc", 3), "abc");
    }

    #[test]
    fn secrets_are_hidden_and_the_rest_stays() {
        let cases = [
            ("Authorization: Bearer abcdef123456 failed", "Authorization: Bearer [hidden] failed"),
            ("bad key sk-ant-REDACTED.", "bad key [hidden]"),
            ("api_key=12345, retry", "api_key=[hidden], retry"),
            ("--token=x", "--token=[hidden]"),
            ("GET https://me:pw@host/a?b=c failed", "GET https://[hidden]@host/a?[hidden] failed"),
            ("see https://host/a#b", "see https://host/a#b"),
            ("the key to it: ask-me", "the key to it: ask-me"),
            ("{\"x-api-key\": \"v w\", \"a\": \"b\"}", "{\"x-api-key\": \"[hidden] w\", \"a\": \"b\"}"),
            ("HTTP 429: too many", "HTTP 429: too many"),
        ];
        for (text, wanted) in cases {
            assert_eq!(error(text, 4096), wanted, "{text}");
        }
    }
}
