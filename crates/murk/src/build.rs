//! The build of this program. Recordings carry it, and audits compare it.

/// The version of the compiler, such as `1.95.0`.
pub const TOOLCHAIN: &str = env!("GAMETAPE_TOOLCHAIN");

/// The target of the build, such as `x86_64-unknown-linux-gnu`.
pub const TARGET: &str = env!("GAMETAPE_TARGET");

/// The profile of the build: `debug` or `release`.
pub const PROFILE: &str = env!("GAMETAPE_PROFILE");
