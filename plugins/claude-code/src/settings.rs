//! Model and permission mode: what is chosen, what is offered, what is in force.

use jackfield_sdk::prelude::*;

use crate::wire_session::Model;

/// Modes and what they mean. `bypassPermissions` is not offered: in it the program asks nobody.
const MODES: [(&str, &str, &str); 5] = [
    ("default", "Ask", "Asks before commands and changes."),
    ("acceptEdits", "Accept edits", "Changes files without asking; asks before commands."),
    ("plan", "Plan", "Only reads, and proposes a plan."),
    ("auto", "Auto", "The program decides by itself what to ask."),
    ("dontAsk", "Don't ask", "Refuses whatever it would have to ask for."),
];

/// What is asked about before each time, and in which mode. Commands that only look, and readings in the workspace, it lets
/// through without a word in every mode.
const ASKS: (&str, &str) = ("default", "changes");

/// The settings of a session.
#[derive(Debug, Default)]
pub struct Settings {
    pub model: Option<String>,
    pub mode: Option<String>,
    models: Vec<Choice>,
}

impl Settings {
    /// Checks a choice before it is sent.
    pub fn check(name: &str, value: &str) -> Result<(), Fault> {
        let fault = |text: String| Err(Fault::new(FaultKind::Invalid, text));
        match name {
            "model" if value.is_empty() => fault("The model has no name.".into()),
            "model" => Ok(()),
            "mode" if MODES.iter().any(|(mode, ..)| *mode == value) => Ok(()),
            "mode" => {
                let modes = MODES.map(|(mode, ..)| mode).join(", ");
                fault(format!("`{value}` is no mode that this plugin offers. Choose one of: {modes}."))
            }
            _ => fault(format!("Claude Code has no setting `{name}` here. Settings: model, mode.")),
        }
    }

    /// Takes over choices: all of them, or none when one is refused.
    pub fn choose(&mut self, choices: &Pairs) -> Result<(), Fault> {
        choices.iter().try_for_each(|(name, value)| Settings::check(name, value))?;
        for (name, value) in choices {
            self.set(name, value);
        }
        Ok(())
    }

    /// Takes over a value in force; true when it changed.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let slot = if name == "model" { &mut self.model } else { &mut self.mode };
        let changed = slot.as_deref() != Some(value);
        *slot = Some(value.to_owned());
        changed
    }

    /// The models that the handshake offered.
    pub fn offer(&mut self, models: Vec<Model>) {
        self.models = models
            .into_iter()
            .map(|model| {
                let label = if model.display_name.is_empty() { model.value.clone() } else { model.display_name };
                let extra =
                    model.resolved_model.map(|resolved| ("resolves-to".to_owned(), resolved)).into_iter().collect();
                Choice { extra, ..Choice::new(model.value, label).with_description(model.description) }
            })
            .collect();
    }

    /// As the contract shows them. Other models than those offered may be named, too.
    pub fn to_settings(&self) -> Vec<Setting> {
        let modes = MODES.map(mode_choice).to_vec();
        let model = Setting::new("model", "Model", self.models.clone());
        let mode = Setting::new("mode", "Mode", modes);
        vec![Setting { value: self.model.clone(), ..model }, Setting { value: self.mode.clone(), ..mode }]
    }
}

/// A mode as it is offered, with what it promises.
fn mode_choice((mode, label, text): (&str, &str, &str)) -> Choice {
    let asks = (mode == ASKS.0).then(|| ("asks".to_owned(), ASKS.1.to_owned()));
    Choice { extra: asks.into_iter().collect(), ..Choice::new(mode, label).with_description(text) }
}
