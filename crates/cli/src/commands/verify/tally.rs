//! How many of what there were: counted of final verdicts.

use std::ffi::OsString;
use std::io;

use gametape::Verdict;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::many;
use crate::ui::Ui;

/// How many of what.
#[derive(Default)]
pub struct Tally {
    /// By their verdicts.
    pub pass: usize,
    pub warn: usize,
    pub fail: usize,
    pub unreadable: usize,
    pub skipped: u64,
    /// Paths that lead to a file of before.
    pub repeated: u64,
    /// Files that were come across, and not named.
    pub found: usize,
    pub bytes: u64,
    /// Files that have something in common with others that somebody should look at.
    pub related: usize,
    pub admitted: usize,
    pub rejected: usize,
    /// Files that nobody has looked at, because it was stopped.
    pub left: usize,
}

impl Tally {
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

    /// More is known of one that was counted.
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

    /// Says it, and how that ends.
    pub fn say(
        &self,
        paths: &[OsString],
        seconds: f64,
        decides: bool,
        ui: &mut Ui,
    ) -> io::Result<Exit> {
        if self.recordings() == 0 && self.left == 0 {
            return Ok(ui.found_nothing(paths));
        }
        if ui.json {
            if self.found > 0 || self.left > 0 {
                ui.object(&self.object(seconds, decides))?;
            }
        } else if self.checked() > 1 {
            ui.line(self.line(seconds, decides))?;
        }
        let bad = if decides { self.rejected } else { self.fail };
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
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let repeated = match self.repeated {
            0 => String::new(),
            1 => ", 1 more path to one of them".to_owned(),
            n => format!(", {n} more paths to some of them"),
        };
        format!(
            "{} recordings: {}; {:.1} MB in {seconds:.2} s{}{repeated}",
            self.recordings(),
            parts.join(", "),
            self.bytes as f64 / 1e6,
            many::skipped(self.skipped)
        )
    }

    /// With the keys of all lines: whoever reads those meets nothing new.
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
            "seconds": seconds,
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
