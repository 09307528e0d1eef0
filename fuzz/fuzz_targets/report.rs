//! Hands bytes to the target `report`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::report::report(bytes));
