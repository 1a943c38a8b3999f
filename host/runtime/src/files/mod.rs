//! Files beneath a folder: a part of one, a folder's entries, rows of a SQLite file. Blocking; knows no policy.
//!
//! **Nothing outside of the folder is reached, whatever a path says and whatever is exchanged meanwhile**: every file is opened from the
//! folder's own handle by `openat2`, which follows no link out and none of the kernel's; where that call is missing no link is
//! followed at all. Only what has contents is opened: no pipe, no socket, no device. What a file holds is read through the handle that was
//! checked. Tests: `tests.rs` beside this file, and `tests/tests/files.rs`.

mod error;
mod reach;
mod sqlite;

pub(crate) use error::FileError;
pub(crate) use sqlite::{Query, query};

use jackfield_core::contract::{Entry, FilePart};
use jackfield_core::limits::Limits;
use reach::{LOOK, READ, is_file, is_folder, open_in, real_path};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, statat};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A folder that is held open, and its real path.
#[derive(Debug)]
pub(crate) struct Beneath {
    folder: OwnedFd,
    path: PathBuf,
}

impl Beneath {
    /// Opens the folder, wherever the operator's own links lead.
    pub(crate) fn open(place: &Path) -> Result<Beneath, FileError> {
        let shown = place.display().to_string();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let folder = rustix::fs::open(place, flags, Mode::empty()).map_err(|errno| match errno {
            rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR => FileError::NoRoot { path: shown.clone() },
            other => FileError::of(other, &shown),
        })?;
        let path = real_path(&folder, place).map_err(|error| FileError::io(&error, &shown))?;
        Ok(Beneath { folder, path })
    }

    /// Its real path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A part of a file: so many bytes from there, less at its end. An offset below zero counts from the end.
    pub(crate) fn read(&self, path: &str, offset: f64, length: u32, limits: &Limits) -> Result<FilePart, FileError> {
        if u64::from(length) > limits.file_read_bytes {
            let limit = limits.file_read_bytes;
            return Err(FileError::TooMuch { what: "the bytes of a read", limit, name: "file_read_bytes" });
        }
        if !offset.is_finite() || offset.fract() != 0.0 {
            return Err(FileError::BadOffset { offset });
        }
        let (file, stat) = self.file(path)?;
        // It may grow or shrink meanwhile: what is given is of the file as it was found.
        let size = stat.st_size as u64;
        let from = if offset < 0.0 { size.saturating_sub(-offset as u64) } else { offset as u64 };
        let mut data = vec![0; u64::from(length).min(size.saturating_sub(from)) as usize];
        let mut filled = 0;
        while filled < data.len() {
            match file.read_at(&mut data[filled..], from + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(FileError::io(&error, path)),
            }
        }
        data.truncate(filled);
        Ok(FilePart { data, size: size as f64 })
    }

    /// The files and folders in a folder, by name; the folder itself is the empty path. What is neither, and links that lead out, are
    /// left out; so are names that are no UTF-8.
    pub(crate) fn list(&self, path: &str, limits: &Limits) -> Result<Vec<Entry>, FileError> {
        let failed = |errno| FileError::of(errno, path);
        let looked = open_in(&self.folder, relative(path)?, LOOK).map_err(failed)?;
        if !is_folder(&fstat(&looked).map_err(failed)?) {
            return Err(FileError::NotAFolder { path: path.to_owned() });
        }
        let flags = READ | OFlags::DIRECTORY;
        let folder = open_in(&self.folder, relative(path)?, flags).map_err(failed)?;
        let mut entries = Vec::new();
        for (seen, entry) in Dir::read_from(&folder).map_err(failed)?.enumerate() {
            if seen as u64 > limits.folder_entries + 2 {
                let limit = limits.folder_entries;
                return Err(FileError::TooMuch { what: "the entries of a folder", limit, name: "folder_entries" });
            }
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name == "." || name == ".." {
                continue;
            }
            let Some(stat) = self.stat_in(&folder, path, name) else { continue };
            entries.push(Entry {
                name: name.to_owned(),
                folder: is_folder(&stat),
                size: stat.st_size as f64,
                modified_ms: stat.st_mtime as f64 * 1_000.0 + (stat.st_mtime_nsec as f64 / 1_000_000.0).floor(),
            });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    /// What an entry is, when it is a file or a folder beneath the root.
    fn stat_in(&self, folder: &OwnedFd, path: &str, name: &str) -> Option<Stat> {
        let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let stat = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => {
                let whole = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
                fstat(&open_in(&self.folder, &whole, LOOK).ok()?).ok()?
            }
            _ => stat,
        };
        (is_file(&stat) || is_folder(&stat)).then_some(stat)
    }

    /// A file with contents, open to be read.
    fn file(&self, path: &str) -> Result<(File, Stat), FileError> {
        let failed = |errno| FileError::of(errno, path);
        let refuse = || FileError::NotAFile { path: path.to_owned() };
        // Looked at first: to open a device may do something.
        let looked = open_in(&self.folder, relative(path)?, LOOK).map_err(failed)?;
        if !is_file(&fstat(&looked).map_err(failed)?) {
            return Err(refuse());
        }
        let file = open_in(&self.folder, relative(path)?, READ).map_err(failed)?;
        let stat = fstat(&file).map_err(failed)?;
        if is_file(&stat) { Ok((File::from(file), stat)) } else { Err(refuse()) }
    }
}

/// A path as it may be given: relative, without `..`; the root itself is `.`.
fn relative(path: &str) -> Result<&str, FileError> {
    let outside = path.starts_with('/') || path.contains('\0') || path.split('/').any(|part| part == "..");
    match path {
        _ if outside => Err(FileError::Outside { path: path.to_owned() }),
        "" => Ok("."),
        _ => Ok(path),
    }
}

#[cfg(test)]
mod tests;
