//! Rules in every spelling that somebody could try.

use super::shell::script;
use super::*;
use crate::manifest::CallShape;
use proptest::prelude::*;
use serde_json::{Value, json};

fn shapes() -> Vec<CallShape> {
    serde_json::from_value(json!([
        { "tools": ["Bash"], "does": "run", "command": "command", "also": ["description"] },
        { "tools": ["Read"], "does": "read", "paths": ["path"] },
        { "tools": ["Edit"], "does": "edit", "paths": ["path", "to"] },
        { "tools": ["Web"], "does": "other" },
    ]))
    .unwrap()
}

/// Where paths lead in these tests: `/ws/link` is a link to `/etc`, `/ws/unsure` can't be told.
fn real(text: &str) -> Option<Real> {
    let written = Path::new("/ws").join(text);
    if written.starts_with("/ws/unsure") {
        return None;
    }
    let path = match written.strip_prefix("/ws/link") {
        Ok(rest) => Path::new("/etc").join(rest),
        Err(_) => written.clone(),
    };
    Some(Real { path, written })
}

fn rules(allow: &[&str], deny: &[&str]) -> Rules {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    Rules::parse(&owned(allow), &owned(deny)).unwrap()
}

fn judge(rules: &Rules, tool: &str, input: Value) -> Ruling {
    let call = Call::read(Some(&json!(tool)), &shapes(), Some(&input));
    rules.judge(&call, Path::new("/ws"), &real)
}

fn bash(rules: &Rules, command: &str) -> Ruling {
    judge(rules, "Bash", json!({ "command": command }))
}

fn allow(rule: &str) -> Ruling {
    Ruling::Allow(format!("allow {rule}"))
}

fn deny(rule: &str) -> Ruling {
    Ruling::Deny(format!("deny {rule}"))
}

#[test]
fn a_command_is_forbidden_in_every_spelling() {
    let rules = rules(&["rm -rf x"], &["rm -rf"]);
    for command in [
        "rm -rf x",
        "rm  -r   -f x",
        "rm -fr x",
        "rm -Rf x",
        "rm -rvf x",
        "rm x -rf",
        "rm --recursive --force x",
        "rm --recurs --forc x",
        "/bin/rm -rf x",
        "\\rm -rf x",
        "'rm' \"-rf\" x",
        "r''m -r\"f\" x",
        "$'r\\x6d' -rf x",
        "rm \\\n-rf x",
        "a && rm -rf b",
        "a; rm -rf b",
        "a;rm -rf b&",
        "a || rm -rf b",
        "a | rm -rf b",
        "a\nrm -rf b",
        "(rm -rf b)",
        "{ rm -rf b; }",
        "if true; then rm -rf b; fi",
        "! rm -rf b",
        "X=1 rm -rf b",
        "echo $(rm -rf b)",
        "echo \"$(rm -rf b)\"",
        "echo `rm -rf b`",
        "echo ${x:-$(rm -rf b)}",
        "cat <(rm -rf b)",
        "rm $(echo y) -rf b",
        "rm > out -rf b",
        "sh -c 'rm -rf x'",
        "bash -lc \"rm -rf x\"",
        "sh -c 'sh -c \"rm -rf x\"'",
        "eval rm -rf x",
        "eval 'rm -rf' x",
        "sudo -u root rm -rf x",
        "env A=1 rm -rf x",
        "command rm -rf x",
        "timeout 5 rm -rf x",
        "find . -exec rm -rf {} +",
        "ls | xargs rm -rf",
        "ls | xargs -I{} sh -c 'rm -rf {}'",
        "echo 'rm -rf x' | sh",
        "echo rm -rf x | sh",
        "python3 -c \"import os; os.system('rm -rf x')\"",
        "{rm,-rf,x}",
        "sh <<EOF\nrm -rf x\nEOF",
        "# nothing\nrm -rf x",
        "trap 'rm -rf x' EXIT",
    ] {
        assert_eq!(bash(&rules, command), deny("rm -rf"), "{command}");
    }
}

