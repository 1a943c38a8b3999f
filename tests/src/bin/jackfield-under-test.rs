//! The `jackfield` program, built beside the tests that drive it: the same `main`, so that what they judge is the real thing.

use std::process::ExitCode;

fn main() -> ExitCode {
    jackfield::main()
}
