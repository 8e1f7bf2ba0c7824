//! A recording as it is verified: audited, judged by a policy, and with advice.

use gametape_core::tape::{AnyFinding, Audit, Options, RelationDef, Told, Verb, Work};
use gametape_core::text::printable;
use gametape_core::{Finding, Severity};

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
