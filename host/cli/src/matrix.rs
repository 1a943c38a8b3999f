//! `jackfield matrix`: every flag of every plugin. What it declares, what was negotiated where a session ran, and what was
//! taken back because it did not hold. One row per flag of the host's own table, so a new flag is in it by itself.

use crate::args::MatrixArgs;
use crate::catalog;
use crate::exit::{Exit, Failure, Outcome};
use crate::output;
use crate::setup;
use jackfield_core::capability::{Clamp, ClampedBy, FLAGS, Flag, Stage, Staged};
use jackfield_core::event::SCHEMA_VERSION;
use jackfield_runtime::host::{Host, Plugin};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::IsTerminal;

/// Columns of what is declared, and of what a session had; both of each plugin fit twice beside the names in 80.
const DECLARED: usize = 9;
const SESSION: usize = 9;

/// A flag of the table.
#[derive(Serialize)]
struct Row {
    name: String,
    group: &'static str,
    about: &'static str,
}

/// A plugin's column.
#[derive(Serialize)]
struct Column {
    plugin: String,
    version: String,
    digest: String,
    provider: String,
    declared: BTreeMap<String, Value>,
    session: Option<Session>,
    /// What did not hold, or is doubted, of this build.
    broken: Vec<Broken>,
}

/// A flag that was declared and not kept.
#[derive(Serialize)]
struct Broken {
    flag: String,
    provider_version: String,
    because: String,
    first_ms: u64,
    /// How often it was seen in a row, and how often it must be before it counts for less.
    seen: u64,
    needed: u64,
    counts: bool,
}

/// The newest session of it.
#[derive(Serialize)]
struct Session {
    id: String,
    started_ms: u64,
    digest: String,
    provider_version: Option<String>,
    stage: Stage,
    in_force: BTreeMap<String, Value>,
    demotions: Vec<Clamp>,
}

#[derive(Serialize)]
struct Matrix {
    schema_version: u32,
    flags: Vec<Row>,
    plugins: Vec<Column>,
}

/// Carries the command out.
pub async fn run(args: MatrixArgs) -> Outcome {
    let host = setup::open_host().await?;
    let mut plugins = Vec::new();
    for bundled in jackfield_bundled::all() {
        plugins.push(column(&host, &host.add_plugin(bundled.bytes.to_vec(), true).await?).await?);
    }
    for file in &args.plugin {
        let found = catalog::file(file)?;
        let loaded = host.add_plugin(found.bytes, false).await;
        let plugin = loaded.map_err(|error| Failure::unavailable(format!("{}: {error}", file.display())))?;
        plugins.push(column(&host, &plugin).await?);
    }
    let flags = FLAGS.iter().map(|flag| Row { name: flag.name(), group: flag.group, about: flag.doc }).collect();
    let matrix = Matrix { schema_version: SCHEMA_VERSION, flags, plugins };
    if args.json.json {
        output::json(&matrix)?;
    } else {
        Page::new(&matrix, stdout_width()).lines().iter().try_for_each(|line| output::line(line))?;
    }
    Ok(Exit::Completed)
}

async fn column(host: &Host, plugin: &Plugin) -> Result<Column, Failure> {
    let generation = &plugin.generation;
    let (manifest, descriptor) = (generation.manifest(), generation.descriptor());
    let name = manifest.full_name();
    let stored = host.store().newest_session(&name).await?;
    let session = stored.and_then(|record| {
        let staged: Staged = serde_json::from_str(&record.capabilities).ok()?;
        let view = staged.view(Vec::new());
        Some(Session {
            id: record.id.to_string(),
            started_ms: record.started_ms,
            digest: record.digest,
            provider_version: view.provider_version,
            stage: view.stage,
            in_force: view.values,
            demotions: staged.clamps().to_vec(),
        })
    });
    let known = host.store().demotions(None).await?;
    let broken = known.into_iter().filter(|one| one.digest == generation.digest()).map(|one| Broken {
        counts: one.counts(),
        flag: one.flag,
        provider_version: one.version,
        because: one.because,
        first_ms: one.at_ms,
        seen: one.seen,
        needed: one.needed,
    });
    Ok(Column {
        broken: broken.collect(),
        plugin: name,
        version: manifest.version.to_string(),
        digest: generation.digest().to_owned(),
        provider: descriptor.provider.clone(),
        declared: Staged::new(descriptor.declared.clone()).view(Vec::new()).values,
        session,
    })
}

/// The matrix for a person: as many plugins beside each other as fit.
struct Page<'a> {
    matrix: &'a Matrix,
    width: usize,
    colour: bool,
    names: usize,
}

