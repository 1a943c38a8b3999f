//! Which plugin a run uses, and what the command line sets for it.

use crate::args::RunArgs;
use crate::catalog;
use crate::exit::Failure;
use jackfield_core::id::ThreadId;
use jackfield_runtime::host::{Host, Plugin};
use jackfield_runtime::instance::Instance;
use std::path::PathBuf;

/// The plugin, and the provider's name for people.
pub async fn plugin(host: &Host, args: &RunArgs) -> Result<(Plugin, String), Failure> {
    let found = match (&args.plugin, &args.provider, &args.resume) {
        (Some(file), _, _) => catalog::file(file)?,
        (None, Some(name), _) => catalog::bundled(name)?,
        (None, None, Some(thread)) => {
            let row = host.thread_row(&thread_id(thread)?).await?;
            catalog::bundled(&row.plugin).map_err(|_| {
                Failure::usage(format!(
                    "thread {thread} was begun with the plugin {}; name its file with --plugin FILE",
                    row.plugin
                ))
            })?
        }
        (None, None, None) => catalog::bundled(catalog::DEFAULT)?,
    };
    let plugin = host.add_plugin(found.bytes, found.bundled).await.map_err(|error| match &args.plugin {
        Some(file) => Failure::unavailable(format!("{}: {error}", file.display())),
        None => error.into(),
    })?;
    let name = plugin.generation.manifest().full_name();
    let provider = name.strip_prefix("jackfield/").filter(|_| plugin.bundled).map_or(name.clone(), str::to_owned);
    Ok((plugin, provider))
}

/// How the operator configures it, for this run.
pub fn instance(args: &RunArgs, provider: &str) -> Result<Instance, Failure> {
    let mut instance =
        Instance { name: provider.to_owned(), program_args: args.exe_arg.clone(), ..Instance::default() };
    for (key, value) in &args.options {
        let value = serde_json::from_str(value).unwrap_or_else(|_| serde_json::Value::String(value.clone()));
        instance.options.insert(key.clone(), value);
    }
    for (name, path) in &args.exe {
        instance.programs.insert(name.clone(), absolute(path)?);
    }
    for text in &args.env {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (
                text.as_str(),
                std::env::var(text)
                    .map_err(|_| Failure::usage(format!("--env {text} passes on your own {text}, which is not set")))?,
            ),
        };
        instance.env.push((name.to_owned(), value));
    }
    for (name, value) in [("model", &args.model), ("mode", &args.mode)] {
        if let Some(value) = value {
            instance.selection.push((name.to_owned(), value.clone()));
        }
    }
    Ok(instance)
}

fn absolute(path: &str) -> Result<PathBuf, Failure> {
    Ok(std::path::absolute(path)?)
}

/// A thread's id, as typed.
pub fn thread_id(text: &str) -> Result<ThreadId, Failure> {
    ThreadId::parse(text)
        .ok_or_else(|| Failure::usage(format!("'{text}' is no thread; `jackfield threads list` shows those there are")))
}
