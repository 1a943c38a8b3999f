//! What was compiled is kept and taken again, by the same compiler, for the same bytes, unchanged; on any doubt it is compiled anew.

mod guest;

use guest::{Guest, tick};
use jackfield_core::limits::Limits;
use jackfield_sandbox::{CompiledFolder, Engine, Generation, Origin};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MOST: u64 = 64 * 1024 * 1024;

fn load(folder: &Path, limits: &Limits, bytes: &[u8]) -> Generation {
    let folder = CompiledFolder::open(folder, limits.compiled_bytes).unwrap();
    Engine::new(Arc::new(limits.clone())).unwrap().keeping(folder).load(bytes).unwrap()
}

fn limits() -> Limits {
    Limits { compiled_bytes: MOST, ..Limits::default() }
}

fn kept(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut kept: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "compiled")).collect();
    kept.sort();
    kept
}

fn doubt(generation: &Generation) -> &str {
    match generation.origin() {
        Origin::Doubted(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_was_compiled_is_taken_again_and_works() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("compiled");
    let bytes = Guest::good("kept").build();
    let first = load(&folder, &limits(), &bytes);
    let second = load(&folder, &limits(), &bytes);
    assert_eq!((first.origin(), second.origin()), (&Origin::Compiled, &Origin::Kept));
    assert_eq!((first.digest(), first.descriptor()), (second.digest(), second.descriptor()));
    let mut session = second.session().await.unwrap();
    assert!(session.handle(tick(1), vec![]).await.unwrap().is_empty());
    for path in kept(&folder).iter().chain([&folder, &folder.join("key")]) {
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn another_plugin_and_another_compiler_have_files_of_their_own() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("compiled");
    let bytes = Guest::good("one").build();
    load(&folder, &limits(), &bytes);
    assert_eq!(load(&folder, &limits(), &Guest::good("other").build()).origin(), &Origin::Compiled);
    let other = Limits { guest_stack_bytes: limits().guest_stack_bytes / 2, ..limits() };
    // The stack is no matter of the code; the same compiler is said to be the same.
    assert_eq!(load(&folder, &other, &bytes).origin(), &Origin::Kept);
    // A file put under another name is not what that name promises.
    let files = kept(&folder);
    assert_eq!(files.len(), 2);
    std::fs::remove_file(&files[1]).unwrap();
    std::fs::copy(&files[0], &files[1]).unwrap();
    let (one, two) = (load(&folder, &limits(), &bytes), load(&folder, &limits(), &Guest::good("other").build()));
    let origins = [one.origin(), two.origin()];
    assert!(origins.contains(&&Origin::Kept), "{origins:?}");
    assert!(
        origins
            .iter()
            .any(|origin| matches!(origin, Origin::Doubted(reason) if reason.contains("not those that were written"))),
        "{origins:?}"
    );
}

/// Every byte counts: magic, HMAC, code, length.
#[test]
fn a_changed_byte_means_compiling_anew_and_the_next_start_is_quick_again() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("compiled");
    let bytes = Guest::good("changed").build();
    load(&folder, &limits(), &bytes);
    let path = kept(&folder).remove(0);
    let good = std::fs::read(&path).unwrap();
    let places = [0, 27, 28, 59, 60, good.len() / 2, good.len() - 1];
    let changed = places.map(|place| {
        let mut bad = good.clone();
        bad[place] ^= 1;
        bad
    });
    let cut = [good[..good.len() - 1].to_vec(), good[..40].to_vec(), Vec::new()];
    let longer = [good.iter().copied().chain([0]).collect::<Vec<u8>>()];
    for bad in changed.into_iter().chain(cut).chain(longer) {
        std::fs::write(&path, &bad).unwrap();
        doubt(&load(&folder, &limits(), &bytes));
        assert_eq!(load(&folder, &limits(), &bytes).origin(), &Origin::Kept);
    }
}

#[test]
fn a_link_another_key_and_a_file_that_is_open_to_others_are_doubted() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("compiled");
    let bytes = Guest::good("doubted").build();
    load(&folder, &limits(), &bytes);
    let path = kept(&folder).remove(0);

    let elsewhere = scratch.path().join("elsewhere");
    std::fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    doubt(&load(&folder, &limits(), &bytes));
    assert!(elsewhere.exists() && !std::fs::symlink_metadata(&path).unwrap().is_symlink());

    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o622)).unwrap();
    assert!(doubt(&load(&folder, &limits(), &bytes)).contains("open to others"));

    std::fs::write(folder.join("key"), [7; 32]).unwrap();
    assert!(doubt(&load(&folder, &limits(), &bytes)).contains("not those that were written"));
}

#[test]
fn a_folder_that_others_can_enter_is_refused_and_says_so() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::set_permissions(scratch.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let error = CompiledFolder::open(scratch.path(), MOST).unwrap_err();
    assert!(error.to_string().contains("open to others"), "{error}");
}

#[test]
fn the_one_used_longest_ago_makes_room_and_what_never_fits_is_not_kept() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("compiled");
    let plugins = ["first", "second", "third"].map(|name| Guest::good(name).build());
    load(&folder, &limits(), &plugins[0]);
    let size = std::fs::metadata(&kept(&folder)[0]).unwrap().len();
    let two = Limits { compiled_bytes: size * 5 / 2, ..limits() };
    load(&folder, &two, &plugins[1]);
    // Used again: the second one is now the older.
    assert_eq!(load(&folder, &two, &plugins[0]).origin(), &Origin::Kept);
    load(&folder, &two, &plugins[2]);
    assert_eq!(kept(&folder).len(), 2);
    assert_eq!(load(&folder, &two, &plugins[0]).origin(), &Origin::Kept);
    assert_eq!(load(&folder, &two, &plugins[1]).origin(), &Origin::Compiled);
    let none = Limits { compiled_bytes: size / 2, ..limits() };
    assert!(doubt(&load(&folder, &none, &Guest::good("fourth").build())).contains("more than"));
}

/// Hosts that make room in the same folder at once: what one has removed is gone for the other, too.
#[test]
fn who_makes_room_at_once_is_not_disturbed() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("compiled");
    let plugins = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| Guest::good(name).build());
    load(&folder, &limits(), &plugins[0]);
    let size = std::fs::metadata(&kept(&folder)[0]).unwrap().len();
    let one = Limits { compiled_bytes: size * 3 / 2, ..limits() };
    std::thread::scope(|scope| {
        for bytes in &plugins {
            let (folder, one) = (&folder, &one);
            scope.spawn(move || assert!(!matches!(load(folder, one, bytes).origin(), Origin::Doubted(_))));
        }
    });
}

/// A host that was killed while it wrote leaves a part; one that is being written stays.
#[test]
fn what_nobody_finished_is_removed() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("compiled");
    load(&folder, &limits(), &Guest::good("first").build());
    let [old, new] = ["old.part", "new.part"].map(|name| folder.join(name));
    for part in [&old, &new] {
        std::fs::write(part, "half").unwrap();
    }
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 60 * 60);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    load(&folder, &limits(), &Guest::good("second").build());
    assert_eq!((old.exists(), new.exists()), (false, true));
}

/// Many hosts that start at once: each gets its plugin, and one file is left.
#[test]
fn starts_at_once_do_not_disturb_each_other() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("compiled");
    let bytes = Guest::good("at-once").build();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert!(!matches!(load(&folder, &limits(), &bytes).origin(), Origin::Doubted(_))));
        }
    });
    assert_eq!(kept(&folder).len(), 1);
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
