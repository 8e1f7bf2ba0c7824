//! Checks one file.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use gametape::{Error, OpenOptions, Policy, Recording, Verified, Work};
use serde_json::{Map, Value};

use crate::call::Call;
use crate::many::Item;

/// A checked file.
pub struct Checked {
    pub path: OsString,
    pub named: bool,
    /// Identifies the file; several paths may lead to it.
    pub real: u64,
    pub outcome: CheckOutcome,
}

/// How far reading a file came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Skipped,
    Unreadable,
    Audited,
}

pub enum CheckOutcome {
    /// A file of another kind that was not named; the message says what it is.
    Skipped(String),
    Unreadable(Error),
    Audited(Box<Audited>),
}

impl CheckOutcome {
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
    pub of: Verified,
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
                (path, true, CheckOutcome::Unreadable(error))
            }
            Item::Found(found) => {
                let outcome = match self.call.formats.open_with(&found.path, self.options) {
                    Err(error @ Error::UnknownFormat { .. }) if !found.named => {
                        CheckOutcome::Skipped(error.message())
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

    fn audit(&self, opened: Result<Recording, Error>) -> CheckOutcome {
        let formats = self.call.formats;
        let is_judged = self.policy.is_some();
        if let Err(error) = &opened
            && let Some(of) = formats.verify_nothing(error, is_judged)
        {
            let facts = Map::new();
            return CheckOutcome::Audited(Box::new(Audited { of, facts }));
        }
        let audited = opened.and_then(|recording| {
            let work = Work {
                say: Some(self.say),
                ..Work::default()
            };
            let options = self.call.verb_options();
            let of = recording.verify(&options, self.policy, &work)?;
            let facts = self.policy.filter(|_| self.lists);
            let facts = facts.map(|policy| policy.facts(&recording, &of.audit));
            Ok(Box::new(Audited {
                // A recording whose facts can't be read has findings that say so.
                facts: facts.and_then(Result::ok).unwrap_or_default(),
                of,
            }))
        });
        audited.map_or_else(CheckOutcome::Unreadable, CheckOutcome::Audited)
    }
}

fn hash(thing: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}
