//! Hands bytes to the target `premium`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::premium(bytes));
