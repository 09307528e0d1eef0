//! Hands bytes to the target `netcdf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mixgist_fuzz::readers::netcdf(bytes));
