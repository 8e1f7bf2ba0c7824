//! A simulated network, for tests of games and of sessions (feature `network`).
//!
//! A [`Link`] carries packets in one direction and does to them what networks do: it loses them,
//! also in bursts, delays them, delivers them out of order and twice, and has a bandwidth with a
//! queue. It draws everything from a seed, so that each run can be repeated. It also keeps the
//! [`Fate`] of each packet: [`Link::replaying`] repeats these, whatever the conditions were.
//!
//! A [`Trial`] puts a [`World`](crate::World), a sender, a receiver and two links together, and
//! judges what the receiver shows. Give it the states of your own game.
//!
//! ```
//! use gametape_delta::network::{Conditions, Trial};
//! use gametape_delta::{Codec, Component, Field, Schema, Snapshot, Value};
//!
//! let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
//! let bad = Conditions { loss: 200, delay: 2, jitter: 3, ..Conditions::PERFECT };
//! let mut trial = Trial::new(&schema, 1).both(bad);
//! let mut game = Snapshot::new(&schema, 0);
//! for tick in 1..=100 {
//!     game.set_tick(tick);
//!     game.entry(7).set(1, &[Value::UInt(u64::from(tick))])?;
//!     trial.step(&game)?; // an error says what the receiver shows that the game never had
//! }
//! trial.calm();
//! assert!(trial.converges(&mut game, 20)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod link;
mod trial;

pub use link::{Bandwidth, Burst, Conditions, Fate, Link, Tally};
pub use trial::{Fault, Trial};
