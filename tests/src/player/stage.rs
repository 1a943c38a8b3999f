//! What player and driver say to each other while they play, one JSON line each, over a socket that is theirs alone.
//!
//! It keeps them in step: the driver knows what the program has said by now, and the program ends only when all of that
//! has been looked at. It never carries what the house should carry.

use super::manner::Manner;
use serde::{Deserialize, Serialize};

/// Player to driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum FromPlayer {
    /// A program was started.
    Here {
        /// Its arguments, as the host wrote them.
        arguments: Vec<String>,
    },
    /// It said this on stdout.
    Said {
        /// The line, ids rewritten.
        line: String,
        /// The line of the recording; 0 for one that the player made.
        at: usize,
    },
    /// It said this on stderr.
    Complained {
        /// The line.
        line: String,
    },
    /// It waits at this step.
    At {
        /// The step.
        step: usize,
    },
    /// The host wrote this.
    Heard {
        /// The line.
        line: String,
        /// The step it was awaited at; absent when the recording has no such line.
        step: Option<usize>,
    },
    /// The host closed stdin while this step waited for a line.
    Deserted {
        /// The step.
        step: usize,
    },
}

/// Driver to player.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum ToPlayer {
    /// Play this start of the program.
    Play {
        /// Its number in the recording.
        proc: u32,
        /// Which of its conversations.
        part: usize,
        /// How to say its lines.
        manner: Manner,
        /// Nothing but its handshake is played.
        only_greets: bool,
    },
    /// All has been looked at: end.
    Go,
}
