//! Hands bytes to the target `stan_csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::stan_csv(bytes));
