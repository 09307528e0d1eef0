//! Hands bytes to the target `wide_csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::run("wide_csv", bytes));
