//! Roots: whether a plugin may read beneath a folder. Two keys, as for programs: the manifest asks, the operator grants.
//!
//! **What is granted is a real path**: a link that leads elsewhere later needs a new grant. A home folder whole, a folder above it, and
//! the system's own views of processes and devices are no roots, whoever grants them. Tests: below.

use super::GrantedBy;
use crate::manifest::Manifest;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What an operator granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootGrant {
    /// The plugin, `publisher/name`.
    pub plugin: String,
    /// SHA-256 of its bytes.
    pub digest: String,
    /// The root, by its name in the manifest.
    pub root: String,
    /// Its real path.
    pub path: PathBuf,
    /// When, milliseconds since 1970.
    pub granted_at_ms: u64,
    /// Who granted it: a user's name, `file`.
    pub by: String,
}

/// What a plugin wants to read.
#[derive(Debug, Clone, Copy)]
pub struct RootRequest<'a> {
    /// The plugin.
    pub manifest: &'a Manifest,
    /// SHA-256 of its bytes.
    pub digest: &'a str,
    /// True when it came with the program.
    pub bundled: bool,
    /// True in the open default, false in locked mode.
    pub open_default: bool,
    /// The root, by its name in the manifest.
    pub root: &'a str,
    /// Its real path.
    pub path: &'a Path,
    /// Real path of the operator's home folder, where there is one.
    pub home: Option<&'a Path>,
}

/// Why it may not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RootRefusal {
    /// The manifest has no such root.
    #[error("{plugin} asks to read beneath root '{root}', which its manifest does not declare; it has {known}")]
    NotDeclared {
        /// The plugin.
        plugin: String,
        /// The root.
        root: String,
        /// Those it has.
        known: String,
    },
    /// Nobody granted it.
    #[error("{plugin} may not read beneath {} (root '{root}'); to allow it: jackfield grant add FILE --root {root}", path.display())]
    NotGranted {
        /// The plugin.
        plugin: String,
        /// The root.
        root: String,
        /// Where it lies.
        path: PathBuf,
    },
    /// It was granted to another build.
    #[error(
        "{plugin} has changed since root '{root}' was granted to it; look at it (jackfield plugin inspect) and grant it again: jackfield grant add FILE --root {root}"
    )]
    DigestChanged {
        /// The plugin.
        plugin: String,
        /// The root.
        root: String,
    },
    /// It lies elsewhere now.
    #[error("root '{root}' of {plugin} was granted for {}, and is {} now; if that is right: jackfield grant add FILE --root {root}", granted.display(), found.display())]
    Moved {
        /// The plugin.
        plugin: String,
        /// The root.
        root: String,
        /// What was granted.
        granted: PathBuf,
        /// What was found.
        found: PathBuf,
    },
    /// All of a home folder, or more.
    #[error("root '{root}' is {}, which holds your whole home folder; a root is a folder of the provider's own", path.display())]
    TooWide {
        /// The root.
        root: String,
        /// Where it lies.
        path: PathBuf,
    },
    /// Not files.
    #[error("root '{root}' is {}, where there are processes and devices, no files", path.display())]
    NoFiles {
        /// The root.
        root: String,
        /// Where it lies.
        path: PathBuf,
    },
}

impl RootRefusal {
    /// Stable name of the refusal.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotDeclared { .. } => "no-such-root",
            Self::NotGranted { .. } => "root-not-granted",
            Self::DigestChanged { .. } => "digest-changed",
            Self::Moved { .. } => "root-moved",
            Self::TooWide { .. } => "root-too-wide",
            Self::NoFiles { .. } => "root-no-files",
        }
    }
}

