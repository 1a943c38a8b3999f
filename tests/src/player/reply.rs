//! The recorded client's answer to a request, as one of those that our request offers.

use super::dialect::Answer;
use jackfield_core::contract::{Chosen, Filled, Question, Reply, ToolOutput, Verdict};
use jackfield_core::event::Request;

/// The answer; none when our request offers nothing like it.
pub fn reply(request: &Request, answer: Answer) -> Option<Reply> {
    let offered = |wanted: &[Verdict]| request.options.iter().find(|offer| wanted.contains(&offer.verdict));
    let (option, note, input) = match answer {
        Answer::Filled(pairs) => {
            let filled = pairs.into_iter().map(|(text, value)| {
                let asks = |question: &&Question| question.text == text || question.id == text;
                let question = request.questions.iter().find(asks)?;
                Some(Filled { question: question.id.clone(), values: vec![value] })
            });
            return filled.collect::<Option<Vec<_>>>().map(Reply::Filled);
        }
        Answer::Output { content, failed } => return Some(Reply::Output(ToolOutput { content, failed })),
        Answer::Option { id, .. } => (request.options.iter().find(|offer| offer.id == id)?, None, None),
        Answer::Allow { edited, rules: false } => {
            (offered(&[Verdict::AllowOnce])?, None, edited.map(|input| input.to_string()))
        }
        Answer::Allow { edited, rules: true } => {
            (offered(&[Verdict::AllowSession, Verdict::AllowAlways])?, None, edited.map(|input| input.to_string()))
        }
        // Who refuses to answer questions closes them.
        Answer::Deny { .. } if request.options.is_empty() => return Some(Reply::Dismissed),
        Answer::Deny { note, stop: false } => (offered(&[Verdict::RejectOnce, Verdict::RejectAlways])?, note, None),
        Answer::Deny { note, stop: true } => (offered(&[Verdict::Abort])?, note, None),
    };
    Some(Reply::Chosen(Chosen { option_id: option.id.clone(), note, input }))
}
