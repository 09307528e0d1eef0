//! Hands bytes to the target `csv_labels`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::csv_labels(bytes));
