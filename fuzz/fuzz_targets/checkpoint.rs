//! Hands bytes to the target `checkpoint`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::checkpoint::checkpoint(bytes));
