//! The manifest of a plugin: who it is and all it may ever ask for. Written as `plugin.toml`, carried as JSON in the component.
//!
//! Parsed once, strictly: an unknown key anywhere, a name the host would never grant, a hole without a type are errors
//! that name the key and the way out. A `Manifest` that exists is valid; fields are only read.
//! **The manifest asks; it grants nothing.** Whether a profile may run is said in `grant`; what an answer may say, in `guard`.
//! Keys are in kebab case in both forms, as the author wrote them. Tests are at the end of `manifest/check.rs` and `manifest/holes.rs`.

mod check;
mod env;
mod holes;
mod root;
mod route;

pub use check::ManifestError;
pub use env::{EnvKind, forbidden_env};
pub use holes::HoleError;
pub use root::{Moved, Root, RootError};
pub use route::{Route, RouteError};

pub use crate::rules::call::CallShape;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// All that a plugin says about itself and asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Manifest {
    /// Who publishes it, `[a-z][a-z0-9-]*`.
    pub publisher: String,
    /// Its name, `[a-z][a-z0-9-]*`, at most 64 characters.
    pub name: String,
    /// Its version.
    pub version: semver::Version,
    /// The version of the contract it speaks: that of the WIT package, `0.1.0-draft`.
    pub contract: semver::Version,
    /// Its licence, an SPDX expression.
    pub license: String,
    /// What it is, in a sentence.
    pub description: String,
    /// Programs that `doctor` looks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cli: Vec<CliProgram>,
    /// Ways to log in that `jackfield login` knows, the usual one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub login: Vec<LoginWay>,
    /// Programs it may start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spawn: Vec<SpawnProfile>,
    /// Folders it may read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub root: Vec<Root>,
    /// HTTP servers it may speak to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origin: Vec<Origin>,
    /// Secrets that the host fills in for it; it never sees their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret: Vec<Secret>,
    /// How the host recognises the provider's requests for approval and the answers to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guard: Vec<GuardRule>,
    /// A JSON Schema of its options, from which a form can be drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<serde_json::Map<String, Value>>,
    /// Facts for the plugin's own code, which gets them as they stand here: one module serves several providers by them. The host
    /// decides nothing by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Map<String, Value>>,
}

/// A program that `doctor` looks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CliProgram {
    /// Its name in PATH, or its absolute path.
    pub program: String,
    /// The versions the plugin was tested with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested: Option<semver::VersionReq>,
    /// The arguments that make it print its version.
    #[serde(default = "version_args")]
    pub version_args: Vec<String>,
    /// The command that installs it, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    /// How it tells whether somebody is logged in, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged_in: Option<LoginCheck>,
}

/// How a program tells whether somebody is logged in: it is started with these arguments and the variables of its spawn profile, and
/// what it prints on stdout or stderr decides. What holds neither text says nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LoginCheck {
    /// Its arguments; none may ask a network.
    pub args: Vec<String>,
    /// A text that says yes.
    pub yes: String,
    /// A text that says no; it counts more.
    pub no: String,
}

/// A way to log in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LoginWay {
    /// Its name: what `jackfield login --method` takes, and the command `authenticate` where the provider's protocol has it.
    pub method: String,
    /// What it is, for a person.
    pub label: String,
    /// The spawn profile that a person at a terminal goes through; absent where the provider's protocol has this way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

impl Manifest {
    /// The range of versions that was tested, where this one is outside of it. What is no version is not judged.
    pub fn not_tested(&self, version: &str) -> Option<&semver::VersionReq> {
        let version = semver::Version::parse(version.trim().trim_start_matches('v')).ok()?;
        let ranges = || self.cli.iter().filter_map(|cli| cli.tested.as_ref());
        if ranges().any(|range| range.matches(&version)) { None } else { ranges().next() }
    }
}

fn version_args() -> Vec<String> {
    vec!["--version".to_owned()]
}

/// A program the plugin may start, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SpawnProfile {
    /// Name of the profile: what the plugin says when it wishes to start the program.
    pub profile: String,
    /// A name looked up in the operator's PATH, or an absolute path.
    pub program: String,
    /// How its stdout and stdin are cut into messages; stderr is always raw.
    pub framing: Framing,
    /// The argument template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Arg>,
    /// Names of environment variables it needs; their values come from the operator only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Environment variables that the host fills with a secret, by the secret's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secret_env: BTreeMap<String, String>,
    /// The types of the holes in the template.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub holes: BTreeMap<String, Hole>,
}

