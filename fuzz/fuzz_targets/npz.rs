//! Hands bytes to the target `npz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::npz(bytes));
