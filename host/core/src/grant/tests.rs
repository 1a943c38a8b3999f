//! Each refusal, from one good case with one thing wrong.

use super::*;

fn manifest() -> Manifest {
    Manifest::from_toml(
        r#"
publisher = "acme"
name = "talker"
version = "0.1.0"
contract = "0.1.0-draft"
license = "MIT"
description = "Speaks."
[[spawn]]
profile = "main"
program = "talker"
framing = "ndjson"
[[spawn]]
profile = "server"
program = "talkerd"
framing = "raw"
"#,
    )
    .unwrap()
}

fn executable() -> Executable {
    Executable {
        path: "/usr/bin/talker".into(),
        script: None,
        owner_trusted: true,
        owner_uid: 0,
        mode: 0o100_755,
        in_workspace: false,
    }
}

fn grant() -> Grant {
    Grant {
        plugin: "acme/talker".to_owned(),
        digest: "d1".to_owned(),
        profile: "main".to_owned(),
        program: "/usr/bin/talker".into(),
        script: None,
        granted_at_ms: 1,
        by: "ann".to_owned(),
    }
}

fn decide(
    digest: &str,
    profile: &str,
    bundled: bool,
    open: bool,
    executable: &Executable,
    grants: &[Grant],
) -> Result<GrantedBy, GrantRefusal> {
    let manifest = manifest();
    decide_grant(GrantRequest { manifest: &manifest, digest, bundled, open_default: open, profile, executable }, grants)
}

#[track_caller]
fn refused(result: Result<GrantedBy, GrantRefusal>, code: &str, words: &[&str]) {
    let error = result.expect_err(code);
    assert_eq!(error.code(), code, "{error}");
    words.iter().for_each(|word| assert!(error.to_string().contains(word), "{error}"));
}

#[test]
fn a_grant_covers_its_plugin_its_build_its_profile_and_its_program() {
    let by = GrantedBy::Operator { by: "ann".to_owned() };
    assert_eq!(decide("d1", "main", false, true, &executable(), &[grant()]), Ok(by.clone()));
    assert_eq!(decide("d1", "main", false, false, &executable(), &[grant()]), Ok(by));
    refused(
        decide("d1", "main", false, true, &executable(), &[]),
        "not-granted",
        &["jackfield grant add FILE --profile main"],
    );
    refused(decide("d1", "server", false, true, &executable(), &[grant()]), "not-granted", &["server"]);
    refused(
        decide("d2", "main", false, true, &executable(), &[grant()]),
        "digest-changed",
        &["acme/talker", "inspect"],
    );
    let other = Grant { plugin: "evil/talker".to_owned(), ..grant() };
    refused(decide("d1", "main", false, true, &executable(), &[other]), "not-granted", &[]);
    let moved = Executable { path: "/opt/talker".into(), ..executable() };
    refused(
        decide("d1", "main", false, true, &moved, &[grant()]),
        "program-changed",
        &["/usr/bin/talker", "/opt/talker"],
    );
    refused(decide("d1", "nope", true, true, &executable(), &[grant()]), "not-declared", &["nope"]);
}

#[test]
fn a_bundled_plugin_has_its_own_profiles_in_the_open_default_only() {
    assert_eq!(decide("d9", "main", true, true, &executable(), &[]), Ok(GrantedBy::Bundled));
    refused(decide("d9", "main", true, false, &executable(), &[]), "not-granted", &[]);
    refused(decide("d9", "main", false, true, &executable(), &[]), "not-granted", &[]);
}

#[test]
fn no_grant_makes_a_bad_file_right() {
    let bad = |change: fn(&mut Executable)| {
        let mut executable = executable();
        change(&mut executable);
        let granted = Grant { program: executable.path.clone(), script: executable.script.clone(), ..grant() };
        assert_eq!(
            decide("d1", "main", true, true, &executable, &[]).map_err(|e| e.code()),
            decide("d1", "main", false, true, &executable, std::slice::from_ref(&granted)).map_err(|e| e.code())
        );
        decide("d1", "main", false, true, &executable, &[granted])
    };
    refused(bad(|e| e.path = "bin/talker".into()), "relative-program", &["bin/talker"]);
    refused(bad(|e| e.in_workspace = true), "inside-workspace", &["/usr/bin/talker"]);
    refused(bad(|e| e.mode = 0o100_775), "writable-by-others", &["775"]);
    refused(bad(|e| e.mode = 0o100_757), "writable-by-others", &["757"]);
    refused(bad(|e| e.owner_trusted = false), "writable-by-others", &["owner 0"]);
    refused(bad(|e| e.path = "/usr/bin/bash".into()), "interpreter", &["/usr/bin/bash"]);
    refused(bad(|e| e.path = "/usr/bin/python3.12".into()), "interpreter", &[]);
}

#[test]
fn an_interpreter_is_granted_with_its_script_only() {
    let with = |script: &str| Executable { path: "/usr/bin/node".into(), script: Some(script.into()), ..executable() };
    let granted = Grant { program: "/usr/bin/node".into(), script: Some("/opt/cli.js".into()), ..grant() };
    assert!(decide("d1", "main", false, true, &with("/opt/cli.js"), std::slice::from_ref(&granted)).is_ok());
    refused(decide("d1", "main", false, true, &with("/opt/evil.js"), &[granted]), "program-changed", &["/opt/evil.js"]);
    refused(decide("d1", "main", true, true, &with("cli.js"), &[]), "relative-program", &["cli.js"]);
}

#[test]
fn interpreters_are_known_by_their_names() {
    for name in ["sh", "bash", "node", "nodejs", "python3", "python3.12", "perl5.36", "env", "Python", "lua5.4"] {
        assert!(is_interpreter(&Path::new("/usr/bin").join(name)), "{name}");
    }
    for name in ["talker", "shfmt", "nodelike", "envoy", "gitleaks"] {
        assert!(!is_interpreter(&Path::new("/usr/bin").join(name)), "{name}");
    }
}
