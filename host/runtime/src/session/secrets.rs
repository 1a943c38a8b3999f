//! Secrets, filled in behind the plugin's back. Of MCP servers it is given holes, and passes them on; where those of its manifest go the
//! manifest says, and one that only the host and a program of ours must know is made up for the session.
//!
//! **A value is in what is written to the program and nowhere else: not in the journal, a frame, an event, a record.** The hole
//! that a plugin is given has a mark of this session in it, so that a person's or a model's `${secret:NAME}` is never filled.
//! What the program says, a server answers or a file holds is searched for values before anybody has it. Tests: below, and `tests/tests/config.rs`.

use super::SessionStart;
use crate::process::{ChannelEvent, within_json};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jackfield_core::contract::{EffectResult, EffectValue, FrameData, McpServer};
use memchr::memmem;
use std::collections::BTreeMap;

/// A shorter value is a word that stands everywhere: hiding it would spoil what is said and hide nothing.
const HIDDEN_BYTES: usize = 6;

/// The secrets of one session.
#[derive(Default)]
pub(crate) struct Secrets {
    all: Vec<Secret>,
}

struct Secret {
    name: String,
    /// As the operator writes it: `${secret:NAME}`.
    written: String,
    /// As the plugin has it: with the session's mark.
    marked: String,
    /// What stands for the value where it is hidden.
    shown: String,
    value: String,
    /// As it stands within JSON.
    escaped: String,
    /// What is searched for: nothing of a short value, and two forms only where they differ.
    forms: Vec<String>,
}

impl Secrets {
    /// Of this session: what the operator gave, and what is made up because nobody did.
    pub(crate) fn of(start: &SessionStart) -> Secrets {
        let mut values = start.instance.secrets.clone();
        for slot in start.generation.manifest().secret.iter().filter(|slot| slot.minted) {
            values.entry(slot.name.clone()).or_insert_with(|| uuid::Uuid::new_v4().simple().to_string());
        }
        // As it stands in a header it is as good as it is by itself.
        for basic in start.generation.manifest().origin.iter().filter_map(|origin| origin.basic.as_ref()) {
            if let Some(password) = values.get(&basic.secret) {
                let both = basic_of(&basic.user, password);
                values.insert(format!("{} as basic", basic.secret), both);
            }
        }
        if let Some(tap) = &start.instance.tap {
            tap.hide(values.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        }
        Secrets::new(&values, &uuid::Uuid::now_v7().simple().to_string())
    }

    /// A secret by its name.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.all.iter().find(|secret| secret.name == name).map(|secret| secret.value.as_str())
    }

    /// A text of the manifest's with its holes filled; or the name of the secret that nobody gave.
    pub(crate) fn filled_text(&self, template: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, hole)) = rest.split_once("${secret:") {
            let (name, after) = hole.split_once('}').unwrap_or((hole, ""));
            filled.push_str(before);
            filled.push_str(self.value(name).ok_or_else(|| name.to_owned())?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// The answer of a server, or what a file holds, without values.
    pub(crate) fn hide_result(&self, result: &mut EffectResult) {
        match &mut result.outcome {
            Ok(EffectValue::Response(response)) => {
                response.headers.iter_mut().for_each(|(_, value)| self.hide_text(value));
                response.body.iter_mut().for_each(|body| self.hide_data(body));
            }
            Ok(EffectValue::Bytes(part)) => self.cover(&mut part.data),
            Ok(EffectValue::Rows(rows)) => rows.iter_mut().for_each(|row| self.hide_text(row)),
            _ => {}
        }
    }

    /// Of these values, by name; the mark is new for each session.
    pub(crate) fn new(values: &BTreeMap<String, String>, mark: &str) -> Secrets {
        let one = |(name, value): (&String, &String)| {
            let escaped = within_json(value);
            let mut forms = vec![value.clone(), escaped.clone()];
            forms.dedup();
            forms.retain(|_| value.len() >= HIDDEN_BYTES);
            Secret {
                name: name.clone(),
                written: format!("${{secret:{name}}}"),
                marked: format!("${{secret:{name}:{mark}}}"),
                shown: format!("[secret {name}]"),
                value: value.clone(),
                escaped,
                forms,
            }
        };
        let mut all: Vec<Secret> = values.iter().map(one).collect();
        // One that is a part of another must not spoil it.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.value.len()));
        Secrets { all }
    }

    /// The servers as a plugin gets them.
    pub(crate) fn marked(&self, mut servers: Vec<McpServer>) -> Vec<McpServer> {
        let mark = |text: &mut String| {
            for secret in &self.all {
                if text.contains(&secret.written) {
                    *text = text.replace(&secret.written, &secret.marked);
                }
            }
        };
        for server in &mut servers {
            mark(&mut server.address);
            server.args.iter_mut().for_each(mark);
            server.values.iter_mut().for_each(|(_, value)| mark(value));
        }
        servers
    }

    /// A line of JSON with its holes filled.
    pub(crate) fn filled(&self, line: Vec<u8>) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(&line) else { return line };
        let holes = || self.all.iter().filter(|secret| text.contains(&secret.marked));
        if holes().next().is_none() {
            return line;
        }
        holes().fold(text.to_owned(), |text, secret| text.replace(&secret.marked, &secret.escaped)).into_bytes()
    }

    /// What came from a program, without values.
    pub(crate) fn hide(&self, event: &mut ChannelEvent) {
        if self.all.is_empty() {
            return;
        }
        match event {
            ChannelEvent::Frame { data, .. } => self.hide_data(data),
            ChannelEvent::Noise { text, .. } => self.hide_text(text),
            ChannelEvent::Closed { exit, .. } => {
                self.hide_text(&mut exit.stderr_tail);
                exit.fault.iter_mut().for_each(|fault| self.hide_text(&mut fault.message));
            }
            ChannelEvent::TooLarge { .. } | ChannelEvent::StderrDropped { .. } => {}
        }
    }

    fn hide_data(&self, data: &mut FrameData) {
        match data {
            FrameData::Text(text) => self.hide_text(text),
            FrameData::Named((_, text)) => self.hide_text(text),
            FrameData::Bytes(bytes) => self.hide_bytes(bytes),
            FrameData::Other(other) => self.hide_text(&mut other.json),
        }
    }

    fn hide_text(&self, text: &mut String) {
        for (secret, form) in self.hidden() {
            if text.contains(form) {
                *text = text.replace(form, &secret.shown);
            }
        }
    }

    /// A piece of a file keeps its length: the plugin counts its bytes. Of a value that the piece's edge cuts, a part is left.
    fn cover(&self, bytes: &mut [u8]) {
        for (_, form) in self.hidden() {
            let found: Vec<usize> = memmem::find_iter(bytes, form.as_bytes()).collect();
            found.into_iter().for_each(|at| bytes[at..at + form.len()].fill(b'*'));
        }
    }

    /// Values that are searched for, in each form in which they may stand.
    fn hidden(&self) -> impl Iterator<Item = (&Secret, &str)> {
        self.all.iter().flat_map(|secret| secret.forms.iter().map(move |form| (secret, form.as_str())))
    }

    /// Bytes that are no text: a value in them makes them one.
    fn hide_bytes(&self, bytes: &mut Vec<u8>) {
        if self.hidden().any(|(_, form)| memmem::find(bytes, form.as_bytes()).is_some()) {
            let mut text = String::from_utf8_lossy(bytes).into_owned();
            self.hide_text(&mut text);
            *bytes = text.into_bytes();
        }
    }
}

