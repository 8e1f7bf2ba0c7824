//! The parts of a query, as they travel between the machines of a cluster.
//!
//! A client knows an archive by its outline, which the scheduler gives it. It sends each table that a
//! query reads as an *ask*: the paths of the archive, and the table. The scheduler opens the archive, plans,
//! and sends executors *tasks*: the recordings to read, with all that is needed to open them. Each begins
//! with the version of its sender; another version refuses it.

use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, internal_datafusion_err, plan_datafusion_err};
use gametape::{At, Formats, Policy, Secrets, TableDef, Time, When};
use gametape_tables::ArrowTable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::archive::{Reach, Source};
use crate::tables::about::About;
use crate::tables::content::Content;
use crate::tables::rows::Rows;
use crate::tables::state::Moments;

/// A message with the version of its sender.
#[derive(Serialize, Deserialize)]
struct Letter<T> {
    gametape: String,
    message: T,
}

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn written(message: impl Serialize) -> Result<Vec<u8>> {
    let letter = Letter {
        gametape: VERSION.to_owned(),
        message,
    };
    serde_json::to_vec(&letter).map_err(|error| DataFusionError::External(Box::new(error)))
}

pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8], sender: &str) -> Result<T> {
    #[derive(Deserialize)]
    struct Head {
        gametape: String,
    }
    let wrong = |error| internal_datafusion_err!("a message of {sender} cannot be read: {error}");
    let Head { gametape: version } = serde_json::from_slice(bytes).map_err(wrong)?;
    if version != VERSION {
        return Err(plan_datafusion_err!(
            "{sender} is gametape {version}, and this machine of the cluster is gametape {VERSION}: all machines need the same version"
        ));
    }
    let letter: Letter<T> = serde_json::from_slice(bytes).map_err(wrong)?;
    Ok(letter.message)
}

pub(crate) const fn shows(secrets: bool) -> Secrets {
    if secrets {
        Secrets::Show
    } else {
        Secrets::Hide
    }
}

/// A moment.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum SentAt {
    Time(i64),
    Tick(u64),
    Step(u64),
}

impl From<At> for SentAt {
    fn from(at: At) -> Self {
        match at {
            At::Time(time) => Self::Time(time.0),
            At::Tick(tick) => Self::Tick(tick),
            At::Step(step) => Self::Step(step),
        }
    }
}

impl From<SentAt> for At {
    fn from(at: SentAt) -> Self {
        match at {
            SentAt::Time(time) => Self::Time(Time(time)),
            SentAt::Tick(tick) => Self::Tick(tick),
            SentAt::Step(step) => Self::Step(step),
        }
    }
}

/// The moments of `state_at`.
#[derive(Serialize, Deserialize)]
pub(crate) enum SentMoments {
    At(SentAt),
    Named { step: String, number: u64 },
    End,
    BeforeEnd(i64),
    Every(i64),
    Of(String),
}

impl From<&Moments> for SentMoments {
    fn from(moments: &Moments) -> Self {
        match moments {
            Moments::One(When::At(at)) => Self::At((*at).into()),
            Moments::One(When::Named { step, number }) => Self::Named {
                step: step.clone(),
                number: *number,
            },
            Moments::One(When::End) => Self::End,
            Moments::One(When::BeforeEnd(time)) => Self::BeforeEnd(time.0),
            Moments::Every(time) => Self::Every(time.0),
            Moments::Of(table) => Self::Of(table.clone()),
        }
    }
}

impl From<SentMoments> for Moments {
    fn from(moments: SentMoments) -> Self {
        match moments {
            SentMoments::At(at) => Self::One(When::At(at.into())),
            SentMoments::Named { step, number } => Self::One(When::Named { step, number }),
            SentMoments::End => Self::One(When::End),
            SentMoments::BeforeEnd(time) => Self::One(When::BeforeEnd(Time(time))),
            SentMoments::Every(time) => Self::Every(Time(time)),
            SentMoments::Of(table) => Self::Of(table),
        }
    }
}

/// The source of a table's rows.
#[derive(Serialize, Deserialize)]
pub(crate) enum SentContent {
    Table {
        kind: String,
        table: TableDef,
    },
    State {
        kind: String,
        table: TableDef,
        moments: SentMoments,
    },
    About {
        table: String,
        /// The text of the policy, if it is not the default one.
        policy: Option<String>,
    },
    Relations,
}

impl From<&Content> for SentContent {
    fn from(content: &Content) -> Self {
        match content {
            Content::Table { kind, table } => Self::Table {
                kind: kind.clone(),
                table: table.definition().clone(),
            },
            Content::State {
                kind,
                table,
                moments,
            } => Self::State {
                kind: kind.clone(),
                table: table.definition().clone(),
                moments: moments.into(),
            },
            Content::About(about, table) => Self::About {
                table: table.definition().name.to_string(),
                policy: match about {
                    About::Verdicts {
                        policy,
                        is_default: false,
                    } => Some(policy.source().to_owned()),
                    _ => None,
                },
            },
            Content::Relations(_) => Self::Relations,
        }
    }
}

impl SentContent {
    pub fn content(self, formats: &Formats, secrets: Secrets) -> Result<Content> {
        Ok(match self {
            Self::Table { kind, table } => Content::Table {
                kind,
                table: ArrowTable::new(&table, secrets),
            },
            Self::State {
                kind,
                table,
                moments,
            } => Content::State {
                kind,
                table: ArrowTable::new(&table, secrets),
                moments: moments.into(),
            },
            Self::About { table, policy } => {
                let policy = policy.map(|text| Policy::parse(&text, formats)).transpose();
                let policy = policy.map_err(|error| DataFusionError::External(Box::new(error)))?;
                About::named(&table, policy, formats)?.into()
            }
            Self::Relations => Content::relations(),
        })
    }
}

/// A table that a client asks a scheduler for.
#[derive(Serialize, Deserialize)]
pub(crate) struct Ask {
    pub source: Source,
    pub content: SentContent,
}

pub(crate) fn kind_of(formats: &Formats, kind: &str) -> Result<&'static str> {
    let mut kinds = formats.iter().map(|format| format.info().kind);
    kinds.find(|own| *own == kind).ok_or_else(|| {
        plan_datafusion_err!(
            "this machine of the cluster does not know recordings of the kind {kind}"
        )
    })
}

/// The bytes that ask for a table of an archive elsewhere; `None` if the table is none of an archive.
///
/// # Errors
/// If the archive is here.
pub fn ask(table: &dyn TableProvider) -> Option<Result<Vec<u8>>> {
    let rows = table.downcast_ref::<Rows>()?;
    let ask = match rows.archive().reach() {
        Reach::Elsewhere { source, .. } => Ask {
            source: source.clone(),
            content: rows.content().into(),
        },
        Reach::Found | Reach::Any(_) => {
            return Some(Err(internal_datafusion_err!(
                "an archive without an address"
            )));
        }
    };
    Some(written(&ask))
}
