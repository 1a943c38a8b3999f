//! Model, effort, mode, approvals and sandbox: what is chosen, what is offered, what is in force.
//!
//! A thread begins with what was chosen; what is chosen later goes along with its next turn, and only what changed.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::{Map, Value, json};

use crate::session::{Call, Codex};
use crate::wire::{Model, Opened, Page, ThreadSettings};

/// When the program asks, in its own words. `untrusted` lets through what the program knows to be safe, so it promises nothing.
const APPROVALS: [(&str, &str); 3] = [
    ("untrusted", "Asks before each command that it does not know to be safe, and before each change of files."),
    ("on-request", "Asks when the model wants to leave the sandbox."),
    ("never", "Asks nobody; what the sandbox forbids fails."),
];

/// What commands may do: our word, the program's, the type of its policy.
const SANDBOXES: [(&str, &str, &str, &str); 3] = [
    ("read-only", "read-only", "readOnly", "Commands only read."),
    ("workspace-write", "workspace-write", "workspaceWrite", "Commands write in the workspace, without the network."),
    ("none", "danger-full-access", "dangerFullAccess", "Commands may do what you may."),
];

const MODES: [(&str, &str); 2] = [("default", "Works."), ("plan", "Talks a plan through before anything is done.")];

/// The settings of a thread.
#[derive(Debug, Default, Clone)]
pub(crate) struct Settings {
    values: Values,
    /// Chosen, and not told to the program yet.
    pending: Values,
}

#[derive(Debug, Default, Clone, PartialEq)]
struct Values {
    model: Option<String>,
    effort: Option<String>,
    mode: Option<String>,
    approvals: Option<String>,
    sandbox: Option<String>,
}

/// The models that the program offers, once it was asked.
#[derive(Debug, Default)]
pub(crate) struct Models(Vec<Model>);

impl Values {
    fn slot(&mut self, name: &str) -> Option<&mut Option<String>> {
        match name {
            "model" => Some(&mut self.model),
            "effort" => Some(&mut self.effort),
            "mode" => Some(&mut self.mode),
            "approvals" => Some(&mut self.approvals),
            "sandbox" => Some(&mut self.sandbox),
            _ => None,
        }
    }
}

impl Settings {
    /// Checks a choice before it is taken.
    pub(crate) fn check(name: &str, value: &str) -> Result<(), Fault> {
        let offered: Vec<&str> = match name {
            "model" | "effort" if !value.is_empty() => return Ok(()),
            "model" | "effort" => vec![],
            "mode" => MODES.iter().map(|(mode, _)| *mode).collect(),
            "approvals" => APPROVALS.iter().map(|(policy, _)| *policy).collect(),
            "sandbox" => SANDBOXES.iter().map(|(ours, ..)| *ours).collect(),
            _ => {
                let names = "model, effort, mode, approvals, sandbox";
                let text = format!("Codex has no setting `{name}` here. Settings: {names}.");
                return Err(Fault::new(FaultKind::Invalid, text));
            }
        };
        if offered.contains(&value) {
            return Ok(());
        }
        let text = format!("`{value}` is no {name} that this plugin offers. Choose one of: {}.", offered.join(", "));
        Err(Fault::new(FaultKind::Invalid, text))
    }

    /// Takes a choice that the program is told later; one that is in force already changes nothing.
    pub(crate) fn choose(&mut self, name: &str, value: &str) {
        let same = self.values.slot(name).is_some_and(|now| now.as_deref() == Some(value));
        if let Some(slot) = self.pending.slot(name) {
            *slot = (!same).then(|| value.to_owned());
        }
    }