/// What is said when nobody gave a secret to what needs it.
pub(crate) fn missing_secret(who: &str, secret: &str) -> String {
    format!(
        "{who} needs the secret '{secret}', which nobody gave; name the variable that holds it, in the instance: secrets = {{ {secret} = \"MY_VARIABLE\" }}"
    )
}

/// Name and password as HTTP's basic authentication writes them.
pub(super) fn basic_of(user: &str, password: &str) -> String {
    STANDARD.encode(format!("{user}:{password}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jackfield_core::contract::FilePart;

    fn secrets() -> Secrets {
        let values = [("key", "va\"lue-1"), ("long", "va\"lue-1-and-more")];
        Secrets::new(&values.map(|(name, value)| (name.to_owned(), value.to_owned())).into(), "m4rk")
    }

    #[test]
    fn only_a_hole_with_the_sessions_mark_is_filled() {
        let filled = |line: &str| String::from_utf8(secrets().filled(line.into())).unwrap();
        assert_eq!(filled(r#"{"a":"x ${secret:key:m4rk}"}"#), r#"{"a":"x va\"lue-1"}"#);
        for kept in [r#"{"a":"${secret:key}"}"#, r#"{"a":"${secret:other:m4rk}"}"#, r#"{"a":"${secret:key:mark}"}"#] {
            assert_eq!(filled(kept), kept);
        }
    }

    #[test]
    fn what_a_program_says_holds_no_value() {
        let hidden = |text: &str| {
            let mut text = text.to_owned();
            secrets().hide_text(&mut text);
            text
        };
        assert_eq!(hidden(r#"{"a":"va\"lue-1","b":1}"#), r#"{"a":"[secret key]","b":1}"#);
        assert_eq!(hidden(r#"va"lue-1-and-more va"lue-1"#), "[secret long] [secret key]");
        let mut bytes = b"\xff va\"lue-1".to_vec();
        secrets().hide_bytes(&mut bytes);
        assert!(String::from_utf8_lossy(&bytes).ends_with("[secret key]"));
    }

    #[test]
    fn what_a_file_holds_has_no_value_and_is_as_long_as_before() {
        let hidden = |value| {
            let mut result = EffectResult { id: 1, outcome: Ok(value) };
            secrets().hide_result(&mut result);
            result.outcome.unwrap()
        };
        let part = |text: &str| EffectValue::Bytes(FilePart { data: text.into(), size: 100.0 });
        let held = r#"{"a":"va\"lue-1"} va"lue-1-and-more va"lue-1"#;
        assert_eq!(hidden(part(held)), part(r#"{"a":"*********"} ***************** ********"#));
        let rows = vec![r#"[1,"va\"lue-1"]"#.to_owned()];
        assert_eq!(hidden(EffectValue::Rows(rows)), EffectValue::Rows(vec![r#"[1,"[secret key]"]"#.to_owned()]));
    }
}
