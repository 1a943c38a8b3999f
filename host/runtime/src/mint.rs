//! Ids and seeds that follow from the thread: the same thread played again has the same ones.

use jackfield_core::id::{RunId, SessionId, ThreadId};
use jackfield_core::identity::digest;

/// The id of a thread's n-th run.
pub(crate) fn run(thread: &ThreadId, ordinal: u32) -> RunId {
    RunId::from_digits(&digest(&["run", thread.as_str(), &ordinal.to_string()]))
}

/// The id of a thread's session in this epoch.
pub(crate) fn session(thread: &ThreadId, epoch: u32) -> SessionId {
    SessionId::from_digits(&digest(&["session", thread.as_str(), &epoch.to_string()]))
}

/// The plugin's only source of randomness: 32 hexadecimal digits.
pub(crate) fn seed(session: &SessionId, epoch: u32) -> String {
    let half = |which: &str| digest(&["seed", which, session.as_str(), &epoch.to_string()]);
    let mut seed = half("a") + &half("b");
    seed.truncate(32);
    seed
}

/// A UUID for a message, of the random kind's shape.
pub(crate) fn message_uuid(run: &RunId) -> String {
    let digits = digest(&["message", "a", run.as_str()]) + &digest(&["message", "b", run.as_str()]);
    format!("{}-{}-4{}-8{}-{}", &digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..32])
}

/// A UUID for the same message, given again by this command.
pub(crate) fn message_uuid_again(run: &RunId, op: u32) -> String {
    message_uuid(&RunId::from_digits(&digest(&["again", run.as_str(), &op.to_string()])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_the_thread() {
        let thread = ThreadId::from_digits("0123456789");
        assert_eq!(run(&thread, 1), run(&thread, 1));
        assert_ne!(run(&thread, 1), run(&thread, 2));
        let first = session(&thread, 0);
        assert_ne!(seed(&first, 0), seed(&first, 1));
        assert_eq!(seed(&first, 0).len(), 32);
        assert!(uuid::Uuid::parse_str(&message_uuid(&run(&thread, 1))).is_ok());
    }
}
