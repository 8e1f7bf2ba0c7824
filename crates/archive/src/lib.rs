//! Archives of recordings as folders: zip, tar, gzip and zstd.
//!
//! [`Archive`] lists the files in an archive and unpacks each of them by itself, within [`Limits`]. A file may
//! be an archive again. [`Unzip`] reads a zip from its start to its end, also one that was never finished.
//!
//! ```
//! use gametape_archive::{Archive, Limits};
//! use gametape_core::Input;
//! use std::io::Write;
//!
//! let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
//! zip.start_file("2022/a.rmv", zip::write::SimpleFileOptions::default())?;
//! zip.write_all(b"*rmv")?;
//! let bytes = zip.finish()?.into_inner();
//!
//! let archive = Archive::open(Input::from(bytes), "games.zip", Limits::default())?;
//! let file = &archive.files()[0];
//! assert_eq!(file.name, "2022/a.rmv");
//! assert_eq!(&*archive.unpack(file)?.bytes()?, b"*rmv");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

#[cfg(feature = "folders")]
mod archive;
mod fault;
#[cfg(feature = "folders")]
mod kind;
#[cfg(feature = "folders")]
mod names;
#[cfg(feature = "folders")]
mod spool;
#[cfg(feature = "zip")]
mod table;
#[cfg(feature = "zip")]
mod unzip;

#[cfg(feature = "folders")]
pub use archive::{Archive, File, Pack};
pub use fault::{Cut, Fault, Limits};
#[cfg(feature = "folders")]
pub use kind::Kind;
#[cfg(feature = "zip")]
pub use unzip::{Filled, Member, Note, Unzip, is_zip};

/// Whether a file is one that a system adds to a folder or an archive.
#[must_use]
pub fn is_of_system(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    path.starts_with("__MACOSX")
        || path.contains("/__MACOSX/")
        || name.starts_with("._")
        || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini")
}
