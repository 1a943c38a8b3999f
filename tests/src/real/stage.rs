//! The stage: everything a real CLI can see or reach is made for one test and gone after it.

use super::setup;
use crate::mock::{Mock, Scripts};
use anyhow::{Context, Result, bail};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A test's own world.
pub struct Stage {
    /// The mock model.
    pub mock: Mock,
    /// The real CLI's name, as `xtask` knows it.
    pub name: String,
    /// The real CLI.
    pub cli: PathBuf,
    /// The workspace: a git repository with one commit.
    pub folder: PathBuf,
    home: PathBuf,
    _scratch: tempfile::TempDir,
}

/// Whether this real CLI is to be driven. Only an explicit word leaves it out.
pub fn wanted(cli: &str) -> bool {
    if std::env::var_os("JACKFIELD_SKIP_REAL").is_some_and(|value| value == "1") {
        eprintln!("NOT DRIVEN: JACKFIELD_SKIP_REAL=1");
        return false;
    }
    let chosen = std::env::var("JACKFIELD_REAL").unwrap_or_default();
    let left_out = !chosen.is_empty() && chosen.split(',').all(|name| name != cli);
    if left_out {
        eprintln!("NOT DRIVEN: JACKFIELD_REAL={chosen}");
    }
    !left_out
}

/// A real CLI's program, installed if it is not there; asked for once per process.
pub fn program(cli: &str) -> Result<PathBuf> {
    static PROGRAMS: Mutex<BTreeMap<String, Result<PathBuf, String>>> = Mutex::new(BTreeMap::new());
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = programs.entry(cli.to_owned()).or_insert_with(|| {
        let ensure = || {
            xtask::real::namespace_works()?;
            xtask::real::ensure(&xtask::root(), xtask::real::find(cli)?)
        };
        ensure().map_err(|error| format!("{error:#}"))
    });
    found.clone().map_err(anyhow::Error::msg)
}

/// Stages at a time, however many threads the tests have: a CLI takes up to 400 MB.
const STAGES: usize = 8;

/// A place among those that play at this time.
struct Place;

static TAKEN: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

impl Place {
    fn take() -> Place {
        let taken = TAKEN.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = TAKEN.1.wait_while(taken, |taken| *taken >= STAGES).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Place
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *TAKEN.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        TAKEN.1.notify_one();
    }
}

/// Plays on a stage of its own, in a thread of its own: a network namespace belongs to a thread and what it starts.
pub fn on_stage(name: &str, play: impl FnOnce(&Stage) -> Result<()> + Send) -> Result<()> {
    let cli = program(name)?;
    let _place = Place::take();
    std::thread::scope(|scope| {
        let actor = scope.spawn(move || {
            loopback_only()?;
            let stage = Stage::build(name, cli)?;
            play(&stage)?;
            let left = stage.left_behind();
            if !left.is_empty() {
                bail!("processes were left behind: {}", left.join("; "));
            }
            Ok(())
        });
        actor.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

impl Stage {
    fn build(name: &str, cli: PathBuf) -> Result<Stage> {
        let scratch = tempfile::Builder::new().prefix("jackfield-stage-").tempdir()?;
        let root = scratch.path().canonicalize()?;
        let (home, folder) = (root.join("home"), root.join("project"));
        let outside = root.join("outside");
        for made in [&home, &folder, &outside, &root.join("tmp")] {
            std::fs::create_dir_all(made)?;
        }
        for name in ["one", "two", "three"] {
            std::fs::write(outside.join(format!("{name}.txt")), format!("this is number {name}\n"))?;
        }
        std::fs::write(folder.join("README.md"), "# project\n\nhello world\n")?;
        let mock = Mock::start(Scripts::standard(&folder.display().to_string())?, 0)?;
        setup::files(name, &home, &mock.url())?;
        let stage = Stage { mock, name: name.to_owned(), cli: cli.canonicalize()?, folder, home, _scratch: scratch };
        for words in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(words).current_dir(&stage.folder);
            let out = stage.dress(&mut git).output().context("git is needed")?;
            anyhow::ensure!(out.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&out.stderr));
        }
        Ok(stage)
    }

    /// Gives a command this stage's environment, and nothing of ours but what was compiled of the plugins.
    pub fn dress<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let compiled = crate::compiled().map(|folder| ("JACKFIELD_COMPILED", folder));
        command.env_clear().envs(self.environment()).envs(compiled)
    }

    /// This stage's environment: its own folders.
    pub fn environment(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.display().to_string();
        let pairs = [
            ("HOME", text(&self.home)),
            ("TMPDIR", text(&self.home.with_file_name("tmp"))),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "dumb".into()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
        ];
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The home of the CLI, where it keeps what is its own.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Where a host that is at work in the test itself keeps its data.
    pub fn data(&self) -> PathBuf {
        self.home.with_file_name("data")
    }

    /// The processes that run the CLI's program.
    pub fn running_clis(&self) -> Vec<Pid> {
        let runs = |pid: &i32| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == self.cli);
        inhabitants().into_iter().filter(runs).map(Pid::from_raw).collect()
    }

    /// What an operator would set so that the CLI talks to the mock model and to nobody else.
    pub fn operator_environment(&self) -> Vec<(String, String)> {
        let mut env = setup::environment(&self.name, &self.mock.url());
        let unpacks = xtask::real::find(&self.name).ok().and_then(|cli| xtask::real::unpacked(&xtask::root(), cli));
        env.extend(unpacks.map(|(variable, folder)| (variable.to_owned(), folder.display().to_string())));
        env
    }

    /// Whether the workspace has this file.
    pub fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    /// Processes that still live in this stage's network, as `pid: command line`. None can have left it unseen.
    pub fn left_behind(&self) -> Vec<String> {
        // The last of a killed tree may need a moment to be gone.
        let deadline = Instant::now() + Duration::from_secs(3);
        loop {
            let left: Vec<String> = inhabitants().iter().map(|pid| format!("{pid}: {}", command_line(*pid))).collect();
            if left.is_empty() || Instant::now() > deadline {
                return left;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for pid in inhabitants() {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// Puts the calling thread into a network of its own and brings its loopback up.
fn loopback_only() -> Result<()> {
    let way_out = "a real CLI is driven only in a network of its own, which needs root and iproute2. \
                   Run the tests as root, or leave the real CLIs out: JACKFIELD_SKIP_REAL=1";
    unshare(CloneFlags::CLONE_NEWNET).context(way_out)?;
    let out = Command::new("ip").args(["link", "set", "lo", "up"]).output().context(way_out)?;
    anyhow::ensure!(out.status.success(), "ip link set lo up: {}. {way_out}", String::from_utf8_lossy(&out.stderr));
    let routes = std::fs::read_to_string("/proc/thread-self/net/route").unwrap_or_default();
    anyhow::ensure!(routes.lines().count() <= 1, "the new network has a way out: {routes}");
    Ok(())
}

/// Processes other than ours in the calling thread's network.
fn inhabitants() -> Vec<i32> {
    let Ok(ours) = std::fs::read_link("/proc/thread-self/ns/net") else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let own = Pid::this().as_raw() == *pid;
        let network = std::fs::read_link(Path::new("/proc").join(pid.to_string()).join("ns/net"));
        // A process without a command line is dead, and only waits for its parent.
        !own && network.is_ok_and(|network| network == ours) && !command_line(*pid).is_empty()
    })
    .collect()
}

fn command_line(pid: i32) -> String {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ").trim().chars().take(160).collect()
}
