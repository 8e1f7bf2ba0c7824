//! .echoreplay.
mod decode;
mod depth;
mod encode;
mod foreign;
mod json;
mod line;
mod options;
mod place;
mod read;
mod scan;

pub use line::{Line, write_frame};
pub use options::{ReadOptions, Strictness};
pub use read::{Lines, read};
