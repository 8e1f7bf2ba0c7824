//! Recordings in a browser.
//!
//! A recording is published as its tables, carried by snapshot/delta packets, in segments that can each
//! be decoded by itself; what it is and what happens in it lies beside as JSON. The book says how it is
//! laid out. A page plays it, from any host that serves files, or out of one HTML file.
//!
//! ```
//! use gametape::{Recording, Secrets, Work};
//! use gametape_live::{Site, Store};
//! # let bytes = gametape_samples::mines::example();
//! # let folder = tempfile::tempdir().unwrap();
//! let recording = Recording::from_bytes(bytes, "final.rmv")?;
//! let mut site = Site::new(Store::folder(folder.path())?)?;
//! let index = site.add(&recording, Secrets::Hide, &Work::default())?;
//! assert_eq!(index.entry.id, "final.rmv");
//! site.finish()?;
//! assert!(folder.path().join("r/final.rmv/recording.json").exists());
//! # Ok::<(), gametape_live::Error>(())
//! ```
//!
//! | to change | look in |
//! |---|---|
//! | what is said of a recording | `index.rs` |
//! | how a recording becomes files | `publish.rs` |
//! | a folder of them | `site.rs` |
//! | one HTML file | `single.rs` |
//! | where files go | `store.rs` |
//! | the page that is carried | `page.rs`, `build.rs` |
//! | a server of them (feature `serve`) | [`server`] |

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
mod single;
mod site;
mod store;

pub use error::Error;
pub use gametape_capture::tape::Moment;
pub use index::{Entry, File, Index, Library, Lost, Mark, SegmentEntry, VERSION};
pub use page::Page;
pub use publish::{PublishOptions, publish};
pub use single::single;
pub use site::Site;
pub use store::Store;

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