#[test]
fn what_could_be_it_is_asked_about_and_what_is_not_is_left_alone() {
    let rules = rules(&[], &["rm -rf"]);
    for command in [
        "$RM -rf x",
        "rm $FLAGS x",
        "rm$IFS-rf x",
        "curl x | sh",
        "bash <(curl x)",
        "rm -r 'x",
        "$'\\cx' -rf",
        "sh -c \"$X\"",
        "xargs $X",
    ] {
        assert!(matches!(bash(&rules, command), Ruling::Ask(_)), "{command}: {:?}", bash(&rules, command));
    }
    for command in [
        "rm -r x",
        "rm x",
        "ls -rf",
        "ls *.rs",
        "echo 'rm -rf x'",
        "git commit -m 'no rm -rf'",
        "rmdir -rf x",
        "cargo test $X",
        "cargo test $",
        "true # rm -rf x",
    ] {
        assert_eq!(bash(&rules, command), Ruling::Silent, "{command}");
    }
    for input in [json!({}), json!({ "command": 1 }), json!([]), json!({ "command": [] }), json!({ "cmd": "rm -rf x" })]
    {
        assert!(matches!(judge(&rules, "Bash", input.clone()), Ruling::Ask(_)), "{input}");
    }
    assert!(matches!(judge(&rules, "Shell", json!({ "command": "ls" })), Ruling::Ask(_)), "a tool that nobody knows");
    assert_eq!(judge(&rules, "Web", json!({ "url": "x" })), Ruling::Silent);
    assert_eq!(judge(&rules, "Bash", json!({ "command": ["rm", "-r", "-f", "x"] })), deny("rm -rf"));
    assert_eq!(judge(&rules, "Bash", json!({ "command": ["bash", "-lc", "cd x && rm -rf y"] })), deny("rm -rf"));
}

#[test]
fn a_command_is_allowed_as_it_is_written_and_no_other_with_it() {
    let rules = rules(&["run git status", "cargo test *"], &[]);
    for (command, rule) in [
        ("git status", "run git status"),
        ("  git   'status' ", "run git status"),
        ("cargo test", "cargo test *"),
        ("cargo test -p \"jackfield core\"", "cargo test *"),
    ] {
        assert_eq!(bash(&rules, command), allow(rule), "{command}");
    }
    for command in [
        "git status --short",
        "git",
        "git status; ls",
        "git status && ls",
        "git status | sh",
        "git status > /etc/x",
        "git status &",
        "git status $(ls)",
        "git status \"$(ls)\"",
        "git status `ls`",
        "(git status)",
        "X=1 git status",
        "./git status",
        "/tmp/git status",
        "git status # x",
        "git status\nls",
        "git status\r",
        "git\u{a0}status",
        "cargo test $X",
        "cargo test *",
        "cargo test ~",
        "cargo test {a,b}",
        "cargo test 'x",
        "cargo test \\",
        "cargo test > x",
        "cargo test; ls",
        "cargo build",
        "cargo",
    ] {
        assert_eq!(bash(&rules, command), Ruling::Silent, "{command:?}");
    }
    assert_eq!(judge(&rules, "Bash", json!({ "command": "git status", "description": "d" })), allow("run git status"));
    assert_eq!(
        judge(&rules, "Bash", json!({ "command": "git status", "unsafe": true })),
        Ruling::Silent,
        "what is not known"
    );
    assert_eq!(judge(&rules, "Bash", json!({ "command": ["git", "status"] })), allow("run git status"));
    assert_eq!(judge(&rules, "Bash", json!({ "command": ["git", "status; ls"] })), Ruling::Silent);
}

