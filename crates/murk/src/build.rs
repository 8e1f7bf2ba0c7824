//! What built this program: recordings carry it, and audits compare it.

/// Version of the compiler, as `1.95.0`.
pub const TOOLCHAIN: &str = env!("GAMETAPE_TOOLCHAIN");

/// What it compiled for, as `x86_64-unknown-linux-gnu`.
pub const TARGET: &str = env!("GAMETAPE_TARGET");

/// How it compiled: `debug` or `release`.
pub const PROFILE: &str = env!("GAMETAPE_PROFILE");
