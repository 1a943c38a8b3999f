//! How a run went, as an exit code.

use super::is_of;
use crate::exit::Exit;
use jackfield_core::contract::FaultKind;
use jackfield_core::event::{EventBody, RunStatus, SessionEnd, SessionEvent};
use jackfield_core::id::RunId;
use jackfield_core::run_limits::LIMIT_REACHED;

/// Follows the events of one run.
pub struct Verdict {
    run: RunId,
    ended: Option<RunStatus>,
    refused: bool,
    unavailable: bool,
    session_over: bool,
    begun: bool,
    usage: bool,
    limit: bool,
}

impl Verdict {
    pub fn new(run: RunId) -> Verdict {
        Verdict {
            run,
            ended: None,
            refused: false,
            unavailable: false,
            session_over: false,
            begun: false,
            usage: false,
            limit: false,
        }
    }

    pub fn take(&mut self, event: &SessionEvent) {
        match &event.draft.body {
            EventBody::RunCreated { .. } if is_of(event, &self.run) => self.begun = true,
            // What was said before is about runs and sessions that are over.
            _ if !self.begun => {}
            EventBody::RunEnded { status, reason, fault, .. } if is_of(event, &self.run) => {
                self.limit = reason.as_deref() == Some(LIMIT_REACHED);
                self.ended = Some(*status);
                self.refused |= fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Denied);
            }
            EventBody::SessionEnded { reason, fault, .. } => {
                self.session_over = true;
                self.refused |= fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Denied);
                self.unavailable |= *reason == SessionEnd::StartFailed;
                // A model or mode that there is not: the command line is wrong, not the provider.
                self.usage |= fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Invalid);
            }
            _ => {}
        }
    }

    /// True when nothing more of the run can come.
    pub fn is_final(&self) -> bool {
        self.ended.is_some() || self.session_over
    }

    pub fn exit(&self) -> Exit {
        match self.ended {
            Some(RunStatus::Completed) => Exit::Completed,
            _ if self.limit => Exit::Refused,
            Some(RunStatus::Interrupted | RunStatus::Cancelled) => Exit::Interrupted,
            _ if self.refused => Exit::Refused,
            _ if self.unavailable && self.usage => Exit::Usage,
            _ if self.unavailable => Exit::Unavailable,
            _ => Exit::Failed,
        }
    }
}
