//! What was done to keep what is whole, a sentence each.

use std::fmt;

use gametape_core::Place;
use gametape_core::text::{Bytes, Counted, Grouped};

use crate::rule::{Finding, Rule};

/// One thing that was done, or that is lost.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Repair {
    /// The record that says how long a tick is, is not there.
    TickLengthLost,
    /// Bytes that are no record.
    NoRecord {
        /// Where they start.
        from: u64,
        /// How many.
        bytes: u64,
        /// False where they are of the index, which is made anew.
        packets: bool,
    },
    /// What can't be read was left out.
    NotRead(Box<Finding>),
    /// A full snapshot that the recorder added became one of the stream.
    TakenIn {
        /// The tick of the state that it holds.
        tick: u32,
    },
    /// A full snapshot that the recorder added was left out.
    AddedLeftOut {
        /// The packet before it.
        packet: u64,
    },
    /// A packet was left out: its tick is not after those before it.
    OutOfOrder(Place),
    /// A packet was left out: it can't be applied.
    Dropped(Place, Box<Rule>),
    /// A packet was written anew.
    WrittenAnew(Place, Box<Rule>),
    /// Packets that the summary counts are not there.
    NotFound {
        /// How many.
        packets: u64,
    },
    /// The index was written anew.
    Index,
    /// More than are told.
    More(u64),
    /// Packets that build on what was left out were left out.
    Behind {
        /// How many.
        packets: u64,
    },
    /// What there is now.
    Kept {
        /// Packets that were kept.
        packets: u64,
        /// Packets that are gone.
        gone: u64,
        /// The tick of the last packet that was kept; `None` where none was.
        last_tick: Option<u32>,
    },
}

impl Repair {
    /// True where something is lost by it.
    #[must_use]
    pub const fn is_loss(&self) -> bool {
        match self {
            Self::NoRecord { packets, .. } => *packets,
            Self::TickLengthLost
            | Self::NotRead(_)
            | Self::OutOfOrder(_)
            | Self::Dropped(..)
            | Self::NotFound { .. }
            | Self::Behind { .. } => true,
            Self::TakenIn { .. }
            | Self::AddedLeftOut { .. }
            | Self::WrittenAnew(..)
            | Self::Index
            | Self::More(_)
            | Self::Kept { .. } => false,
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TickLengthLost => f.write_str("the length of a tick is lost, if it was recorded"),
            Self::NoRecord {
                from,
                bytes,
                packets,
            } => {
                let (bytes, from) = (Bytes(*bytes), Grouped(*from));
                let then = if *packets {
                    ": dropped"
                } else {
                    "; they are of the index"
                };
                write!(f, "{bytes} from byte {from} on are no whole record{then}")
            }
            Self::NotRead(finding) => {
                let message = finding.message();
                if !finding.place.is_nowhere() {
                    write!(f, "{}: ", finding.place)?;
                }
                write!(f, "dropped what can't be read: {message}")
            }
            Self::TakenIn { tick } => write!(
                f,
                "took a full snapshot that was added, of tick {}, into the stream, as what leads to it is lost",
                Grouped((*tick).into())
            ),
            Self::AddedLeftOut { packet } => write!(
                f,
                "left out a full snapshot that was added behind packet {}: the stream does not give its state",
                Grouped(*packet)
            ),
            Self::OutOfOrder(place) => write!(f, "{place}: dropped: its tick is out of order"),
            Self::Dropped(place, rule) => write!(f, "{place}: dropped: {rule}"),
            Self::WrittenAnew(place, rule) => {
                write!(f, "{place}: written anew, nothing lost: {rule}")
            }
            Self::NotFound { packets } => {
                let are = if *packets == 1 { "is" } else { "are" };
                let more = Counted(*packets, "more packet");
                write!(f, "{more} that the summary counts {are} not to be found")
            }
            Self::Index => f.write_str("wrote the index anew"),
            Self::More(count) => write!(f, "and {} more of the kind", Grouped(*count)),
            Self::Behind { packets } => {
                let build = if *packets == 1 { "builds" } else { "build" };
                let more = Counted(*packets, "more packet");
                write!(f, "dropped {more} that {build} on what was dropped")
            }
            Self::Kept {
                packets,
                gone,
                last_tick,
            } => {
                let all = packets + gone;
                match gone {
                    0 => write!(f, "kept {}", Counted(all, "packet"))?,
                    _ => write!(
                        f,
                        "kept {} of {}",
                        Grouped(*packets),
                        Counted(all, "packet")
                    )?,
                }
                last_tick.map_or(Ok(()), |tick| {
                    write!(f, ", up to tick {}", Grouped(tick.into()))
                })
            }
        }
    }
}
