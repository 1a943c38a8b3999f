//! What makes a manifest valid, beyond its syntax. One function per table; every error names the key and the way out.

use super::holes::{Piece, pieces};
use super::{Arg, Framing, GuardRule, Hole, Manifest, Origin, Root, SpawnProfile, forbidden_env};
use crate::rules::Does;
use std::collections::BTreeSet;

/// Why a manifest is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// Not TOML or JSON, an unknown key, a missing key, a value of the wrong type.
    #[error("{form} cannot be read: {detail}")]
    Syntax {
        /// Which form was read.
        form: &'static str,
        /// What is wrong, with the key.
        detail: String,
    },
    /// A value that the manifest may not have.
    #[error("{key} = {value:?}: {expected}")]
    Invalid {
        /// The key, with its table: `spawn.main.program`.
        key: String,
        /// The value.
        value: String,
        /// What it must be.
        expected: String,
    },
    /// An environment variable that no manifest may ask for.
    #[error("{key} asks for {name}, which {what}; remove it. An operator can set it for an instance of their own")]
    ForbiddenEnv {
        /// The key.
        key: String,
        /// The variable.
        name: String,
        /// What it does.
        what: &'static str,
    },
    /// Two entries of the same name.
    #[error("{key} {name:?} is there twice; rename one")]
    Duplicate {
        /// The table.
        key: String,
        /// The name.
        name: String,
    },
    /// A name that nothing in the manifest has.
    #[error("{key} names {name:?}, which the manifest does not have; add {missing}")]
    Dangling {
        /// The key.
        key: String,
        /// The name.
        name: String,
        /// What to add.
        missing: String,
    },
}

impl ManifestError {
    /// Stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            ManifestError::Syntax { .. } => "manifest-syntax",
            ManifestError::Invalid { .. } => "manifest-invalid",
            ManifestError::ForbiddenEnv { .. } => "manifest-forbidden-env",
            ManifestError::Duplicate { .. } => "manifest-duplicate",
            ManifestError::Dangling { .. } => "manifest-dangling",
        }
    }
}

type Checked = Result<(), ManifestError>;

fn require(ok: bool, key: impl Into<String>, value: &str, expected: &str) -> Checked {
    if ok {
        Ok(())
    } else {
        Err(ManifestError::Invalid {
            key: key.into(),
            value: value.chars().take(120).collect(),
            expected: expected.to_owned(),
        })
    }
}

fn is_slug(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn slug(key: impl Into<String>, value: &str) -> Checked {
    require(is_slug(value), key, value, "a name is [a-z][a-z0-9-]*, at most 64 characters")
}

fn text(key: impl Into<String>, value: &str) -> Checked {
    let ok = !value.trim().is_empty() && value.len() <= 1024 && !value.chars().any(char::is_control);
    require(ok, key, value, "a text of one line, 1 to 1024 bytes")
}

fn unique<'a>(key: &str, names: impl Iterator<Item = &'a str>) -> Checked {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ManifestError::Duplicate { key: key.to_owned(), name: name.to_owned() });
        }
    }
    Ok(())
}

fn program(key: String, value: &str) -> Checked {
    let absolute =
        value.starts_with('/') && !value.ends_with('/') && !value.split('/').any(|part| part == ".." || part == ".");
    let name = !value.contains('/') && value != "." && value != "..";
    let ok = !value.is_empty()
        && !value.starts_with('-')
        && (absolute || name)
        && !value.chars().any(|c| c.is_control() || c.is_whitespace());
    require(
        ok,
        key,
        value,
        "a program is a name looked up in PATH, or an absolute path without '..'; arguments go into `args`",
    )
}

fn pointer(key: String, value: &str) -> Checked {
    require(value.starts_with('/'), key, value, "a JSON pointer begins with '/'")
}

