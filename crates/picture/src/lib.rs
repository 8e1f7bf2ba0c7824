//! Draws a moment or a stretch of any recording as SVG.
//!
//! ```
//! use gametape::Work;
//! use gametape_picture::{Options, draw};
//!
//! let game = gametape::formats().open_input(gametape_samples::mines::example(), "game.rmv")?;
//! let drawn = draw(&game, &Options::default(), &Work::default())?;
//! assert_eq!(drawn.view, "board");
//! assert!(drawn.picture.svg.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The scene follows from the tables; the rest paints it.
//!
//! | to change | look in |
//! |---|---|
//! | which views a recording has, what is where in them, and what it means | `scene` |
//! | what is read for a picture, and in which order | `compose.rs`, `source.rs` |
//! | the page: titles, legends, scales | `page.rs` |
//! | a grid, its cells and signs | `grid.rs`, `tiles.rs`, `signs.rs`, `fill.rs` |
//! | a map, its paths and densities | `map.rs` |
//! | colours; SVG; PNG | `palette.rs`; `svg.rs`; `png.rs` |

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

mod compose;
mod fill;
mod grid;
mod map;
mod page;
mod palette;
#[cfg(feature = "png")]
mod png;
// Drawn by the player in a terminal, too.
#[doc(hidden)]
pub mod scene;
mod signs;
mod source;
mod subject;
mod svg;
#[cfg(test)]
mod tests;
mod tiles;

pub use compose::draw;
pub use page::Picture;
#[cfg(feature = "png")]
pub use png::encode as png;
pub use scene::map::Plane;
pub use scene::time::Stretch;
pub use subject::{Drawn, Fault, Options, Show};