    /// What opens a thread with these settings. A mode, which it has no member for, goes along with the first turn.
    pub(crate) fn opening(&mut self) -> Map<String, Value> {
        let chosen = std::mem::take(&mut self.pending);
        let mut params = Map::new();
        let mut put = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                params.insert(name.to_owned(), value.into());
            }
        };
        put("model", chosen.model.as_deref());
        put("approvalPolicy", chosen.approvals.as_deref());
        put("sandbox", chosen.sandbox.as_deref().map(sandbox_word));
        self.pending = Values { mode: chosen.mode.clone(), effort: chosen.effort.clone(), ..Values::default() };
        params
    }

    /// What a turn brings along: what was chosen since the last one.
    pub(crate) fn along(&mut self) -> Map<String, Value> {
        let chosen = std::mem::take(&mut self.pending);
        let mut params = Map::new();
        for (name, value) in
            [("model", &chosen.model), ("effort", &chosen.effort), ("approvalPolicy", &chosen.approvals)]
        {
            if let Some(value) = value {
                params.insert(name.to_owned(), value.as_str().into());
            }
        }
        if let Some(sandbox) = &chosen.sandbox {
            params.insert("sandboxPolicy".into(), json!({"type": policy_type(sandbox)}));
        }
        if let Some(mode) = &chosen.mode {
            // The mode wants the model said again.
            let model = chosen.model.as_ref().or(self.values.model.as_ref());
            let effort = chosen.effort.as_ref().or(self.values.effort.as_ref());
            let settings = json!({"model": model, "reasoning_effort": effort, "developer_instructions": null});
            params.insert("collaborationMode".into(), json!({"mode": mode, "settings": settings}));
        }
        for name in ["model", "effort", "mode", "approvals", "sandbox"] {
            let value = chosen.clone().slot(name).and_then(|slot| slot.take());
            if let (Some(value), Some(slot)) = (value, self.values.slot(name)) {
                *slot = Some(value);
            }
        }
        params
    }

    /// What the thread was opened with, as the program tells it.
    pub(crate) fn opened(&mut self, opened: &Opened) {
        let told = ThreadSettings {
            model: opened.model.clone(),
            effort: opened.reasoning_effort.clone(),
            approval_policy: opened.approval_policy.clone(),
            sandbox_policy: crate::wire::Kind { kind: opened.sandbox.kind.clone() },
            collaboration_mode: None,
        };
        self.told(&told);
        let mode = opened.collaboration_mode.as_ref().and_then(|mode| mode.mode.clone());
        self.values.mode = mode.or_else(|| Some("default".into()));
    }

    /// Takes over values in force; true when something changed.
    pub(crate) fn told(&mut self, told: &ThreadSettings) -> bool {
        let before = self.values.clone();
        let sandbox = SANDBOXES.iter().find(|(_, _, kind, _)| *kind == told.sandbox_policy.kind);
        let mode = told.collaboration_mode.as_ref().and_then(|mode| mode.mode.clone());
        let values = &mut self.values;
        values.model = told.model.clone().or(values.model.take());
        values.effort = told.effort.clone().or(values.effort.take());
        values.approvals = told.approval_policy.clone().or(values.approvals.take());
        values.sandbox = sandbox.map(|(ours, ..)| (*ours).to_owned()).or(values.sandbox.take());
        values.mode = mode.or(values.mode.take());
        self.values != before
    }

    /// As the contract shows them. Other models than those offered may be named, too.
    pub(crate) fn to_settings(&self, models: &Models) -> Vec<Setting> {
        let plain = |value: &str, text: &str| Choice::new(value, value).with_description(text);
        let mut shown = self.clone();
        let mut setting = |name: &str, label: &str, choices: Vec<Choice>| {
            let chosen = shown.pending.slot(name).and_then(|slot| slot.take());
            let value = chosen.or_else(|| shown.values.slot(name).and_then(|slot| slot.take()));
            Setting { value, ..Setting::new(name, label, choices) }
        };
        vec![
            setting("model", "Model", models.choices()),
            setting("effort", "Effort", models.efforts(self.values.model.as_deref())),
            setting("mode", "Mode", MODES.map(|(mode, text)| plain(mode, text)).to_vec()),
            setting("approvals", "Approvals", APPROVALS.map(|(policy, text)| plain(policy, text)).to_vec()),
            setting("sandbox", "Sandbox", SANDBOXES.map(|(ours, _, _, text)| plain(ours, text)).to_vec()),
        ]
    }
}

fn sandbox_word(ours: &str) -> &str {
    SANDBOXES.iter().find(|(name, ..)| *name == ours).map_or(ours, |(_, word, ..)| word)
}

fn policy_type(ours: &str) -> &str {
    SANDBOXES.iter().find(|(name, ..)| *name == ours).map_or(ours, |(_, _, kind, _)| kind)
}

