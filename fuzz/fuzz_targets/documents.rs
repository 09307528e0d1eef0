//! Hands bytes to the target `documents`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::documents::documents(bytes));
