//! `run --record` and `jackfield record`: what crossed the wire between the host and a program, and a fixture made of it.
//!
//! `row` reads and writes the lines; `find` knows what is personal in a text; `scrub` replaces it, the same thing by the same
//! word everywhere. **Nothing is overwritten unless it was asked for by name, and what was replaced is told by kind.**
//! Tests: `tests/tests/record.rs`.

mod find;
mod row;
mod scrub;

use crate::args::{RecordCommand, ScrubArgs};
use crate::exit::{Exit, Failure, Outcome};
use crate::output;
use jackfield_runtime::process::Tap;
use row::Row;
use scrub::Scrubber;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Carries the command out.
pub fn run(command: RecordCommand) -> Outcome {
    match command {
        RecordCommand::Scrub(args) => scrub(&args),
    }
}

/// Begins the recording of a run. `secrets` are values that must not be in it, by name.
pub fn begin(path: &Path, secrets: &[(String, String)]) -> Result<Tap, Failure> {
    Tap::create(path, secrets).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::usage(format!(
            "--record {}: the file is there already, and a recording is never written over; name another file",
            path.display()
        )),
        _ => Failure::usage(format!("--record {}: the file can't be made ({error})", path.display())),
    })
}

/// What a run says of its recording at its end.
pub fn finish(path: &Path, tap: &Tap) -> String {
    match tap.finish() {
        Ok(0) => format!("{}: nothing crossed a wire, so the recording is empty", path.display()),
        Ok(lines) => {
            format!("{lines} lines are recorded in {}; `jackfield record scrub` makes a fixture of it", path.display())
        }
        Err(problem) => format!("the recording {} is not whole: {problem}", path.display()),
    }
}

fn scrub(args: &ScrubArgs) -> Outcome {
    let shown = args.file.display();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::usage(format!("{shown} can't be read ({error})")))?;
    let rows = row::read(&text).map_err(|problem| Failure::usage(format!("{shown}: {problem}")))?;
    if args.check {
        return check(&args.file, &rows);
    }
    let scrubber = Scrubber::of(&rows);
    let scrubbed: Vec<Row> = rows.iter().map(|row| scrubber.row(row)).collect();
    let out = args.out.clone().unwrap_or_else(|| beside(&args.file));
    write(&out, &row::write(&scrubbed))?;
    output::line(&format!("{} lines, scrubbed: {}", scrubbed.len(), out.display()))?;
    for (kind, count) in scrubber.counts() {
        output::line(&format!("  {count:>6}  {kind}"))?;
    }
    check(&out, &scrubbed)
}

/// Says what still looks personal; exit code 1 if anything does.
fn check(file: &Path, rows: &[Row]) -> Outcome {
    let left = find::left(rows);
    if left.is_empty() {
        output::line(&format!("{}: nothing in it looks personal", file.display()))?;
        return Ok(Exit::Completed);
    }
    output::line(&format!("{}: this still looks personal; look at it before you share it:", file.display()))?;
    for found in &left {
        let text = output::headline(&found.text, 80);
        output::line(&format!("  line {:>5}  {:<9}  {text}", found.line, found.kind))?;
    }
    Ok(Exit::Failed)
}

/// `a/b.jsonl` → `a/b.scrubbed.jsonl`.
fn beside(file: &Path) -> PathBuf {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{name}.scrubbed.jsonl"))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::usage(format!("{} is there already; choose another file with -o", path.display()))
        }
        _ => Failure::usage(format!("{} can't be written ({error})", path.display())),
    })?;
    Ok(file.write_all(text.as_bytes())?)
}
