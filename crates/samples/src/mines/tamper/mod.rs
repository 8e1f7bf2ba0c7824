//! Manipulated recordings.
//!
//! A [`Tampering`] changes single bytes and leaves the rest unchanged: every check finds it. A
//! [`Forgery`] is the work of a forger who knows the format: one thing is false, and everything
//! that depends on it is recomputed, so that times, sizes, board events, ending and result string
//! agree.
//!
//! ```
//! use gametape_mines::rmv;
//! use gametape_samples::mines::tamper::forgeries;
//! use gametape_samples::mines::{record, scenarios};
//!
//! let game = record(&scenarios()[0], 7)?;
//! for forgery in forgeries() {
//!     if let Some(forged) = forgery.of(&game, 1) {
//!         let bytes = rmv::write(&forged)?;
//!         assert!(!rmv::audit(&bytes).findings.has("rmv.board-event"), "{}", forgery.name);
//!     }
//! }
//! # Ok::<(), rmv::WriteError>(())
//! ```

mod bytes;
mod claims;
mod cursor;
mod forgery;
mod hands;
mod relations;
mod remake;
mod retime;
mod times;

pub use bytes::Tampering;
pub use forgery::Forgery;
pub use relations::{Twin, twins};
pub use remake::{mouse_of, remake, with_result};

/// All forgeries.
pub fn forgeries() -> impl Iterator<Item = Forgery> {
    [
        claims::FORGERIES,
        times::FORGERIES,
        cursor::FORGERIES,
        hands::FORGERIES,
    ]
    .into_iter()
    .flatten()
    .copied()
}
