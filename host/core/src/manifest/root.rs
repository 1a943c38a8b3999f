//! A folder that a plugin may read, and where it lies for this operator.
//!
//! A manifest names the usual place, and the variable by which the provider's own program is told of another one. **The value comes
//! from the operator only**, as the program gets it. Tests: below.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A folder the plugin may read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Root {
    /// Its name, used in effects.
    pub name: String,
    /// Where it is: absolute, or beginning with `~/`.
    pub path: String,
    /// The variable that moves it, when the operator has set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_by: Option<Moved>,
}

/// Another place, that a variable names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Moved {
    /// The variable; its value is an absolute path.
    pub env: String,
    /// The root beneath that path; left out when it is the path itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
}

/// Why it is not known where a root lies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RootError {
    /// No home folder.
    #[error("root '{root}' lies in your home folder, and HOME is not set to an absolute path")]
    NoHome {
        /// The root.
        root: String,
    },
    /// A variable that is no absolute path.
    #[error("{env} says where root '{root}' lies; set it to an absolute path, or not at all")]
    NotAbsolute {
        /// The root.
        root: String,
        /// The variable.
        env: String,
    },
}

impl Root {
    /// Where it lies, with the variables as the provider's program gets them. An empty one counts as not set.
    pub fn place(&self, env: impl Fn(&str) -> Option<String>) -> Result<PathBuf, RootError> {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        if let Some((moved, value)) = self.moved_by.as_ref().and_then(|moved| Some((moved, set(&moved.env)?))) {
            if !Path::new(&value).is_absolute() {
                return Err(RootError::NotAbsolute { root: self.name.clone(), env: moved.env.clone() });
            }
            return Ok(if moved.path.is_empty() { value.into() } else { Path::new(&value).join(&moved.path) });
        }
        match self.path.strip_prefix("~/") {
            None => Ok(PathBuf::from(&self.path)),
            Some(rest) => match set("HOME").filter(|home| Path::new(home).is_absolute()) {
                Some(home) => Ok(Path::new(&home).join(rest)),
                None => Err(RootError::NoHome { root: self.name.clone() }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(root: &str, env: &[(&str, &str)]) -> Result<PathBuf, RootError> {
        let root: Root = toml::from_str(root).unwrap();
        root.place(|name| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_root_lies_where_the_program_would_look() {
        let root = "name = 'p'\npath = '~/.talker/projects'\nmoved-by = { env = 'TALKER_HOME', path = 'projects' }";
        let home = ("HOME", "/home/ann");
        assert_eq!(place(root, &[home]), Ok("/home/ann/.talker/projects".into()));
        assert_eq!(place(root, &[home, ("TALKER_HOME", "/srv/t")]), Ok("/srv/t/projects".into()));
        assert_eq!(place(root, &[home, ("TALKER_HOME", "")]), Ok("/home/ann/.talker/projects".into()));
        assert_eq!(place(root, &[]), Err(RootError::NoHome { root: "p".into() }));
        let relative = RootError::NotAbsolute { root: "p".into(), env: "TALKER_HOME".into() };
        assert_eq!(place(root, &[home, ("TALKER_HOME", "t")]), Err(relative));
        assert_eq!(place("name = 'p'\npath = '/srv/t'", &[home]), Ok("/srv/t".into()));
        let whole = "name = 'p'\npath = '~/.t'\nmoved-by = { env = 'T' }";
        assert_eq!(place(whole, &[home, ("T", "/srv/t")]), Ok("/srv/t".into()));
    }
}
