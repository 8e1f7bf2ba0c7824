//! See [`gametape_fuzz::capture_read`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::capture_read(data));
