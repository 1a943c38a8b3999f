//! How a file beneath a folder is opened: by the kernel's own word that it lies there, or link by link where it gives none.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::{Errno, Result};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// To be read. A pipe that got there meanwhile does not hold us up, and a terminal does not become ours.
pub(super) const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// To be looked at: nothing is opened by it where the system can do that.
#[cfg(target_os = "linux")]
pub(super) const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
/// To be looked at.
#[cfg(not(target_os = "linux"))]
pub(super) const LOOK: OFlags = READ;

/// How often a rename beside the way may make the kernel begin again.
#[cfg(target_os = "linux")]
const AGAIN: usize = 16;

/// Opens what lies at this relative path beneath the folder.
#[cfg(target_os = "linux")]
pub(super) fn open_in(folder: &OwnedFd, path: &str, flags: OFlags) -> Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..AGAIN {
        match openat2(folder, path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::NOSYS) => return walk_in(folder, path, flags),
            told => return told,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens what lies at this relative path beneath the folder.
#[cfg(not(target_os = "linux"))]
pub(super) fn open_in(folder: &OwnedFd, path: &str, flags: OFlags) -> Result<OwnedFd> {
    walk_in(folder, path, flags)
}

/// The same without `openat2`: part by part, and no link is followed.
pub(super) fn walk_in(folder: &OwnedFd, path: &str, flags: OFlags) -> Result<OwnedFd> {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let last = parts.pop().unwrap_or(".");
    let mut held: Option<OwnedFd> = None;
    for part in parts {
        let next = {
            let at = held.as_ref().map_or(folder.as_fd(), |held| held.as_fd());
            not_a_link(&statat(at, part, AtFlags::SYMLINK_NOFOLLOW)?)?;
            openat(at, part, READ | OFlags::DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?
        };
        held = Some(next);
    }
    let at = held.as_ref().map_or(folder.as_fd(), |held| held.as_fd());
    let stat = statat(at, last, AtFlags::SYMLINK_NOFOLLOW)?;
    not_a_link(&stat)?;
    if !is_file(&stat) && !is_folder(&stat) && flags.contains(READ) {
        return Err(Errno::INVAL);
    }
    openat(at, last, flags | OFlags::NOFOLLOW, Mode::empty())
}

fn not_a_link(stat: &Stat) -> Result<()> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => Err(Errno::LOOP),
        _ => Ok(()),
    }
}

pub(super) fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

pub(super) fn is_folder(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

/// The real path of what is open.
#[cfg(target_os = "linux")]
pub(super) fn real_path(open: &OwnedFd, _: &Path) -> std::io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    std::fs::read_link(format!("/proc/self/fd/{}", open.as_raw_fd()))
}

/// The real path of what is open: as it was found, if that is still the same.
#[cfg(not(target_os = "linux"))]
pub(super) fn real_path(open: &OwnedFd, place: &Path) -> std::io::Result<PathBuf> {
    let real = place.canonicalize()?;
    let (here, there) = (rustix::fs::fstat(open)?, rustix::fs::stat(&real)?);
    if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino) { Ok(real) } else { Err(Errno::AGAIN.into()) }
}
