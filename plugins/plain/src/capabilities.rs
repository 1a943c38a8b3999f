//! What a program can do that knows nothing of us: print, and be stopped.

use jackfield_sdk::prelude::*;

/// The same for every such program. Nothing is told of turns, messages, tools or ids, so the host makes what it needs of the program's beginning
/// and end; `turns.terminal-status-quality` is `none`: an exit code is all there is.
pub fn declared() -> CapabilitySet {
    CapabilitySet::of(&["turns.supports-interrupt", "streaming.streams-assistant-text"], &[])
}
