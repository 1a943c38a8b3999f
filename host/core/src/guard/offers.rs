//! What a request offers, and what an answer picks of it. **What was not offered allows, and for good: it passes only where somebody
//! decided just that.** Tests: `tests.rs`.

use crate::manifest::OfferShape;
use serde_json::Value;
use std::collections::BTreeMap;

/// More options than this are no question to a person; those beyond count as not offered.
const MOST: usize = 64;

/// The options of one request, by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Offers(BTreeMap<String, Picked>);

/// What picking an option does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Picked {
    /// It refuses.
    pub refuses: bool,
    /// It holds longer than once.
    pub lasts: bool,
}

impl Offers {
    /// Reads them off a request.
    pub(super) fn read(shape: &OfferShape, request: &Value) -> Self {
        let list = request.pointer(&shape.list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut offers = BTreeMap::new();
        for option in list.iter().take(MOST) {
            let word = |pointer: &str| option.pointer(pointer).and_then(Value::as_str);
            let Some(id) = word(&shape.id) else { continue };
            let is_of =
                |kinds: &[String]| word(&shape.kind).is_some_and(|kind| kinds.iter().any(|known| known == kind));
            let new = Picked { refuses: is_of(&shape.refuse), lasts: !is_of(&shape.once) };
            // Two options with one id: the provider may take either.
            let picked = offers.entry(id.to_owned()).or_insert(new);
            *picked = Picked { refuses: picked.refuses && new.refuses, lasts: picked.lasts || new.lasts };
        }
        Offers(offers)
    }

    /// What an answer picks that has this where the id stands.
    pub(super) fn picked(&self, id: &Value) -> Picked {
        let known = id.as_str().and_then(|id| self.0.get(id));
        known.copied().unwrap_or(Picked { refuses: false, lasts: true })
    }
}
