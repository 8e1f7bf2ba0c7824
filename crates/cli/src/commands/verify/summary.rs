//! The summary: the numbers of files by verdict.

use std::ffi::OsString;
use std::io;

use gametape::Verdict;
use gametape::core::text::Grouped;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::many;
use crate::ui::Ui;

/// The numbers of files.
#[derive(Default)]
pub struct VerifySummary {
    pub pass: usize,
    pub warn: usize,
    pub fail: usize,
    pub unreadable: usize,
    pub skipped: u64,
    /// Paths that lead to an earlier file.
    pub repeated: u64,
    /// Files that were found in folders or by patterns.
    pub found: usize,
    pub bytes: u64,
    /// Files with a relation that is at least a warning.
    pub related: usize,
    pub admitted: usize,
    pub rejected: usize,
    /// Files that fail, and of whose format the policy says nothing.
    pub failing_unjudged: usize,
    /// Files that were not checked because the command was stopped.
    pub left: usize,
}

impl VerifySummary {
    const fn of(&mut self, verdict: Verdict) -> &mut usize {
        match verdict {
            Verdict::Pass => &mut self.pass,
            Verdict::Warn => &mut self.warn,
            Verdict::Fail => &mut self.fail,
        }
    }

    pub const fn count(&mut self, verdict: Verdict) {
        *self.of(verdict) += 1;
    }

    /// Changes the verdict of a file that was counted.
    pub const fn correct(&mut self, before: Verdict, now: Verdict) {
        *self.of(before) -= 1;
        self.count(now);
    }

    pub const fn decide(&mut self, admitted: Option<bool>) {
        match admitted {
            Some(true) => self.admitted += 1,
            Some(false) => self.rejected += 1,
            None => {}
        }
    }

    const fn checked(&self) -> usize {
        self.pass + self.warn + self.fail
    }

    const fn recordings(&self) -> usize {
        self.checked() + self.unreadable
    }

    /// Prints the summary and returns the exit code.
    pub fn print(
        &self,
        paths: &[OsString],
        seconds: f64,
        decides: bool,
        ui: &mut Ui,
    ) -> io::Result<Exit> {
        if self.recordings() == 0 && self.left == 0 {
            return Ok(ui.found_nothing(paths));
        }
        if ui.sheet.is_some() {
            // A table has nothing but rows.
        } else if ui.json {
            if self.found > 0 || self.left > 0 {
                ui.object(&self.object(seconds, decides))?;
            }
        } else if self.checked() > 1 {
            ui.line(self.line(seconds, decides))?;
        }
        let bad = if decides {
            self.rejected + self.failing_unjudged
        } else {
            self.fail
        };
        Ok(if self.left > 0 {
            Exit::Stopped
        } else if self.unreadable > 0 {
            Exit::Unusable
        } else if bad > 0 {
            Exit::Problems
        } else {
            Exit::Fine
        })
    }

    fn line(&self, seconds: f64, decides: bool) -> String {
        let judged = self.admitted + self.rejected;
        let parts = if decides {
            vec![
                (self.admitted, "admitted"),
                (self.rejected, "rejected"),
                (self.checked().saturating_sub(judged), "not judged"),
                (self.unreadable, "unreadable"),
            ]
        } else {
            vec![
                (self.pass, "pass"),
                (self.warn, "warn"),
                (self.fail, "fail"),
                (self.unreadable, "unreadable"),
                (self.related, "related to others"),
            ]
        };
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, what)| format!("{} {what}", Grouped(count as u64)))
            .collect();
        let repeated = match self.repeated {
            0 => String::new(),
            1 => ", 1 more path to one of them".to_owned(),
            n => format!(", {} more paths to some of them", Grouped(n)),
        };
        format!(
            "{} recordings: {}; {:.1} MB in {seconds:.2} s{}{repeated}",
            Grouped(self.recordings() as u64),
            parts.join(", "),
            self.bytes as f64 / 1e6,
            many::skipped(self.skipped)
        )
    }

    /// The object of the summary, with the keys that every line has.
    fn object(&self, seconds: f64, decides: bool) -> Value {
        let mut line = json!({
            "path": null,
            "format": null,
            "verdict": null,
            "facts": {},
            "findings": [],
        });
        let mut summary = json!({
            "recordings": self.recordings(),
            "pass": self.pass,
            "warn": self.warn,
            "fail": self.fail,
            "unreadable": self.unreadable,
            "skipped": self.skipped,
            "repeated": self.repeated,
            "related": self.related,
            "left": self.left,
            "bytes": self.bytes,
            "took_s": seconds,
        });
        if decides {
            line["admitted"] = Value::Null;
            line["reasons"] = json!([]);
            summary["admitted"] = json!(self.admitted);
            summary["rejected"] = json!(self.rejected);
        }
        line["summary"] = summary;
        line
    }
}
