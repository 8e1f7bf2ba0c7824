//! See [`gametape_fuzz::echoreplay_zip`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::echoreplay_zip(data));
