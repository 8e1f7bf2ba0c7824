//! What follows a capture in its file: another capture, zeros, other bytes.

use mcap::records::op;

use crate::container::{WalkEnd, starts_as_mcap};
use crate::ranges::{Ranges, Window};
use crate::rule::{CaptureRule, Error, Finding};

/// What follows a capture in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// Another capture, or at least another MCAP file, begins at this offset.
    Next(u64),
    /// Only zeros.
    Zeros {
        /// The offset of the first.
        at: u64,
        /// Their number.
        bytes: u64,
    },
    /// Bytes that are not of a capture.
    Others {
        /// The offset of the first.
        at: u64,
        /// Their number.
        bytes: u64,
    },
}

impl After {
    /// Its offset, which is the end of the capture.
    #[must_use]
    pub const fn at(&self) -> u64 {
        match self {
            Self::Next(at) | Self::Zeros { at, .. } | Self::Others { at, .. } => *at,
        }
    }

    /// Finds what follows the first capture of a file that does not end as a capture does. `walked` is
    /// where walking through it ended.
    pub(crate) fn find(ranges: Ranges<'_>, walked: WalkEnd) -> Result<Option<Self>, Error> {
        let mut window = Window::new(ranges);
        match walked {
            WalkEnd::Border => Ok(None),
            WalkEnd::Cut(at) => Ok(Self::of(at, &mut window)?.filter(Self::is_known)),
            WalkEnd::DataEnd { end, .. } => Self::of_summary(end, &mut window),
        }
    }

    /// Goes from the end of the data through the summary.
    fn of_summary(data_end: u64, window: &mut Window<'_>) -> Result<Option<Self>, Error> {
        let mut at = data_end;
        while let Some(record) = window.record(at, window.size())? {
            if record.op == 0 || record.op > op::DATA_END {
                break;
            }
            at = record.end();
            if record.op == op::FOOTER {
                let magic = mcap::MAGIC.len() as u64;
                let is_whole = window.at(at, magic)? == mcap::MAGIC;
                if !is_whole {
                    return Ok(None);
                }
                return Self::of(at + magic, window);
            }
        }
        Ok(Self::of(at, window)?.filter(Self::is_known))
    }

    const fn is_known(&self) -> bool {
        !matches!(self, Self::Others { .. })
    }

    /// What the bytes from `at` on are; `None` if there are none.
    fn of(at: u64, window: &mut Window<'_>) -> Result<Option<Self>, Error> {
        let bytes = window.size().saturating_sub(at);
        if bytes == 0 {
            return Ok(None);
        }
        if starts_as_mcap(window.at(at, mcap::MAGIC.len() as u64)?) {
            return Ok(Some(Self::Next(at)));
        }
        let other = window.find_where(at, 1, |here| here != [0])?;
        Ok(Some(match other {
            None => Self::Zeros { at, bytes },
            Some(_) => Self::Others { at, bytes },
        }))
    }

    /// The finding about it.
    pub(crate) fn finding(&self) -> Finding {
        let rule = match *self {
            Self::Next(next) => CaptureRule::Joined { next },
            Self::Zeros { bytes, .. } => CaptureRule::ZerosAfter { bytes },
            Self::Others { bytes, .. } => CaptureRule::BytesAfter { bytes },
        };
        Finding::new(rule.into()).at(self.at())
    }
}
