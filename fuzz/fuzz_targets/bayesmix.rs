//! Hands bytes to the target `bayesmix`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::bayesmix(bytes));
