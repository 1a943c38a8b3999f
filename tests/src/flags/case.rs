//! A case of the flip test, as it is written.

use anyhow::{Context, Result, ensure};
use jackfield_core::capability::{Capabilities, Flag, flag};
use jackfield_core::contract::CapabilityValue;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the cases are.
pub fn folder() -> PathBuf {
    xtask::root().join("tests/flags")
}

/// One case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The flag's open name, from the file's.
    #[serde(skip)]
    pub flag: String,
    /// Its file's name without the ending; longer than the flag's name where a flag has more cases than one.
    #[serde(skip)]
    pub name: String,
    /// What is done.
    pub operation: String,
    /// What comes of it with the flag.
    pub on: String,
    /// What comes of it without.
    pub off: String,
    /// The value that counts as without; its weakest where none is given.
    pub value: Option<toml::Value>,
    /// Values of other flags in both runs; those that are not named are at their strongest.
    #[serde(default)]
    pub both: BTreeMap<String, toml::Value>,
    /// Settings in force from the start, in both runs.
    #[serde(default)]
    pub selection: BTreeMap<String, String>,
    /// Instructions of the operator, in both runs.
    pub instructions: Option<String>,
    /// The plugin's table of inputs and outputs.
    #[serde(default)]
    pub table: String,
    /// What clients do, one step per line.
    pub steps: String,
    /// What is seen only with the flag.
    #[serde(default)]
    pub seen_on: String,
    /// What is seen only without it.
    #[serde(default)]
    pub seen_off: String,
}

impl Case {
    /// One that is only played: nothing of what is seen is written down in it.
    pub fn played(flag: &str, name: &str, table: &str, steps: &str) -> Case {
        Case {
            flag: flag.to_owned(),
            name: name.to_owned(),
            operation: String::new(),
            on: String::new(),
            off: String::new(),
            value: None,
            both: BTreeMap::new(),
            selection: BTreeMap::new(),
            instructions: None,
            table: table.to_owned(),
            steps: steps.to_owned(),
            seen_on: String::new(),
            seen_off: String::new(),
        }
    }

    /// All cases, by name.
    pub fn all() -> Result<Vec<Case>> {
        let mut cases = Vec::new();
        for entry in std::fs::read_dir(folder())? {
            let path = entry?.path();
            let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
            if path.extension().is_some_and(|end| end == "toml") && name.contains('.') {
                cases.push(Case::read(&path, name).with_context(|| path.display().to_string())?);
            }
        }
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(cases)
    }

    fn read(path: &Path, name: String) -> Result<Case> {
        let mut case: Case = toml::from_str(&std::fs::read_to_string(path)?)?;
        case.flag = name.split('.').take(2).collect::<Vec<_>>().join(".");
        case.name = name;
        case.row()?;
        Ok(case)
    }

    /// The flag's row.
    pub fn row(&self) -> Result<&'static Flag> {
        flag(&self.flag).with_context(|| format!("there is no flag {}", self.flag))
    }

    /// What the plugin declares with the flag and without it: they differ in this flag alone.
    pub fn capabilities(&self) -> Result<(Capabilities, Capabilities)> {
        let mut on = Capabilities::strongest();
        for (name, value) in &self.both {
            let row = flag(name).with_context(|| format!("there is no flag {name}"))?;
            ensure!(row.set(&mut on, &open_value(value)?), "{name} does not take {value:?}");
        }
        let (row, mut off) = (self.row()?, on.clone());
        match &self.value {
            Some(value) => ensure!(row.set(&mut off, &open_value(value)?), "{} does not take {value:?}", self.flag),
            None => row.weaken(&mut off),
        }
        Ok((on, off))
    }

    /// Writes what was seen into the case's file.
    pub fn rewrite(&self, seen_on: &[String], seen_off: &[String]) -> Result<()> {
        let path = folder().join(format!("{}.toml", self.name));
        let text = std::fs::read_to_string(&path)?;
        let head = text.find("seen_on =").map_or(text.as_str(), |at| &text[..at]);
        let block = |name: &str, lines: &[String]| {
            format!("{name} = '''\n{}'''\n", lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        };
        let text = format!("{}\n{}{}", head.trim_end(), block("seen_on", seen_on), block("seen_off", seen_off));
        Ok(std::fs::write(path, text)?)
    }
}

fn open_value(value: &toml::Value) -> Result<CapabilityValue> {
    Ok(match value {
        toml::Value::Boolean(flag) => CapabilityValue::Flag(*flag),
        toml::Value::Integer(count) => CapabilityValue::Count(u32::try_from(*count)?),
        toml::Value::String(word) => CapabilityValue::Word(word.clone()),
        other => anyhow::bail!("{other:?} is no value of a capability"),
    })
}
