//! Which of the options that were offered an answer picks. **Whatever is not a clear yes is a no.**

use jackfield_core::contract::{Chosen, Offer, Verdict};
use jackfield_core::event::Request;
use jackfield_core::requests::Reply;

/// The answer that picks this option.
pub fn chosen(offer: &Offer) -> Reply {
    Reply::Chosen(Chosen { option_id: offer.id.clone(), note: None, input: None })
}

/// The mildest refusal that is offered; else the card is closed, which never is consent.
pub fn refusal(request: &Request) -> Reply {
    let mut refusals =
        request.options.iter().filter(|offer| matches!(offer.verdict, Verdict::RejectOnce | Verdict::Abort));
    refusals.next().map_or(Reply::Dismissed, chosen)
}

/// What a person typed: a number, the first letter of what an option does, or its label.
pub fn pick<'a>(options: &'a [Offer], line: &str) -> Option<&'a Offer> {
    let word = line.to_lowercase();
    let verdict = match word.as_str() {
        "y" | "yes" => Some(Verdict::AllowOnce),
        "n" | "no" => Some(Verdict::RejectOnce),
        _ => None,
    };
    let by_number = word.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    by_number
        .or_else(|| options.iter().find(|offer| verdict == Some(offer.verdict)))
        .or_else(|| options.iter().find(|offer| !word.is_empty() && offer.label.to_lowercase() == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(id: &str, verdict: Verdict) -> Offer {
        Offer { id: id.into(), label: id.to_uppercase(), verdict }
    }

    #[test]
    fn a_person_picks_by_number_letter_or_label_and_nothing_else() {
        let options = [
            offer("once", Verdict::AllowOnce),
            offer("always", Verdict::AllowAlways),
            offer("no", Verdict::RejectOnce),
        ];
        let picked = |line: &str| pick(&options, line).map(|offer| offer.id.as_str());
        assert_eq!(picked("1"), Some("once"));
        assert_eq!(picked("y"), Some("once"));
        assert_eq!(picked("N"), Some("no"));
        assert_eq!(picked("always"), Some("always"));
        for wrong in ["", "0", "4", "maybe", "-1", "yess"] {
            assert_eq!(picked(wrong), None, "{wrong}");
        }
        assert_eq!(pick(&[offer("always", Verdict::AllowAlways)], "y").map(|offer| offer.id.as_str()), None);
    }
}
