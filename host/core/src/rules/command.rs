//! A rule about commands, and whether a command line is what it is about.
//!
//! To forbid, the program counts by its name wherever it stands, options by what they mean in whatever spelling and order, and
//! what other programs are given to run counts, too. To allow, the words must be the rule's, one for one, in a line that is one
//! command and nothing else. **Neither direction guesses: what can't be known is neither.** Tests: `tests.rs`.

use super::shell::{self, Script, Word};
use std::collections::BTreeSet;

/// Programs that run the command behind their own words.
const CARRIERS: &[&str] = &[
    "builtin",
    "busybox",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "doas",
    "docker",
    "entr",
    "env",
    "exec",
    "find",
    "flock",
    "ionice",
    "kubectl",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "podman",
    "setsid",
    "ssh",
    "stdbuf",
    "strace",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "unbuffer",
    "unshare",
    "watch",
    "xargs",
];

/// Programs that take a text and run it.
const READERS: &[&str] = &[
    "ash", "awk", "bash", "csh", "dash", "eval", "fish", "ksh", "lua", "node", "perl", "php", "pwsh", "python",
    "python3", "ruby", "script", "sh", "source", "su", "trap", "zsh", ".",
];

/// Words that may stand before a command.
const RESERVED: &[&str] = &["!", "{", "if", "then", "elif", "else", "while", "until", "do", "time", "function"];

/// Options that say the same in two spellings.
const SPELLINGS: &[(char, char, &str)] = &[('r', 'R', "recursive"), ('f', 'f', "force")];

/// Texts inside of texts, at most.
const DEPTH: u32 = 4;

/// What a rule says of a command.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CommandRule {
    words: Vec<String>,
    /// More words may follow.
    open: bool,
}

impl CommandRule {
    /// Reads `rm -rf`, `git status`, `cargo test *`.
    pub fn parse(text: &str, allows: bool) -> Result<CommandRule, String> {
        let (text, open) = match text.strip_suffix('*') {
            Some(rest) if rest.is_empty() || rest.ends_with(' ') => (rest.trim(), true),
            _ => (text, false),
        };
        let read = shell::script(text);
        let [command] = read.commands.as_slice() else {
            return Err("names no single command: write 'run PROGRAM WORDS', such as 'run git status'".into());
        };
        if !read.single {
            return Err("is more than one command with its words: no operators, variables or patterns; a last * stands for any words that follow".into());
        }
        let words: Vec<String> = command.iter().map(|word| word.text.clone()).collect();
        let head = name(&words[0]);
        if allows && (is_carrier(head) || is_reader(head) || words[0].contains('=')) {
            return Err(format!("allows {head}, which runs other commands: whatever it is given would be allowed"));
        }
        if allows && open && words.len() == 1 && head == "git" {
            return Err(
                "allows all that git does, which can run other commands: name what of git, such as 'run git log *'"
                    .into(),
            );
        }
        Ok(CommandRule { words, open })
    }

    /// True when this is what the rule allows, and nothing else.
    pub fn allows(&self, script: &Script) -> bool {
        let [command] = script.commands.as_slice() else { return false };
        let fits = if self.open { command.len() >= self.words.len() } else { command.len() == self.words.len() };
        script.single && fits && self.words.iter().zip(command).all(|(wanted, word)| *wanted == word.text)
    }

    /// True when what the rule forbids is in it.
    pub fn forbids(&self, script: &Script) -> bool {
        self.runs_in(script, DEPTH)
    }

    /// True when it could be in there and can't be seen.
    pub fn may_hide(&self, script: &Script) -> bool {
        !script.whole || script.commands.iter().any(|command| self.hides_in(command))
    }

    fn hides_in(&self, command: &[Word]) -> bool {
        let command = behind_prefixes(command);
        let Some(head) = command.first() else { return false };
        let reads = is_reader(name(&head.text));
        let concerns = reads || is_carrier(name(&head.text)) || name(&head.text) == name(&self.words[0]);
        // A shell without a text of its own runs what comes in.
        let runs_input = reads && command[1..].iter().all(|word| word.text.starts_with('-'));
        !head.plain || runs_input || (concerns && command.iter().any(|word| !word.plain))
    }

