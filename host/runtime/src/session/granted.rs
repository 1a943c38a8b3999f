//! What an answer grants, read off the options that the provider offered: what the guard of the exchange will let pass.

use jackfield_core::contract::{Answer, Reply, Verdict};
use jackfield_core::event::Request;
use serde_json::Value;

/// What a person or a rule gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Granted {
    /// The thing that was asked may happen.
    pub(super) allows: bool,
    /// Its like may happen, too: rules or modes may change as offered.
    pub(super) always: bool,
    /// The input as the person changed it.
    pub(super) edited_input: Option<Value>,
}

impl Granted {
    pub(super) fn by(request: &Request, answer: &Answer) -> Granted {
        match &answer.reply {
            Reply::Chosen(chosen) => {
                let verdict =
                    request.options.iter().find(|offer| offer.id == chosen.option_id).map(|offer| offer.verdict);
                let always = matches!(verdict, Some(Verdict::AllowSession | Verdict::AllowAlways | Verdict::Unknown));
                Granted {
                    allows: always || matches!(verdict, Some(Verdict::AllowOnce | Verdict::Neutral)),
                    always,
                    edited_input: chosen.input.as_deref().and_then(|input| serde_json::from_str(input).ok()),
                }
            }
            Reply::Filled(_) => Granted { allows: true, ..Granted::default() },
            Reply::Output(_) => Granted { allows: true, ..Granted::default() },
            Reply::Dismissed | Reply::Other(_) => Granted::default(),
        }
    }
}
