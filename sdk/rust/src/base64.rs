//! Standard base64, as the contract's media carry their bytes: to bytes and back. Tests: below.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes; nothing when the text is no standard base64 with padding. Line breaks are passed over.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    let last = digits.len().saturating_sub(4);
    for (at, group) in digits.chunks_exact(4).enumerate().map(|(index, group)| (index * 4, group)) {
        let padding = group.iter().rev().take_while(|digit| **digit == b'=').count();
        if padding > 2 || (padding > 0 && at != last) {
            return None;
        }
        let mut bits = 0_u32;
        for digit in &group[..4 - padding] {
            bits = bits << 6 | u32::from(value(*digit)?);
        }
        bits <<= 6 * padding;
        if bits & ((1 << (8 * padding)) - 1) != 0 {
            return None;
        }
        bytes.extend(&bits.to_be_bytes()[1..4 - padding]);
    }
    Some(bytes)
}

/// The text of these bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for index in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * index) & 63) as usize];
            text.push(if index > group.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

fn value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
        assert_eq!(decode("Zm9v\r\nYg==\n").as_deref(), Some("foob".as_bytes()));
    }

    #[test]
    fn what_is_no_base64_is_nothing() {
        for text in ["Z", "Zg=", "Zg===", "====", "Zg==Zg==", "Z===", "Zm9!", "Zh==", "Zm9v YQ==", "_-__"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
