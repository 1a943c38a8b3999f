//! Ids that the host mints. Each is a prefix and twenty hexadecimal digits.
//!
//! **The host mints every id; a provider's own id is only a reference in a scope.** Threads and sessions get random ids
//! (the runtime supplies the randomness); everything below a session is derived from its scope, so that the same
//! conversation played twice has the same ids. How a scope becomes an id is said in `identity`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! ids {
    ($( $(#[doc = $doc:literal])+ $name:ident = $prefix:literal; )+) => { $(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// What every id of this kind begins with.
            pub const PREFIX: &'static str = $prefix;
            /// From twenty hexadecimal digits, as `identity::digest` gives them, or from any bytes that the caller knows to be unique.
            pub fn from_digits(digits: &str) -> Self { Self(format!("{}_{digits}", $prefix)) }
            /// The text of an id that was minted before; `None` if it is not one of this kind.
            pub fn parse(text: &str) -> Option<Self> {
                let digits = text.strip_prefix($prefix)?.strip_prefix('_')?;
                (!digits.is_empty() && digits.len() <= 64 && digits.bytes().all(|b| b.is_ascii_alphanumeric())).then(|| Self(text.to_owned()))
            }
            /// The id as text.
            pub fn as_str(&self) -> &str { &self.0 }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
    )+ };
}

ids! {
    /// A conversation of ours.
    ThreadId = "thr";
    /// A plugin at work.
    SessionId = "ses";
    /// One request of the user on a thread.
    RunId = "run";
    /// One try at a run.
    AttemptId = "att";
    /// The provider's own unit inside an attempt, or one it opened by itself.
    TurnId = "trn";
    /// What a person sees.
    ItemId = "itm";
    /// What waits for an answer.
    RequestId = "req";
    /// A subagent or background work.
    TaskId = "tsk";
}
