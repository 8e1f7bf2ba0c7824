//! Ships in an arena, for replication, and the view of a receiver behind a network that loses
//! packets.
//!
//! ```
//! use gametape_samples::delta::{Network, Replication};
//!
//! let network = Network { loss: 20, ..Network::default() };
//! let mut replication = Replication::new(30, 90, 1, network); // 30 ships, 90 ticks, seed 1
//! let mut last = 0;
//! while let Some(seen) = replication.next_seen()? {
//!     last = seen.tick(); // into a capture, say
//! }
//! let outcome = replication.outcome();
//! assert!(last > 90 && outcome.lost > 0 && outcome.converged);
//! # Ok::<(), gametape_samples::delta::ReplicationError>(())
//! ```

mod arena;
mod replication;

pub use arena::Arena;
pub use replication::{Network, Outcome, Replication, ReplicationError};
