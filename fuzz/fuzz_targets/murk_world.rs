//! See [`gametape_fuzz::murk_world`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::murk_world(data));
