//! `jackfield schema`: the JSON Schema of what the JSON stream says and of what it takes, derived from the very types that
//! are written and read.
//!
//! The copies in `schema/` are for those who have only the sources; `cargo xtask schema` writes them. Tests:
//! `tests/tests/schema.rs` holds them, and what the program really says, against this.

use crate::args::SchemaCommand;
use crate::exit::{Exit, Outcome};
use crate::{history, output, run};
use schemars::generate::{SchemaGenerator, SchemaSettings};

/// Carries the command out.
pub fn run(which: &SchemaCommand) -> Outcome {
    let schema = match which {
        SchemaCommand::Input => generator(SchemaSettings::for_deserialize).into_root_schema_for::<run::InputLine>(),
        SchemaCommand::History => {
            generator(SchemaSettings::for_serialize).into_root_schema_for::<history::AnyHistoryLine>()
        }
        SchemaCommand::Events => generator(SchemaSettings::for_serialize).into_root_schema_for::<run::AnyLine>(),
    };
    output::line(&serde_json::to_string_pretty(&schema).map_err(std::io::Error::from)?)?;
    Ok(Exit::Completed)
}

fn generator(contract: fn(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    contract(SchemaSettings::draft2020_12()).into_generator()
}