#[test]
fn a_path_counts_where_it_leads() {
    let rules = rules(&["read in this workspace", "edit in docs"], &["read in secret", "edit in /ws/docs/fixed"]);
    let read = |path: Value| judge(&rules, "Read", json!({ "path": path }));
    assert_eq!(read(json!("/ws/a")), allow("read in this workspace"));
    assert_eq!(read(json!(["a", "b"])), allow("read in this workspace"));
    assert_eq!(read(json!("/ws/secret/x")), deny("read in secret"));
    assert_eq!(read(json!(["a", "secret"])), deny("read in secret"));
    for out in ["/etc/passwd", "/ws/link/passwd", "/wsx/a", "/"] {
        assert_eq!(read(json!(out)), Ruling::Silent, "{out}");
    }
    for unsure in [json!("unsure/x"), json!(["a", "unsure"]), json!(null), json!(""), json!(["a", 1]), json!([])] {
        assert!(matches!(read(unsure.clone()), Ruling::Ask(_)), "{unsure}");
    }
    let edit = |path: &str, to: &str| judge(&rules, "Edit", json!({ "path": path, "to": to }));
    assert_eq!(edit("docs/a", "docs/b"), allow("edit in docs"));
    assert_eq!(edit("docs/a", "src/b"), Ruling::Silent, "all that it touches");
    assert_eq!(edit("docs/a", "docs/fixed/b"), deny("edit in /ws/docs/fixed"));
    assert!(matches!(judge(&rules, "Edit", json!({ "path": "docs/a" })), Ruling::Ask(_)));
    assert_eq!(judge(&rules, "Web", json!({})), Ruling::Silent);
}

#[test]
fn a_place_that_leads_out_of_the_workspace_is_no_place_in_it() {
    let allowing = rules(&["read in link"], &[]);
    assert_eq!(judge(&allowing, "Read", json!({ "path": "/etc/passwd" })), Ruling::Silent);
    let denying = rules(&["read anywhere"], &["read in link"]);
    for path in ["/etc/passwd", "/ws/link/passwd"] {
        assert_eq!(judge(&denying, "Read", json!({ "path": path })), deny("read in link"), "{path}");
    }
    let unsure = rules(&["read anywhere"], &["read in unsure"]);
    assert_eq!(
        judge(&unsure, "Read", json!({ "path": "a" })),
        deny("read in unsure"),
        "a place that can't be found holds all back"
    );
}

#[test]
fn a_tool_is_named_but_one_that_runs_commands_is_not_allowed_by_it() {
    let rules = rules(&["tool Web", "tool Bash", "tool mcp__mail__list"], &["tool mcp__mail__send"]);
    assert_eq!(judge(&rules, "Web", json!({ "url": "x" })), allow("tool Web"), "whatever it is given");
    assert_eq!(judge(&rules, "mcp__mail__list", json!({ "n": 1 })), allow("tool mcp__mail__list"));
    assert_eq!(judge(&rules, "mcp__mail__send", json!({})), deny("tool mcp__mail__send"));
    assert_eq!(bash(&rules, "ls"), Ruling::Silent);
}

#[test]
fn a_rule_that_is_not_understood_says_how_to_write_it() {
    let wrong = |text: &str, allows: bool| {
        let one = vec![text.to_owned()];
        let read = if allows { Rules::parse(&one, &[]) } else { Rules::parse(&[], &one) };
        read.expect_err(text).to_string()
    };
    for (text, words) in [
        ("", "empty"),
        ("a\nb", "control"),
        ("read", "where"),
        ("read in *.rs", "pattern"),
        ("read in ~root/x", "home"),
        ("tool", "NAME"),
        ("run", "PROGRAM"),
        ("a && b", "no single command"),
        ("rm $X", "no operators"),
        ("X=1 *x", "no operators"),
    ] {
        assert!(wrong(text, false).contains(words), "{text:?}: {}", wrong(text, false));
    }
    for text in ["sh -c 'ls'", "sudo ls", "find *", "xargs rm", "X=1 ls", "git *"] {
        assert!(wrong(text, true).contains("run"), "{text}: {}", wrong(text, true));
    }
    assert_eq!(rules(&[], &["  rm   -rf "]).denying()[0].text(), "deny rm -rf");
    assert!(rules(&[], &["sh -c"]).denying().len() == 1, "to forbid is always possible");
}

