//! Hands bytes to the target `blocks`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::blocks::blocks(bytes));
