//! Standard base64, as the contract's media carry their bytes: to bytes and back. Tests: below.

use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;

/// The bytes; nothing when the text is no standard base64 with padding. Line breaks are passed over.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    STANDARD.decode(digits).ok()
}

/// The text of these bytes.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
        assert_eq!(encode(b"fooba"), "Zm9vYmE=");
        assert_eq!(decode("Zm9v\r\nYg==\n").as_deref(), Some("foob".as_bytes()));
    }

    #[test]
    fn what_is_no_base64_is_nothing() {
        for text in ["Z", "Zg=", "Zg===", "====", "Zg==Zg==", "Z===", "Zm9!", "Zh==", "Zm9v YQ==", "_-__"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
