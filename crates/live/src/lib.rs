//! Shows recordings in a browser.
//!
//! A published recording consists of segments and JSON files. The segments contain its tables as
//! snapshot/delta packets, and each can be decoded by itself. The JSON files describe the recording, its
//! events and its findings. The book specifies the layout. A page plays the recording, from any host that
//! serves files, or out of one HTML file.
//!
//! ```
//! use std::path::Path;
//! use gametape::{Recording, Work};
//! use gametape_live::{PublishOptions, Site, Store};
//! # let bytes = gametape_samples::mines::example();
//! # let folder = tempfile::tempdir().unwrap();
//! let recording = Recording::from_bytes(bytes, "final.rmv")?;
//! let mut site = Site::new(Store::folder(folder.path())?)?;
//! let options = PublishOptions::default();
//! let index = site.add(&recording, Path::new("final.rmv"), options, &Work::default())?;
//! assert_eq!(index.entry.id, "final.rmv");
//! site.finish()?;
//! assert!(folder.path().join("r/final.rmv/recording.json").exists());
//! # Ok::<(), gametape_live::Error>(())
//! ```
//!
//! | to change | look in |
//! |---|---|
//! | the JSON files | `index.rs` |
//! | publishing one recording | `publish.rs` |
//! | a folder of published recordings, or everything in one HTML file | `site.rs` |
//! | the destination of files | `store.rs` |
//! | the built page | `page.rs`, `build.rs` |
//! | a server of recordings (feature `serve`) | [`server`] |

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

mod error;
mod index;
mod page;
mod publish;
#[cfg(feature = "serve")]
pub mod server;
mod site;
mod store;

pub use error::Error;
pub use gametape_capture::tape::Moment;
pub use index::{Entry, File, Index, Library, Lost, Mark, SegmentEntry, VERSION};
pub use page::Page;
pub use publish::{PublishOptions, publish};
pub use site::{Site, names, single};
pub use store::Store;

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
