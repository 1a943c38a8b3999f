//! One message as it goes to a program. **On a JSON channel it is exactly one JSON value on one line, whatever a plugin wrote.**

use jackfield_core::contract::FrameData;
use jackfield_core::manifest::Framing;
use serde_json::value::RawValue;

/// One message as it goes to the program, without its line end. On a JSON channel it is exactly one JSON value on one line.
pub(super) fn compose(data: &FrameData, framing: Framing) -> Result<Vec<u8>, String> {
    let bytes = match data {
        FrameData::Text(text) => text.as_bytes(),
        FrameData::Bytes(bytes) => bytes,
        FrameData::Named(_) | FrameData::Other(_) => return Err("is no text".into()),
    };
    if !framing.is_json() {
        return if bytes.contains(&b'\n') { Err("holds a line end".into()) } else { Ok(bytes.to_vec()) };
    }
    let one: &RawValue = serde_json::from_slice(bytes).map_err(|error| format!("is not one JSON value ({error})"))?;
    // In valid JSON a bare line end is white space between tokens, so this changes no meaning.
    let line = one.get().bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte });
    Ok(line.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Result<String, String> {
        compose(&FrameData::Text(text.into()), Framing::Ndjson).map(|line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn a_json_channel_takes_one_value_on_one_line() {
        assert_eq!(json(" {\"a\":\n\t1,\r\n\"b\":\"x\\ny\"} \n").unwrap(), "{\"a\": \t1,  \"b\":\"x\\ny\"}");
        assert_eq!(
            json("{\"big\":123456789012345678901234567890}").unwrap(),
            "{\"big\":123456789012345678901234567890}"
        );
        for bad in ["", " ", "{\"a\":1}\n{\"b\":2}", "{\"a\":1", "nonsense", "{\"a\":\"x\ny\"}"] {
            assert!(json(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_raw_channel_takes_one_line() {
        let raw = |text: &str| compose(&FrameData::Text(text.into()), Framing::Raw);
        assert_eq!(raw("plain words").unwrap(), b"plain words");
        assert!(raw("two\nlines").is_err());
    }
}
