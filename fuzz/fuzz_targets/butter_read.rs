//! See [`gametape_fuzz::butter_read`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::butter_read(data));
