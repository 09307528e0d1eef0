//! Hands bytes to the target `npy`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::npy(bytes));
