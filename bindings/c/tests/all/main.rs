//! The C interface: its header, the examples in C and C++, and its functions, called as C calls them.

// Handles are boxes.
#![allow(clippy::unnecessary_box_returns)]

mod allocations;
mod captures;
mod common;
mod faults;
mod header;
mod interop;
mod nulls;
// Compilers and libraries have other names and options elsewhere.
#[cfg(target_os = "linux")]
mod programs;
mod values;
