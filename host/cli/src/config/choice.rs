//! Which instance and plugin a run uses: flags over what the thread keeps over the instance over the configured default.

use super::parse::nearest;
use super::{Settings, Setup};
use crate::args::{LoginArgs, ProviderArgs, RunArgs};
use crate::catalog::{self, Found};
use crate::exit::Failure;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::store::ThreadRecord;
use serde::{Deserialize, Serialize};

/// What a thread keeps of how it was begun, so that it is resumed the same way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The instance.
    pub instance: Option<String>,
    /// What flags said beyond it, without secrets.
    pub flags: Setup,
    /// Flags whose values were secrets; they must be given again.
    pub withheld: Vec<String>,
}

/// What a run uses.
pub struct Choice {
    /// All of it, laid over each other.
    pub setup: Setup,
    /// To be kept with the thread.
    pub kept: Kept,
    named_by: NamedBy,
    /// Who names the provider and asks for variables, for a person.
    whose: String,
}

/// Where the provider was named.
enum NamedBy {
    Flags,
    Config,
    Thread,
    Nobody,
}

/// Chooses; `thread` is the one to go on with, and what it keeps.
pub fn choose(
    settings: &Settings,
    args: &RunArgs,
    thread: Option<(&ThreadRecord, Option<Kept>)>,
) -> Result<Choice, Failure> {
    chosen(settings, Setup::of_flags(args)?, args.instance.as_ref(), thread)
}

/// Chooses a provider that is only asked.
pub fn choose_asked(settings: &Settings, args: &ProviderArgs) -> Result<Choice, Failure> {
    chosen(settings, Setup::of_provider(args)?, args.instance.as_ref(), None)
}

/// Chooses for a login: by these flags, or by an instance.
pub fn choose_for_login(settings: &Settings, args: &LoginArgs) -> Result<Choice, Failure> {
    let flags = Setup { provider: args.provider.clone(), ..Setup::default() };
    chosen(settings, flags.with_programs(&args.programs)?, args.instance.as_ref(), None)
}

/// What a thread goes on with when nothing more is said.
pub fn choose_for(settings: &Settings, thread: &ThreadRecord, kept: Option<Kept>) -> Result<Choice, Failure> {
    chosen(settings, Setup::default(), None, Some((thread, kept)))
}

fn chosen(
    settings: &Settings,
    flags: Setup,
    instance: Option<&String>,
    thread: Option<(&ThreadRecord, Option<Kept>)>,
) -> Result<Choice, Failure> {
    let resumed = thread.as_ref().map(|(row, _)| row.id.to_string());
    let before = thread.and_then(|(_, kept)| kept).unwrap_or_default();
    // Another instance than the thread's: what was said beyond the first is not said of this one.
    let before = match instance {
        Some(name) if before.instance.as_ref() != Some(name) => Kept::default(),
        _ => before,
    };
    let named = flags.provider.is_some() || flags.plugin.is_some();
    let name = match (instance, &before.instance) {
        (Some(name), _) | (None, Some(name)) => Some(name.clone()),
        (None, None) if named || resumed.is_some() => None,
        (None, None) => settings.config.default_instance.clone(),
    };
    let instance = match &name {
        Some(name) => settings.instance(name).ok_or_else(|| missing(settings, name, resumed.as_deref()))?,
        None => Setup::default(),
    };
    let known = before.flags.clone().under(&flags);
    still_withheld(&before.withheld, &instance.clone().under(&flags), resumed.as_deref())?;
    let everywhere = &settings.config.rules;
    let everywhere = Setup { allow: everywhere.allow.clone(), deny: everywhere.deny.clone(), ..Setup::default() };
    let mut setup = everywhere.under(&instance).under(&known);
    let named_by = match () {
        () if named => NamedBy::Flags,
        () if known.provider.is_some() || known.plugin.is_some() => NamedBy::Thread,
        () if name.is_some() => NamedBy::Config,
        () if resumed.is_some() => NamedBy::Thread,
        () if settings.config.default_provider.is_some() => {
            setup.provider.clone_from(&settings.config.default_provider);
            NamedBy::Config
        }
        () => NamedBy::Nobody,
    };
    let (kept_flags, mut withheld) = known.without_secrets();
    withheld.extend(before.withheld.iter().filter(|name| !withheld.contains(name)).cloned().collect::<Vec<_>>());
    let whose = match (&name, &named_by) {
        (Some(name), _) => format!("the instance '{name}' of {}", settings.shown()),
        (None, NamedBy::Config) => settings.shown(),
        (None, _) => "the thread".into(),
    };
    Ok(Choice { setup, kept: Kept { instance: name, flags: kept_flags, withheld }, named_by, whose })
}

impl Choice {
    /// The instance, by its own name or by that of the provider.
    pub fn instance(&self, provider: &str) -> Result<Instance, Failure> {
        let name = self.kept.instance.as_deref().unwrap_or(provider);
        self.setup.clone().into_instance(name, &self.whose)
    }

    /// The plugin's bytes.
    pub fn find(&self, thread: Option<&ThreadRecord>) -> Result<Found, Failure> {
        match (&self.setup.plugin, &self.setup.provider) {
            (Some(file), _) => catalog::file(file).map_err(|failure| match self.named_by {
                NamedBy::Config => Failure::unavailable(format!("{}: {:#}", self.whose, failure.error)),
                _ => failure,
            }),
            (None, Some(name)) => catalog::bundled(name).map_err(|failure| match self.named_by {
                NamedBy::Flags | NamedBy::Nobody => failure,
                NamedBy::Config | NamedBy::Thread => Failure::unavailable(format!(
                    "{} names the provider '{name}', which is unavailable: this Jackfield has plugins for {}. No other takes its place; choose one with --provider or --instance",
                    self.whose,
                    catalog::names()
                )),
            }),
            (None, None) => match thread {
                Some(row) => catalog::bundled(&row.plugin).map_err(|_| {
                    Failure::usage(format!(
                        "thread {} was begun with the plugin {}; name its file with --plugin FILE",
                        row.id, row.plugin
                    ))
                }),
                None => catalog::bundled(catalog::DEFAULT),
            },
        }
    }
}

fn missing(settings: &Settings, name: &str, thread: Option<&str>) -> Failure {
    let known: Vec<&str> = settings.config.instances.keys().map(String::as_str).collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None if known.is_empty() => "it has none".into(),
        None => format!("it has {}", known.join(", ")),
    };
    let shown = settings.shown();
    Failure::usage(match thread {
        Some(thread) => format!(
            "thread {thread} was begun with the instance '{name}', which {shown} does not have; {hint} Put it back, or choose another with --instance NAME or --provider NAME"
        ),
        None => format!("there is no instance '{name}' in {shown}; {hint}"),
    })
}

/// A secret that was given by a flag is not kept: it must come again, from a flag or the instance.
fn still_withheld(withheld: &[String], given: &Setup, thread: Option<&str>) -> Result<(), Failure> {
    let missing = withheld.iter().find(|flag| match flag.split_once(' ') {
        Some(("--env", name)) => !given.env.contains_key(name) && !given.pass_env.iter().any(|passed| passed == name),
        Some(("--option", name)) => !given.options.contains_key(name),
        _ => given.exe_args.is_empty(),
    });
    match (missing, thread) {
        (Some(flag), Some(thread)) => Err(Failure::usage(format!(
            "thread {thread} was begun with {flag}, whose value is a secret and was not kept: give it again, or use an instance"
        ))),
        _ => Ok(()),
    }
}
