//! Reads the prompt: the argument, or stdin for `-`.

use crate::exit::Failure;
use std::io::Read;

/// The prompt's text; from stdin at most `limit` bytes.
pub fn read(argument: &str, limit: u64) -> Result<String, Failure> {
    let text = if argument == "-" { from_stdin(limit)? } else { argument.to_owned() };
    if text.trim().is_empty() {
        return Err(Failure::usage("the prompt is empty; say something, or `-` to read it from stdin"));
    }
    Ok(text)
}

fn from_stdin(limit: u64) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Failure::usage(format!(
            "the prompt on stdin has more than {limit} bytes (limit prompt_bytes); put it in a file of the workspace and name that"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!(
            "the prompt on stdin is not UTF-8: byte {} is wrong; convert it first (iconv -t UTF-8)",
            at + 1
        ))
    })
}
