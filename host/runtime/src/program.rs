//! Finds the program a spawn profile names, and looks at it: real path, owner, mode. Reads the file system, starts nothing.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A program as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its real path, links followed.
    pub path: PathBuf,
    /// Owner of the file.
    pub owner_uid: u32,
    /// Permission bits.
    pub mode: u32,
    /// True when others than its owner can replace it: the file or its folder is writable by group or others.
    pub writable_by_others: bool,
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
    let unusable = |problem: String| ProgramError::Unusable {
        name: name.into(),
        path: path.display().to_string(),
        problem,
    };
    let real = path.canonicalize().map_err(|error| unusable(error.to_string()))?;
    let facts = std::fs::metadata(&real).map_err(|error| unusable(error.to_string()))?;
    if !facts.is_file() {
        return Err(unusable("it is no file".into()));
    }
    if facts.permissions().mode() & 0o111 == 0 {
        return Err(unusable("it may not be executed (chmod +x)".into()));
    }
    let others = |mode: u32| mode & 0o022 != 0;
    let folder_open = real
        .parent()
        .and_then(|folder| std::fs::metadata(folder).ok())
        // The sticky bit keeps others from replacing a file in a shared folder.
        .is_some_and(|folder| others(folder.mode()) && folder.mode() & 0o1000 == 0);
    Ok(Program {
        writable_by_others: others(facts.mode()) || folder_open,
        owner_uid: facts.uid(),
        mode: facts.mode() & 0o7777,
        path: real,
    })
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
        assert!(text(find("x", Some(Path::new("/etc/hostname")), "")).contains("chmod"));
        assert!(text(find("x", Some(Path::new("/nonexistent")), "")).contains("/nonexistent"));
    }

    #[test]
    fn a_program_that_others_can_replace_is_marked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        set(&path, 0o755);
        set(folder.path(), 0o755);
        assert!(!find("tool", Some(&path), "").unwrap().writable_by_others);
        set(&path, 0o775);
        assert!(find("tool", Some(&path), "").unwrap().writable_by_others);
        set(&path, 0o755);
        set(folder.path(), 0o777);
        assert!(find("tool", Some(&path), "").unwrap().writable_by_others);
        set(folder.path(), 0o1777);
        assert!(!find("tool", Some(&path), "").unwrap().writable_by_others);
    }
}