/// Decides whether a plugin may read beneath a root. What the folder is comes first: no grant makes it right.
pub fn decide_root(request: RootRequest<'_>, grants: &[RootGrant]) -> Result<GrantedBy, RootRefusal> {
    let RootRequest { manifest, digest, bundled, open_default, root, path, home } = request;
    let plugin = manifest.full_name();
    if manifest.root(root).is_none() {
        let names: Vec<&str> = manifest.root.iter().map(|one| one.name.as_str()).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(RootRefusal::NotDeclared { plugin, root: root.to_owned(), known });
    }
    check_root(root, path, home)?;
    if bundled && open_default {
        return Ok(GrantedBy::Bundled);
    }
    let root = root.to_owned();
    let ours: Vec<_> = grants.iter().filter(|grant| grant.plugin == plugin && grant.root == root).collect();
    match (ours.iter().find(|grant| grant.digest == digest), ours.is_empty()) {
        (Some(grant), _) if grant.path == path => Ok(GrantedBy::Operator { by: grant.by.clone() }),
        (Some(grant), _) => {
            Err(RootRefusal::Moved { plugin, root, granted: grant.path.clone(), found: path.to_owned() })
        }
        (None, false) => Err(RootRefusal::DigestChanged { plugin, root }),
        (None, true) => Err(RootRefusal::NotGranted { plugin, root, path: path.to_owned() }),
    }
}

/// Whether a folder may be a root at all; also asked before a grant is written down.
pub fn check_root(root: &str, path: &Path, home: Option<&Path>) -> Result<(), RootRefusal> {
    let (root, path) = (root.to_owned(), path.to_owned());
    if ["/proc", "/sys", "/dev"].iter().any(|view| path.starts_with(view)) {
        return Err(RootRefusal::NoFiles { root, path });
    }
    let homes = [Path::new("/root"), Path::new("/home/x"), Path::new("/Users/x")];
    if home.into_iter().chain(homes).any(|home| home.starts_with(&path)) {
        return Err(RootRefusal::TooWide { root, path });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(digest: &str, root: &str, path: &str, bundled: bool, open: bool) -> Result<GrantedBy, RootRefusal> {
        let manifest = Manifest::from_toml(
            "publisher = 'acme'\nname = 'talker'\nversion = '0.1.0'\ncontract = '0.1.0-draft'\nlicense = 'MIT'\n\
             description = 'Speaks.'\n[[root]]\nname = 'past'\npath = '~/.talker'\n[[root]]\nname = 'more'\npath = '~/.more'\n",
        )
        .unwrap();
        let grant = RootGrant {
            plugin: "acme/talker".into(),
            digest: "d1".into(),
            root: "past".into(),
            path: "/srv/ann/.talker".into(),
            granted_at_ms: 1,
            by: "ann".into(),
        };
        let request = RootRequest {
            manifest: &manifest,
            digest,
            bundled,
            open_default: open,
            root,
            path: Path::new(path),
            home: Some(Path::new("/srv/ann")),
        };
        decide_root(request, &[grant])
    }

    #[test]
    fn a_grant_covers_its_build_its_root_and_its_place() {
        let place = "/srv/ann/.talker";
        let by = GrantedBy::Operator { by: "ann".into() };
        let code = |told: Result<GrantedBy, RootRefusal>| told.map_err(|refusal| refusal.code());
        assert_eq!(decide("d1", "past", place, false, true), Ok(by.clone()));
        assert_eq!(decide("d1", "past", place, true, false), Ok(by));
        assert_eq!(decide("d9", "more", place, true, true), Ok(GrantedBy::Bundled));
        assert_eq!(code(decide("d1", "more", place, false, true)), Err("root-not-granted"));
        assert_eq!(code(decide("d2", "past", place, false, true)), Err("digest-changed"));
        assert_eq!(code(decide("d1", "past", "/srv/ann/.other", false, true)), Err("root-moved"));
        assert_eq!(code(decide("d1", "else", place, true, true)), Err("no-such-root"));
    }

    #[test]
    fn what_holds_everything_is_no_root() {
        for (path, wanted) in [
            ("/", "root-too-wide"),
            ("/srv", "root-too-wide"),
            ("/srv/ann", "root-too-wide"),
            ("/home", "root-too-wide"),
            ("/root", "root-too-wide"),
            ("/proc/self", "root-no-files"),
            ("/dev", "root-no-files"),
        ] {
            assert_eq!(decide("d1", "past", path, true, true).unwrap_err().code(), wanted, "{path}");
        }
    }
}
