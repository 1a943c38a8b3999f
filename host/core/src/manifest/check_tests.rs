//! Manifests that are right, and one wrong thing at a time.

use super::super::Manifest;

const GOOD: &str = r#"
publisher = "acme"
name = "talker"
version = "0.1.0"
contract = "0.1.0-draft"
license = "Apache-2.0"
description = "Speaks to the talker."

[[cli]]
program = "talker"
tested = ">=2.1.332, <2.2"
install = "npm install -g talker"

[[spawn]]
profile = "main"
program = "talker"
framing = "ndjson"
args = ["-p", ["--model", "{model}"], "--port={port}"]
env = ["TALKER_API_KEY"]
secret-env = { TALKER_TOKEN = "token" }
[spawn.holes]
model = { type = "model-id" }
port = { type = "port" }

[[root]]
name = "projects"
path = "~/.talker/projects"

[[origin]]
name = "server"
loopback = "main"
routes = ["GET /event"]
headers = { x-token = "${secret:token}" }
basic = { user = "ann", secret = "token" }

[[secret]]
name = "token"
description = "The talker's token."

[[guard]]
profile = "main"
request = { "/type" = "ask" }
request-id = "/id"
input = "/input"
answer = { "/type" = "answer" }
answer-id = "/id"
allow = { "/verdict" = ["allow"] }
answer-input = "/input"
only-if-offered = ["/rules"]

[options]
type = "object"
"#;

fn with(from: &str, to: &str) -> Result<Manifest, super::ManifestError> {
    assert!(GOOD.contains(from), "the case replaces nothing: {from}");
    Manifest::from_toml(&GOOD.replacen(from, to, 1))
}

#[track_caller]
fn refused(from: &str, to: &str, code: &str, names: &[&str]) {
    let error = with(from, to).expect_err(to);
    assert_eq!(error.code(), code, "{error}");
    for name in names {
        assert!(error.to_string().contains(name), "{error} does not name {name}");
    }
}

#[test]
fn a_good_manifest_survives_both_forms() {
    let manifest = Manifest::from_toml(GOOD).unwrap();
    assert_eq!(manifest.full_name(), "acme/talker");
    assert_eq!(manifest.cli[0].version_args, ["--version"]);
    let json = manifest.to_json();
    let again = Manifest::from_json(&json).unwrap();
    assert_eq!(again, manifest);
    assert_eq!(again.to_json(), json);
}

#[test]
fn an_unknown_key_is_named_wherever_it_is() {
    refused("license =", "licence = 'x'\nlicense =", "manifest-syntax", &["licence"]);
    refused("install =", "instal = 'x'\ninstall =", "manifest-syntax", &["instal"]);
    refused("framing =", "shell = true\nframing =", "manifest-syntax", &["shell"]);
    refused("type = \"model-id\"", "type = \"model-id\", max = 3", "manifest-syntax", &["max"]);
    refused("answer-id =", "allow-all = true\nanswer-id =", "manifest-syntax", &["allow-all"]);
    let json =
        String::from_utf8(Manifest::from_toml(GOOD).unwrap().to_json()).unwrap().replacen('{', "{\"wishes\":1,", 1);
    assert!(Manifest::from_json(json.as_bytes()).unwrap_err().to_string().contains("wishes"));
}

#[test]
fn names_versions_and_programs_have_their_shape() {
    refused("\"acme\"", "\"Acme\"", "manifest-invalid", &["publisher", "Acme"]);
    refused("\"talker\"", "\"../talker\"", "manifest-invalid", &["name"]);
    refused("\"0.1.0\"", "\"one\"", "manifest-syntax", &["version"]);
    refused(
        "program = \"talker\"\nframing",
        "program = \"bin/talker\"\nframing",
        "manifest-invalid",
        &["spawn.main.program"],
    );
    refused(
        "program = \"talker\"\nframing",
        "program = \"/opt/../talker\"\nframing",
        "manifest-invalid",
        &["spawn.main.program"],
    );
    refused("program = \"talker\"\nframing", "program = \"talker --yes\"\nframing", "manifest-invalid", &["args"]);
    refused("\"ndjson\"", "\"xml\"", "manifest-syntax", &["xml", "ndjson"]);
}

#[test]
fn environment_names_that_steer_a_program_are_refused() {
    for name in ["LD_PRELOAD", "https_proxy", "TALKER_BASE_URL", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS"] {
        refused("TALKER_API_KEY", name, "manifest-forbidden-env", &["spawn.main.env", name, "operator"]);
    }
    refused("TALKER_API_KEY", "KEY=secret", "manifest-invalid", &["KEY=secret"]);
}

