//! The plugin that a run uses, and threads as they are typed.

use crate::config::Choice;
use crate::exit::Failure;
use jackfield_core::event::SessionEnd;
use jackfield_core::id::ThreadId;
use jackfield_runtime::host::{Host, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::store::ThreadRecord;

/// The plugin, and the provider's name for people.
pub async fn plugin(host: &Host, choice: &Choice, thread: Option<&ThreadRecord>) -> Result<(Plugin, String), Failure> {
    let found = choice.find(thread)?;
    let plugin = host.add_plugin(found.bytes, found.bundled).await.map_err(|error| match &choice.setup.plugin {
        Some(file) => Failure::unavailable(format!("{}: {error}", file.display())),
        None => error.into(),
    })?;
    let name = plugin.generation.manifest().full_name();
    let provider = name.strip_prefix("jackfield/").filter(|_| plugin.bundled).map_or(name.clone(), str::to_owned);
    Ok((plugin, provider))
}

/// A thread's id, as typed.
pub fn thread_id(text: &str) -> Result<ThreadId, Failure> {
    ThreadId::parse(text)
        .ok_or_else(|| Failure::usage(format!("'{text}' is no thread; `jackfield threads list` shows those there are")))
}

/// A conversation that the provider did not find is begun afresh only when that is asked for.
pub async fn not_lost(host: &Host, row: &ThreadRecord, fresh: bool) -> Result<(), Failure> {
    let is_lost = row.native_id.is_some() && row.cursor.is_none() && !fresh;
    let last = if is_lost { host.store().last_session(&row.id).await? } else { None };
    match last.and_then(|session| session.ended) {
        Some((_, SessionEnd::StartFailed)) => Err(Failure::failed(format!(
            "the provider does not have the conversation of thread {} any more; --fresh begins a new one in this thread, which does not know what was said before",
            row.id
        ))),
        _ => Ok(()),
    }
}

/// What a recording must never hold, by the names it goes by: what the operator sets, and keys of the operator's own that the
/// plugin's programs are given.
pub fn secrets(instance: &Instance, plugin: &Plugin) -> Vec<(String, String)> {
    let is_secret = |name: &str| ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word));
    let profiles = &plugin.generation.manifest().spawn;
    let passed_on = profiles.iter().flat_map(|profile| &profile.env).filter(|name| is_secret(name));
    let own = passed_on.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
    let filled = instance.secrets.iter().map(|(name, value)| (name.clone(), value.clone()));
    instance.env.iter().cloned().chain(own).chain(filled).collect()
}
