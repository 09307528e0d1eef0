//! Hands bytes to the target `json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::json::json(bytes));
