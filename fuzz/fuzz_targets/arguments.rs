//! Hands bytes to the target `arguments`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::arguments::arguments(bytes));