/// How a channel's bytes are cut into messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// One JSON value per line.
    Ndjson,
    /// One JSON-RPC 2.0 message per line.
    JsonRpc,
    /// Server-sent events.
    Sse,
    /// Lines of text, whatever they hold.
    Raw,
}

impl Framing {
    /// True when every message is one JSON value: the host checks and serialises what a plugin writes.
    pub fn is_json(self) -> bool {
        matches!(self, Framing::Ndjson | Framing::JsonRpc)
    }
}

/// One part of an argument template. `{name}` is a hole; `{{` and `}}` are braces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "an argument is a text, or a list of texts that belong together: [\"--model\", \"{model}\"]"
)]
pub enum Arg {
    /// One argument, left out when one of its holes is not filled.
    One(String),
    /// Arguments that are left out together when one of their holes is not filled.
    Group(Vec<String>),
}

impl Arg {
    /// Its texts.
    pub fn parts(&self) -> &[String] {
        match self {
            Arg::One(text) => std::slice::from_ref(text),
            Arg::Group(texts) => texts,
        }
    }
}

/// What may be put into a hole. A value is never empty, never begins with `-` and has no control character; only a text may, for its
/// place in the template keeps it from being an option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", try_from = "HoleTable")]
pub enum Hole {
    /// One of these.
    Enum {
        /// The values.
        values: Vec<String>,
    },
    /// A UUID in its usual shape.
    Uuid,
    /// A path in the workspace, without `..`; becomes absolute.
    PathInWorkspace,
    /// A port, 1 to 65535. Where an origin is the loopback of the profile the host chooses it, and nobody else.
    Port,
    /// The name of a model.
    ModelId,
    /// A whole number, not negative.
    Integer,
    /// A person's words, for programs that take them as an argument. Its place is behind other words of its argument
    /// (`--message={message}`) or behind an argument `--`. It stands in no record, only its size.
    Text,
}

/// A hole as it is written: serde's tagged enums let unknown keys beside a unit variant pass.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HoleTable {
    r#type: String,
    values: Option<Vec<String>>,
}

impl TryFrom<HoleTable> for Hole {
    type Error = String;

    fn try_from(table: HoleTable) -> Result<Self, String> {
        match (table.r#type.as_str(), table.values) {
            ("enum", Some(values)) => Ok(Hole::Enum { values }),
            ("enum", None) => Err("a hole of type enum needs `values`".to_owned()),
            (other, Some(_)) => Err(format!("`values` belongs to a hole of type enum, not {other:?}")),
            ("uuid", None) => Ok(Hole::Uuid),
            ("path-in-workspace", None) => Ok(Hole::PathInWorkspace),
            ("port", None) => Ok(Hole::Port),
            ("model-id", None) => Ok(Hole::ModelId),
            ("integer", None) => Ok(Hole::Integer),
            ("text", None) => Ok(Hole::Text),
            (other, None) => Err(format!(
                "unknown hole type {other:?}, expected enum, uuid, path-in-workspace, port, model-id, integer or text"
            )),
        }
    }
}

/// An HTTP server the plugin may speak to: exactly one of `url` and `loopback`. **What it may ask there is said route by route.**
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Origin {
    /// Its name, used in effects.
    pub name: String,
    /// Scheme, host and port: `https://api.example.com`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A server on 127.0.0.1 that this spawn profile starts, at the port that the host puts into the profile's hole of type `port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loopback: Option<String>,
    /// What may be asked of it: `POST /session/*/abort`, `GET /session/*/message?limit,before`.
    pub routes: Vec<Route>,
    /// How the body of a streamed answer is cut into messages.
    #[serde(default = "events", skip_serializing_if = "is_events")]
    pub framing: Framing,
    /// Headers that the host adds; `${secret:NAME}` in one is that secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Name and password that the host adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic: Option<Basic>,
}

fn events() -> Framing {
    Framing::Sse
}

fn is_events(framing: &Framing) -> bool {
    *framing == Framing::Sse
}

/// HTTP's basic authentication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Basic {
    /// The name.
    pub user: String,
    /// The secret that is the password.
    pub secret: String,
}