impl<'a> Page<'a> {
    fn new(matrix: &'a Matrix, width: usize) -> Page<'a> {
        let colour =
            std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let longest = FLAGS.iter().map(|flag| field(flag).len()).max().unwrap_or_default();
        Page { matrix, width, colour, names: longest + 2 }
    }

    fn lines(&self) -> Vec<String> {
        let column = DECLARED + SESSION;
        let beside = (self.width.saturating_sub(self.names) / column).max(1);
        let mut lines = Vec::new();
        for plugins in self.matrix.plugins.chunks(beside) {
            self.block(plugins, &mut lines);
            lines.push(String::new());
        }
        self.legend(&mut lines);
        lines
    }

    fn block(&self, plugins: &[Column], lines: &mut Vec<String>) {
        let head = |text: &dyn Fn(&Column) -> String| {
            let cells = plugins.iter().map(|plugin| cut(&text(plugin), DECLARED + SESSION)).collect::<String>();
            format!("{:width$}{cells}", "", width = self.names).trim_end().to_owned()
        };
        let short = |plugin: &Column| plugin.plugin.strip_prefix("jackfield/").unwrap_or(&plugin.plugin).to_owned();
        lines.push(self.paint("1", &head(&short)));
        lines.push(self.paint("2", &head(&|plugin| plugin.version.clone())));
        let pair = |_: &Column| format!("{:DECLARED$}{:SESSION$}", "declared", "session");
        lines.push(self.paint("2", &head(&pair)));
        let mut group = "";
        for flag in FLAGS {
            if flag.group != group {
                group = flag.group;
                lines.push(self.paint("1", group));
            }
            let cells = plugins.iter().map(|plugin| self.cells(plugin, flag)).collect::<String>();
            lines.push(format!(" {:width$}{cells}", field(flag), width = self.names - 1).trim_end().to_owned());
        }
        for plugin in plugins {
            let strange = plugin.declared.keys().filter(|name| jackfield_core::capability::flag(name).is_none());
            for name in strange {
                lines.push(format!("  {} declares {name}, which this host does not know", short(plugin)));
            }
        }
    }

    fn cells(&self, plugin: &Column, flag: &Flag) -> String {
        let name = flag.name();
        let declared = plugin.declared.get(&name);
        let first = self.cell(declared, "", DECLARED);
        let Some(session) = &plugin.session else { return first + &self.cell(None, "", SESSION) };
        let demoted = session.demotions.iter().any(|clamp| clamp.name == name);
        let now = session.in_force.get(&name);
        let mark = if demoted {
            "!"
        } else if now != declared {
            "*"
        } else {
            ""
        };
        first + &self.cell(now, mark, SESSION)
    }

    /// A value and its mark, as wide as every other.
    fn cell(&self, value: Option<&Value>, mark: &str, width: usize) -> String {
        let (text, colour) = match value {
            Some(Value::Bool(true)) => ("yes".to_owned(), "32"),
            Some(Value::Bool(false)) => ("·".to_owned(), "2"),
            Some(Value::Null) => ("·".to_owned(), "2"),
            Some(Value::String(word)) if word == "none" => (word.clone(), "2"),
            Some(Value::String(word)) if word == "client-boundary" => ("client".to_owned(), ""),
            Some(Value::String(word)) => (word.clone(), "32"),
            Some(other) => (other.to_string(), ""),
            None => (String::new(), ""),
        };
        let text = cut(&text, width - 1);
        let shown = text.trim_end().to_owned() + mark;
        let room = " ".repeat(width - shown.chars().count());
        let colour = if mark.is_empty() { colour } else { "33" };
        format!("{}{room}", self.paint(colour, &shown))
    }

    fn legend(&self, lines: &mut Vec<String>) {
        lines.push("yes  so it is     ·  not, or nothing was said     (empty)  no session ran yet".into());
        lines.push("*    other than declared                         !  taken back: it did not hold".into());
        for plugin in &self.matrix.plugins {
            self.session(plugin, lines);
            self.broken(plugin, lines);
        }
    }

    fn session(&self, plugin: &Column, lines: &mut Vec<String>) {
        let Some(session) = &plugin.session else { return };
        let version =
            session.provider_version.as_deref().map(|version| format!(" with the program's version {version}"));
        let other = if session.digest == plugin.digest { "" } else { ", of another build of the plugin" };
        let note = format!("{}: its newest session{}{other}", plugin.plugin, version.unwrap_or_default());
        lines.push(output::headline(&note, self.width.saturating_sub(1)));
        for clamp in session.demotions.iter().filter(|clamp| clamp.by != ClampedBy::Honesty) {
            let note = format!("  ! {}: {}", clamp.name, clamp.because);
            lines.push(output::headline(&note, self.width.saturating_sub(1)));
        }
    }

    fn broken(&self, plugin: &Column, lines: &mut Vec<String>) {
        for one in &plugin.broken {
            let version = match one.provider_version.as_str() {
                "" => String::new(),
                version => format!(" with {version}"),
            };
            let (mark, doubt) = match one.counts {
                true => ("!", String::new()),
                false => ("?", format!(", seen {} of {} times in a row", one.seen, one.needed)),
            };
            let note = format!("  {mark} {}{version}: {}{doubt}", one.flag, one.because);
            lines.push(output::headline(&note, self.width.saturating_sub(1)));
        }
        if !plugin.broken.is_empty() {
            let note = format!("  `jackfield plugin reset-demoted {}` forgets that", plugin.plugin);
            lines.push(output::headline(&note, self.width.saturating_sub(1)));
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        let plain = !self.colour || code.is_empty() || text.trim().is_empty();
        if plain { text.to_owned() } else { format!("\x1b[{code}m{text}\x1b[0m") }
    }
}

/// A flag's name without its group, under which it stands.
fn field(flag: &Flag) -> String {
    flag.field.replace('_', "-")
}

/// Exactly so wide.
fn cut(text: &str, width: usize) -> String {
    let text = output::plain(text);
    let short: String = if text.chars().count() > width {
        text.chars().take(width.saturating_sub(2)).chain("… ".chars()).collect()
    } else {
        text
    };
    format!("{short:width$}")
}

fn stdout_width() -> usize {
    let columns = rustix::termios::tcgetwinsize(std::io::stdout()).map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 { 100 } else { columns.max(60) }
}
