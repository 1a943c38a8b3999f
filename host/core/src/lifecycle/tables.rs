//! The tables. A row is a state and what may follow it; a state without a row does not compile, nor does one with two.

use super::Lifecycle;
use crate::contract::Status;
use crate::event::{Resolution, RunStatus};

/// How far an attempt at a run has come. Nobody is told: it is seen by what begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptStatus {
    /// The plugin has the message; no turn is open for it.
    Handed,
    /// A turn was opened for it.
    AtWork,
    /// Its run has ended, or its message waits again.
    Over,
}

/// How far a request has come. Seen by `request.opened` and `request.resolved`; an answer on its way is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestStatus {
    /// Anybody may answer it.
    Open,
    /// Somebody's answer is on its way to the provider.
    Answering,
    /// Answered.
    Answered,
    /// The provider took it back.
    Withdrawn,
    /// We closed it.
    Dismissed,
    /// Nobody can answer it any more.
    Expired,
    /// The provider refused the answer.
    Failed,
}

impl From<&Resolution> for RequestStatus {
    fn from(resolution: &Resolution) -> Self {
        match resolution {
            Resolution::Answered { .. } => Self::Answered,
            Resolution::Withdrawn => Self::Withdrawn,
            Resolution::Dismissed => Self::Dismissed,
            Resolution::Expired => Self::Expired,
            Resolution::Failed => Self::Failed,
        }
    }
}

/// How far the todo list of a turn is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStatus {
    /// As the provider told it last.
    Shown,
    /// It changed, and that is not shown yet: its progress is not told.
    Held,
    /// Its turn has ended.
    Over,
}

/// What the provider has said of a message that it was given while a turn was open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageStatus {
    /// Nothing.
    Silent,
    /// It waits there.
    Queued,
    /// It opens a turn of its own.
    Opening,
}

macro_rules! table {
    ($(#[$doc:meta])* $life:ident of $word:ident: begins $first:ident $(| $begins:ident)*;
        $($state:ident => $($next:ident),*;)+) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $life {}

        impl Lifecycle for $life {
            type Word = $word;
            const STATES: &'static [$word] = &[$($word::$state),+];
            const BEGINS: &'static [$word] = &[$word::$first $(, $word::$begins)*];
            const FIRST: $word = $word::$first;

            #[deny(unreachable_patterns)]
            fn next(state: $word) -> &'static [$word] {
                match state {
                    $($word::$state => &[$($word::$next),*],)+
                }
            }
        }
    };
}

table! {
    /// A person's message and what comes of it.
    Run of RunStatus: begins Queued;
    // One that joins another one's turn, or is refused, ends where it waits.
    Queued => Starting, Completed, Failed, Cancelled;
    // One that came too late waits again.
    Starting => Queued, Running, Waiting, Completed, Interrupted, Failed, Cancelled;
    Running => Waiting, Completed, Interrupted, Failed, Cancelled;
    // It waits for an answer, before its turn is told or in it.
    Waiting => Starting, Running, Completed, Interrupted, Failed, Cancelled;
    // What has ended may be taken back, whole.
    Completed => RolledBack;
    Interrupted => RolledBack;
    Failed => RolledBack;
    Cancelled => RolledBack;
    RolledBack => ;
}

table! {
    /// A try at a run: one turn at most is opened for it.
    Attempt of AttemptStatus: begins Handed;
    Handed => AtWork, Over;
    AtWork => Over;
    Over => ;
}

table! {
    /// The provider's turn. It is told when it begins; whether anything waits in it, its run says.
    Turn of Status: begins Running;
    Running => Completed, Failed, Interrupted, Cancelled, Unknown;
    Completed => ;
    Failed => ;
    Interrupted => ;
    Cancelled => ;
    Unknown => ;
    // No turn comes here.
    Pending => ;
    Waiting => ;
    Declined => ;
    Retracted => ;
}

table! {
    /// What a person sees. What a person said is whole at once.
    Item of Status: begins Running | Pending | Waiting | Completed;
    // What has begun is pending no more.
    Pending => Running, Waiting, Completed, Failed, Declined, Interrupted, Cancelled, Retracted, Unknown;
    Running => Waiting, Completed, Failed, Declined, Interrupted, Cancelled, Retracted, Unknown;
    Waiting => Running, Completed, Failed, Declined, Interrupted, Cancelled, Retracted, Unknown;
    Completed => ;
    Failed => ;
    Declined => ;
    Interrupted => ;
    Cancelled => ;
    Retracted => ;
    Unknown => ;
}

table! {
    /// A node: a subagent, or other work that may outlive its turn. One that is told is at work.
    Task of Status: begins Running;
    Running => Waiting, Completed, Failed, Declined, Interrupted, Cancelled, Retracted, Unknown;
    Waiting => Running, Completed, Failed, Declined, Interrupted, Cancelled, Retracted, Unknown;
    Completed => ;
    Failed => ;
    Declined => ;
    Cancelled => ;
    Retracted => ;
    // Both may have been inferred (the roster no longer had it; its turn was interrupted): the provider's own word comes late.
    Interrupted => Completed, Failed, Declined, Cancelled, Retracted;
    Unknown => Completed, Failed, Declined, Interrupted, Cancelled, Retracted;
    // No task comes here.
    Pending => ;
}

table! {
    /// What waits for an answer.
    Request of RequestStatus: begins Open;
    // The provider may say that it was answered elsewhere.
    Open => Answering, Answered, Withdrawn, Dismissed, Expired, Failed;
    // An answer that could not be written leaves it open.
    Answering => Open, Answered, Withdrawn, Dismissed, Expired, Failed;
    Answered => ;
    Withdrawn => ;
    Dismissed => ;
    Expired => ;
    Failed => ;
}

table! {
    /// The todo list of a turn. The first is shown.
    Plan of PlanStatus: begins Shown;
    Shown => Held, Over;
    Held => Shown, Over;
    Over => ;
}

table! {
    /// A step of a todo list. The list is told whole each time, and a step begins as it is told there; what the host changes is a
    /// step at work that its turn leaves behind.
    Step of Status:
        begins Pending | Running | Waiting | Completed | Failed | Declined | Interrupted | Cancelled | Retracted | Unknown;
    Running => Interrupted, Unknown;
    Pending => ;
    Waiting => ;
    Completed => ;
    Failed => ;
    Declined => ;
    Interrupted => ;
    Cancelled => ;
    Retracted => ;
    Unknown => ;
}

table! {
    /// A message that the provider has while it is not known what becomes of it.
    Message of MessageStatus: begins Silent;
    Silent => Queued, Opening;
    Queued => Opening;
    Opening => ;
}
