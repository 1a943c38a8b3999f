//! The first-party plugins as bytes: what the host ships with. `build.rs` builds and packs them; nothing here loads or trusts them.

/// A plugin that comes with the host.
#[derive(Debug, Clone, Copy)]
pub struct Bundled {
    /// Its name without the publisher, as in its manifest.
    pub name: &'static str,
    /// The plugin file.
    pub bytes: &'static [u8],
}

macro_rules! bundled {
    ($($name:literal),+) => {
        &[$( Bundled { name: $name, bytes: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".wasm")) }, )+]
    };
}

/// All of them, the default provider first.
pub fn all() -> &'static [Bundled] {
    bundled![
        "scripted",
        "claude-code",
        "codex",
        "copilot",
        "gemini",
        "opencode",
        "opencode-server",
        "claude-agent-acp",
        "acp",
        "pi",
        "plain"
    ]
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn each_is_a_component_that_carries_its_name() {
        for plugin in all() {
            assert_eq!(&plugin.bytes[..8], b"\0asm\x0d\0\x01\0", "{}", plugin.name);
            let name = format!("\"name\":\"{}\"", plugin.name);
            assert!(
                plugin.bytes.windows(name.len()).any(|window| window == name.as_bytes()),
                "{name} is not in the manifest"
            );
        }
    }

    #[test]
    fn they_stay_small() {
        // Loading compiles all of it. A plugin that grows past this has to say why.
        for plugin in all() {
            assert!(plugin.bytes.len() < 1536 * 1024, "{}: {} bytes", plugin.name, plugin.bytes.len());
        }
    }
}
