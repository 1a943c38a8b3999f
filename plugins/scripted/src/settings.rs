//! Model and mode of the demonstration. The model only names itself; the mode decides whether the tool asks.

use jackfield_sdk::prelude::*;

const MODELS: [&str; 2] = ["demo-small", "demo-large"];
const MODES: [&str; 2] = ["ask", "auto"];

/// The values in force.
#[derive(Debug, Clone)]
pub struct Settings {
    model: &'static str,
    mode: &'static str,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { model: MODELS[0], mode: MODES[0] }
    }
}

impl Settings {
    /// Whether a tool asks before it runs.
    pub fn asks(&self) -> bool {
        self.mode == "ask"
    }

    /// Takes over choices, all or none.
    pub fn choose(&mut self, pairs: &Pairs) -> Result<(), Fault> {
        let mut next = self.clone();
        for (name, value) in pairs {
            let (slot, offered) = match name.as_str() {
                "model" => (&mut next.model, &MODELS),
                "mode" => (&mut next.mode, &MODES),
                _ => {
                    return Err(Fault::new(
                        FaultKind::Invalid,
                        format!("There is no setting `{name}`. Settings: model, mode."),
                    ));
                }
            };
            *slot = offered.iter().copied().find(|offer| offer == value).ok_or_else(|| {
                let offered = offered.join(", ");
                Fault::new(
                    FaultKind::Invalid,
                    format!("`{value}` is no {name} of this demonstration. Choose one of: {offered}."),
                )
            })?;
        }
        *self = next;
        Ok(())
    }

    /// As the contract shows them.
    pub fn to_settings(&self) -> Vec<Setting> {
        let choices = |values: [(&str, &str); 2]| values.map(|(value, label)| Choice::new(value, label)).to_vec();
        vec![
            Setting::new("model", "Model", choices([(MODELS[0], "Small"), (MODELS[1], "Large")]))
                .with_value(self.model),
            Setting::new(
                "mode",
                "Mode",
                choices([(MODES[0], "Ask before tools"), (MODES[1], "Run tools without asking")]),
            )
            .with_value(self.mode),
        ]
    }
}
