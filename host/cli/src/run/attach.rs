//! `--attach FILE`: a file's bytes as a part of the message. The media type is what the content shows, else what the name
//! says. **A file that can't go whole does not go at all.** Tests: below, and `tests/tests/attach.rs`.

use crate::exit::Failure;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jackfield_core::contract::{Content, Media};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The parts that these files are; all of them fit `limit` bytes, as they are sent.
pub fn read(files: &[PathBuf], limit: u64) -> Result<Vec<Content>, Failure> {
    let mut left = limit;
    let mut parts = Vec::new();
    for file in files {
        let media = part(file, left, limit)?;
        left = left.saturating_sub(media.base64.as_ref().map_or(0, String::len) as u64);
        parts.push(Content::Media(media));
    }
    Ok(parts)
}

fn part(path: &Path, room: u64, limit: u64) -> Result<Media, Failure> {
    let wrong = |text: String| Failure::usage(format!("--attach {}: {text}", path.display()));
    let facts = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => wrong("there is no such file".into()),
        _ => wrong(format!("it can't be read ({error})")),
    })?;
    if facts.is_dir() {
        return Err(wrong("it is a folder; attach its files, or name it in your message".into()));
    }
    if !facts.is_file() {
        return Err(wrong("it is no regular file".into()));
    }
    // A message is text, and so are bytes in it: three become four.
    let most = room / 4 * 3;
    let too_large = |bytes: String| {
        wrong(format!(
            "it has {bytes} bytes, and a message with all that is attached holds {} (limit prompt_bytes {limit}, in which \
             three bytes of a file are four); name the file in your message instead",
            limit / 4 * 3
        ))
    };
    if facts.len() > most {
        return Err(too_large(facts.len().to_string()));
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| wrong(format!("it can't be read ({error})")))?;
    match bytes.len() as u64 {
        0 => return Err(wrong("it is empty".into())),
        // It may grow while it is read.
        read if read > most => return Err(too_large(format!("more than {most}"))),
        _ => {}
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Media { mime: media_type(&bytes, path).to_owned(), name, uri: None, base64: Some(STANDARD.encode(&bytes)) })
}

/// What the first bytes show; a text is what its name says, and nothing else is believed by its name.
fn media_type(bytes: &[u8], path: &Path) -> &'static str {
    let riff = bytes.len() > 12 && bytes.starts_with(b"RIFF");
    match bytes {
        _ if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => "image/png",
        _ if bytes.starts_with(b"\xff\xd8\xff") => "image/jpeg",
        _ if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") => "image/gif",
        _ if riff && &bytes[8..12] == b"WEBP" => "image/webp",
        _ if bytes.starts_with(b"%PDF-") => "application/pdf",
        _ if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0) => text_type(path),
        _ => "application/octet-stream",
    }
}

fn text_type(path: &Path) -> &'static str {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    match end.as_str() {
        "md" | "markdown" => "text/markdown",
        "html" | "htm" => "text/html",
        "csv" => "text/csv",
        "json" => "application/json",
        "xml" => "application/xml",
        "svg" => "image/svg+xml",
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides_and_the_name_only_among_texts() {
        let of = |bytes: &[u8], name: &str| media_type(bytes, Path::new(name));
        assert_eq!(of(b"\x89PNG\r\n\x1a\nrest", "a.txt"), "image/png");
        assert_eq!(of(b"RIFF1234WEBPVP8 ", "a"), "image/webp");
        assert_eq!(of(b"%PDF-1.7", "a.png"), "application/pdf");
        assert_eq!(of(b"# hello", "A.MD"), "text/markdown");
        assert_eq!(of(b"hello", "a.png"), "text/plain");
        assert_eq!(of(b"\x00\x01\xff", "a.png"), "application/octet-stream");
    }
}