#[test]
fn holes_and_their_types_must_meet() {
    refused("{model}", "{modle}", "manifest-dangling", &["modle", "spawn.main.args"]);
    refused("[\"--model\", \"{model}\"]", "\"-x\"", "manifest-dangling", &["model", "spawn.main.holes"]);
    refused("\"-p\"", "\"{\"", "manifest-invalid", &["spawn.main.args"]);
    refused("\"-p\"", "3", "manifest-syntax", &["a list of texts"]);
    refused("type = \"model-id\"", "type = \"enum\", values = [\"--yes\"]", "manifest-invalid", &["--yes"]);
    refused("type = \"model-id\"", "type = \"anything\"", "manifest-syntax", &["anything"]);
}

#[test]
fn a_text_stands_where_it_can_not_be_an_option() {
    let good = GOOD.replace("model-id", "text");
    let with = |args: &str| Manifest::from_toml(&good.replace("[\"--model\", \"{model}\"]", args));
    for args in ["\"--model={model}\"", "\"--\", \"{model}\"", "[\"--\", \"-x\", \"{model}\"]"] {
        with(args).unwrap_or_else(|error| panic!("{args}: {error}"));
    }
    for args in ["[\"--model\", \"{model}\"]", "\"{model}\"", "\"{model}\", \"--\"", "[\"-x\", \"--\"], \"{model}\""] {
        let error = with(args).expect_err(args).to_string();
        assert!(error.contains("spawn.main.args") && error.contains("behind"), "{args}: {error}");
    }
}

#[test]
fn roots_origins_and_guards_name_what_exists() {
    refused("~/.talker/projects", "~/../etc", "manifest-invalid", &["root.projects.path"]);
    refused("~/.talker/projects", "/", "manifest-invalid", &["root.projects.path"]);
    let moved = |how: &str| format!("~/.talker/projects\"\nmoved-by = {how}#");
    refused("~/.talker/projects", &moved("{ env = \"PATH\" }"), "manifest-forbidden-env", &["root.projects.moved-by"]);
    for path in ["../x", "/x", "a/./b"] {
        let how = moved(&format!("{{ env = \"TALKER_HOME\", path = \"{path}\" }}"));
        refused("~/.talker/projects", &how, "manifest-invalid", &["root.projects.moved-by.path"]);
    }
    refused("loopback = \"main\"", "loopback = \"server\"", "manifest-dangling", &["origin.server.loopback"]);
    refused("loopback = \"main\"", "url = \"https://a.example/path\"", "manifest-invalid", &["origin.server.url"]);
    refused("loopback = \"main\"", "", "manifest-invalid", &["origin.server"]);
    refused("port = { type = \"port\" }", "port = { type = \"integer\" }", "manifest-invalid", &["loopback", "port"]);
    refused("routes = [\"GET /event\"]", "routes = []", "manifest-invalid", &["origin.server.routes"]);
    refused("\"GET /event\"", "\"GET event\"", "manifest-syntax", &["GET event"]);
    refused("x-token = ", "content-length = ", "manifest-invalid", &["origin.server.headers"]);
    refused("secret = \"token\" }", "secret = \"other\" }", "manifest-dangling", &["origin.server", "other"]);
    refused("${secret:token}", "${secret:other}", "manifest-dangling", &["origin.server", "other"]);
    refused("TALKER_TOKEN = \"token\"", "TALKER_TOKEN = \"other\"", "manifest-dangling", &["secret-env", "other"]);
    refused("TALKER_TOKEN = ", "LD_PRELOAD = ", "manifest-forbidden-env", &["LD_PRELOAD"]);
    refused(
        "[[guard]]\nprofile = \"main\"",
        "[[guard]]\norigin = \"other\"",
        "manifest-dangling",
        &["guard[0].origin"],
    );
    refused("[[guard]]\nprofile = \"main\"", "[[guard]]", "manifest-invalid", &["guard[0]"]);
    refused(
        "[[guard]]\nprofile = \"main\"",
        "[[guard]]\nprofile = \"other\"",
        "manifest-dangling",
        &["guard[0].profile"],
    );
    refused("\"ndjson\"", "\"raw\"", "manifest-invalid", &["guard[0].profile"]);
    refused("[\"allow\"]", "[]", "manifest-invalid", &["guard[0].allow"]);
    refused("\"/rules\"", "\"rules\"", "manifest-invalid", &["guard[0]"]);
}

#[test]
fn two_entries_of_one_name_are_refused() {
    let twice = format!("{GOOD}\n[[secret]]\nname = \"token\"\ndescription = \"Again.\"\n").replacen(
        "[options]\ntype = \"object\"\n",
        "",
        1,
    );
    assert_eq!(Manifest::from_toml(&twice).unwrap_err().code(), "manifest-duplicate");
}