/// A slot for a secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Secret {
    /// Its name, used in `${secret:NAME}`.
    pub name: String,
    /// What it is, for the person who fills it in.
    pub description: String,
    /// The host makes one up for each session where the operator gives none: for a server that only the host is to reach.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub minted: bool,
}

/// A guarded exchange: by JSON pointers, how the host recognises a request for approval and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GuardRule {
    /// The spawn profile whose channel carries it; or an origin does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub profile: String,
    /// The origin whose exchanges carry it: requests are frames of a streamed answer, an answer to one is what is asked of the
    /// server, read as `{"method", "segments", "query", "body"}`, where `segments` are the path's.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// A frame is a request when each of these pointers has its value.
    pub request: BTreeMap<String, Value>,
    /// The request's id in the request.
    pub request_id: String,
    /// The tool's input in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// A written message is an answer when each of these pointers has its value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answer: BTreeMap<String, Value>,
    /// And when each of these pointers is in it, whatever its value: for protocols whose answers have no word of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_has: Vec<String>,
    /// The request's id in the answer.
    pub answer_id: String,
    /// An answer allows when one of these pointers has one of its values; all else refuses. `{}` stands for whatever is there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub allow: BTreeMap<String, Vec<Value>>,
    /// An answer allows for longer than this once when one of these pointers has one of its values: only when the user picked an
    /// option that changes rules.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub allow_always: BTreeMap<String, Vec<Value>>,
    /// Where the request itself offers what an answer may pick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offers: Option<OfferShape>,
    /// The tool's input in the answer; must be the request's unless the user edited it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_input: Option<String>,
    /// What may be in an answer only when the user picked an option that changes rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_if_offered: Vec<String>,
    /// The tool's name in the request, for the operator's rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// How calls look, for the operator's rules; the first that names the tool counts. A tool that none names is asked about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub call: Vec<CallShape>,
}

/// Options that a request offers, for protocols whose answers pick one of them by its id. **An answer that picks one allows, unless
/// all that were offered by this id refuse.**
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OfferShape {
    /// The list in the request.
    pub list: String,
    /// An option's id, in the option.
    pub id: String,
    /// What picking it does, in the option: a word.
    pub kind: String,
    /// The words of those that refuse.
    pub refuse: Vec<String>,
    /// The words of those that hold once; any other is let through only when an option that changes rules was picked.
    pub once: Vec<String>,
    /// The id of the picked one, in the answer.
    pub answer: String,
}

impl GuardRule {
    /// True when what this carries is guarded by the rule: a profile's name, or [what stands for an origin](Origin::carrier).
    pub fn is_of(&self, carrier: &str) -> bool {
        match self.origin.as_str() {
            "" => self.profile == carrier,
            origin => carrier.strip_prefix(ORIGIN_MARK) == Some(origin),
        }
    }
}

/// No profile's name has a blank in it.
const ORIGIN_MARK: &str = "origin ";

impl Origin {
    /// What guards know its exchanges by.
    pub fn carrier(&self) -> String {
        format!("{ORIGIN_MARK}{}", self.name)
    }
}

impl Manifest {
    /// Reads `plugin.toml`.
    pub fn from_toml(text: &str) -> Result<Self, ManifestError> {
        let manifest: Manifest = toml::from_str(text)
            .map_err(|e| ManifestError::Syntax { form: "plugin.toml", detail: e.to_string().trim_end().to_owned() })?;
        manifest.check()?;
        Ok(manifest)
    }

    /// Reads the form that a component carries.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest: Manifest = serde_json::from_slice(bytes)
            .map_err(|e| ManifestError::Syntax { form: "the embedded manifest", detail: e.to_string() })?;
        manifest.check()?;
        Ok(manifest)
    }

    /// The form that a component carries: the same manifest gives the same bytes.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a manifest has only text keys")
    }

    /// `publisher/name`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.publisher, self.name)
    }

    /// The spawn profile of this name.
    pub fn profile(&self, name: &str) -> Option<&SpawnProfile> {
        self.spawn.iter().find(|profile| profile.profile == name)
    }

    /// The root of this name.
    pub fn root(&self, name: &str) -> Option<&Root> {
        self.root.iter().find(|root| root.name == name)
    }

    /// True when this profile starts a server that the plugin speaks to: its port is the host's to choose.
    pub fn serves(&self, profile: &str) -> bool {
        self.origin.iter().any(|origin| origin.loopback.as_deref() == Some(profile))
    }
}
