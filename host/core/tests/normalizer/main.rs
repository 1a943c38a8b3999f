//! The normalizer's cases: each file under `tests/cases` is a script of what happens and, after `---`, what clients see.
//!
//! `UPDATE=1 cargo test -p jackfield-core --test normalizer` rewrites what is seen; a person reads the difference.

mod script;
mod show;

use std::path::Path;

#[test]
fn cases_show_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("the folder of cases").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() > 20, "the cases are there");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case is text");
        let (script, wanted) = text.split_once("---\n").unwrap_or((&text, ""));
        let seen = show::lines(&script::play(script));
        if update {
            std::fs::write(&file, format!("{script}---\n{seen}")).expect("a case can be written");
        } else if seen != wanted {
            wrong.push(format!("{}:\nwanted:\n{wanted}\nseen:\n{seen}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
