//! Recorded conversations with a real program: their names and lines, what a plugin says about each line, and the expectations beside
//! them.

use std::path::Path;

use crate::prelude::*;
use serde_json::Value;

/// The recordings of a folder, by name. Panics when there are fewer than that.
pub fn recordings(folder: &Path, at_least: usize) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("a folder of recordings");
    let files = files.map(|file| file.expect("a file").file_name().into_string().expect("a name in UTF-8"));
    let mut names: Vec<_> = files.filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned)).collect();
    names.sort();
    assert!(names.len() >= at_least, "recordings are missing in {}", folder.display());
    names
}

/// The folders in this one, by name: a case each. Panics when there are fewer than that.
pub fn cases(folder: &Path, at_least: usize) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder of cases").map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.file_type().expect("it is there").is_dir());
    let mut names: Vec<_> = folders.map(|entry| entry.file_name().into_string().expect("a name in UTF-8")).collect();
    names.sort();
    assert!(names.len() >= at_least, "cases are missing in {}: {names:?}", folder.display());
    names
}

/// The lines of a recording, each with its direction: `spawn`, `in`, `out`, `err`, `in_eof`, `exit` ….
pub fn lines(folder: &Path, name: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).expect("a recording");
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a line of JSON");
        let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        (word("dir"), word("line"))
    };
    text.lines().map(row).collect()
}

/// What the plugin said about one line that the program wrote.
#[derive(Debug, Clone)]
pub struct Heard {
    /// The line.
    pub line: String,
    /// Its outputs, those of the effects' answers included.
    pub outputs: Vec<Output>,
}

impl Heard {
    /// True when something came of it; a diagnostic is nothing.
    pub fn said(&self) -> bool {
        self.outputs.iter().any(|output| !matches!(output, Output::Disposition(_) | Output::Diagnostic(_)))
    }

    /// What was said to have become of it.
    pub fn dispositions(&self) -> impl Iterator<Item = &Disposition> {
        self.outputs.iter().filter_map(|output| if let Output::Disposition(one) = output { Some(one) } else { None })
    }

    /// The kind that the plugin does not know.
    pub fn unknown(&self) -> Option<&str> {
        self.dispositions()
            .find_map(|one| if let Disposition::Unknown(kind) = one { Some(kind.as_str()) } else { None })
    }
}

/// What was told, in order.
pub fn events(outputs: &[Output]) -> impl Iterator<Item = &EventBody> {
    outputs.iter().filter_map(|output| if let Output::Event(event) = output { Some(&event.body) } else { None })
}

/// Holds what is shown against the expectations in a folder, `<name>.txt` each. With `UPDATE` in the environment it writes them anew: read
/// the difference before you keep it. Panics with all that differ.
pub fn expect(folder: &Path, shown: impl IntoIterator<Item = (String, String)>) {
    let mut wrong = vec![];
    for (name, shown) in shown {
        let file = folder.join(format!("{name}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::create_dir_all(file.parent().expect("it is in a folder")).expect("the folder can be made");
            std::fs::write(&file, &shown).expect("an expectation can be written");
        } else if std::fs::read_to_string(&file).unwrap_or_default() != shown {
            wrong.push(format!("== {name}\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "not as in {}; UPDATE=1 writes them anew:\n{}", folder.display(), wrong.join("\n"));
}
