//! Compiled plugins, kept for the next start: compiling takes seconds, reading what was compiled a few milliseconds.
//!
//! **What is kept here is machine code, and what runs it trusts it blindly.** So a file is known by the SHA-256 of the plugin
//! and by the fingerprint of the compiler that made it; it is in a folder that only its owner can enter; it carries an HMAC
//! over both names and every byte, by a key that never leaves that folder; it is read whole and judged before it is used;
//! and it is never written twice: what is in doubt is removed and made anew. The folder is worth what the data folder is worth:
//! who can write there can grant himself anything. Nothing here fails a load: without a folder a plugin is compiled.
//! Tests: `tests/compiled.rs`. Measured by `tests/cost.rs`.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use wasmtime::Engine;
use wasmtime::component::Component;

/// How a file begins; another layout has another word.
const MAGIC: &[u8] = b"jackfield compiled plugin 1\n";
const MAC_BYTES: usize = 32;
const KEY: &str = "key";
const ENDING: &str = "compiled";
/// What is being written.
const PART: &str = "part";
/// A write takes seconds: whoever began a part so long ago was ended before its end.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Where a plugin's machine code came from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Compiled just now: nothing was kept, or there is no folder to keep it in.
    Compiled,
    /// Read from what was kept.
    Kept,
    /// Compiled just now, because what was kept was in doubt, or because it can't be kept; the reason.
    Doubted(String),
}

/// The folder.
#[derive(Debug)]
pub struct CompiledFolder {
    folder: PathBuf,
    key: [u8; 32],
    most_bytes: u64,
}

impl CompiledFolder {
    /// Opens the folder, or makes it with a key of its own; it may hold at most so many bytes. An error of kind
    /// `PermissionDenied` when somebody else could write in it.
    pub fn open(folder: &Path, most_bytes: u64) -> io::Result<CompiledFolder> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        private(folder, &fs::symlink_metadata(folder)?)?;
        let key = key(folder)?;
        Ok(CompiledFolder { folder: folder.to_owned(), key, most_bytes })
    }

    /// The component of this plugin: what was kept, else what `compile` gives, which is kept then.
    pub(crate) fn component(
        &self,
        engine: &Engine,
        digest: &str,
        compile: impl FnOnce() -> wasmtime::Result<Component>,
    ) -> wasmtime::Result<(Component, Origin)> {
        let name = format!("{digest}-{}.{ENDING}", fingerprint(engine));
        let doubt = match self.kept(engine, &name) {
            Ok(Some(component)) => return Ok((component, Origin::Kept)),
            Ok(None) => None,
            Err(doubt) => {
                // A file that is not ours to remove stays, and is doubted again.
                let _ = fs::remove_file(self.folder.join(&name));
                Some(doubt)
            }
        };
        let component = compile()?;
        let kept = component.serialize().map_err(|error| format!("{error:#}")).and_then(|code| {
            self.keep(&name, &code).map_err(|error| format!("it can't be kept in {}: {error}", self.folder.display()))
        });
        let origin = doubt.or(kept.err()).map_or(Origin::Compiled, Origin::Doubted);
        Ok((component, origin))
    }

    /// What was kept under this name; an error is a doubt about it.
    fn kept(&self, engine: &Engine, name: &str) -> Result<Option<Component>, String> {
        let path = self.folder.join(name);
        let doubt = |problem: String| format!("{}: {problem}", path.display());
        let opened = OpenOptions::new().read(true).custom_flags(NO_FOLLOW).open(&path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(doubt(error.to_string())),
        };
        let bytes = self.read(&mut file, &path).map_err(|error| doubt(error.to_string()))?;
        let code = self.judged(name, &bytes).map_err(doubt)?;
        // It is used now: the file that was used longest ago goes first.
        let _ = file.set_modified(SystemTime::now());
        // SAFETY: `deserialize` asks for bytes that `serialize` gave and nobody changed. The HMAC says so: its key is in a folder
        // that only its owner can enter, and it covers the name, so also the plugin and the compiler. wasmtime itself
        // refuses what another build of it made.
        #[allow(unsafe_code)]
        let component = unsafe { Component::deserialize(engine, code) };
        component.map(Some).map_err(|error| doubt(format!("{error:#}")))
    }

    fn read(&self, file: &mut File, path: &Path) -> io::Result<Vec<u8>> {
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no file"));
        }
        private(path, &about)?;
        let mut bytes = Vec::with_capacity(about.len().min(self.most_bytes) as usize);
        file.take(self.most_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The code in a file's bytes, if its HMAC says that it was written here, under this name.
    fn judged<'a>(&self, name: &str, bytes: &'a [u8]) -> Result<&'a [u8], String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is no compiled plugin of this layout")?;
        let (mac, code) = rest.split_at_checked(MAC_BYTES).ok_or("it is cut off")?;
        self.mac(name, code).verify_slice(mac).map_err(|_| "its bytes are not those that were written")?;
        Ok(code)
    }

    fn mac(&self, name: &str, code: &[u8]) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.key).unwrap_or_else(|_| unreachable!("HMAC takes any key"));
        mac.chain_update(name.as_bytes()).chain_update([0]).chain_update(code)
    }

    /// Writes a new file; one of that name that came meanwhile is as good, and stays.
    fn keep(&self, name: &str, code: &[u8]) -> io::Result<()> {
        let size = (MAGIC.len() + MAC_BYTES + code.len()) as u64;
        if size > self.most_bytes {
            return Err(io::Error::other(format!("its {size} bytes are more than the {} allowed", self.most_bytes)));
        }
        self.make_room(size)?;
        let mac = self.mac(name, code).finalize().into_bytes();
        publish(&self.folder, name, &[MAGIC, &mac, code])
    }

    /// Removes what was used longest ago, until so many bytes more fit; and what nobody finished.
    fn make_room(&self, wanted: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            // It may have gone meanwhile.
            let Ok(about) = fs::symlink_metadata(&path) else { continue };
            let used = about.modified()?;
            match ending {
                Some(ENDING) => files.push((used, about.len(), path)),
                Some(PART) if used.elapsed().is_ok_and(|age| age > ABANDONED) => remove(&path)?,
                _ => {}
            }
        }
        files.sort();
        let mut held: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in files {
            if held + wanted <= self.most_bytes {
                break;
            }
            remove(&path)?;
            held -= size;
        }
        Ok(())
    }
}

