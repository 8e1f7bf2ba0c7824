//! See [`gametape_fuzz::butter_roundtrip`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::butter_roundtrip(data));
