//! See [`gametape_fuzz::murk_index`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::murk_index(data));
