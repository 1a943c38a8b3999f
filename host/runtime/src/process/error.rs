//! What can go wrong with a program, typed, with the way out in the message.

use std::path::PathBuf;

/// A program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// The request names a program without its folder.
    #[error(
        "cannot start `{program}`: a program is named by its absolute path; look it up in the operator's PATH first"
    )]
    NotAbsolute {
        /// The program.
        program: PathBuf,
    },
    /// There is no such file.
    #[error("cannot start `{program}`: there is no such file; install it or correct the path")]
    NotFound {
        /// The program.
        program: PathBuf,
    },
    /// The script is there, its interpreter is not.
    #[error("cannot start `{program}`: the interpreter in its first line is not installed")]
    NoInterpreter {
        /// The program.
        program: PathBuf,
    },
    /// The file may not be executed.
    #[error("cannot start `{program}`: permission denied; make the file executable and its folders accessible")]
    NotPermitted {
        /// The program.
        program: PathBuf,
    },
    /// The file is neither a program of this machine nor a script with an interpreter.
    #[error(
        "cannot start `{program}`: it is no program for this machine, and no script whose first line names an interpreter"
    )]
    NotExecutable {
        /// The program.
        program: PathBuf,
    },
    /// Arguments and environment are more than the system takes.
    #[error(
        "cannot start `{program}`: its arguments and environment are {bytes} bytes, more than the system takes; send long text on its stdin"
    )]
    TooLong {
        /// The program.
        program: PathBuf,
        /// Their size.
        bytes: u64,
    },
    /// The folder to start it in is not usable.
    #[error("cannot start `{program}` in `{folder}`: {reason}")]
    Folder {
        /// The program.
        program: PathBuf,
        /// The folder.
        folder: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Another refusal of the system.
    #[error("cannot start `{program}`: {reason}")]
    System {
        /// The program.
        program: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The supervisor itself did not work.
    #[error("cannot start `{program}`: its supervisor `{supervisor}` {reason}")]
    Supervisor {
        /// The program.
        program: PathBuf,
        /// How the supervisor is started.
        supervisor: PathBuf,
        /// What happened to it.
        reason: String,
    },
}

impl SpawnError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAbsolute { .. } => "program-not-absolute",
            Self::NotFound { .. } => "program-not-found",
            Self::NoInterpreter { .. } => "interpreter-not-found",
            Self::NotPermitted { .. } => "program-not-permitted",
            Self::NotExecutable { .. } => "program-not-executable",
            Self::TooLong { .. } => "arguments-too-long",
            Self::Folder { .. } => "folder-unusable",
            Self::System { .. } => "spawn-failed",
            Self::Supervisor { .. } => "supervisor-failed",
        }
    }
}

/// A message could not be written to a program's stdin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// Too much waits already: the program does not read.
    #[error(
        "the program does not read its stdin: {waiting} bytes wait already, this message has {bytes}, the limit is {limit}"
    )]
    QueueFull {
        /// Bytes that wait.
        waiting: u64,
        /// Bytes of this message.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The stdin was closed by us, or the channel has ended.
    #[error("the program's stdin is closed")]
    Closed,
    /// The program closed its stdin, or ended.
    #[error("the program no longer reads its stdin: {reason}")]
    Broken {
        /// The system's words.
        reason: String,
    },
    /// A message of blanks only would be a blank line, which breaks strict programs.
    #[error("a blank message is never written")]
    Blank,
    /// A line end inside: it would be two messages.
    #[error("the message holds a line end at byte {at}: it would be two messages")]
    LineEnd {
        /// Where.
        at: usize,
    },
}

impl WriteError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::QueueFull { .. } => "write-queue-full",
            Self::Closed => "stdin-closed",
            Self::Broken { .. } => "stdin-broken",
            Self::Blank => "message-blank",
            Self::LineEnd { .. } => "message-line-end",
        }
    }
}
