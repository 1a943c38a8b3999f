//! A command line into commands and words, as a POSIX shell and bash read them, as far as that can be told without running it.
//!
//! A crate that splits words (shlex) is no help: to it `'&&'` and `&&` are the same word, and nothing in it knows what
//! expands. Here every operator ends a command, what is run inside of a word is read as commands of its own, and **a word that
//! could become something else when it runs is marked**. It knows no meanings: those are in `command`. Tests: `tests.rs`.

use std::iter::Peekable;
use std::str::Chars;

/// Substitutions inside of substitutions, at most; what is deeper is not read.
const DEPTH: u32 = 8;

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its text, quotes taken away.
    pub text: String,
    /// Nothing in it expands: the text is all that it can be.
    pub plain: bool,
}

/// A command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// Every command in it, in whatever part.
    pub commands: Vec<Vec<Word>>,
    /// It is one command and nothing else.
    pub single: bool,
    /// It was read to its end.
    pub whole: bool,
}

/// Reads a text for a shell.
pub(super) fn script(text: &str) -> Script {
    let mut reader = Reader::new(text, DEPTH);
    reader.read();
    let all_plain = reader.commands.iter().flatten().all(|word| word.plain);
    let single = reader.single && all_plain && reader.commands.len() == 1;
    Script { commands: reader.commands, single: single && reader.whole, whole: reader.whole }
}

/// Words that no shell reads any more.
pub(super) fn words(words: &[&str]) -> Script {
    let plain = |text: &&str| Word { text: (*text).to_owned(), plain: true };
    Script { commands: vec![words.iter().map(plain).collect()], single: true, whole: true }
}

