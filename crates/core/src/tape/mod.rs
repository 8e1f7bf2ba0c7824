//! Recordings of any format: the traits that formats implement, and the types of their arguments
//! and results. Code that shows, checks or converts recordings needs nothing else.

mod audit;
mod cut;
mod cut_steps;
mod diff;
mod dump;
mod error;
mod estimate;
mod files;
mod follow;
mod format;
mod format_info;
mod info;
mod json;
mod moment;
mod option;
mod relation;
mod relations;
mod trait_tape;
mod walked;
mod work;

pub use audit::{AnyFinding, Audit, Told, Verdict};
pub use cut::Cut;
pub use cut_steps::{CutSteps, Kept};
pub use diff::{Diff, Precision, Rounded};
pub use error::Error;
pub use estimate::{Estimate, RowCount};
pub use files::{Disk, Files};
pub use follow::{Follow, Grown};
pub use format::{Companions, Folders, Format, Maker, Source};
pub use format_info::{FormatInfo, Verb};
pub use info::{Depth, Info, Partial, Secrets, Started, object};
pub(crate) use json::number;
pub use json::{Whole, copy_json, write_json};
pub use moment::Moment;
pub use option::{OptionDef, OptionError, OptionKind, OptionValue, Options};
pub use relation::{BusyTime, Print, RelationDef, Traces};
pub use relations::{Related, Relations};
pub use trait_tape::{
    Abilities, Attachments, Beside, Compare, Converted, Cutout, Dump, DumpSteps, Estimates,
    Measured, Pieces, Repaired, Report, Tape, Target,
};
pub use walked::{Walk, Walked};
pub use work::{Sink, Watched, Work};
