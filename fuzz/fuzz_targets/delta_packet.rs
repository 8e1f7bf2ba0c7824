//! See [`gametape_fuzz::delta_packet`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::delta_packet(data));
