//! Replaces what is personal in a recording, the same thing by the same word everywhere, so that ids and paths still fit
//! each other and the recording still plays.
//!
//! It learns first, from all lines: the folders and names that the program was started with, the addresses, tokens and
//! account names that stand anywhere. Then it replaces, the longest first. **It changes texts only: no line is added, left
//! out or moved.** A text that the provider streamed in pieces is replaced where it stands whole; a name that a piece's end
//! halves is not seen.

use super::find;
use super::row::{Row, Spawned};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What is replaced by what.
pub struct Scrubber {
    rules: Vec<Rule>,
    counts: RefCell<BTreeMap<&'static str, usize>>,
}

struct Rule {
    kind: &'static str,
    from: String,
    to: String,
    /// Only where no letter or digit stands at either end.
    word: bool,
}

impl Scrubber {
    /// What must be replaced in these lines.
    pub fn of(rows: &[Row]) -> Scrubber {
        let mut rules = Vec::new();
        for spawned in rows.iter().filter_map(Row::spawned) {
            of_start(&spawned, &mut rules);
        }
        let (mut emails, mut tokens, mut paths, mut names) =
            <(BTreeSet<_>, BTreeSet<_>, BTreeSet<_>, BTreeSet<_>)>::default();
        for row in rows {
            emails.extend(find::emails(&row.line));
            tokens.extend(find::tokens(&row.line));
            paths.extend(find::paths(&row.line));
            if let Ok(value) = serde_json::from_str(&row.line) {
                find::named(&value, &mut names);
            }
        }
        for path in paths.iter().filter(|path| !path.starts_with(find::HOME)) {
            let to = if path.contains("tmp") || path.contains("/folders/") { find::TMP } else { find::HOME };
            path_rules(path, to, "path", &mut rules);
        }
        emails.retain(|email| !email.ends_with(find::DOMAIN));
        names.retain(|name| !name.contains('@'));
        numbered(&emails, "e-mail", |n| format!("person{n}@{}", find::DOMAIN), &mut rules);
        numbered(&tokens, "token", |n| format!("token-{n}"), &mut rules);
        numbered(&names, "account", |n| format!("account-{n}"), &mut rules);
        for (kind, name) in find::own_names() {
            rules.push(Rule { kind, from: name, to: kind.to_owned(), word: true });
        }
        // What is part of something longer goes after it.
        rules.retain(|rule| rule.from != rule.to && !rule.from.is_empty());
        rules.sort_by(|a, b| b.from.len().cmp(&a.from.len()).then_with(|| a.from.cmp(&b.from)));
        rules.dedup_by(|a, b| a.from == b.from);
        Scrubber { rules, counts: RefCell::default() }
    }

    /// A line without what is personal.
    pub fn row(&self, row: &Row) -> Row {
        let line = self.rules.iter().fold(row.line.clone(), |line, rule| self.apply(rule, line));
        row.with(line)
    }

    /// How many of each kind were replaced.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.counts.borrow().clone()
    }

    fn apply(&self, rule: &Rule, line: String) -> String {
        if !line.contains(&rule.from) {
            return line;
        }
        let (mut out, mut rest, mut count) = (String::with_capacity(line.len()), line.as_str(), 0);
        while let Some(at) = rest.find(&rule.from) {
            let (before, found) = rest.split_at(at);
            let after = &found[rule.from.len()..];
            let inside = |c: char| c.is_ascii_alphanumeric();
            let before_it = before.chars().next_back().or_else(|| out.chars().next_back());
            let whole = !before_it.is_some_and(inside) && !after.starts_with(inside);
            out.push_str(before);
            if rule.word && !whole {
                out.push_str(&rule.from);
            } else {
                out.push_str(&rule.to);
                count += 1;
            }
            rest = after;
        }
        out.push_str(rest);
        if count > 0 {
            *self.counts.borrow_mut().entry(rule.kind).or_default() += count;
        }
        out
    }
}

/// The folders, the user and the secrets that a program was started with.
fn of_start(spawned: &Spawned, rules: &mut Vec<Rule>) {
    let env = |name: &str| spawned.env.get(name).map(String::as_str).filter(|value| !value.is_empty());
    if let Some(cwd) = &spawned.cwd {
        path_rules(cwd, find::WORK, "workspace", rules);
    }
    if let Some(home) = env("HOME") {
        path_rules(home, find::HOME, "home", rules);
    }
    if let Some(tmp) = env("TMPDIR").filter(|tmp| *tmp != "/tmp") {
        path_rules(tmp, find::TMP, "path", rules);
    }
    let folder = spawned.argv.first().and_then(|program| program.rsplit_once('/')).map(|(folder, _)| folder);
    if let Some(folder) = folder.filter(|folder| !["/usr/bin", "/bin", "/usr/local/bin"].contains(folder)) {
        path_rules(folder, "/opt/agents", "program", rules);
    }
    for name in ["USER", "LOGNAME", "HOSTNAME"] {
        let kind = if name == "HOSTNAME" { "host" } else { "user" };
        if let Some(value) = env(name).filter(|value| find::is_telling(value)) {
            rules.push(Rule { kind, from: value.to_owned(), to: kind.to_owned(), word: true });
        }
    }
    for (name, value) in &spawned.env {
        let upper = name.to_uppercase();
        let secret = ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| upper.contains(word));
        if secret && value.len() >= 6 && !value.starts_with('[') {
            rules.push(Rule { kind: "secret", from: value.clone(), to: format!("[{name}]"), word: false });
        }
    }
}

/// A path as it is, and as the name of a folder that some programs make of it.
fn path_rules(path: &str, to: &str, kind: &'static str, rules: &mut Vec<Rule>) {
    let dashed = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let path = path.trim_end_matches('/');
    if path.len() < 2 {
        return;
    }
    rules.push(Rule { kind, from: path.to_owned(), to: to.to_owned(), word: true });
    if path.matches('/').count() > 1 {
        rules.push(Rule { kind, from: dashed(path), to: dashed(to), word: true });
    }
}

fn numbered(found: &BTreeSet<String>, kind: &'static str, to: impl Fn(usize) -> String, rules: &mut Vec<Rule>) {
    let all = found.iter().enumerate();
    rules.extend(all.map(|(n, from)| Rule { kind, from: from.clone(), to: to(n + 1), word: false }));
}
