//! Exit codes, and which failure has which.

use jackfield_core::contract::FaultKind;
use jackfield_runtime::host::HostError;
use jackfield_runtime::session::AskError;
use std::process::ExitCode;

/// How the program ends. The numbers are part of its interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The run completed; the command did what it should.
    Completed,
    /// The run failed, or the command did.
    Failed,
    /// The command line is wrong.
    Usage,
    /// Refused by policy or for want of a grant; stopped by a limit of the run.
    Refused,
    /// The provider can't be used: its program is missing, does not answer, or its plugin does not load.
    Unavailable,
    /// Stopped by Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Completed => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Refused => 3,
            Exit::Unavailable => 4,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// What `--help` says about them.
pub const HELP: &str = "Exit codes: 0 completed, 1 failed, 2 usage, 3 refused by policy or grants, or stopped by a limit of the run, 4 provider unavailable, 130 interrupted.";

/// A command that could not do its work.
pub struct Failure {
    pub(crate) exit: Exit,
    pub(crate) error: anyhow::Error,
}

/// What a command comes to.
pub type Outcome = Result<Exit, Failure>;

impl Failure {
    /// A wrong command line, found after parsing.
    pub fn usage(text: impl std::fmt::Display) -> Failure {
        Failure { exit: Exit::Usage, error: anyhow::anyhow!("{text}") }
    }

    /// A command that failed for another reason.
    pub fn failed(text: impl std::fmt::Display) -> Failure {
        Failure { exit: Exit::Failed, error: anyhow::anyhow!("{text}") }
    }

    /// True when it is only that nobody reads any more.
    pub fn is_broken_pipe(&self) -> bool {
        let io = self.error.downcast_ref::<std::io::Error>();
        io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// A provider that can't be used.
    pub fn unavailable(text: impl std::fmt::Display) -> Failure {
        Failure { exit: Exit::Unavailable, error: anyhow::anyhow!("{text}") }
    }
}

/// Codes of a provider's program that can't be started.
const NO_PROGRAM: [&str; 3] = ["program-not-found", "program-unusable", "spawn-failed"];

impl From<HostError> for Failure {
    fn from(error: HostError) -> Failure {
        let exit = match &error {
            HostError::Ask(error) => exit_of(error),
            HostError::Load(_) | HostError::Call(_) => Exit::Unavailable,
            HostError::Attached { code, .. } if NO_PROGRAM.contains(code) => Exit::Unavailable,
            HostError::Attached { .. } => Exit::Refused,
            HostError::Instance(_)
            | HostError::NoThread(_)
            | HostError::OtherPlugin { .. }
            | HostError::NoStored { .. }
            | HostError::Folder { .. } => Exit::Usage,
            HostError::Limits(_)
            | HostError::Data { .. }
            | HostError::Store(_)
            | HostError::Lease(_)
            | HostError::NoCursor(_)
            | HostError::NotResumable(_) => Exit::Failed,
        };
        Failure { exit, error: error.into() }
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Failure {
        Failure { exit: exit_of(&error), error: error.into() }
    }
}

fn exit_of(error: &AskError) -> Exit {
    match error {
        AskError::Plugin(_) => Exit::Unavailable,
        AskError::Fault(fault) if fault.code.as_deref().is_some_and(|code| NO_PROGRAM.contains(&code)) => {
            Exit::Unavailable
        }
        AskError::Fault(fault) if matches!(fault.kind, FaultKind::Unsupported | FaultKind::Denied) => Exit::Refused,
        _ => Exit::Failed,
    }
}

impl From<jackfield_runtime::store::StoreError> for Failure {
    fn from(error: jackfield_runtime::store::StoreError) -> Failure {
        Failure { exit: Exit::Failed, error: error.into() }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure { exit: Exit::Failed, error: error.into() }
    }
}
