//! `jackfield-pack MODULE_OR_COMPONENT.wasm [plugin.toml] -o PLUGIN.wasm`: what an author runs after `cargo build --target
//! wasm32-unknown-unknown`. It only reads, packs and writes; what is judged is said in the library.

use jackfield_pack::{MANIFEST_FILE, pack};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: jackfield-pack MODULE_OR_COMPONENT.wasm [plugin.toml] -o PLUGIN.wasm";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (module, manifest, out) = match words.as_slice() {
        [module, "-o", out] => (*module, MANIFEST_FILE, *out),
        [module, manifest, "-o", out] => (*module, *manifest, *out),
        ["--help" | "-h"] => {
            println!(
                "{USAGE}\n\nPuts the manifest (plugin.toml beside you, unless another is named) into the module, or into the component that a tool for JavaScript or\nPython made: one file, a plugin."
            );
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match write(Path::new(module), Path::new(manifest), Path::new(out)) {
        Ok(size) => {
            println!("{out}: {size} bytes");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("jackfield-pack: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn write(module: &Path, manifest: &Path, out: &Path) -> Result<usize, String> {
    let named = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let bytes = std::fs::read(module).map_err(|error| named(module, error))?;
    let text = std::fs::read_to_string(manifest).map_err(|error| named(manifest, error))?;
    let folder = manifest.parent().map_or_else(PathBuf::new, Path::to_owned);
    let plugin = pack(&bytes, &text, &folder).map_err(|error| error.to_string())?;
    std::fs::write(out, &plugin).map_err(|error| named(out, error))?;
    Ok(plugin.len())
}
