//! Advice on a file that is no sound recording: the damage that its bytes show, and the remedy.

use gametape_core::tape::{Audit, Options, Secrets, Verdict};
use gametape_core::text::Grouped;

use crate::instead::instead;
use crate::{Error, Recording};

/// Larger files are neither searched nor repaired on trial.
const TRIED_UP_TO: u64 = 64 << 20;

impl Recording {
    /// Says what happened to a recording in which an audit found something, and what helps: how a program or a
    /// transfer changed the file as a whole, and what [`Recording::repair`] keeps of it, which is tried. Returns
    /// nothing for a recording that passes, nor where the bytes show nothing. Files of more than 64 MiB are not
    /// tried.
    ///
    /// # Errors
    /// [`Error::Io`] if the file can't be read.
    pub fn advice(&self, audit: &Audit) -> Result<Vec<String>, Error> {
        let input = self.input();
        if audit.verdict() == Verdict::Pass || input.size() == 0 {
            return Ok(Vec::new());
        }
        let instead = instead(input, &self.formats).map_err(Error::io(self.path()))?;
        if let Some(instead) = instead {
            return Ok(vec![instead]);
        }
        if input.size() > TRIED_UP_TO {
            return Ok(Vec::new());
        }
        let mut advice = Vec::new();
        let told = |end: &str| {
            audit
                .findings
                .iter()
                .any(|finding| finding.code().ends_with(end))
        };
        let bytes = input.bytes().map_err(Error::io(self.path()))?;
        if audit.verdict() == Verdict::Fail {
            if let Some(how) = taken_for_text(&bytes) {
                return Ok(vec![how.to_owned()]);
            }
            if !told(".zeros") {
                advice.extend(zeros(&bytes));
            }
        }
        if !told(".joined") {
            advice.extend(self.joined(&bytes));
        }
        // Where nothing can be kept, the findings say so.
        if let Ok(made) = self.repair(&Options::new()) {
            let actions = made.outcome.actions;
            let shown: Vec<&str> = actions.iter().take(3).map(String::as_str).collect();
            let more = match actions.len() - shown.len() {
                0 => String::new(),
                more => format!("; and {} more", Grouped(more as u64)),
            };
            if !shown.is_empty() {
                advice.push(format!("repair was tried: {}{more}", shown.join("; ")));
            }
        }
        Ok(advice)
    }

    /// Says where another recording begins within this one.
    fn joined(&self, bytes: &[u8]) -> Option<String> {
        // A start that only recordings have; lines of text start alike.
        let start = bytes.first_chunk::<6>()?;
        if !start.iter().any(|byte| *byte < 32) {
            return None;
        }
        let places = (1..bytes.len())
            .filter(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(start)));
        let is_recording = |at: &usize| {
            let rest = bytes.get(*at..).unwrap_or_default().to_vec();
            let name = self.path().to_string_lossy();
            let opened = self.formats.open_input(rest, &name);
            let header = opened.and_then(|opened| opened.header(Secrets::Hide));
            header.is_ok_and(|header| header.problem.is_none())
        };
        // Each try copies the rest.
        let place = places.take(4).find(is_recording)?;
        Some(format!(
            "another recording begins at byte {}",
            Grouped(place as u64)
        ))
    }
}

/// Says how a program changed a binary file that it took for text.
fn taken_for_text(bytes: &[u8]) -> Option<&'static str> {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    let controls = (0..32).filter(|byte| seen[*byte] && ![9, 10, 13].contains(byte));
    if controls.count() < 8 {
        return None;
    }
    if seen[128..].iter().all(|seen| !seen) {
        return (bytes.len() > 1024).then_some(
            "no byte has its highest bit: the file went through a channel of seven bits, and the bits are lost",
        );
    }
    if let Ok(text) = str::from_utf8(bytes) {
        return Some(if text.contains('\u{fffd}') {
            "a program took the file for text, and replaced what is none by EF BF BD: that can't be undone"
        } else {
            "a program took the file for text in Latin-1 and wrote it as UTF-8: iconv -f UTF-8 -t LATIN1 may undo it"
        });
    }
    let feeds = bytes.split(|byte| *byte == b'\n').count() - 1;
    let pairs = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    (feeds == pairs && feeds >= 8).then_some(
        "each line feed follows a carriage return: a program took the file for text; transfer it as binary",
    )
}

/// Says where zeros stand in place of content: at the end, or a block of a disk in the middle.
fn zeros(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    if bytes.len() - end >= 64 {
        return Some(format!(
            "{} zeros from byte {} to the end: space was reserved and not written, as when the power goes or a \
             download breaks off",
            Grouped((bytes.len() - end) as u64),
            Grouped(end as u64)
        ));
    }
    let mut from = 0;
    for run in bytes.split_inclusive(|byte| *byte != 0) {
        if run.len() > 512 {
            return Some(format!(
                "{} zeros from byte {} on: a block of the disk or of a transfer is lost",
                Grouped(run.len() as u64 - 1),
                Grouped(from as u64)
            ));
        }
        from += run.len();
    }
    None
}
