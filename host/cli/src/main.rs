//! The `jackfield` program; all of it is in the library, so that tests run the same code.

fn main() -> std::process::ExitCode {
    jackfield::main()
}
