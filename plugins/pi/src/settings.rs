//! Model and thinking level: what is chosen, what is offered, what is in force.
//!
//! A model is named `provider/id`; an id may have slashes of its own.

use jackfield_sdk::prelude::*;

use crate::answer::{Model, State};

/// Thinking levels and their names for a person.
const EFFORTS: [(&str, &str); 6] = [
    ("off", "Off"),
    ("minimal", "Minimal"),
    ("low", "Low"),
    ("medium", "Medium"),
    ("high", "High"),
    ("xhigh", "Extra high"),
];

/// The settings of a session.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// `provider/id`, or what was chosen before the program told.
    pub model: Option<String>,
    pub effort: Option<String>,
    models: Vec<Model>,
    current: Model,
}

impl Settings {
    /// Checks a choice before it is sent.
    pub(crate) fn check(name: &str, value: &str) -> Result<(), Fault> {
        let fault = |text: String| Err(Fault::new(FaultKind::Invalid, text));
        match name {
            "model" if value.is_empty() => fault("The model has no name.".into()),
            "model" => Ok(()),
            "effort" if EFFORTS.iter().any(|(effort, _)| *effort == value) => Ok(()),
            "effort" => {
                let efforts = EFFORTS.map(|(effort, _)| effort).join(", ");
                fault(format!("`{value}` is no thinking level of pi. Choose one of: {efforts}."))
            }
            _ => fault(format!("pi has no setting `{name}` here. Settings: model, effort.")),
        }
    }

    /// Takes over choices: all of them, or none when one is refused.
    pub(crate) fn choose(&mut self, choices: &Pairs) -> Result<(), Fault> {
        choices.iter().try_for_each(|(name, value)| Settings::check(name, value))?;
        for (name, value) in choices {
            self.set(name, value);
        }
        Ok(())
    }

    /// Takes over a value that was chosen.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        let slot = if name == "model" { &mut self.model } else { &mut self.effort };
        *slot = Some(value.to_owned());
    }

    /// Takes over what the program says is in force; true when something changed.
    pub(crate) fn learn(&mut self, state: &State) -> bool {
        let model = state.model.as_ref().map(name_of).or(self.model.clone());
        let effort = state.thinking_level.clone().or(self.effort.clone());
        let changed = self.model != model || self.effort != effort;
        self.current = state.model.clone().unwrap_or_default();
        (self.model, self.effort) = (model, effort);
        changed
    }

    /// A model was set.
    pub(crate) fn now(&mut self, model: Model) {
        self.model = Some(name_of(&model));
        self.current = model;
    }

    /// The models that there are.
    pub(crate) fn offer(&mut self, models: Vec<Model>) {
        self.models = models;
    }

    /// The provider and the id of a model, as the program takes them. Without a provider, that of the model of this id.
    pub(crate) fn parts(&self, value: &str) -> (Option<String>, String) {
        let known = |model: &&Model| name_of(model) == value || model.id == value;
        if let Some(model) = self.models.iter().find(known) {
            return (Some(model.provider.clone()), model.id.clone());
        }
        match value.split_once('/') {
            Some((provider, id)) if !provider.is_empty() => (Some(provider.to_owned()), id.to_owned()),
            _ => (None, value.to_owned()),
        }
    }

    /// Whether the model in force is known not to take pictures.
    pub(crate) fn takes_no_pictures(&self) -> bool {
        !self.current.input.is_empty() && !self.current.input.iter().any(|kind| kind == "image")
    }

    /// The model's context window.
    pub(crate) fn window(&self) -> Option<f64> {
        self.current.context_window
    }

    /// As the contract shows them.
    pub(crate) fn to_settings(&self) -> Vec<Setting> {
        let choice = |model: &Model| {
            let window = model.context_window.map(|window| ("context-window".to_owned(), window.to_string()));
            let label = if model.name.is_empty() { &model.id } else { &model.name };
            Choice { extra: window.into_iter().collect(), ..Choice::new(name_of(model), label.as_str()) }
        };
        let models = self.models.iter().map(choice).collect();
        let efforts = EFFORTS.map(|(effort, label)| Choice::new(effort, label)).to_vec();
        let model = Setting::new("model", "Model", models);
        let effort = Setting::new("effort", "Thinking", efforts);
        vec![Setting { value: self.model.clone(), ..model }, Setting { value: self.effort.clone(), ..effort }]
    }
}

fn name_of(model: &Model) -> String {
    format!("{}/{}", model.provider, model.id)
}
