//! stdout and what a closed one means. Nobody who pipes us into `head` wants a stack of errors.

use jackfield_core::scrub;
use std::io::{self, IsTerminal, Write};

/// True when both ends of the conversation with a person are a terminal.
pub fn person_present() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a person for a yes, on stderr; all else is a no.
pub fn agrees(question: &str) -> io::Result<bool> {
    eprint!("{question} [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Columns of the terminal on stderr; 100 where there is none.
pub fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 { 100 } else { columns.max(30) }
}

/// Writes a line to stdout.
pub fn line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Writes one JSON value as a line.
pub fn json(value: &impl serde::Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    line(&text)
}

/// Text from a plugin or a provider, fit for a terminal: no control characters but line end and tab, no bidirectional overrides.
pub fn plain(text: &str) -> String {
    scrub::label(text, u64::MAX).into_owned()
}

/// The first line of a text, cut at `width` characters.
pub fn headline(text: &str, width: usize) -> String {
    let text = plain(text);
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default();
    let mut short: String = first.chars().take(width).collect();
    if first.chars().count() > width || lines.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_guest_moves_the_cursor() {
        assert_eq!(plain("a\x1b[2Jb\r\x07c\u{202e}d\te\n"), "a[2Jbcd\te\n");
        assert_eq!(headline("one\ntwo", 20), "one…");
        assert_eq!(headline("abcdef", 3), "abc…");
    }
}