    fn runs_in(&self, script: &Script, depth: u32) -> bool {
        let commands = || script.commands.iter().map(|command| behind_prefixes(command));
        // Where a shell is at work, every word may come to it: by `-c`, by a pipe, by a file of the next moment.
        let has_reader = commands().flatten().any(|word| is_reader(name(&word.text)));
        if commands().any(|command| self.runs_at_any(command, has_reader)) {
            return true;
        }
        let mut texts = commands().flatten().map(|word| word.text.as_str()).filter(|text| text.contains(is_shells));
        has_reader && depth > 0 && texts.any(|text| self.runs_in_text(text, depth - 1))
    }

    fn runs_in_text(&self, text: &str, depth: u32) -> bool {
        let inner = shell::inner(text, depth);
        let words = inner.commands.iter().flatten().map(|word| word.text.as_str());
        let mut quoted = words.filter(|word| *word != text && word.contains(is_shells));
        self.runs_in(&inner, depth) || (depth > 0 && quoted.any(|word| self.runs_in_text(word, depth - 1)))
    }

    /// The command itself, or one that it is given to run.
    fn runs_at_any(&self, command: &[Word], has_reader: bool) -> bool {
        let carries = has_reader || command.first().is_some_and(|head| is_carrier(name(&head.text)));
        let last = if carries { command.len() } else { 1 };
        (0..last.min(command.len())).any(|at| self.is(&command[at..]))
    }

    fn is(&self, command: &[Word]) -> bool {
        let (wanted, head) = (&self.words[0], &command[0].text);
        let same = if wanted.contains('/') { wanted == head } else { wanted == name(head) };
        if !same {
            return false;
        }
        let has: BTreeSet<String> = command[1..].iter().flat_map(|word| options(&word.text)).collect();
        let mut arguments = command[1..].iter().map(|word| &word.text);
        self.words[1..].iter().all(|word| match options(word) {
            wanted if wanted.is_empty() => arguments.any(|argument| argument == word),
            wanted => wanted.iter().all(|one| has.contains(one) || is_shortened(one, &has)),
        })
    }
}

/// What an option says: `-rf` is `r` and `f`, `--force=yes` is `f`. Empty for what is no option.
fn options(word: &str) -> Vec<String> {
    if let Some(long) = word.strip_prefix("--") {
        let long = long.split('=').next().unwrap_or_default();
        let spelled = SPELLINGS.iter().find(|(_, _, name)| !long.is_empty() && name.starts_with(long));
        return match spelled {
            Some((short, _, _)) => vec![short.to_string()],
            None if long.is_empty() => Vec::new(),
            None => vec![format!("--{long}")],
        };
    }
    let Some(letters) = word.strip_prefix('-') else { return Vec::new() };
    let spelled = |c: char| SPELLINGS.iter().find(|(_, other, _)| *other == c).map_or(c, |(short, _, _)| *short);
    letters.chars().map(|c| spelled(c).to_string()).collect()
}

/// `--del` for `--delete`: programs take a long option by its beginning.
fn is_shortened(wanted: &str, has: &BTreeSet<String>) -> bool {
    wanted.starts_with("--") && has.iter().any(|one| one.len() > 2 && one.starts_with("--") && wanted.starts_with(one))
}

/// Without `X=1`, `!`, `if` …
fn behind_prefixes(command: &[Word]) -> &[Word] {
    let is_prefix = |word: &Word| {
        let assigned = word.text.split_once('=').map(|(name, _)| name);
        let names =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_+[]".contains(c));
        RESERVED.contains(&word.text.as_str()) || assigned.is_some_and(names)
    };
    let from = command.iter().position(|word| !is_prefix(word)).unwrap_or(command.len());
    &command[from..]
}

/// The program's name, wherever it lies.
fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_carrier(name: &str) -> bool {
    CARRIERS.contains(&name)
}

fn is_reader(name: &str) -> bool {
    READERS.contains(&name)
}

/// Characters without which a text is one word.
fn is_shells(c: char) -> bool {
    c.is_whitespace() || ";&|()<>$`{}\\'\"".contains(c)
}