/// A text that a program hands to a shell: `sh -c`, `eval`. One level less deep.
pub(super) fn inner(text: &str, depth: u32) -> Script {
    let mut reader = Reader::new(text, depth);
    reader.read();
    Script { commands: reader.commands, single: false, whole: reader.whole }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    depth: u32,
    commands: Vec<Vec<Word>>,
    command: Vec<Word>,
    word: Option<Word>,
    /// The word has an unquoted brace, which may make several words of it.
    braces: bool,
    single: bool,
    whole: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, depth: u32) -> Reader<'a> {
        Reader {
            rest: text.chars().peekable(),
            depth,
            commands: Vec::new(),
            command: Vec::new(),
            word: None,
            braces: false,
            single: true,
            whole: true,
        }
    }

    fn read(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                '\n' | ';' | '&' | '|' | '(' | ')' => self.end_command(),
                '<' | '>' => {
                    self.single = false;
                    self.end_word();
                }
                '\\' => match self.rest.next() {
                    Some('\n') => self.single = false,
                    Some(next) => self.push(next, true),
                    None => self.whole = false,
                },
                '\'' => self.quoted(),
                '"' => self.double_quoted(),
                '$' => self.dollar(false),
                '`' => self.backquoted(),
                '#' if self.word.is_none() => self.comment(),
                '*' | '?' | '[' => self.push(c, false),
                '~' if self.word.is_none() => self.push(c, false),
                '{' | '}' => {
                    self.braces = true;
                    self.push(c, false);
                }
                // What a shell may take for a space, or a reader for nothing.
                c if c.is_control() || (c.is_whitespace() && !c.is_ascii()) => {
                    self.whole = false;
                    self.push(c, false);
                }
                c => self.push(c, true),
            }
        }
        self.end_word();
        if !self.command.is_empty() {
            self.commands.push(std::mem::take(&mut self.command));
        }
    }

    fn push(&mut self, c: char, plain: bool) {
        let word = self.open_word();
        word.text.push(c);
        word.plain &= plain;
    }

    fn open_word(&mut self) -> &mut Word {
        self.word.get_or_insert_with(|| Word { text: String::new(), plain: true })
    }

    fn opaque(&mut self) {
        self.open_word().plain = false;
    }

    fn end_word(&mut self) {
        let braces = std::mem::take(&mut self.braces);
        let Some(word) = self.word.take() else { return };
        if braces && word.text.contains([',', '.']) {
            // `{rm,-rf}` is two words, `r{m,}` begins one: all its parts are words, and none is sure.
            let parts = word.text.split(['{', '}', ',']).filter(|part| !part.is_empty());
            self.command.extend(parts.map(|part| Word { text: part.to_owned(), plain: false }));
        } else {
            self.command.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.single = false;
        if !self.command.is_empty() {
            self.commands.push(std::mem::take(&mut self.command));
        }
    }

    fn quoted(&mut self) {
        self.open_word();
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some(c) => self.push(c, true),
                None => return self.whole = false,
            }
        }
    }

    fn double_quoted(&mut self) {
        self.open_word();
        loop {
            match self.rest.next() {
                Some('"') => return,
                Some('\\') => match self.rest.next() {
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.push(c, true),
                    Some('\n') => {}
                    Some(c) => {
                        self.push('\\', true);
                        self.push(c, true);
                    }
                    None => return self.whole = false,
                },
                Some('$') => self.dollar(true),
                Some('`') => self.backquoted(),
                Some(c) => self.push(c, true),
                None => return self.whole = false,
            }
        }
    }

    fn dollar(&mut self, in_quotes: bool) {
        match self.rest.peek().copied() {
            Some('(') => {
                self.rest.next();
                let text = self.until_closed('(', ')');
                self.run_inside(&text);
            }
            Some('{') => {
                self.rest.next();
                let text = self.until_closed('{', '}');
                // `${x:-$(rm …)}` runs what is in it.
                self.run_inside(&text);
            }
            Some('\'') if !in_quotes => {
                self.rest.next();
                self.ansi_quoted();
            }
            Some('"') if !in_quotes => {}
            Some(c) if c.is_alphanumeric() || "_@*#?$!-".contains(c) => {
                let named = c.is_alphabetic() || c == '_';
                self.rest.next();
                while named && self.rest.next_if(|c| c.is_alphanumeric() || *c == '_').is_some() {}
                self.opaque();
            }
            // A dollar on its own is one; which shells agree is not worth knowing.
            _ => self.push('$', false),
        }
    }

    fn backquoted(&mut self) {
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some('`') => break,
                Some('\\') => text.extend(self.rest.next()),
                Some(c) => text.push(c),
                None => {
                    self.whole = false;
                    break;
                }
            }
        }
        self.run_inside(&text);
    }

    /// The word becomes what these commands print.
    fn run_inside(&mut self, text: &str) {
        self.opaque();
        self.single = false;
        if self.depth == 0 {
            self.whole = false;
            return;
        }
        let inner = inner(text, self.depth - 1);
        self.whole &= inner.whole;
        self.commands.extend(inner.commands);
    }

    /// All up to the bracket that closes, quotes passed over.
    fn until_closed(&mut self, open: char, close: char) -> String {
        let (mut text, mut level, mut quote) = (String::new(), 1, None);
        while let Some(c) = self.rest.next() {
            match (quote, c) {
                (_, '\\') if quote != Some('\'') => {
                    text.push(c);
                    text.extend(self.rest.next());
                    continue;
                }
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, c) if c == open => level += 1,
                (None, c) if c == close => {
                    level -= 1;
                    if level == 0 {
                        return text;
                    }
                }
                (None, _) => {}
            }
            text.push(c);
        }
        self.whole = false;
        text
    }

    /// `$'r\x6d'`. An escape that is not known leaves the word unsure.
    fn ansi_quoted(&mut self) {
        self.open_word();
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some('\\') => match self.rest.next() {
                    Some('n') => self.push('\n', true),
                    Some('t') => self.push('\t', true),
                    Some(c @ ('\\' | '\'' | '"' | '?')) => self.push(c, true),
                    Some('x') => self.coded(16, 2, None),
                    Some('u') => self.coded(16, 4, None),
                    Some('U') => self.coded(16, 8, None),
                    Some(c @ '0'..='7') => self.coded(8, 2, c.to_digit(8)),
                    Some(_) => self.opaque(),
                    None => return self.whole = false,
                },
                Some(c) => self.push(c, true),
                None => return self.whole = false,
            }
        }
    }

    fn coded(&mut self, radix: u32, most: u32, first: Option<u32>) {
        let mut code = first;
        for _ in 0..most {
            let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(radix)) else { break };
            self.rest.next();
            code = Some(code.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
        }
        match code.and_then(char::from_u32).filter(|c| *c != '\0') {
            Some(c) => self.push(c, true),
            None => self.opaque(),
        }
    }

    fn comment(&mut self) {
        self.single = false;
        while self.rest.next_if(|c| *c != '\n').is_some() {}
    }
}
