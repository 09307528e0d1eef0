//! Hands bytes to the target `parquet`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::parquet(bytes));
