//! .echoreplay.
mod decode;
mod encode;
mod foreign;
mod json;
mod line;
mod options;
mod place;
mod read;
mod redact;
mod scan;
mod stream;
mod unzip;
mod write;

pub use line::{Line, write_frame};
pub use options::{ReadOptions, Strictness};
pub use read::{Lines, read};
pub use redact::Redactor;
pub use stream::{Decoder, Progress, Reader, open};
pub use write::{Writer, ZipWriter, seek_whole, whole_size};
