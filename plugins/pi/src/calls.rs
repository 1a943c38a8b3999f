//! What we asked of the program and what its answer is for.
//!
//! Commands are handled at once and beside each other: **what must come after another is written when that was answered.** The program
//! leaves the id out where it does not know the command; the oldest open call of that name is meant then.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What an answer is for.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    /// The handshake.
    Opened,
    /// Which models there are.
    Models,
    /// Which commands there are.
    Commands,
    /// How many messages of the person's a resumed conversation has.
    Counted,
    /// A message, by its command.
    Message(u32),
    /// Whether a message that starts nothing is through.
    Handled(u32),
    /// The end of the turn.
    Abort(u32),
    /// Whether an end was the end.
    Settled,
    /// What became of messages that no turn took in.
    Left,
    /// A choice of a setting.
    Chosen,
    /// A shorter context.
    Compact(u32),
    /// A new conversation in place of this one, and its id.
    New(u32),
    Renewed(u32),
    /// The places to go back to, the way back, and the new id; how many messages stay.
    Points(u32, usize),
    Back(u32, usize),
    Parted(u32, usize),
    /// The same in a program that makes a copy, by its channel.
    Copy(u32, CopyStep),
}

/// How far a copy is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CopyStep {
    Opened,
    Points,
    Made,
    Told,
}

/// Calls that are not answered.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    number: u64,
    open: BTreeMap<u64, (String, Call)>,
    /// Writes on their way, by effect.
    writes: BTreeMap<u32, u64>,
}

impl Calls {
    /// Asks the program: `command` with these fields.
    pub(crate) fn ask(&mut self, cx: &mut Cx, channel: u32, command: &str, mut fields: Value, call: Call) {
        self.number += 1;
        fields["id"] = json!(format!("jackfield-{}", self.number));
        fields["type"] = json!(command);
        let effect = cx.write_json(channel, &fields);
        self.open.insert(self.number, (command.to_owned(), call));
        self.writes.insert(effect, self.number);
    }

    /// What this answer is for; none when we did not ask.
    pub(crate) fn answered(&mut self, id: Option<&str>, command: &str) -> Option<Call> {
        let number = match id {
            Some(id) => id.strip_prefix("jackfield-")?.parse().ok()?,
            None => *self.open.iter().find(|(_, (name, _))| name == command)?.0,
        };
        self.open.remove(&number).map(|(_, call)| call)
    }

    /// A write is through: what will not be answered, and why, when it broke.
    pub(crate) fn written(&mut self, effect: u32, outcome: Result<EffectValue, Fault>) -> Option<(Call, Fault)> {
        let number = self.writes.remove(&effect)?;
        let fault = outcome.err()?;
        self.open.remove(&number).map(|(_, call)| (call, fault))
    }

    /// The program of this channel ended. Copies have channels of their own.
    pub(crate) fn lost(&mut self, copy: Option<u32>) {
        self.open.retain(|_, (_, call)| match (call, copy) {
            (Call::Copy(channel, _), Some(copy)) => *channel != copy,
            (Call::Copy(..), None) => true,
            (_, Some(_)) => true,
            (_, None) => false,
        });
    }
}