impl Manifest {
    /// Checks all that the types do not say.
    pub(super) fn check(&self) -> Checked {
        slug("publisher", &self.publisher)?;
        slug("name", &self.name)?;
        text("license", &self.license)?;
        text("description", &self.description)?;
        for cli in &self.cli {
            program(format!("cli.{}.program", cli.program), &cli.program)?;
            if let Some(check) = &cli.logged_in {
                let key = format!("cli.{}.logged-in", cli.program);
                require(!check.args.is_empty(), format!("{key}.args"), "", "name the arguments that make it tell")?;
                text(format!("{key}.yes"), &check.yes)?;
                text(format!("{key}.no"), &check.no)?;
            }
        }
        unique("login.method", self.login.iter().map(|way| way.method.as_str()))?;
        for way in &self.login {
            text("login.method", &way.method)?;
            let key = format!("login.{}", way.method);
            text(format!("{key}.label"), &way.label)?;
            if let Some(name) = &way.profile {
                self.has_profile(&format!("{key}.profile"), name)?;
                let raw = self
                    .profile(name)
                    .is_some_and(|profile| profile.framing == Framing::Raw && profile.holes.is_empty());
                let expected = "a profile that a person goes through has framing raw and no holes";
                require(raw, format!("{key}.profile"), name, expected)?;
            }
        }
        unique("cli.program", self.cli.iter().map(|c| c.program.as_str()))?;
        unique("spawn.profile", self.spawn.iter().map(|p| p.profile.as_str()))?;
        unique("root.name", self.root.iter().map(|r| r.name.as_str()))?;
        unique("origin.name", self.origin.iter().map(|o| o.name.as_str()))?;
        unique("secret.name", self.secret.iter().map(|s| s.name.as_str()))?;
        self.spawn.iter().try_for_each(profile)?;
        self.root.iter().try_for_each(root)?;
        self.origin.iter().try_for_each(|o| self.origin(o))?;
        for (profile, name) in self.spawn.iter().flat_map(|p| p.secret_env.values().map(move |name| (p, name))) {
            self.has_secret(&format!("spawn.{}.secret-env", profile.profile), name)?;
        }
        for secret in &self.secret {
            slug("secret.name", &secret.name)?;
            text(format!("secret.{}.description", secret.name), &secret.description)?;
        }
        if let Some(schema) = &self.options
            && let Err((key, expected)) = crate::options::check_schema(schema, "options")
        {
            return require(false, key, "", &expected);
        }
        self.guard.iter().enumerate().try_for_each(|(i, g)| self.guard(i, g))
    }

    fn origin(&self, origin: &Origin) -> Checked {
        slug("origin.name", &origin.name)?;
        let key = format!("origin.{}", origin.name);
        match (&origin.url, &origin.loopback) {
            (Some(url), None) => {
                let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
                let ok = host.is_some_and(|h| {
                    !h.is_empty()
                        && !h.contains(['/', '@', '?', '#', '\\'])
                        && !h.chars().any(|c| c.is_whitespace() || c.is_control())
                });
                require(
                    ok,
                    format!("{key}.url"),
                    url,
                    "an origin is scheme, host and port only: https://api.example.com",
                )
            }
            (None, Some(name)) => self.has_port(&format!("{key}.loopback"), name),
            _ => require(false, key.as_str(), &origin.name, "an origin has exactly one of `url` and `loopback`"),
        }?;
        require(
            !origin.routes.is_empty(),
            format!("{key}.routes"),
            "",
            "name each thing that may be asked: GET /event",
        )?;
        let reads = matches!(origin.framing, Framing::Sse | Framing::Ndjson);
        require(reads, format!("{key}.framing"), "", "a streamed answer is framed as sse or ndjson")?;
        for (name, value) in &origin.headers {
            header(&key, name, value)?;
        }
        let holes = origin.headers.values().flat_map(|value| value.split("${secret:").skip(1));
        let named = holes.map(|rest| rest.split('}').next().unwrap_or_default());
        let basic = origin.basic.iter().map(|basic| basic.secret.as_str());
        named.chain(basic).try_for_each(|name| self.has_secret(&key, name))
    }

    /// The port is a hole that can't be left out.
    fn has_port(&self, key: &str, name: &str) -> Checked {
        self.has_profile(key, name)?;
        let profile = self.profile(name);
        let ports = profile.iter().flat_map(|profile| profile.holes.values()).filter(|hole| **hole == Hole::Port);
        require(ports.count() == 1, key, name, "the profile of a server has exactly one hole of type port")
    }

    fn has_secret(&self, key: &str, name: &str) -> Checked {
        match self.secret.iter().any(|secret| secret.name == name) {
            true => Ok(()),
            false => Err(ManifestError::Dangling {
                key: key.to_owned(),
                name: name.to_owned(),
                missing: format!("a [[secret]] with name = {name:?}"),
            }),
        }
    }

