//! Hands bytes to the target `wide_csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::wide_csv(bytes));
