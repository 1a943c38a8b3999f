//! Transcripts that are files of rows: which file is whose, and the rows of one page. What a row says is its dialect's.

use jackfield_sdk::past::{self, Archive, Back, Facts, Found, Place, Side, Told, World};
use jackfield_sdk::tolerant;
use serde_json::{Map, Value};
use std::cmp::Ordering;

use super::retold::Retold;
use super::{History, Rows, copilot, gemini};
use crate::data::Data;

/// The files of one agent.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub history: History,
    pub data: Data,
}

impl Archive for Kept {
    type Rows = Page;

    fn places(&self, _: Option<&str>) -> Vec<Place> {
        vec![Place::new(&*self.history.root, &*self.history.files)]
    }

    fn thread(&self, path: &str) -> Option<String> {
        match self.history.rows {
            Rows::Copilot => copilot::thread(path),
            Rows::Gemini => gemini::thread(path),
            Rows::Opencode => None,
        }
    }

    fn group<'a>(&self, path: &'a str) -> Option<&'a str> {
        match self.history.rows {
            Rows::Gemini => Some(path.split_once('/')?.0),
            _ => None,
        }
    }

    async fn beside(&self, world: &World, found: &Found, facts: &mut Facts) {
        match self.history.rows {
            Rows::Copilot => copilot::beside(world, found, facts).await,
            Rows::Gemini => gemini::beside(world, found, facts).await,
            Rows::Opencode => {}
        }
    }

    fn learn(&self, facts: &mut Facts, row: &str, side: Side) {
        let Some(row) = read(row) else { return };
        let said = match self.history.rows {
            Rows::Copilot => copilot::learn(facts, &row),
            Rows::Gemini => gemini::learn(facts, &row),
            Rows::Opencode => None,
        };
        if let Some(words) = said {
            facts.listed = true;
            if side == Side::Head {
                facts.begins_with(words);
            }
        }
    }

    fn cursor(&self, cursor: &str) -> (String, Option<String>) {
        match self.history.rows {
            Rows::Gemini => (gemini::short(cursor), None),
            _ => (cursor.to_owned(), None),
        }
    }

    fn by_what_counts(&self, one: &Found, other: &Found) -> Ordering {
        match self.history.rows {
            Rows::Gemini => gemini::by_what_counts(one, other),
            _ => one.path.cmp(&other.path),
        }
    }

    fn id(&self, cursor: &str) -> String {
        cursor.to_owned()
    }

    fn rows(&self, _: &str, mark: Option<&str>) -> Page {
        let state = mark.map(gemini::State::marked).unwrap_or_default();
        Page { rows: self.history.rows, state, retold: Retold::new(self.data.clone()) }
    }
}

/// A line as a row; nothing when it is no JSON object.
fn read(row: &str) -> Option<Value> {
    tolerant::object::<Map<String, Value>>(row).map(Value::Object)
}

/// The rows of one page.
pub(super) struct Page {
    rows: Rows,
    state: gemini::State,
    retold: Retold,
}

impl past::Rows for Page {
    fn back(&mut self, row: &past::Row<'_>) -> Back {
        let Some(row) = read(row.text) else { return Back::unreadable() };
        match self.rows {
            Rows::Copilot => copilot::back(&row),
            Rows::Gemini => gemini::back(&mut self.state, &row),
            Rows::Opencode => Back::skip(),
        }
    }

    fn mark(&self) -> String {
        self.state.mark()
    }

    fn tell(&mut self, row: &str, told: &mut Told) {
        let Some(row) = read(row) else { return };
        told.at(row["timestamp"].as_str());
        match self.rows {
            Rows::Copilot => copilot::tell(&mut self.retold, &row, told),
            Rows::Gemini => gemini::tell(&mut self.retold, &row, told),
            Rows::Opencode => {}
        }
    }
}
