//! What a scan says about lines that are read although they are odd.

use super::decode::{self, Fault};
use super::line::Line;
use super::scan::{Look, Scan};
use crate::error::Finding;
use crate::rule::Rule;

/// The number of findings from which on members are no longer named one by one.
const MANY: usize = 300;

impl Scan {
    /// Passes over zeros. Their number is known at their end.
    #[cold]
    pub(super) fn pass_zeros(&mut self, rest: &[u8], finished: bool) -> Option<Look> {
        let count = rest.iter().take_while(|byte| **byte == 0).count();
        if count > 0 {
            if self.zeros.0 == 0 {
                self.zeros.1 = self.offset;
            }
            self.zeros.0 += count as u64;
            return Some(self.skip(count, false));
        }
        let (bytes, at) = self.zeros;
        let finding = self.placed(Finding::new(Rule::Zeros { bytes }).at(at));
        if !rest.is_empty() {
            self.zeros = (0, 0);
            self.findings.push(finding);
        } else if finished {
            self.at_end(finding);
        }
        None
    }

    /// Notes what is odd in a line. If there is too much of it, members are no longer told apart.
    #[cold]
    pub(super) fn notes(&mut self, line: &Line<'_>, notes: Vec<Rule>) {
        for rule in notes {
            let rule = if self.findings.len() < MANY {
                rule
            } else {
                rule.of_others()
            };
            let finding = self.placed(line.finding(Fault { rule, at: 0 }));
            self.findings.push(finding);
        }
    }

    /// Notes an unusual spelling of the time.
    #[inline]
    pub(super) fn time(&mut self, line: &Line<'_>) {
        let Some(spelled) = line.spelled_time() else {
            return;
        };
        if spelled.is_odd {
            let found = decode::clip(line.time);
            self.notes(line, vec![Rule::TimeSpelled { found }]);
        }
        if let Some(rule) = spelled.calendar_rule() {
            self.notes(line, vec![rule]);
        }
    }
}
