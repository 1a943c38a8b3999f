//! Runs the mock model server by hand: `mock-model [--port N] [--folder DIR] [SCRIPTS.json]`. Prints its port, then each
//! request it sees.

use anyhow::{Context, Result, bail};
use jackfield_tests::mock::{Mock, Scripts};
use std::io::Write;

fn main() -> Result<()> {
    let (mut port, mut folder, mut file) = (0, String::from("."), None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--port" => {
                port = words.next().context("--port takes a number")?.parse().context("--port takes a number")?
            }
            "--folder" => folder = words.next().context("--folder takes a path")?,
            path if !path.starts_with('-') => file = Some(path.to_owned()),
            other => bail!("usage: mock-model [--port N] [--folder DIR] [SCRIPTS.json], not {other}"),
        }
    }
    let folder = std::path::absolute(folder)?.display().to_string();
    let scripts = match file {
        Some(path) => Scripts::parse(&std::fs::read_to_string(&path).context(path)?, &folder)?,
        None => Scripts::standard(&folder)?,
    };
    let mock = Mock::start(scripts, port)?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", mock.port())?;
    let mut shown = 0;
    loop {
        for seen in mock.seen().iter().skip(shown) {
            let script = seen.script.as_deref().unwrap_or("-");
            // An error here is a reader that has gone: so do we.
            writeln!(out, "{} script={script} step={} model={}", seen.line, seen.step, seen.body["model"])?;
            shown += 1;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
