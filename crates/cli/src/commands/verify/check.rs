//! Checks one file.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use gametape::{Audit, Decision, Error, OpenOptions, Policy, Recording, RelationDef, Verb, Work};
use serde_json::{Map, Value};

use crate::advice::is_empty;
use crate::call::Call;
use crate::many::Item;

/// A checked file.
pub struct Checked {
    pub path: OsString,
    pub named: bool,
    /// Identifies the file; several paths may lead to it.
    pub real: u64,
    pub outcome: Outcome,
}

/// How far reading a file came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Skipped,
    Unreadable,
    Audited,
}

pub enum Outcome {
    /// A file of another kind that was not named; the message says what it is.
    Skipped(String),
    Unreadable(Error),
    Audited(Box<Audited>),
}

impl Outcome {
    pub const fn stage(&self) -> Stage {
        match self {
            Self::Skipped(_) => Stage::Skipped,
            Self::Unreadable(_) => Stage::Unreadable,
            Self::Audited(_) => Stage::Audited,
        }
    }
}

/// A recording that could be read.
pub struct Audited {
    pub format: &'static str,
    pub relations: &'static [RelationDef],
    pub bytes: u64,
    pub audit: Audit,
    /// [`Recording::advice`].
    pub advice: Vec<String>,
    /// The decision of the policy, if there is one.
    pub decision: Decision,
    /// The facts by which a ranking lists it, if they are asked for.
    pub facts: Map<String, Value>,
}

/// Checks files with the same options.
pub struct Checker<'a> {
    pub call: &'a Call<'a>,
    pub options: &'a OpenOptions,
    pub policy: Option<&'a Policy>,
    /// Whether the facts for a ranking are asked for.
    pub lists: bool,
    /// Takes messages about slow steps.
    pub say: &'a (dyn Fn(&str) + Sync),
}

impl Checker<'_> {
    pub fn check(&self, item: Item) -> Checked {
        let (path, named, outcome) = match item {
            Item::Input => {
                let outcome = self.audit(self.call.open("-".as_ref()));
                return Checked {
                    path: "-".into(),
                    named: true,
                    real: hash(&"-"),
                    outcome,
                };
            }
            Item::Nothing(error) => {
                let path = error.path().as_os_str().to_owned();
                (path, true, Outcome::Unreadable(error))
            }
            Item::Found(found) => {
                let outcome = match self.call.formats.open_with(&found.path, self.options) {
                    Err(error @ Error::UnknownFormat { .. }) if !found.named => {
                        Outcome::Skipped(error.message())
                    }
                    opened => self.audit(opened),
                };
                (found.path.into_os_string(), found.named, outcome)
            }
        };
        Checked {
            // A missing file is identified by its path.
            real: fs::canonicalize(&path).map_or_else(|_| hash(&path), |real| hash(&real)),
            path,
            named,
            outcome,
        }
    }

    fn audit(&self, opened: Result<Recording, Error>) -> Outcome {
        if let Err(error) = &opened
            && let Some(nothing) = self.nothing(error)
        {
            return Outcome::Audited(Box::new(nothing));
        }
        let audited = opened.and_then(|recording| {
            let options = self.call.options_of(&recording, Verb::Verify);
            let work = Work {
                say: Some(self.say),
                ..Work::default()
            };
            let audit = recording.audit_with(&options, &work)?;
            let decision = self.policy.map(|policy| policy.judge(&recording, &audit));
            let facts = self.policy.filter(|_| self.lists);
            let facts = facts.map(|policy| policy.facts(&recording, &audit));
            Ok(Box::new(Audited {
                // A recording whose facts can't be read has findings that say so.
                facts: facts.and_then(Result::ok).unwrap_or_default(),
                format: recording.format().name(),
                relations: recording.format().relations(),
                bytes: recording.input().size(),
                advice: recording.advice(&audit)?,
                audit,
                decision: decision.transpose()?.unwrap_or_default(),
            }))
        });
        audited.map_or_else(Outcome::Unreadable, Outcome::Audited)
    }

    /// The audit of an empty file that can't even be opened, because its format needs another file.
    fn nothing(&self, error: &Error) -> Option<Audited> {
        if matches!(error, Error::UnknownFormat { .. }) || !is_empty(error) {
            return None;
        }
        let format = self.call.formats.from_extension(error.path())?;
        let audit = Audit::of_nothing();
        let mut decision = Decision::default();
        if self.policy.is_some() {
            audit
                .findings
                .iter()
                .for_each(|finding| decision.reject(finding));
        }
        Some(Audited {
            format: format.name(),
            relations: format.relations(),
            bytes: 0,
            audit,
            advice: Vec::new(),
            decision,
            facts: Map::new(),
        })
    }
}

fn hash(thing: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}
