//! What is personal in a text: e-mail addresses, tokens, paths of a home, names of accounts. It looks and changes nothing.

use super::row::Row;
use std::collections::BTreeSet;

/// What stands in a scrubbed recording, and is nobody's.
pub const HOME: &str = "/home/user";
/// The folder that was worked in.
pub const WORK: &str = "/workspace/project";
/// A folder for what passes.
pub const TMP: &str = "/workspace/tmp";
/// The part of an address behind the sign.
pub const DOMAIN: &str = "example.com";

/// How tokens of known services begin.
const TOKENS: &[&str] =
    &["sk-", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "xoxb-", "xoxp-", "AKIA", "eyJ", "glpat-", "AIza"];

/// JSON keys whose values name a person or their account.
const NAMING: &[&str] = &[
    "email",
    "emailAddress",
    "organization",
    "organizationName",
    "organizationUuid",
    "organization_uuid",
    "accountUuid",
    "account_uuid",
    "displayName",
    "fullName",
    "login",
];

/// Something that looks personal.
#[derive(Debug)]
pub struct Found {
    /// Line of the file, from 1.
    pub line: usize,
    pub kind: &'static str,
    pub text: String,
}

/// What still looks personal.
pub fn left(rows: &[Row]) -> Vec<Found> {
    let names = own_names();
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, row) in rows.iter().enumerate() {
        let mut add = |kind, texts: Vec<String>| {
            for text in texts {
                if seen.insert((kind, text.clone())) {
                    all.push(Found { line: at + 1, kind, text });
                }
            }
        };
        add("e-mail", emails(&row.line).into_iter().filter(|text| !text.ends_with(DOMAIN)).collect());
        add("token", tokens(&row.line));
        add("path", paths(&row.line).into_iter().filter(|path| !path.starts_with(HOME)).collect());
        add("name", names.iter().filter(|(_, name)| has_word(&row.line, name)).map(|(_, name)| name.clone()).collect());
    }
    all
}

/// The names of this user and this machine, with what stands in their place.
pub fn own_names() -> Vec<(&'static str, String)> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let host = host.map(|name| name.trim().to_owned());
    let user = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    let names = [("host", host), ("user", user)];
    let names = names.into_iter().filter_map(|(kind, name)| Some((kind, name?)));
    names.filter(|(_, name)| is_telling(name)).collect()
}

/// A name that everybody has tells nothing, and replacing it would spoil words.
pub fn is_telling(name: &str) -> bool {
    const COMMON: &[&str] = &["root", "user", "host", "localhost", "home", "runner", "nobody", "admin", "test"];
    name.len() >= 4 && !COMMON.contains(&name)
}

/// Addresses in a text.
pub fn emails(text: &str) -> Vec<String> {
    let local = |c: char| c.is_ascii_alphanumeric() || ".+_-%".contains(c);
    let domain = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    let at = text.match_indices('@').filter_map(|(at, _)| {
        // An escape of JSON right before the name is no part of it.
        let start = text[..at].rfind(|c| !local(c)).map_or(0, |before| before + 1);
        let escaped = text[..start].ends_with('\\') && text[start..at].starts_with(['n', 't', 'r']);
        let start = start + usize::from(escaped);
        let rest = &text[at + 1..];
        let end = rest.find(|c| !domain(c)).unwrap_or(rest.len());
        let behind = rest[..end].trim_end_matches(['.', '-']);
        let top = behind.rsplit_once('.')?.1;
        let is_one = start < at && top.len() >= 2 && top.chars().all(|c| c.is_ascii_alphabetic());
        is_one.then(|| format!("{}@{behind}", &text[start..at]))
    });
    at.collect()
}

/// Tokens of a known shape in a text.
pub fn tokens(text: &str) -> Vec<String> {
    let inside = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let mut found = Vec::new();
    for shape in TOKENS {
        for (at, _) in text.match_indices(shape) {
            let fresh = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
            let end = text[at..].find(|c| !inside(c)).map_or(text.len(), |end| at + end);
            if fresh && end - at >= shape.len() + 12 {
                found.push(text[at..end].to_owned());
            }
        }
    }
    for scheme in ["Bearer ", "Basic "] {
        for (at, _) in text.match_indices(scheme) {
            let rest = &text[at + scheme.len()..];
            let end = rest.find(|c: char| !(inside(c) || "+/=~".contains(c))).unwrap_or(rest.len());
            if end >= 12 {
                found.push(rest[..end].to_owned());
            }
        }
    }
    found
}

/// Paths of homes and of folders for what passes, each up to the part that names somebody.
pub fn paths(text: &str) -> Vec<String> {
    let named = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let mut found = Vec::new();
    for root in ["/home/", "/Users/", "/tmp/", "/var/folders/", "/private/tmp/", "/var/tmp/", "/run/user/"] {
        for (at, _) in text.match_indices(root) {
            let fresh = !text[..at].ends_with(|c: char| named(c) || c == '/');
            let rest = &text[at + root.len()..];
            let end = rest.find(|c| !named(c)).unwrap_or(rest.len());
            if fresh && end > 0 {
                found.push(format!("{root}{}", &rest[..end]));
            }
        }
    }
    let root_home = ["/ro", "ot/"].concat();
    let at_root = text.match_indices(&root_home).any(|(at, _)| !text[..at].ends_with(|c: char| named(c) || c == '/'));
    found.extend(at_root.then(|| root_home.trim_end_matches('/').to_owned()));
    found
}

/// Values of keys that name a person, in a line that is JSON.
pub fn named(value: &serde_json::Value, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(text) if NAMING.contains(&key.as_str()) && text.len() >= 4 => _ = into.insert(text.to_owned()),
                    _ => named(value, into),
                }
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| named(value, into)),
        _ => {}
    }
}

/// The word, with no letter or digit at either end.
pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let inside = |c: char| c.is_ascii_alphanumeric();
        !text[..at].ends_with(inside) && !text[at + word.len()..].starts_with(inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_tokens_and_homes_are_found_and_nothing_else() {
        assert_eq!(emails(r#"to\nann.b+x@mail.co.uk, and @work or a@b"#), ["ann.b+x@mail.co.uk"]);
        assert_eq!(emails("npm i @scope/name@1.2.3"), Vec::<String>::new());
        let key = ["sk-", "abcdefghijklmnop"].concat();
        assert_eq!(tokens(&format!("x {key}. ask-me risk-abcdefghijklmnopq")), [format!("{key}.")]);
        assert_eq!(tokens("Bearer abcdef123456ghi"), ["abcdef123456ghi"]);
        assert_eq!(paths("at /home/ann/x and /Users/bob; /opt/home/c"), ["/home/ann", "/Users/bob"]);
        assert!(has_word("on buildbox7: ok", "buildbox7") && !has_word("onbuildbox7", "buildbox7"));
    }
}
