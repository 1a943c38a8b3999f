//! `jackfield threads export`: one thread, whole, as its events or for people.

use super::{PAGE, markdown};
use crate::args::ExportFormat;
use crate::exit::{Exit, Failure, Outcome};
use crate::run::thread_id;
use jackfield_core::projection::Snapshot;
use jackfield_runtime::host::Host;
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Carries the command out.
pub async fn run(host: &Host, text: &str, format: ExportFormat, file: Option<&Path>) -> Outcome {
    let id = thread_id(text)?;
    let row = host.thread_row(&id).await?;
    let mut out: Box<dyn Write + Send> = match file {
        // What was said is the owner's alone, and nothing that is there is written over.
        Some(path) => {
            Box::new(OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(|error| {
                Failure::usage(format!(
                    "{} can't be written: {error}; name a file that is not there yet",
                    path.display()
                ))
            })?)
        }
        None => Box::new(io::stdout()),
    };
    let mut out = BufWriter::new(&mut out);
    let mut snapshot = Snapshot::default();
    let mut after = 0;
    loop {
        let page = host.store().events(&id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for event in &page {
            match format {
                ExportFormat::Ndjson => {
                    serde_json::to_writer(&mut out, event).map_err(io::Error::from)?;
                    out.write_all(b"\n")?;
                }
                ExportFormat::Markdown => snapshot.apply(event),
            }
        }
    }
    if format == ExportFormat::Markdown {
        out.write_all(markdown::write(&row, &snapshot).as_bytes())?;
    }
    out.flush()?;
    Ok(Exit::Completed)
}
