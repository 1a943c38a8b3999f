//! Model and mode (OpenCode's agent): what is chosen, what is offered, what is in force. Both go along with each message.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::wire::{Agent, Providers};

/// The settings of a session.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    model: Option<String>,
    mode: Option<String>,
    chosen_model: Chosen,
    chosen_mode: Chosen,
    models: Vec<Choice>,
    modes: Vec<Choice>,
}

/// Whether a value was chosen here, and not only told.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Chosen {
    #[default]
    No,
    /// No message has taken it along: what is told now is of an earlier one.
    Since,
    /// It went along with a message.
    Sent,
}

impl Settings {
    /// Takes over choices: all of them, or none when one is refused.
    pub(crate) fn choose(&mut self, choices: &Pairs) -> Result<(), Fault> {
        choices.iter().try_for_each(|(name, value)| self.check(name, value))?;
        for (name, value) in choices {
            let (slot, chosen) = match name.as_str() {
                "model" => (&mut self.model, &mut self.chosen_model),
                _ => (&mut self.mode, &mut self.chosen_mode),
            };
            (*slot, *chosen) = (Some(value.clone()), Chosen::Since);
        }
        Ok(())
    }

    fn check(&self, name: &str, value: &str) -> Result<(), Fault> {
        let invalid = |text: String| Err(Fault::new(FaultKind::Invalid, text));
        match name {
            "model" if !value.contains('/') => {
                invalid(format!("`{value}` is no model of OpenCode: write provider/model."))
            }
            "model" => Ok(()),
            "mode" if value.is_empty() => invalid("The mode has no name.".to_owned()),
            "mode" if !self.modes.is_empty() && !self.modes.iter().any(|mode| mode.value == value) => {
                let known: Vec<&str> = self.modes.iter().map(|mode| mode.value.as_str()).collect();
                invalid(format!("OpenCode has no agent `{value}`. Choose one of: {}.", known.join(", ")))
            }
            "mode" => Ok(()),
            _ => invalid(format!("OpenCode has no setting `{name}` here. Settings: model, mode.")),
        }
    }

    /// Takes over what the server says is in force, but not over a choice made since; true when something changed.
    pub(crate) fn learn(&mut self, mode: Option<&str>, model: Option<String>) -> bool {
        let before = (self.mode.clone(), self.model.clone());
        let mode = mode.filter(|_| self.chosen_mode != Chosen::Since).map(str::to_owned);
        let model = model.filter(|_| self.chosen_model != Chosen::Since);
        self.mode = mode.or(self.mode.take());
        self.model = model.or(self.model.take());
        before != (self.mode.clone(), self.model.clone())
    }

    /// What was chosen, in a message.
    pub(crate) fn go_along(&mut self, body: &mut Value) {
        let model = self.model.as_deref().filter(|_| self.chosen_model != Chosen::No);
        if let Some((provider, model)) = model.and_then(|model| model.split_once('/')) {
            body["model"] = json!({"providerID": provider, "modelID": model});
            self.chosen_model = Chosen::Sent;
        }
        if let Some(mode) = self.mode.as_deref().filter(|_| self.chosen_mode != Chosen::No) {
            body["agent"] = json!(mode);
            self.chosen_mode = Chosen::Sent;
        }
    }

    pub(crate) fn offer_models(&mut self, told: Value) {
        let told: Providers = serde_json::from_value(told).unwrap_or_default();
        let of = |provider: &crate::wire::ModelProvider| {
            let one = |(id, model): (&String, &Value)| {
                let label = model["name"].as_str().unwrap_or(id);
                let window = model["limit"]["context"].as_u64();
                let window = window.map(|window| ("context-window".to_owned(), window.to_string()));
                let choice = Choice::new(format!("{}/{id}", provider.id), label);
                Choice { extra: window.into_iter().collect(), ..choice }.with_description(provider.name.as_str())
            };
            provider.models.iter().map(one).collect::<Vec<_>>()
        };
        self.models = told.providers.iter().flat_map(of).collect();
    }

    pub(crate) fn offer_agents(&mut self, told: Value) {
        let agents: Vec<Agent> = serde_json::from_value(told).unwrap_or_default();
        let primary =
            agents.into_iter().filter(|agent| agent.mode != "subagent" && !agent.hidden && !agent.name.is_empty());
        let choice =
            |agent: Agent| Choice { description: agent.description, ..Choice::new(&*agent.name, &*agent.name) };
        self.modes = primary.map(choice).collect();
    }

    /// As the contract shows them.
    pub(crate) fn to_settings(&self) -> Vec<Setting> {
        let model = Setting::new("model", "Model", self.models.clone());
        let mode = Setting::new("mode", "Agent", self.modes.clone());
        vec![Setting { value: self.model.clone(), ..model }, Setting { value: self.mode.clone(), ..mode }]
    }
}
