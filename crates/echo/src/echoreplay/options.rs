//! How to read.

use crate::limits::Limits;

/// How much a reader puts up with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Strictness {
    /// The first broken line is the error.
    #[default]
    Strict,
    /// A broken line is skipped, broken bones are left out, a broken zip is read as far as it goes;
    /// each is a finding.
    Lenient,
}

/// How to read an .echoreplay.
///
/// ```
/// use gametape_echo::echoreplay::ReadOptions;
/// // The middle line is what some recorders write while the game restarts.
/// let text = b"2022/01/02 03:00:00.000\t{\"sessionid\":\"A\"}\r\n\
///     2022/01/02 03:00:00.100\t404\r\n\
///     2022/01/02 03:00:00.200\t{\"sessionid\":\"B\"}\r\n";
/// let mut lines = ReadOptions::lenient().read(text);
/// let mut frame = gametape_echo::Frame::default();
/// let mut ids = Vec::new();
/// while lines.next_frame(&mut frame)?.is_some() {
///     ids.push(frame.session.sessionid.clone());
/// }
/// assert_eq!(ids, ["A", "B"]);
/// assert!(lines.findings().has("echoreplay.no-session"));
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReadOptions {
    /// What a broken line is.
    pub strictness: Strictness,
    /// What is too large.
    pub limits: Limits,
}

impl ReadOptions {
    /// [`Strictness::Strict`], with the default limits.
    #[must_use]
    pub const fn strict() -> Self {
        Self {
            strictness: Strictness::Strict,
            limits: Limits::DEFAULT,
        }
    }

    /// [`Strictness::Lenient`], with the default limits.
    #[must_use]
    pub const fn lenient() -> Self {
        Self {
            strictness: Strictness::Lenient,
            limits: Limits::DEFAULT,
        }
    }
}
