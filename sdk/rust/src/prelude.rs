//! All an author needs: `use jackfield_sdk::prelude::*;`.
//!
//! The contract's types are named one by one: the bindings re-export shared types in each interface, so globs would be ambiguous.

pub use crate::bindings::exports::jackfield::provider::adapter::{Caused, Disposition, Input, Output};
pub use crate::bindings::jackfield::provider::capabilities::{Capability, CapabilitySet, CapabilityValue, Descriptor};
pub use crate::bindings::jackfield::provider::commands::{
    Applies, Command, CommandBody, ContextPart, ContextRole, Delivered, Delivery, Folder, Interrupt, ListThreads,
    McpServer, McpTransport, Message, OpResult, OpValue, OpenThread, Point, ReadThread, Role, StartSession, Summarize,
    ThreadList, ToolSpec,
};
pub use crate::bindings::jackfield::provider::effects::{
    ChannelExit, Effect, EffectBody, EffectResult, EffectValue, Entry, FilePart, FilePath, Frame, FrameData,
    HttpRequest, HttpResponse, Pipe, ReadFile, SignalKind, SignalSend, Spawn, SqliteQuery, Write,
};
pub use crate::bindings::jackfield::provider::events::{
    Account, ContextChange, ContextEffect, Event, EventBody, McpState, Plan, PlanStep, RateLimit, Retry, Scope,
    SlashCommand, Task, TaskKind, TurnEnd, TurnStart, Usage, UsageSpan,
};
pub use crate::bindings::jackfield::provider::items::{
    Delta, Item, ItemBody, Location, TextKind, Tool, ToolKind, UserMessage,
};
pub use crate::bindings::jackfield::provider::requests::{
    Answer, Chosen, Filled, Login, Offer, Question, Reply, Request, RequestEnd, Subject, ToolOutput, Verdict,
};
pub use crate::bindings::jackfield::provider::types::{
    Choice, Content, Fault, FaultKind, FileDiff, Level, Media, Note, Numbers, Other, Pairs, Setting, Status, Thread,
    ThreadState, Tick,
};
pub use crate::cx::Cx;
pub use crate::provider::Provider;
