//! A case's file: its name and why on top, then sections behind `== NAME`.

use anyhow::{Context, Result, bail};
use jackfield_core::limits::Limits;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// A case, read.
#[derive(Debug)]
pub struct Case {
    /// Its file.
    pub file: PathBuf,
    /// The bundled plugin that it is about; without one, `tests/faults/plugin.rs`.
    pub plugin: Option<String>,
    /// Options of the plugin: what it can't do, what the program tells by itself.
    pub options: Map<String, Value>,
    /// The limits in force.
    pub limits: Limits,
    /// What each start of the program does; the last one stands for all that follow.
    pub programs: Vec<Vec<String>>,
    /// The operator's rules: `allow …`, `deny …`.
    pub rules: Vec<String>,
    /// False where the operator lets nothing run that does not ask.
    pub unasked: bool,
    /// What lies in the workspace: `file NAME`, `folder NAME`, `link NAME TARGET`.
    pub workspace: Vec<String>,
    /// What the host is asked.
    pub host: Vec<String>,
    /// What a client must see.
    pub expected: String,
    /// All before the expectation, as it is written.
    head: String,
}

const EXPECTED: &str = "== expected\n";

impl Case {
    /// Reads a case.
    pub fn read(file: &Path) -> Result<Case> {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        Case::parse(file, &text).with_context(|| file.display().to_string())
    }

    fn parse(file: &Path, text: &str) -> Result<Case> {
        let (head, expected) = text.split_once(EXPECTED).context("there is no `== expected`")?;
        let mut case = Case {
            file: file.to_owned(),
            plugin: None,
            options: Map::new(),
            limits: Limits::default(),
            programs: Vec::new(),
            rules: Vec::new(),
            unasked: true,
            workspace: Vec::new(),
            host: Vec::new(),
            expected: expected.to_owned(),
            head: head.to_owned(),
        };
        let mut sections = head.split("\n== ");
        let why = sections.next().unwrap_or_default();
        if why.lines().filter(|line| !line.trim().is_empty()).count() < 2 {
            bail!("on top are the case's name and, below it, what is right and why");
        }
        for section in sections {
            let (name, body) = section.split_once('\n').context("a section without lines")?;
            let lines: Vec<String> = body.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
            match name.trim() {
                "provider" => case.provider(&lines)?,
                "limits" => case.limit(&lines)?,
                "program" | "program, started again" => case.programs.push(lines),
                "rules" => {
                    case.unasked = !lines.iter().any(|line| line == "nothing runs unasked");
                    case.rules = lines.into_iter().filter(|line| line != "nothing runs unasked").collect();
                }
                "workspace" => case.workspace = lines,
                "host" => case.host = lines,
                other => bail!("there is no section `{other}`"),
            }
        }
        if case.programs.is_empty() || case.host.is_empty() {
            bail!("a case has a program and a host");
        }
        Ok(case)
    }

    fn provider(&mut self, lines: &[String]) -> Result<()> {
        for line in lines {
            let (name, value) = line.split_once(": ").with_context(|| format!("`{line}` is no `name: value`"))?;
            if name.trim() == "plugin" {
                self.plugin = Some(value.trim().to_owned());
                continue;
            }
            self.options.insert(name.trim().to_owned(), value.trim().into());
        }
        Ok(())
    }

    fn limit(&mut self, lines: &[String]) -> Result<()> {
        let mut limits = Map::new();
        for line in lines {
            let (name, value) = line.split_once(" = ").with_context(|| format!("`{line}` is no `name = number`"))?;
            limits.insert(name.trim().to_owned(), value.trim().parse::<u64>()?.into());
        }
        self.limits = serde_json::from_value(Value::Object(limits))?;
        Ok(())
    }

    /// The case's name: the ids it is about and its intent.
    pub fn name(&self) -> String {
        self.file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The ids that a file's name says it is about: `c03-a-character…`, `c06+s29-…`.
    pub fn ids(&self) -> Vec<String> {
        let name = self.name();
        let ids = name.split('-').next().unwrap_or_default();
        ids.split('+').map(str::to_uppercase).collect()
    }

    /// Writes another expectation into the file.
    pub fn rewrite(&self, seen: &str) -> Result<()> {
        Ok(std::fs::write(&self.file, format!("{}{EXPECTED}{seen}", self.head))?)
    }
}
