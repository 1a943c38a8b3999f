//! What a program printed for a terminal, as plain text: without colours, titles, movements of the cursor.
//!
//! A piece may end in the middle of a sequence; the next one goes on there. **Words are never lost to a sequence that does not end**: one that is
//! longer than any real one is over. Tests: below.

/// Longest sequence that is swallowed, in characters: titles and links are the longest.
const SEQUENCE_CHARS: usize = 4096;

/// Takes the sequences out of a text that comes in pieces.
#[derive(Debug, Clone, Default)]
pub struct Plain {
    state: State,
    /// Characters of the sequence so far.
    length: usize,
    /// A carriage return came last: a line end may follow it.
    returned: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum State {
    #[default]
    Text,
    /// Behind ESC.
    Escape,
    /// Behind ESC and a character that takes another one.
    Short,
    /// Behind ESC [: parameters, then a letter.
    Control,
    /// Behind ESC ] and its like: text up to BEL or ESC \\.
    String,
    /// Behind an ESC in such a text.
    StringEscape,
}

impl Plain {
    /// The words of a piece. A carriage return that no line end follows begins a new line: what it would have written over stays.
    pub fn feed(&mut self, piece: &str) -> String {
        let mut words = String::with_capacity(piece.len());
        for c in piece.chars() {
            self.take(c, &mut words);
        }
        words
    }

    fn take(&mut self, c: char, words: &mut String) {
        self.length = if self.state == State::Text { 0 } else { self.length + 1 };
        if self.length > SEQUENCE_CHARS {
            self.state = State::Text;
        }
        self.state = match (self.state, c) {
            (State::String, '\u{7}' | '\u{9c}') | (State::StringEscape, _) => State::Text,
            (State::String, '\u{1b}') => State::StringEscape,
            (State::String, _) => State::String,
            (_, '\u{1b}') => State::Escape,
            (State::Escape, '[') => State::Control,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::String,
            (State::Escape, ' '..='/') => State::Short,
            (State::Escape | State::Short, _) => State::Text,
            (State::Control, ' '..='?') => State::Control,
            (State::Control, '@'..='~') => State::Text,
            // No such sequence: what came is text again.
            (State::Control | State::Text, _) => self.say(c, words),
        };
    }

    fn say(&mut self, c: char, words: &mut String) -> State {
        let returned = std::mem::replace(&mut self.returned, c == '\r');
        match c {
            '\u{9b}' => return State::Control,
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => return State::String,
            '\r' => {}
            '\n' | '\t' => words.push(c),
            c if c.is_control() => self.returned = returned,
            c => {
                if returned {
                    words.push('\n');
                }
                words.push(c);
            }
        }
        State::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a text, which must be the same wherever it is cut.
    #[track_caller]
    fn words(text: &str) -> String {
        let whole = Plain::default().feed(text);
        for (at, _) in text.char_indices() {
            let mut plain = Plain::default();
            let parts = plain.feed(&text[..at]) + &plain.feed(&text[at..]);
            assert_eq!(parts, whole, "{text:?} cut at {at}");
        }
        whole
    }

    #[test]
    fn colours_titles_and_links_are_no_words() {
        assert_eq!(words("\u{1b}[1;31mred\u{1b}[0m and \u{1b}(Bplain"), "red and plain");
        assert_eq!(words("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\"), "alink");
        assert_eq!(words("\u{1b}[?25l\u{1b}[2J\u{1b}7é台\u{9b}1m!"), "é台!");
        assert_eq!(words("bell\u{7} back\u{8}space \u{0}nul"), "bell backspace nul");
    }

    #[test]
    fn line_ends_of_all_kinds_end_lines() {
        assert_eq!(words("a\r\nb\nc\n"), "a\nb\nc\n");
        assert_eq!(words("10 %\r20 %\r\u{1b}[Kdone\r\n"), "10 %\n20 %\ndone\n");
        assert_eq!(words("a\r\r\nb\tc"), "a\nb\tc");
    }

    #[test]
    fn a_sequence_that_never_ends_swallows_little() {
        let text = format!("\u{1b}]0;{}the end", "x".repeat(SEQUENCE_CHARS));
        assert!(Plain::default().feed(&text).ends_with("the end"));
        assert_eq!(words("\u{1b}[12é"), "é");
    }
}
