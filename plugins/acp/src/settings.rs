//! Modes, models and config options of a conversation, as settings. An agent that tells one thing twice (a mode, and a config option of
//! category `mode`) has it once here.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::data::Data;
use crate::wire::{ConfigChoice, ConfigOption, Opened};

/// The settings that a conversation has.
#[derive(Debug, Default)]
pub(crate) struct Settings(Vec<Known>);

#[derive(Debug)]
struct Known {
    setting: Setting,
    way: Way,
}

/// How a setting is chosen.
#[derive(Debug, Clone, PartialEq)]
enum Way {
    Mode,
    Model,
    /// A config option, by its id; whether it is a switch.
    Config(String, bool),
}

impl Settings {
    /// Takes over what the agent tells when a conversation is opened.
    pub(crate) fn offer(&mut self, data: &Data, opened: Opened) {
        self.0.clear();
        for option in opened.config_options.unwrap_or_default() {
            self.push(data, of_option(option));
        }
        if let Some(modes) = opened.modes {
            let choices = modes.available_modes.into_iter().map(|mode| choice(mode.id, mode.name, mode.description));
            let setting = Setting { value: modes.current_mode_id, ..Setting::new("mode", "Mode", choices.collect()) };
            self.push(data, Known { setting, way: Way::Mode });
        }
        if let Some(models) = opened.models {
            let choices =
                models.available_models.into_iter().map(|model| choice(model.model_id, model.name, model.description));
            let setting =
                Setting { value: models.current_model_id, ..Setting::new("model", "Model", choices.collect()) };
            self.push(data, Known { setting, way: Way::Model });
        }
    }

    /// Takes over the config options, whole: what is told of modes and models otherwise stays.
    pub(crate) fn offer_options(&mut self, data: &Data, options: Vec<ConfigOption>) {
        let others = std::mem::take(&mut self.0).into_iter().filter(|known| !matches!(known.way, Way::Config(..)));
        let others: Vec<Known> = others.collect();
        options.into_iter().for_each(|option| self.push(data, of_option(option)));
        others.into_iter().for_each(|known| self.push(data, known));
    }

    fn push(&mut self, data: &Data, mut known: Known) {
        let name = known.setting.name.clone();
        if self.0.iter().any(|other| other.setting.name == name) {
            // Two options of one category keep their own ids; what has no id of its own is there already.
            match &known.way {
                Way::Config(id, _) if *id != name => known.setting.name.clone_from(id),
                _ => return,
            }
        }
        known.setting.choices.retain(|choice| !data.withholds(&known.setting.name, &choice.value));
        if known.setting.name == "mode" {
            for choice in &mut known.setting.choices {
                let asks = data.asks.get(&choice.value).filter(|_| choice.extra.is_empty());
                choice.extra.extend(asks.map(|asks| ("asks".to_owned(), asks.clone())));
            }
        }
        self.0.push(known);
    }

    pub(crate) fn to_settings(&self) -> Vec<Setting> {
        self.0.iter().map(|known| known.setting.clone()).collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.setting.name == name)
    }

    /// Takes over a value in force; true when it changed.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> bool {
        let Some(known) = self.0.iter_mut().find(|known| known.setting.name == name) else { return false };
        let changed = known.setting.value.as_deref() != Some(value);
        known.setting.value = Some(value.to_owned());
        changed
    }

    /// The call that chooses a value, and the value as the agent calls it; `None` when it is in force. A person may write a
    /// choice's name, or the end of an address.
    pub(crate) fn call(
        &self,
        data: &Data,
        name: &str,
        value: &str,
    ) -> Result<Option<(&'static str, Value, String)>, Fault> {
        let label = &data.label;
        let Some(known) = self.0.iter().find(|known| known.setting.name == name) else {
            let names: Vec<&str> = self.0.iter().map(|known| known.setting.name.as_str()).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(Fault::new(FaultKind::Invalid, format!("{label} has no setting `{name}`. Settings: {names}.")));
        };
        let choices = &known.setting.choices;
        let exact = choices.iter().find(|choice| choice.value == value);
        let address = format!("#{value}");
        let near = |choice: &&Choice| choice.label.eq_ignore_ascii_case(value) || choice.value.ends_with(&address);
        let mut close = choices.iter().filter(near);
        let value = match (exact, close.next(), close.next()) {
            (Some(choice), ..) | (None, Some(choice), None) => choice.value.clone(),
            _ if data.withholds(name, value) => {
                let text = format!("`{value}` is not offered here: {label} would ask nobody any more.");
                return Err(Fault::new(FaultKind::Denied, text));
            }
            _ if choices.is_empty() => value.to_owned(),
            _ => {
                let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
                let text = format!("`{value}` is no {name} of {label}. Choose one of: {}.", values.join(", "));
                return Err(Fault::new(FaultKind::Invalid, text));
            }
        };
        if known.setting.value.as_deref() == Some(&value) {
            return Ok(None);
        }
        Ok(Some(match &known.way {
            Way::Mode => ("session/set_mode", json!({"modeId": value}), value),
            Way::Model => ("session/set_model", json!({"modelId": value}), value),
            Way::Config(id, true) => {
                let on = value == "true";
                ("session/set_config_option", json!({"configId": id, "type": "boolean", "value": on}), value)
            }
            Way::Config(id, false) => ("session/set_config_option", json!({"configId": id, "value": value}), value),
        }))
    }
}

fn of_option(option: ConfigOption) -> Known {
    let name = match option.category.as_deref() {
        Some("mode") => "mode",
        Some("model") => "model",
        Some("thought_level") => "effort",
        _ => option.id.as_str(),
    };
    let switch = option.kind == "boolean";
    let choices = if switch {
        vec![Choice::new("true", "On"), Choice::new("false", "Off")]
    } else {
        option.options.into_iter().flat_map(flat).collect()
    };
    let value = match &option.current_value {
        Value::String(value) => Some(value.clone()),
        Value::Bool(on) => Some(on.to_string()),
        _ => None,
    };
    let setting = Setting { value, ..Setting::new(name, &option.name, choices) };
    Known { setting, way: Way::Config(option.id.clone(), switch) }
}

/// The choices of a choice: itself, or those of its group.
fn flat(told: ConfigChoice) -> Vec<Choice> {
    match told.value {
        Some(value) => vec![choice(value, told.name, told.description)],
        None => told.options.into_iter().flat_map(flat).collect(),
    }
}

fn choice(value: String, name: String, description: Option<String>) -> Choice {
    let label = if name.is_empty() { value.clone() } else { name };
    Choice { description, ..Choice::new(value, label) }
}
