//! The recorded client's answer to a request, as one of those that our request offers.

use super::dialect::Answer;
use jackfield_core::contract::{Chosen, Filled, Reply, Verdict};
use jackfield_core::event::Request;

/// The answer; none when our request offers nothing like it.
pub fn reply(request: &Request, answer: Answer) -> Option<Reply> {
    let option = |wanted: &[Verdict]| request.options.iter().find(|offer| wanted.contains(&offer.verdict));
    let (option, note, input) = match answer {
        Answer::Filled(pairs) => {
            let filled = pairs.into_iter().map(|(text, value)| {
                let question = request.questions.iter().find(|question| question.text == text)?;
                Some(Filled { question: question.id.clone(), values: vec![value] })
            });
            return filled.collect::<Option<Vec<_>>>().map(Reply::Filled);
        }
        Answer::Allow { edited, rules: false } => {
            (option(&[Verdict::AllowOnce])?, None, edited.map(|input| input.to_string()))
        }
        Answer::Allow { edited, rules: true } => {
            (option(&[Verdict::AllowSession, Verdict::AllowAlways])?, None, edited.map(|input| input.to_string()))
        }
        // Who refuses to answer questions closes them.
        Answer::Deny { .. } if request.options.is_empty() => return Some(Reply::Dismissed),
        Answer::Deny { note, stop: false } => (option(&[Verdict::RejectOnce, Verdict::RejectAlways])?, note, None),
        Answer::Deny { note, stop: true } => (option(&[Verdict::Abort])?, note, None),
    };
    Some(Reply::Chosen(Chosen { option_id: option.id.clone(), note, input }))
}
