//! Names of environment variables that a manifest may not ask for: each would let a plugin's author steer the program
//! to other code, another server, or other certificates. An operator's own instance may set all but the loader's.

/// Why a name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvKind {
    /// Makes the system's loader load other code. Refused to everybody.
    Loader,
    /// Makes an interpreter or a shell run other code.
    Interpreter,
    /// Sends traffic through a proxy.
    Proxy,
    /// Changes which certificates are trusted.
    Certificates,
    /// Sends requests to another server.
    BaseUrl,
}

impl EnvKind {
    /// What such a variable does, for a message.
    pub fn what(self) -> &'static str {
        match self {
            EnvKind::Loader => "makes the loader load other code",
            EnvKind::Interpreter => "makes the program run other code",
            EnvKind::Proxy => "sends the program's traffic elsewhere",
            EnvKind::Certificates => "changes which certificates the program trusts",
            EnvKind::BaseUrl => "sends the program's requests to another server",
        }
    }
}

const LOADER_PREFIXES: &[&str] = &["LD_", "DYLD_"];
const LOADER: &[&str] = &["GCONV_PATH", "GLIBC_TUNABLES", "LIBPATH", "SHLIB_PATH", "LOCPATH", "NLSPATH"];
const INTERPRETER_PREFIXES: &[&str] =
    &["GIT_CONFIG", "PERL5", "PYTHON", "RUBY", "BASH_FUNC_", "NPM_CONFIG_", "JAVA_TOOL_"];
const INTERPRETER: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS4",
    "IFS",
    "ZDOTDIR",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "BUN_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "LUA_INIT",
    "LUA_PATH",
    "LUA_CPATH",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "GIT_PAGER",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "SHELL",
    "PATH",
];
const CERTIFICATES: &[&str] = &[
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "GIT_SSL_NO_VERIFY",
    "GIT_SSL_CAINFO",
];
const CERTIFICATE_SUFFIXES: &[&str] = &["_CA_BUNDLE", "_CA_CERTS", "_CA_CERT", "_CA_FILE", "_CAFILE"];
const BASE_URL_SUFFIXES: &[&str] =
    &["_BASE_URL", "_BASE_URI", "_API_BASE", "_API_URL", "_API_HOST", "_ENDPOINT", "_ENDPOINT_URL"];

/// Why this name is refused to a manifest; `None` when it may be asked for. Case does not matter.
pub fn forbidden_env(name: &str) -> Option<EnvKind> {
    let name = name.to_ascii_uppercase();
    let is = |list: &[&str]| list.contains(&name.as_str());
    let begins = |list: &[&str]| list.iter().any(|prefix| name.starts_with(prefix));
    let ends = |list: &[&str]| list.iter().any(|suffix| name.ends_with(suffix));
    if begins(LOADER_PREFIXES) || is(LOADER) {
        Some(EnvKind::Loader)
    } else if begins(INTERPRETER_PREFIXES) || is(INTERPRETER) {
        Some(EnvKind::Interpreter)
    } else if name.ends_with("_PROXY") || name.ends_with("_PROXY_URL") || name == "PROXY" {
        Some(EnvKind::Proxy)
    } else if is(CERTIFICATES) || ends(CERTIFICATE_SUFFIXES) {
        Some(EnvKind::Certificates)
    } else if ends(BASE_URL_SUFFIXES) {
        Some(EnvKind::BaseUrl)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_refused_in_any_case() {
        let cases = [
            ("LD_PRELOAD", EnvKind::Loader),
            ("DYLD_INSERT_LIBRARIES", EnvKind::Loader),
            ("NODE_OPTIONS", EnvKind::Interpreter),
            ("PYTHONPATH", EnvKind::Interpreter),
            ("BASH_ENV", EnvKind::Interpreter),
            ("https_proxy", EnvKind::Proxy),
            ("ALL_PROXY", EnvKind::Proxy),
            ("SSL_CERT_FILE", EnvKind::Certificates),
            ("NODE_EXTRA_CA_CERTS", EnvKind::Certificates),
            ("CURL_CA_BUNDLE", EnvKind::Certificates),
            ("SOME_BASE_URL", EnvKind::BaseUrl),
            ("SOME_API_BASE", EnvKind::BaseUrl),
            ("Some_Endpoint", EnvKind::BaseUrl),
        ];
        for (name, kind) in cases {
            assert_eq!(forbidden_env(name), Some(kind), "{name}");
        }
    }

    #[test]
    fn keys_and_switches_are_not_refused() {
        for name in ["SOME_API_KEY", "TERM", "SOME_CONFIG_DIR", "LANG", "HOME"] {
            assert_eq!(forbidden_env(name), None, "{name}");
        }
    }
}