    fn guard(&self, index: usize, guard: &GuardRule) -> Checked {
        let key = format!("guard[{index}]");
        self.carrier(&key, guard)?;
        require(!guard.request.is_empty(), format!("{key}.request"), "", "name at least one pointer and its value")?;
        require(
            !guard.answer.is_empty() || !guard.answer_has.is_empty(),
            format!("{key}.answer"),
            "",
            "name at least one pointer and its value, or one in answer-has",
        )?;
        require(
            (!guard.allow.is_empty() || guard.offers.is_some())
                && guard.allow.values().chain(guard.allow_always.values()).all(|v| !v.is_empty()),
            format!("{key}.allow"),
            "",
            "name at least one pointer and the values that allow, or say in `offers` where the request has them",
        )?;
        require(
            guard.answer_input.is_none() || guard.input.is_some(),
            format!("{key}.answer-input"),
            "",
            "needs `input`: what it is compared with",
        )?;
        self.calls(&key, guard)?;
        let single = [&guard.request_id, &guard.answer_id];
        let allowed = guard.allow.keys().chain(guard.allow_always.keys());
        let pointers = guard.request.keys().chain(guard.answer.keys()).chain(allowed).chain(single);
        let optional = guard.input.iter().chain(&guard.answer_input).chain(&guard.only_if_offered).chain(&guard.tool);
        let offers = guard.offers.iter().flat_map(|offers| [&offers.list, &offers.id, &offers.kind, &offers.answer]);
        pointers.chain(optional).chain(&guard.answer_has).chain(offers).try_for_each(|p| pointer(key.clone(), p))
    }

    fn carrier(&self, key: &str, guard: &GuardRule) -> Checked {
        let one = guard.profile.is_empty() != guard.origin.is_empty();
        require(one, key, &guard.profile, "a guard has exactly one of `profile` and `origin`")?;
        if !guard.origin.is_empty() {
            let known = self.origin.iter().any(|origin| origin.name == guard.origin);
            let missing = format!("an [[origin]] with name = {:?}", guard.origin);
            let dangling =
                || ManifestError::Dangling { key: format!("{key}.origin"), name: guard.origin.clone(), missing };
            return if known { Ok(()) } else { Err(dangling()) };
        }
        self.has_profile(&format!("{key}.profile"), &guard.profile)?;
        let json = self.profile(&guard.profile).is_some_and(|p| p.framing.is_json());
        require(
            json,
            format!("{key}.profile"),
            &guard.profile,
            "a guarded profile has framing ndjson or json-rpc: the host must be able to read the answer",
        )
    }

    fn calls(&self, key: &str, guard: &GuardRule) -> Checked {
        let key = format!("{key}.call");
        require(
            guard.call.is_empty() || guard.input.is_some(),
            key.as_str(),
            "",
            "needs `input`: where a call is read",
        )?;
        for call in &guard.call {
            require(
                call.tools.is_empty() || guard.tool.is_some(),
                key.as_str(),
                "",
                "`tools` needs the guard's `tool`",
            )?;
            let (runs, touches) = (call.command.is_some(), !call.paths.is_empty());
            let fits = match call.does {
                Does::Run => runs && !touches,
                Does::Read | Does::Edit => touches && !runs,
                Does::Other => !runs && !touches,
            };
            let named = call.tools.first().map_or("", String::as_str);
            require(fits, key.as_str(), named, "a call that runs has `command`, one that reads or edits has `paths`")?;
        }
        unique(&key, guard.call.iter().flat_map(|call| &call.tools).map(String::as_str))
    }

    fn has_profile(&self, key: &str, name: &str) -> Checked {
        match self.profile(name) {
            Some(_) => Ok(()),
            None => Err(ManifestError::Dangling {
                key: key.to_owned(),
                name: name.to_owned(),
                missing: format!("a [[spawn]] with profile = {name:?}"),
            }),
        }
    }
}

fn root(root: &Root) -> Checked {
    slug("root.name", &root.name)?;
    let beneath =
        |tail: &str| !tail.split('/').any(|part| part == ".." || part == ".") && !tail.chars().any(char::is_control);
    let tail = root.path.strip_prefix("~/").or_else(|| root.path.strip_prefix('/'));
    require(
        tail.is_some_and(|tail| !tail.is_empty() && beneath(tail)),
        format!("root.{}.path", root.name),
        &root.path,
        "a root is a folder, absolute or beginning with '~/', without '..', and never all of either",
    )?;
    let Some(moved) = &root.moved_by else { return Ok(()) };
    let key = format!("root.{}.moved-by", root.name);
    env(&format!("{key}.env"), &moved.env)?;
    require(
        !moved.path.starts_with('/') && beneath(&moved.path),
        format!("{key}.path"),
        &moved.path,
        "the place beneath the variable's folder, without '..'; left out for that folder itself",
    )
}

