//! See [`gametape_fuzz::rmv_read`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::rmv_read(data));