/// `O_NOFOLLOW`: a link in the folder is nobody's to follow.
const NO_FOLLOW: i32 = rustix::fs::OFlags::NOFOLLOW.bits() as i32;

/// What makes code of one compiler useless to another: wasmtime's version, its settings, the processor.
fn fingerprint(engine: &Engine) -> String {
    struct Digesting(Sha256);
    impl Hasher for Digesting {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            let digest = self.0.clone().finalize();
            u64::from_be_bytes(*digest.first_chunk().unwrap_or(&[0; 8]))
        }
    }
    let mut hasher = Digesting(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The folder's key; made by whoever comes first.
fn key(folder: &Path) -> io::Result<[u8; 32]> {
    let path = folder.join(KEY);
    if !path.try_exists()? {
        let mut fresh = [0; 32];
        getrandom::fill(&mut fresh).map_err(io::Error::other)?;
        publish(folder, KEY, &[&fresh])?;
    }
    let mut file = OpenOptions::new().read(true).custom_flags(NO_FOLLOW).open(&path)?;
    private(&path, &file.metadata()?)?;
    let mut key = [0; 32];
    file.read_exact(&mut key)?;
    Ok(key)
}

/// Whether nobody but this user can write it, or read it.
fn private(path: &Path, about: &fs::Metadata) -> io::Result<()> {
    let refuse = |problem: &str| {
        let text = format!("{} {problem}; remove it, and it is made anew", path.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
    };
    if about.uid() != rustix::process::geteuid().as_raw() {
        return refuse("belongs to somebody else");
    }
    if about.permissions().mode() & 0o077 != 0 {
        return refuse("is open to others");
    }
    Ok(())
}

/// Removes a file; one that another start has removed is gone as well.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A file appears under its name whole, or not at all; one that is there already stays.
fn publish(folder: &Path, name: &str, parts: &[&[u8]]) -> io::Result<()> {
    let mut unique = [0; 8];
    getrandom::fill(&mut unique).map_err(io::Error::other)?;
    let written = folder.join(format!("{:016x}.{PART}", u64::from_be_bytes(unique)));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&written)?;
        for part in parts {
            file.write_all(part)?;
        }
        match fs::hard_link(&written, folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    };
    let outcome = write();
    let _ = fs::remove_file(&written);
    outcome
}
