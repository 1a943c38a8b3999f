//! What can go wrong: before a plugin runs (`LoadError`) and while it runs (`CallError`).
//!
//! Each message names the plugin or what it wanted, what the host has, and what to do. Texts that came from a plugin are
//! bounded and scrubbed before they get here.

use jackfield_core::contract::Fault;
use jackfield_core::manifest::ManifestError;

/// Why bytes are not loaded as a plugin.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Something else than a component.
    #[error("not a plugin: {found}. {hint}")]
    NotAComponent {
        /// What it is.
        found: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Too many bytes.
    #[error("the plugin has {size} bytes; at most {limit} are loaded (plugin_bytes)")]
    TooLarge {
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A component that is cut off or damaged.
    #[error("the plugin's file is damaged: {detail}. Build or fetch it again")]
    Damaged {
        /// What is wrong, and where.
        detail: String,
    },
    /// A contract of a version that the host does not speak.
    #[error("the plugin speaks version {plugin} of the contract, this host {floor} to {current}: {advice}")]
    Contract {
        /// The plugin's version.
        plugin: String,
        /// The oldest the host speaks.
        floor: String,
        /// The newest the host speaks.
        current: String,
        /// True when the plugin is newer than the host.
        newer: bool,
        /// What to do.
        advice: String,
    },
    /// It imports what the host does not have.
    #[error("the plugin wants {}; the host offers {offered} and nothing else. {advice}", imports.join(", "))]
    Imports {
        /// What it wants.
        imports: Vec<String>,
        /// What there is.
        offered: String,
        /// What to do.
        advice: &'static str,
    },
    /// A component of another world.
    #[error("not a plugin: a component that exports {}, but no {wanted}. Build it against the world jackfield:provider/provider", if exports.is_empty() { "nothing".to_owned() } else { exports.join(", ") })]
    NotAPlugin {
        /// What it exports.
        exports: Vec<String>,
        /// What it lacks.
        wanted: String,
    },
    /// The right names with other types.
    #[error(
        "the plugin's types are not those of the contract {contract}: {detail}. Build it again with the SDK of this version"
    )]
    Types {
        /// The contract's version.
        contract: String,
        /// What differs.
        detail: String,
    },
    /// No manifest in the component.
    #[error(
        "the plugin carries no manifest (custom section {section}); pack it with `jackfield_pack::pack` and its plugin.toml"
    )]
    NoManifest {
        /// The section's name.
        section: &'static str,
    },
    /// More than one manifest.
    #[error(
        "the plugin carries {count} manifests; which one a reader believes must not be left to chance. Pack it again from the core module"
    )]
    Manifests {
        /// How many.
        count: usize,
    },
    /// A manifest that is too long.
    #[error("the plugin's manifest has {size} bytes; at most {limit} are read (manifest_bytes)")]
    ManifestTooLarge {
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A manifest that is wrong.
    #[error("the plugin's manifest is refused: {0}")]
    Manifest(#[from] ManifestError),
    /// The manifest names another contract than the component.
    #[error(
        "the manifest of {plugin} names contract {manifest}, its code {component}; correct `contract` in plugin.toml and pack it again"
    )]
    ManifestContract {
        /// The plugin.
        plugin: String,
        /// What the manifest says.
        manifest: String,
        /// What the component says.
        component: String,
    },
    /// The compiler refused it.
    #[error("{plugin} cannot be compiled: {detail}")]
    Compile {
        /// The plugin.
        plugin: String,
        /// Why.
        detail: String,
    },
    /// `describe` went wrong.
    #[error("{plugin} cannot say who it is: {error}")]
    Describe {
        /// The plugin.
        plugin: String,
        /// What happened.
        error: Box<CallError>,
    },
    /// `describe` said two different things, or something that no plugin may say.
    #[error("{plugin} describes itself wrongly: {detail}")]
    Descriptor {
        /// The plugin.
        plugin: String,
        /// What is wrong.
        detail: String,
    },
    /// The host's own compiler could not be set up.
    #[error("the sandbox cannot be set up on this machine: {detail}")]
    Engine {
        /// Why.
        detail: String,
    },
}

impl LoadError {
    /// Stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            LoadError::NotAComponent { .. } => "not-a-component",
            LoadError::TooLarge { .. } => "plugin-too-large",
            LoadError::Damaged { .. } => "plugin-damaged",
            LoadError::Contract { newer: true, .. } => "contract-too-new",
            LoadError::Contract { newer: false, .. } => "contract-too-old",
            LoadError::Imports { .. } => "forbidden-imports",
            LoadError::NotAPlugin { .. } => "not-a-plugin",
            LoadError::Types { .. } => "contract-types",
            LoadError::NoManifest { .. } => "no-manifest",
            LoadError::Manifests { .. } => "several-manifests",
            LoadError::ManifestTooLarge { .. } => "manifest-too-large",
            LoadError::Manifest(error) => error.code(),
            LoadError::ManifestContract { .. } => "manifest-contract",
            LoadError::Compile { .. } => "compile-failed",
            LoadError::Describe { .. } => "describe-failed",
            LoadError::Descriptor { .. } => "bad-descriptor",
            LoadError::Engine { .. } => "sandbox-unavailable",
        }
    }
}

/// Why a call into a plugin gave no outputs. All but a refused batch (`dead` says so) end the session.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallError {
    /// A limit was reached.
    #[error("{plugin} reached the limit {limit}: {detail}")]
    Limit {
        /// Name of the limit, as in the table of limits.
        limit: &'static str,
        /// The plugin.
        plugin: String,
        /// What happened and what to do.
        detail: String,
    },
    /// The plugin crashed.
    #[error("{plugin} crashed: {message}")]
    Trap {
        /// The plugin.
        plugin: String,
        /// The panic's text when there is one, else what the machine says.
        message: String,
    },
    /// The plugin gave up, or answered what the contract does not allow.
    #[error("{plugin} ended its session: {}", fault.message)]
    Fault {
        /// The plugin.
        plugin: String,
        /// Why.
        fault: Fault,
    },
    /// The session ended in an earlier call.
    #[error("this session of {plugin} ended in an earlier call; start another and replay its journal into it")]
    Dead {
        /// The plugin.
        plugin: String,
    },
}

impl CallError {
    /// Stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            CallError::Limit { .. } => "plugin-limit",
            CallError::Trap { .. } => "plugin-trapped",
            CallError::Fault { .. } => "plugin-fault",
            CallError::Dead { .. } => "session-dead",
        }
    }
}