fn profile(profile: &SpawnProfile) -> Checked {
    slug("spawn.profile", &profile.profile)?;
    let key = format!("spawn.{}", profile.profile);
    program(format!("{key}.program"), &profile.program)?;
    for (name, hole) in &profile.holes {
        slug(format!("{key}.holes"), name)?;
        let Hole::Enum { values } = hole else { continue };
        require(!values.is_empty(), format!("{key}.holes.{name}.values"), "", "an enum has at least one value")?;
        let bad = values.iter().find(|v| v.is_empty() || v.starts_with('-') || v.chars().any(char::is_control));
        require(
            bad.is_none(),
            format!("{key}.holes.{name}.values"),
            bad.map_or("", |v| v),
            "a value is not empty and never begins with '-'",
        )?;
    }
    let mut used = BTreeSet::new();
    for part in profile.args.iter().flat_map(Arg::parts) {
        require(!part.contains('\0'), format!("{key}.args"), part, "an argument holds no NUL")?;
        let pieces = pieces(part).map_err(|expected| ManifestError::Invalid {
            key: format!("{key}.args"),
            value: part.clone(),
            expected,
        })?;
        used.extend(
            pieces
                .into_iter()
                .filter_map(|piece| if let Piece::Hole(name) = piece { Some(name.to_owned()) } else { None }),
        );
    }
    let dangling = |name: &String, missing: String, at: &str| ManifestError::Dangling {
        key: format!("{key}.{at}"),
        name: name.clone(),
        missing,
    };
    if let Some(name) = used.iter().find(|name| !profile.holes.contains_key(*name)) {
        return Err(dangling(name, format!("its type to [spawn.holes]: {name} = {{ type = \"…\" }}"), "args"));
    }
    if let Some(name) = profile.holes.keys().find(|name| !used.contains(*name)) {
        return Err(dangling(name, format!("{{{name}}} to args, or remove the hole"), "holes"));
    }
    texts_in_place(&key, profile)?;
    unique(&format!("{key}.env"), profile.env.iter().map(String::as_str))?;
    let secret = profile.secret_env.keys().map(|name| (format!("{key}.secret-env"), name));
    profile
        .env
        .iter()
        .map(|name| (format!("{key}.env"), name))
        .chain(secret)
        .try_for_each(|(key, name)| env(&key, name))
}

/// Headers that say how a message is sent are the host's.
fn header(key: &str, name: &str, value: &str) -> Checked {
    let key = format!("{key}.headers");
    let token = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let ours =
        matches!(name, "host" | "connection" | "content-length" | "transfer-encoding" | "upgrade" | "te" | "trailer");
    require(token && !ours, key.as_str(), name, "a header's name in lower case, none of those that frame a message")?;
    require(
        value.bytes().all(|b| (0x20..0x7f).contains(&b)),
        key.as_str(),
        value,
        "a header's value is printable ASCII",
    )
}

/// A text can hold anything: only its place keeps it from being an option. An argument `--` that may be left out protects its group only.
fn texts_in_place(key: &str, profile: &SpawnProfile) -> Checked {
    let is_text = |name: &str| profile.holes.get(name) == Some(&Hole::Text);
    let mut behind_options = false;
    for arg in &profile.args {
        let mut behind = behind_options;
        for part in arg.parts() {
            let begins_so =
                matches!(pieces(part).unwrap_or_default().first(), Some(Piece::Hole(name)) if is_text(name));
            let expected = "a hole of type text stands behind other words of its argument (--message={message}), or behind an argument --";
            require(behind || !begins_so, format!("{key}.args"), part, expected)?;
            behind |= part == "--";
        }
        behind_options |= *arg == Arg::One("--".to_owned());
    }
    Ok(())
}

fn env(key: &str, name: &str) -> Checked {
    let shape = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    require(shape, key, name, "a variable is [A-Za-z_][A-Za-z0-9_]*, its name only; values come from the operator")?;
    match forbidden_env(name) {
        None => Ok(()),
        Some(kind) => {
            Err(ManifestError::ForbiddenEnv { key: key.to_owned(), name: name.to_owned(), what: kind.what() })
        }
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
