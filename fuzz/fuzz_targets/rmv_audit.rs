//! See [`gametape_fuzz::rmv_audit`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_fuzz::rmv_audit(data));
