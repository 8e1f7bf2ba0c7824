//! A recording as it is verified: audited, judged by a policy, and with advice on a file that is no sound
//! recording: the damage that its bytes show, and the remedy.

use gametape_core::tape::{
    AnyFinding, Audit, Options, RelationDef, Secrets, Told, Verb, Verdict, Work,
};
use gametape_core::text::{Grouped, printable};
use gametape_core::{Finding, Severity};

use crate::instead::instead;
use crate::{Decision, Error, Formats, Policy, Recording};

/// The result of verifying a recording.
#[derive(Debug)]
pub struct Verified {
    /// The name of its format.
    pub format: &'static str,
    /// How recordings of its format may be related.
    pub relations: &'static [RelationDef],
    /// Its size.
    pub bytes: u64,
    /// The findings.
    pub audit: Audit,
    /// [`Recording::advice`].
    pub advice: Vec<String>,
    /// The decision of the policy, if there is one.
    pub decision: Decision,
}

impl Recording {
    /// Audits the recording, asks a policy whether it is admitted, and says what helps a broken one. Of the options,
    /// those count that its format has: with recordings of several formats, an option is for those that know it.
    ///
    /// ```
    /// use gametape::{Options, Policy, Recording, Verdict, Work, formats};
    /// # let bytes = gametape_samples::mines::example();
    /// let policy = Policy::parse("[rmv.require]\nmode = \"win7\"\n", &formats())?;
    /// let game = Recording::from_bytes(bytes, "game.rmv")?;
    /// let verified = game.verify(&Options::new(), Some(&policy), &Work::default())?;
    /// assert_eq!(verified.audit.verdict(), Verdict::Pass);
    /// assert_eq!(verified.decision.admitted, Some(false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Recording::audit_with`], [`Policy::judge`] and [`Recording::advice`].
    pub fn verify(
        &self,
        options: &Options,
        policy: Option<&Policy>,
        work: &Work<'_>,
    ) -> Result<Verified, Error> {
        let options = options.only(self.format().options(Verb::Verify));
        let audit = self.audit_with(&options, work)?;
        let decision = policy.map(|policy| policy.judge(self, &audit));
        let decision = decision.transpose()?.unwrap_or_default();
        Ok(Verified {
            format: self.format().name(),
            relations: self.format().relations(),
            bytes: self.input().size(),
            advice: self.advice(&audit)?,
            decision,
            audit,
        })
    }
}

impl Formats {
    /// Returns what is known of a file that could not be opened because it is empty and its format needs another
    /// file; `None` for any other error. `is_judged` says whether there is a policy.
    #[must_use]
    pub fn verify_nothing(&self, error: &Error, is_judged: bool) -> Option<Verified> {
        if matches!(error, Error::UnknownFormat { .. }) || !error.is_of_empty() {
            return None;
        }
        let format = self.from_extension(error.path())?;
        let audit = Audit::of_nothing();
        let mut decision = Decision::default();
        if is_judged {
            for finding in &audit.findings {
                decision.reject(finding);
            }
        }
        Some(Verified {
            format: format.name(),
            relations: format.relations(),
            bytes: 0,
            audit,
            advice: Vec::new(),
            decision,
        })
    }
}

impl Error {
    /// Returns whether the file that it is about is empty.
    #[must_use]
    pub fn is_of_empty(&self) -> bool {
        std::fs::metadata(self.path()).is_ok_and(|meta| meta.is_file() && meta.len() == 0)
    }

    /// Returns it as the finding about a file that can't be read.
    #[must_use]
    pub fn finding(&self) -> AnyFinding {
        Finding::new(Told {
            code: self.code(),
            severity: Severity::Error,
            class: self.class(),
            sentence: printable(&self.message()),
            data: self.data(),
        })
    }
}

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
