//! Text into a configuration, or the first thing that is wrong with it: the line, the key, and what was expected there.
//!
//! **Strict: a key that is not known is an error that names the nearest one; nothing is passed over.** Tests: below.

use super::types::Config;
use std::ops::Range;

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The line, from 1; 0 when it is about the whole file.
    pub line: usize,
    /// What, with the way out.
    pub text: String,
}

/// Reads a configuration.
pub fn parse(text: &str) -> Result<Config, Wrong> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(0, |span| line_of(text, &span));
        Wrong { line, text: explain(error.message(), error.span().and_then(|span| text.get(span)).unwrap_or_default()) }
    })
}

/// The line on which a key stands, by its path; of the innermost table that is there. 0 when nothing is.
pub fn line_of_key(text: &str, path: &[&str]) -> usize {
    find_key(text, path).0
}

/// The same, and whether the whole path is there.
pub fn find_key(text: &str, path: &[&str]) -> (usize, bool) {
    let Ok(table) = toml::de::DeTable::parse(text) else { return (0, false) };
    let mut line = 0;
    let mut table = Some(table.get_ref());
    for name in path {
        let Some((key, value)) = table.and_then(|table| table.iter().find(|(key, _)| key.get_ref() == name)) else {
            return (line, false);
        };
        line = line_of(text, &key.span());
        table = match value.get_ref() {
            toml::de::DeValue::Table(inner) => Some(inner),
            _ => None,
        };
    }
    (line, true)
}

/// The nearest of these names, when one is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Few slips first (two letters that changed places are one); of as many, the name of the same length.
    let scored = known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(name, known), known.len().abs_diff(name.len()), known));
    let (slips, _, best) = scored.min_by_key(|(slips, longer, _)| (*slips, *longer))?;
    (slips * 3 <= name.len().max(best.len())).then_some(best)
}

fn line_of(text: &str, span: &Range<usize>) -> usize {
    text.as_bytes()[..span.start.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The parser's words in ours: what is between its backticks are the names.
fn explain(message: &str, source: &str) -> String {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if message.starts_with("unknown field") {
        let Some((unknown, known)) = names.split_first() else { return message.to_owned() };
        let near = nearest(unknown, known.iter().copied());
        let hint = match near {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("known here: {}", known.join(", ")),
        };
        return format!("there is no key '{unknown}'; {hint}");
    }
    if let Some(kinds) = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: ")) {
        let expected = kinds.split_once(", expected ").map_or(kinds, |(_, expected)| expected);
        let source = jackfield_core::scrub::error(source.lines().next().unwrap_or_default(), 60);
        return format!("expected {}, not {source}", in_words(expected));
    }
    message.lines().next().unwrap_or_default().to_owned()
}

/// The parser's words for what it expected, as a person writes it in the file.
fn in_words(expected: &str) -> &str {
    match expected {
        "a string" => "a text in quotes",
        "a boolean" => "true or false",
        "u64" | "u32" => "a whole number, 0 or more",
        "f64" => "a number",
        "a sequence" => "a list in [ ]",
        "a map" => "a table",
        other if other.starts_with("struct ") => "a table",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn wrong(text: &str, line: usize, words: &[&str]) {
        let found = parse(text).expect_err(text);
        assert_eq!(found.line, line, "{found:?}");
        for word in words {
            assert!(found.text.contains(word), "{found:?} has no {word:?}");
        }
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        wrong("\ndefualt_provider = \"x\"\n", 2, &["no key 'defualt_provider'", "'default_provider'"]);
        wrong("[instances.work]\nprovider = \"x\"\nmodle = \"m\"\n", 3, &["'modle'", "'model'"]);
        wrong("[limits]\nframe_byte = 1\n", 2, &["'frame_byte'", "'frame_bytes'"]);
        wrong("[policy]\nhost_queues = true\n", 2, &["'host_queue'"]);
        wrong("[policy]\nnot_built = []\n", 2, &["no key 'not_built'"]);
        wrong("[instances.a.mcp_servers.b]\ncomand = \"x\"\n", 2, &["'command'"]);
        wrong("zzz = 1\n", 1, &["known here: default_provider"]);
    }

    #[test]
    fn a_wrong_type_names_what_is_expected() {
        wrong("default_provider = 3\n", 1, &["a text in quotes", "not 3"]);
        wrong("retention_days = \"30\"\n", 1, &["a whole number", "not \"30\""]);
        wrong("retention_days = -1\n", 1, &["a whole number"]);
        wrong("[instances]\nwork = \"x\"\n", 2, &["a table"]);
        wrong("[instances.work]\nexe_args = \"x\"\n", 2, &["a list"]);
        wrong("[instances.work]\nenv = [\"A\"]\n", 2, &["a table"]);
        wrong("[instances.work]\nmax_time = \"10\"\n", 2, &["10m"]);
        wrong("[instances.work]\nmax_cost = \"1\"\n", 2, &["a number"]);
        wrong("[policy]\nhost_queue = \"yes\"\n", 2, &["true or false"]);
    }

    #[test]
    fn what_is_no_toml_names_its_line() {
        wrong("a = 1\nb = \n", 2, &[]);
        wrong("[instances.work\n", 1, &[]);
        wrong("[policy]\n[policy]\n", 2, &["duplicate"]);
    }

    #[test]
    fn a_key_is_found_again() {
        let text = "[instances.work]\nprovider = \"x\"\n[instances.work.options]\nturns = 1\n";
        assert_eq!(line_of_key(text, &["instances", "work", "options", "turns"]), 4);
        assert_eq!(line_of_key(text, &["instances", "work", "model"]), 1);
        assert_eq!(line_of_key(text, &["nothing"]), 0);
    }
}
