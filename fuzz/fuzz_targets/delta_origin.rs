//! See [`gametape_fuzz::delta_origin`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::delta_origin(data));