impl Models {
    fn choices(&self) -> Vec<Choice> {
        let shown = self.0.iter().filter(|model| !model.hidden);
        shown
            .map(|model| {
                let label = if model.display_name.is_empty() { &model.model } else { &model.display_name };
                let extra = model.is_default.then(|| ("default".to_owned(), "true".to_owned()));
                let choice = Choice::new(&model.model, label).with_description(&model.description);
                Choice { extra: extra.into_iter().collect(), ..choice }
            })
            .collect()
    }

    /// Those of the model in force, else of the default one.
    fn efforts(&self, model: Option<&str>) -> Vec<Choice> {
        let named = self.0.iter().find(|one| Some(one.model.as_str()) == model);
        let of = named.or_else(|| self.0.iter().find(|one| one.is_default));
        let efforts = of.into_iter().flat_map(|model| &model.supported_reasoning_efforts);
        efforts
            .map(|effort| {
                Choice::new(&effort.reasoning_effort, &effort.reasoning_effort).with_description(&effort.description)
            })
            .collect()
    }
}

impl Codex {
    /// The command `set-selection`.
    pub(crate) fn select(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>, pairs: &Pairs) {
        if let Some(fault) = pairs.iter().find_map(|(name, value)| Settings::check(name, value).err()) {
            return cx.fail(op, fault);
        }
        let settings = match self.threads.of_command(thread).ok().and_then(|id| self.threads.get_mut(&id)) {
            Some(thread) => &mut thread.settings,
            None => &mut self.settings,
        };
        pairs.iter().for_each(|(name, value)| settings.choose(name, value));
        let shown = settings.to_settings(&self.models);
        cx.done(op, OpValue::Applied(Applies::NextTurn));
        cx.event(EventBody::Settings(shown));
    }

    /// The command `list-settings`: the models are asked for once.
    pub(crate) fn list_settings(&mut self, cx: &mut Cx, op: u32) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        if self.models.0.is_empty() {
            return self.call(cx, Some(op), "model/list", json!({}), Call::Models { op });
        }
        self.settings_listed(cx, op);
    }

    pub(crate) fn models_told(&mut self, cx: &mut Cx, op: u32, answer: Result<Value, RpcError>) {
        match answer {
            Ok(page) => {
                let page: Page<Model> = serde_json::from_value(page).unwrap_or_default();
                self.models = Models(page.data);
                self.settings_listed(cx, op);
            }
            Err(error) => cx.fail(op, crate::fault::of_call(&error)),
        }
    }

    fn settings_listed(&mut self, cx: &mut Cx, op: u32) {
        let thread = self.threads.of_command(None).ok();
        let settings = thread.and_then(|id| self.threads.get(&id)).map_or(&self.settings, |thread| &thread.settings);
        cx.done(op, OpValue::Settings(settings.to_settings(&self.models)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_goes_along_once_and_only_when_it_changed() {
        let mut settings = Settings::default();
        for (name, value) in [("approvals", "never"), ("sandbox", "none"), ("mode", "plan")] {
            Settings::check(name, value).unwrap();
            settings.choose(name, value);
        }
        let opening = Value::Object(settings.opening());
        assert_eq!(opening, json!({"approvalPolicy": "never", "sandbox": "danger-full-access"}));
        let opened = json!({"model": "m", "approvalPolicy": "never", "sandbox": {"type": "dangerFullAccess"}});
        settings.opened(&serde_json::from_value(opened).unwrap());
        settings.choose("sandbox", "none");
        let along = Value::Object(settings.along());
        let mode = json!({"model": "m", "reasoning_effort": null, "developer_instructions": null});
        assert_eq!(along, json!({"collaborationMode": {"mode": "plan", "settings": mode}}));
        assert_eq!(Value::Object(settings.along()), json!({}));
        settings.choose("sandbox", "read-only");
        assert_eq!(Value::Object(settings.along()), json!({"sandboxPolicy": {"type": "readOnly"}}));
    }

    #[test]
    fn a_setting_that_is_not_offered_is_refused_with_what_is() {
        let fault = Settings::check("sandbox", "danger-full-access").unwrap_err();
        assert!(fault.message.contains("none"), "{}", fault.message);
        assert!(Settings::check("colour", "red").is_err() && Settings::check("model", "").is_err());
    }
}
