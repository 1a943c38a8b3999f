//! `jackfield_fuzz::plugins::agents` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Err(problem) = jackfield_fuzz::plugins::agents(data) {
        panic!("{problem}");
    }
});