#[test]
fn words_are_read_as_a_shell_reads_them() {
    let read = |text: &str| {
        let read = script(text);
        let words = |command: &Vec<super::shell::Word>| {
            command.iter().map(|word| word.text.clone()).collect::<Vec<_>>().join("|")
        };
        (read.commands.iter().map(words).collect::<Vec<_>>().join(" ; "), read.single)
    };
    assert_eq!(read(r#"a 'b c' "d\"e" f\ g"#), (r#"a|b c|d"e|f g"#.into(), true));
    assert_eq!(read("a ''"), ("a|".into(), true));
    assert_eq!(read("a \"$(b 'c)')\" d"), ("b|c) ; a||d".into(), false));
    assert_eq!(read("a;b"), ("a ; b".into(), false));
    assert_eq!(read("a $b"), ("a|".into(), false));
    let deep = "$(".repeat(40) + "rm -rf x";
    assert!(!script(&deep).whole, "what is too deep is not read");
}

/// Ways to write the same command that a shell reads as the same.
fn spelled(words: &[&str], how: &[u8]) -> String {
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        let how = how[at % how.len()];
        text += [" ", "  ", "\t", " \\\n"][usize::from(how % 4)];
        text += &match how / 4 % 5 {
            0 => (*word).to_owned(),
            1 => format!("'{word}'"),
            2 => format!("\"{word}\""),
            3 => word.chars().map(|c| format!("\\{c}")).collect(),
            _ => format!("{}''{}", &word[..1], &word[1..]),
        };
    }
    text
}

const AROUND: [(&str, &str); 12] = [
    ("", ""),
    ("true && ", ""),
    ("", " ; true"),
    ("(", ")"),
    ("sudo ", ""),
    ("X=1 ", ""),
    ("echo $(", ")"),
    ("if x; then ", "; fi"),
    ("a | ", " | b"),
    ("env -i ", ""),
    ("nice -n 5 ", ""),
    ("{ ", "; }"),
];
const ALLOWING: [&str; 9] = [
    "rm -rf x",
    "rm *",
    "rm -rf *",
    "rm -r -f x",
    "run rm -rf x",
    "tool Bash",
    "read anywhere",
    "edit in this workspace",
    "rm -fr x",
];
const DENYING: [&str; 4] = ["rm -rf", "rm -f -r", "rm --force --recursive", "run rm -rf x"];

proptest! {
    /// No rule set turns a deny into an allow: not by order, not by more rules, not by quotes, spaces, spelling or what stands around.
    #[test]
    fn nothing_turns_a_deny_into_an_allow(
        how in prop::collection::vec(any::<u8>(), 1..6),
        around in 0..AROUND.len(),
        flags in prop::sample::select(vec![vec!["-rf"], vec!["-fr"], vec!["-r", "-f"], vec!["-f", "-R"], vec!["--recursive", "--force"], vec!["-v", "-rf"]]),
        allow in prop::collection::vec(prop::sample::select(ALLOWING.to_vec()), 0..9),
        deny in prop::sample::select(DENYING.to_vec()),
        others in prop::collection::vec(prop::sample::select(vec!["ls", "read in secret", "tool Web", "git push"]), 0..4),
        at in any::<prop::sample::Index>(),
    ) {
        let words: Vec<&str> = std::iter::once("rm").chain(flags).chain(["x"]).collect();
        let (before, after) = AROUND[around];
        let command = format!("{before}{}{after}", spelled(&words, &how));
        let mut denying = others.clone();
        denying.insert(at.index(others.len() + 1), deny);
        let rules = rules(&allow, &denying);
        prop_assert_eq!(bash(&rules, &command), Ruling::Deny(format!("deny {deny}")), "{}", command);
    }

    /// Whatever the text is: what one set denies, no set with more allowing rules allows; and reading ends without a panic.
    #[test]
    fn an_allow_covers_one_command_only(text in "[a-z ;&|()<>$`'\"\\\\{}=*#~!\n\t-]{0,40}") {
        let open = rules(&["a *", "ls *", "git status"], &[]);
        if let Ruling::Allow(_) = bash(&open, &text) {
            // A shell reads no operator in it: quotes taken away, it is words and nothing else.
            let read = script(&text);
            prop_assert!(read.single && read.commands.len() == 1 && read.whole);
            let unquoted: String = text.split(['\'', '"']).step_by(2).collect();
            let bare = unquoted.replace("\\\\", "");
            let active = bare.char_indices().any(|(at, c)| ";&|()<>$`\n".contains(c) && !bare[..at].ends_with('\\'));
            prop_assert!(!active || text.contains(['\'', '"']), "{text:?}");
        }
        let closed = rules(&["a *", "ls *", "git status"], &["a", "ls", "git"]);
        let ruling = bash(&closed, &text);
        prop_assert!(!matches!(ruling, Ruling::Allow(_)), "{text:?}: {ruling:?}");
    }
}
