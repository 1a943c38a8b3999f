//! Finding the descendants of a process, and signalling them without hitting a stranger who got the same number.
//!
//! Double-forked and `setsid` processes are found as well: the supervisor is a subreaper, so an orphan becomes its child.

pub(crate) use system::listens;
pub(super) use system::{Process, descendants, of_session, send};

/// A signal for a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sig {
    Interrupt,
    Terminate,
    Kill,
}

/// Signals every living process of the list; returns how many there were.
pub(super) fn signal_all(processes: &[Process], signal: Sig) -> usize {
    for process in processes {
        send(process, signal);
    }
    processes.len()
}

#[cfg(target_os = "linux")]
mod system {
    use super::Sig;
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
    use std::collections::HashMap;

    /// A living process: its number, and its start time, which tells it from a later one with that number.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in super::super) struct Process {
        pid: i32,
        started: u64,
    }

    struct Stat {
        process: Process,
        parent: i32,
        session: i32,
        alive: bool,
    }

    /// All living processes below this one.
    pub(in super::super) fn descendants(root: u32) -> Vec<Process> {
        let mut children: HashMap<i32, Vec<Stat>> = HashMap::new();
        for stat in all() {
            children.entry(stat.parent).or_default().push(stat);
        }
        let mut found = Vec::new();
        let mut parents = vec![root as i32];
        while let Some(parent) = parents.pop() {
            for child in children.remove(&parent).unwrap_or_default() {
                parents.push(child.process.pid);
                if child.alive {
                    found.push(child.process);
                }
            }
        }
        found
    }

    /// All living processes of a session, whoever their parents are.
    pub(in super::super) fn of_session(session: u32) -> Vec<Process> {
        all().filter(|stat| stat.alive && stat.session == session as i32).map(|stat| stat.process).collect()
    }

    /// Sends a signal, if it is still the same process. A stopped one is woken, so that it can obey.
    pub(in super::super) fn send(process: &Process, signal: Sig) {
        let Some(pid) = Pid::from_raw(process.pid) else { return };
        let signals: &[Signal] = match signal {
            Sig::Interrupt => &[Signal::INT],
            Sig::Terminate => &[Signal::TERM, Signal::CONT],
            Sig::Kill => &[Signal::KILL],
        };
        // The descriptor holds the process; only then is its identity compared. Without pidfds (an old kernel, a strict
        // container) the number alone must do.
        let held = pidfd_open(pid, PidfdFlags::empty()).ok();
        if stat(process.pid).is_none_or(|now| now.process != *process) {
            return;
        }
        for &signal in signals {
            // An error means that it is gone or is not ours to signal; the caller counts who is left.
            let _ = match &held {
                Some(held) => pidfd_send_signal(held, signal),
                None => kill_process(pid, signal),
            };
        }
    }

    /// Whether every listener at this port of this machine is a process below `root`, and there is one; `None` where it can't be told.
    pub(crate) fn listens(root: u32, port: u16) -> Option<bool> {
        let mut sockets = listeners(port, "/proc/net/tcp").ok()?;
        // Without IPv6 there is no such file.
        sockets.extend(listeners(port, "/proc/net/tcp6").unwrap_or_default());
        let held: Vec<String> = descendants(root).iter().flat_map(|process| sockets_of(process.pid)).collect();
        Some(!sockets.is_empty() && sockets.iter().all(|socket| held.contains(socket)))
    }

    /// The sockets that listen at this port, as `socket:[inode]`, in the kernel's table: address, port and state are hexadecimal.
    fn listeners(port: u16, table: &str) -> std::io::Result<Vec<String>> {
        const LISTENING: &str = "0A";
        let text = std::fs::read_to_string(table)?;
        let one = |line: &str| {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let (_, at) = fields.get(1)?.rsplit_once(':')?;
            let here = u16::from_str_radix(at, 16) == Ok(port) && fields.get(3) == Some(&LISTENING);
            here.then(|| fields.get(9).map(|inode| format!("socket:[{inode}]")))?
        };
        Ok(text.lines().filter_map(one).collect())
    }

    fn sockets_of(pid: i32) -> Vec<String> {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let links = open.filter_map(|entry| std::fs::read_link(entry.path()).ok()?.into_os_string().into_string().ok());
        links.filter(|link| link.starts_with("socket:")).collect()
    }

    fn all() -> impl Iterator<Item = Stat> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| stat(entry.file_name().to_str()?.parse().ok()?))
    }

    /// From `/proc/PID/stat`; the program's name in it may hold blanks and parentheses.
    fn stat(pid: i32) -> Option<Stat> {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        let fields: Vec<&str> = text[text.rfind(')')? + 1..].split_ascii_whitespace().collect();
        Some(Stat {
            process: Process { pid, started: fields.get(19)?.parse().ok()? },
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            alive: !matches!(*fields.first()?, "Z" | "X"),
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Sig;
    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
    use std::sync::atomic::{AtomicI32, Ordering};

    /// The program's process group: here there is neither a subreaper nor a way to list descendants.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in super::super) struct Process {
        group: i32,
    }

    /// The group of the one program that a supervisor watches.
    pub(in super::super) static GROUP: AtomicI32 = AtomicI32::new(0);

    pub(in super::super) fn descendants(_root: u32) -> Vec<Process> {
        let group = GROUP.load(Ordering::SeqCst);
        let living = Pid::from_raw(group).is_some_and(|pid| test_kill_process_group(pid).is_ok());
        if living { vec![Process { group }] } else { Vec::new() }
    }

    /// Here it can't be told who listens.
    pub(crate) fn listens(_root: u32, _port: u16) -> Option<bool> {
        None
    }

    pub(in super::super) fn of_session(_session: u32) -> Vec<Process> {
        Vec::new()
    }

    pub(in super::super) fn send(process: &Process, signal: Sig) {
        let Some(group) = Pid::from_raw(process.group) else { return };
        let signal = match signal {
            Sig::Interrupt => Signal::INT,
            Sig::Terminate => Signal::TERM,
            Sig::Kill => Signal::KILL,
        };
        let _ = kill_process_group(group, signal);
    }
}

/// Remembers the program's process group where descendants cannot be listed.
pub(super) fn remember_group(_pid: u32) {
    #[cfg(not(target_os = "linux"))]
    system::GROUP.store(_pid as i32, std::sync::atomic::Ordering::SeqCst);
}
