//! The operator's rules: `allow read in this workspace`, `deny rm -rf`. They answer what a provider asks before a person is
//! asked, and they see the provider's own frame ([`call`]), never a plugin's account of it.
//!
//! | file | noun |
//! | --- | --- |
//! | `parse` | a sentence into a rule |
//! | `call` | what a guarded frame asks for, read off by the shapes in the manifest |
//! | `shell` | a command line into commands and words |
//! | `command` | a rule about commands against those |
//!
//! **Deny beats allow, whatever the order. What can't be read is never allowed by a rule, and where a deny could be hidden in
//! it, a person is asked whatever else was said.** A rule never answers what the provider does not ask. A path is compared
//! where it really leads; whoever may do I/O finds that out ([`Real`]). Tests: `tests.rs`, and `tests/rules` of the workspace.

pub mod call;
mod command;
mod parse;
mod shell;
#[cfg(test)]
mod tests;

pub use call::{Call, Does};
pub use parse::RuleError;

use command::CommandRule;
use std::path::{Path, PathBuf};

/// Where a path leads. What can't be told for sure is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Real {
    /// Absolute, with every link followed and no `..`; the part that is not there yet stands as it is written.
    pub path: PathBuf,
    /// Absolute, as it was written, `..` taken out by the letter alone.
    pub written: PathBuf,
}

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// As it was written.
    text: String,
    about: About,
}

#[derive(Debug, Clone, PartialEq)]
enum About {
    Command(CommandRule),
    Path { does: Does, place: Place },
    Tool(String),
}

#[derive(Debug, Clone, PartialEq)]
enum Place {
    Workspace,
    Beneath(String),
    Anywhere,
}

impl Rule {
    /// As it was written, in one spelling of its spaces.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it is about: running, reading or changing; a tool by its name otherwise.
    pub fn does(&self) -> Does {
        match &self.about {
            About::Command(_) => Does::Run,
            About::Path { does, .. } => *does,
            About::Tool(_) => Does::Other,
        }
    }

    /// The one tool that it names.
    pub fn tool(&self) -> Option<&str> {
        if let About::Tool(name) = &self.about { Some(name) } else { None }
    }

    /// The place that it names, for whoever finds out where that is: absolute, `~/…`, or beginning at the workspace.
    pub fn place(&self) -> Option<&str> {
        if let About::Path { place: Place::Beneath(path), .. } = &self.about { Some(path) } else { None }
    }
}

/// All rules of one instance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules {
    allow: Vec<Rule>,
    deny: Vec<Rule>,
}

/// What the rules say about one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ruling {
    /// No rule is about it.
    #[default]
    Silent,
    /// This rule allows it, once.
    Allow(String),
    /// This rule forbids it: nobody can allow it.
    Deny(String),
    /// A rule may forbid it, which can't be told for sure: a person must look. Why.
    Ask(String),
}

impl Rules {
    /// Reads them. The first that is wrong is the error.
    pub fn parse(allow: &[String], deny: &[String]) -> Result<Rules, RuleError> {
        let read = |texts: &[String], allows| -> Result<Vec<Rule>, RuleError> {
            texts.iter().map(|text| parse::rule(text, allows)).collect()
        };
        Ok(Rules { allow: read(allow, true)?, deny: read(deny, false)? })
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }

    /// Those that forbid.
    pub fn denying(&self) -> &[Rule] {
        &self.deny
    }

    /// Those that allow.
    pub fn allowing(&self) -> &[Rule] {
        &self.allow
    }

    /// What they say. `real` tells where a path leads: one that a frame or a rule names.
    pub fn judge(&self, call: &Call, workspace: &Path, real: &dyn Fn(&str) -> Option<Real>) -> Ruling {
        let facts = Facts { call, workspace, real };
        if let Some(rule) = self.deny.iter().find(|rule| facts.denied_by(rule)) {
            return Ruling::Deny(rule.text.clone());
        }
        if let Some(rule) = self.deny.iter().find(|rule| facts.may_hide(rule)) {
            return Ruling::Ask(format!("it can't be told whether this is what '{}' forbids", rule.text));
        }
        match self.allow.iter().find(|rule| facts.allowed_by(rule)) {
            Some(rule) => Ruling::Allow(rule.text.clone()),
            None => Ruling::Silent,
        }
    }
}

/// One call, and where its paths lead.
struct Facts<'a> {
    call: &'a Call,
    workspace: &'a Path,
    real: &'a dyn Fn(&str) -> Option<Real>,
}

impl Facts<'_> {
    fn denied_by(&self, rule: &Rule) -> bool {
        match &rule.about {
            About::Tool(name) => self.call.tool.as_ref() == Some(name),
            About::Command(command) => self.call.scripts().iter().any(|script| command.forbids(script)),
            About::Path { does, place } => {
                covers(*does, self.call.does)
                    && self.call.paths.iter().any(|path| match (self.real)(path) {
                        Some(real) => self.lies(&real.path, place, true) || self.lies(&real.written, place, true),
                        None => false,
                    })
            }
        }
    }

    /// Not what the rule forbids as far as it can be read; but it can't be read to its end.
    fn may_hide(&self, rule: &Rule) -> bool {
        match &rule.about {
            About::Tool(_) => self.call.tool.is_none(),
            About::Command(command) => match self.call.does {
                Some(Does::Run) => {
                    self.call.unread() || self.call.scripts().iter().any(|script| command.may_hide(script))
                }
                Some(_) => false,
                None => true,
            },
            About::Path { does, .. } => match self.call.does {
                Some(_) if !covers(*does, self.call.does) => false,
                Some(_) => self.call.unread() || self.call.paths.iter().any(|path| (self.real)(path).is_none()),
                None => true,
            },
        }
    }

    fn allowed_by(&self, rule: &Rule) -> bool {
        match &rule.about {
            // Its commands are what counts of a tool that runs commands.
            About::Tool(name) => self.call.does != Some(Does::Run) && self.call.tool.as_ref() == Some(name),
            About::Command(command) => match self.call.scripts().as_slice() {
                [script] => self.call.is_plain() && self.call.does == Some(Does::Run) && command.allows(script),
                _ => false,
            },
            About::Path { does, place } => {
                let within = |path: &String| match (self.real)(path) {
                    Some(real) => self.lies(&real.path, place, false),
                    None => false,
                };
                self.call.is_plain()
                    && self.call.does == Some(*does)
                    && !self.call.paths.is_empty()
                    && self.call.paths.iter().all(within)
            }
        }
    }

    /// Whether a path lies there. To forbid, both spellings of the place count; to allow, only where it really is.
    fn lies(&self, path: &Path, place: &Place, forbids: bool) -> bool {
        match place {
            Place::Anywhere => true,
            Place::Workspace => path.starts_with(self.workspace),
            Place::Beneath(named) => match (self.real)(named) {
                Some(real) if forbids => path.starts_with(&real.path) || path.starts_with(&real.written),
                // A link in the workspace, which the provider can make, is no way for a rule to lead out of it.
                Some(real) => {
                    let out = real.written.starts_with(self.workspace) && !real.path.starts_with(self.workspace);
                    !out && path.starts_with(&real.path)
                }
                // A place that can't be found: all that may be in it is held back.
                None => forbids,
            },
        }
    }
}

/// A rule about reading is about reading; one about changing is about changing.
fn covers(rule: Does, call: Option<Does>) -> bool {
    call == Some(rule)
}
