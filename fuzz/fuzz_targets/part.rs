//! Hands bytes to the target `part`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::part::part(bytes));
