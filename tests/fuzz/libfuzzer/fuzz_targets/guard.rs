//! `jackfield_fuzz::guard` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Err(problem) = jackfield_fuzz::guard::play(data) {
        panic!("{problem}");
    }
});
