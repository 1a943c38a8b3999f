//! Finds the program a spawn profile names, and looks at it: real path, owner, mode. Reads the file system, starts nothing.

use jackfield_core::grant::Executable;
use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A program as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its real path, links followed.
    pub path: PathBuf,
    /// Owner of the file.
    pub owner_uid: u32,
    /// Permission bits; the group's right to write is left out where that group is the owner's own.
    pub mode: u32,
    /// True when only its owner or root can put another file in its place.
    pub owner_trusted: bool,
}

impl Program {
    /// The facts that a grant is decided by, for a session in this workspace.
    pub fn executable(&self, workspace: &Path) -> Executable {
        Executable {
            path: self.path.clone(),
            script: None,
            owner_trusted: self.owner_trusted,
            owner_uid: self.owner_uid,
            mode: self.mode,
            in_workspace: self.path.starts_with(workspace),
        }
    }
}

/// Why there is no such program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// Nothing of that name in PATH.
    #[error("'{name}' is not in PATH; install it, or say where it is with --exe {name}=/path/to/it")]
    NotFound {
        /// The name.
        name: String,
    },
    /// The path that was given is wrong.
    #[error("{path}: {problem}; --exe {name}=PATH takes the path of a program")]
    Unusable {
        /// The name it stands for.
        name: String,
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Looks a program up: at the operator's own path if there is one, else by name in `search` (the operator's PATH), else as the absolute path it is.
pub fn find(name: &str, chosen: Option<&Path>, search: &str) -> Result<Program, ProgramError> {
    if let Some(path) = chosen {
        return look_at(name, path);
    }
    if name.contains('/') {
        return look_at(name, Path::new(name));
    }
    std::env::split_paths(search)
        .filter(|folder| folder.is_absolute())
        .find_map(|folder| look_at(name, &folder.join(name)).ok())
        .ok_or_else(|| ProgramError::NotFound { name: name.into() })
}

fn look_at(name: &str, path: &Path) -> Result<Program, ProgramError> {
    let unusable =
        |problem: String| ProgramError::Unusable { name: name.into(), path: path.display().to_string(), problem };
    let real = path.canonicalize().map_err(|error| unusable(error.to_string()))?;
    let facts = std::fs::metadata(&real).map_err(|error| unusable(error.to_string()))?;
    if !facts.is_file() {
        return Err(unusable("it is no file".into()));
    }
    if facts.permissions().mode() & 0o111 == 0 {
        return Err(unusable("it may not be executed (chmod +x)".into()));
    }
    let folders_trusted =
        real.ancestors().skip(1).all(|folder| std::fs::metadata(folder).is_ok_and(|facts| folder_is_safe(&facts)));
    Ok(Program {
        owner_trusted: is_ours(&facts) && folders_trusted,
        owner_uid: facts.uid(),
        mode: effective_mode(&facts),
        path: real,
    })
}

/// Belongs to us or to root.
fn is_ours(facts: &Metadata) -> bool {
    facts.uid() == 0 || facts.uid() == nix::unistd::geteuid().as_raw()
}

/// Nobody else can put another file in here. The sticky bit keeps others from replacing what is not theirs.
fn folder_is_safe(facts: &Metadata) -> bool {
    is_ours(facts) && (effective_mode(facts) & 0o022 == 0 || facts.mode() & 0o1000 != 0)
}

/// The permission bits. Where every user has a group of their own (same number), files are commonly writable by it: that is nobody else.
fn effective_mode(facts: &Metadata) -> u32 {
    let own_group = facts.gid() == facts.uid();
    facts.mode() & 0o7777 & if own_group { !0o020 } else { !0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_name_path_and_choice() {
        let shell = find("sh", None, "relative:/nowhere:/bin:/usr/bin").unwrap();
        assert!(shell.path.is_absolute());
        assert_eq!(find("/bin/sh", None, "").unwrap(), shell);
        assert_eq!(find("made-up", Some(Path::new("/bin/sh")), "").unwrap(), shell);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = |result: Result<Program, ProgramError>| result.unwrap_err().to_string();
        assert!(text(find("made-up-cli", None, "/bin")).contains("--exe made-up-cli="));
        assert!(text(find("x", Some(Path::new("/")), "")).contains("no file"));
        let plain = tempfile::NamedTempFile::new().unwrap();
        assert!(text(find("x", Some(plain.path()), "")).contains("chmod"));
        assert!(text(find("x", Some(Path::new("/nonexistent")), "")).contains("/nonexistent"));
    }

    #[test]
    fn a_program_that_others_can_replace_is_marked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        let found = || find("tool", Some(&path), "").unwrap();
        set(&path, 0o755);
        set(folder.path(), 0o755);
        assert!(found().owner_trusted && found().mode == 0o755);
        set(&path, 0o757);
        assert!(found().mode & 0o022 != 0);
        set(&path, 0o755);
        set(folder.path(), 0o777);
        assert!(!found().owner_trusted);
        set(folder.path(), 0o1777);
        assert!(found().owner_trusted);
    }
}
