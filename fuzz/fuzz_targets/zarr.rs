//! Hands bytes to the target `zarr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::zarr(bytes));
