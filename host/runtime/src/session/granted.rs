//! What an answer grants, read off the options that the provider offered: what the guard of the exchange will let pass.

use jackfield_core::contract::{Reply, Verdict};
use jackfield_core::event::Request;
use jackfield_core::requests::allows;
use serde_json::Value;

/// What a person or a rule gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Granted {
    /// The thing that was asked may happen.
    pub(super) allows: bool,
    /// It holds for its like, too: rules or modes may change as offered.
    pub(super) always: bool,
    /// The input as the person changed it.
    pub(super) edited_input: Option<Value>,
}

impl Granted {
    /// It allows, and its like from now on.
    pub(super) fn lasts(&self) -> bool {
        self.allows && self.always
    }

    pub(super) fn of(request: &Request, reply: &Reply) -> Granted {
        match reply {
            Reply::Chosen(chosen) => {
                let verdict =
                    request.options.iter().find(|offer| offer.id == chosen.option_id).map(|offer| offer.verdict);
                let lasts = |verdict| {
                    use Verdict::{AllowAlways, AllowSession, RejectAlways, Unknown};
                    matches!(verdict, AllowSession | AllowAlways | RejectAlways | Unknown)
                };
                Granted {
                    allows: verdict.is_some_and(|verdict| allows(verdict) != Some(false)),
                    always: verdict.is_some_and(lasts),
                    edited_input: chosen.input.as_deref().and_then(|input| serde_json::from_str(input).ok()),
                }
            }
            Reply::Filled(_) => Granted { allows: true, ..Granted::default() },
            Reply::Output(_) => Granted { allows: true, ..Granted::default() },
            Reply::Dismissed | Reply::Other(_) => Granted::default(),
        }
    }
}
