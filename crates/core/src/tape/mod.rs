//! Recordings of any format: the traits that formats implement, and the types of their arguments
//! and results. Code that shows, checks or converts recordings needs nothing else.

mod abilities;
mod audit;
mod cut;
mod diff;
mod dump;
mod error;
mod follow;
mod format;
mod info;
mod json;
mod moment;
mod option;
mod trait_tape;
mod walked;
mod work;

pub use abilities::{
    Abilities, Attachments, Compare, Dump, DumpSteps, Estimate, Estimates, Pieces, RowCount,
};
pub use audit::{AnyFinding, Audit, BusyTime, Print, RelationDef, Told, Traces, Verdict};
pub use cut::{Cut, CutSteps, Kept};
pub use diff::{Diff, Precision, Rounded};
pub use error::Error;
pub use follow::{Follow, Grown};
pub use format::{Companions, Disk, Files, Folders, Format, FormatInfo, Maker, Source, Verb};
pub use info::{Depth, Info, Partial, Secrets, Started, object};
pub(crate) use json::number;
pub use json::{Whole, copy_json, write_json};
pub use moment::Moment;
pub use option::{OptionDef, OptionError, OptionKind, OptionValue, Options};
pub use trait_tape::{Beside, Converted, Cutout, Measured, Repaired, Report, Tape, Target};
pub use walked::{Walk, Walked};
pub use work::{Sink, Watched, Work};
