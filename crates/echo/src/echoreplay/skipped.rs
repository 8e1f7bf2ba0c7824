//! Lines that a lenient reader skips, for a caller that asks for them.

use crate::error::Finding;

/// Skipped lines: the first ones of a recording with a finding each, the others as a count. A recording may
/// consist of nothing else.
#[derive(Default, Debug)]
pub(crate) struct Skipped {
    /// Those since the last call.
    pub findings: Vec<Finding>,
    /// The number of others.
    pub more: u64,
    /// The number of findings so far.
    reported: usize,
}

impl Skipped {
    /// The largest number of findings.
    pub const TOLD: usize = 1000;

    pub(super) fn push(&mut self, finding: &Finding) {
        if self.reported < Self::TOLD {
            self.reported += 1;
            self.findings.push(finding.clone());
        } else {
            self.more += 1;
        }
    }

    /// Returns what is new since the last call.
    #[cfg(feature = "tape")]
    pub fn take(&mut self) -> Self {
        Self {
            findings: std::mem::take(&mut self.findings),
            more: std::mem::take(&mut self.more),
            reported: self.reported,
        }
    }
}
