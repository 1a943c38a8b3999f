//! The options of an instance, and the model where the program takes one.

use jackfield_sdk::prelude::*;
use serde::Deserialize;

/// What the manifest's schema lets through.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Options {
    program: Program,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Program {
    #[default]
    Aider,
    Other,
}

impl Options {
    /// The spawn profile of the manifest.
    pub(crate) fn profile(&self) -> &'static str {
        match self.program {
            Program::Aider => "aider",
            Program::Other => "argument",
        }
    }

    /// Checks a choice before it is taken.
    pub(crate) fn check(&self, name: &str, value: &str) -> Result<(), Fault> {
        let text = match (name, self.program) {
            ("model", Program::Aider) if !value.is_empty() => return Ok(()),
            ("model", Program::Aider) => "The model has no name.".to_owned(),
            ("model", Program::Other) => "Give another program its model as an argument, with --exe-arg.".to_owned(),
            _ => format!("There is no setting `{name}` here. Settings: model."),
        };
        Err(Fault::new(FaultKind::Invalid, text))
    }
}

/// The one setting, known without asking anybody.
pub(crate) fn settings(model: Option<String>) -> Vec<Setting> {
    vec![Setting { value: model, ..Setting::new("model", "Model", vec![]) }]
}
