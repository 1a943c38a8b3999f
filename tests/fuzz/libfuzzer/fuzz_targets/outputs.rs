//! `jackfield_fuzz::outputs` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Err(problem) = jackfield_fuzz::outputs::play(data) {
        panic!("{problem}");
    }
});
