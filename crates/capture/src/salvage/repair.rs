//! The repairs of a salvage, each rendered as a sentence.

use std::fmt;

use gametape_core::Place;
use gametape_core::text::{Bytes, Counted, Grouped};

use crate::rule::{Finding, Rule};

/// A repair, or a loss.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Repair {
    /// The record with the length of a tick is missing.
    TickLengthLost,
    /// Bytes that are not a record.
    NoRecord {
        /// Their offset.
        from: u64,
        /// Their number.
        bytes: u64,
        /// False if they belong to the index, which is written again.
        packets: bool,
    },
    /// Data that can't be read were left out.
    NotRead(Box<Finding>),
    /// A full snapshot that the recorder added became part of the stream.
    TakenIn {
        /// The tick of its state.
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
    /// A packet was written again, without its deviation.
    WrittenAnew(Place, Box<Rule>),
    /// Packets that the summary counts are missing.
    NotFound {
        /// Their number.
        packets: u64,
    },
    /// The index was written again.
    Index,
    /// Further repairs, which are only counted.
    More(u64),
    /// Packets that build on packets that were left out were left out, too.
    Dependent {
        /// Their number.
        packets: u64,
    },
    /// The packets of the result.
    Kept {
        /// The number of packets that were kept.
        packets: u64,
        /// The number of packets that are lost.
        gone: u64,
        /// The tick of the last packet that was kept; `None` if there is none.
        last_tick: Option<u32>,
    },
}

impl Repair {
    /// Whether it means a loss.
    #[must_use]
    pub const fn is_loss(&self) -> bool {
        match self {
            Self::NoRecord { packets, .. } => *packets,
            Self::TickLengthLost
            | Self::NotRead(_)
            | Self::OutOfOrder(_)
            | Self::Dropped(..)
            | Self::NotFound { .. }
            | Self::Dependent { .. } => true,
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
                    "; they belong to the index"
                };
                write!(
                    f,
                    "{bytes} from byte {from} on are not a whole record{then}"
                )
            }
            Self::NotRead(finding) => {
                let message = finding.message();
                if !finding.place.is_nowhere() {
                    write!(f, "{}: ", finding.place)?;
                }
                write!(f, "dropped unreadable data: {message}")
            }
            Self::TakenIn { tick } => write!(
                f,
                "took an added full snapshot, of tick {}, into the stream, because the packets that lead to it are lost",
                Grouped((*tick).into())
            ),
            Self::AddedLeftOut { packet } => write!(
                f,
                "left out a full snapshot that was added after packet {}: the stream does not have its state",
                Grouped(*packet)
            ),
            Self::OutOfOrder(place) => write!(f, "{place}: dropped: its tick is out of order"),
            Self::Dropped(place, rule) => write!(f, "{place}: dropped: {rule}"),
            Self::WrittenAnew(place, rule) => {
                write!(f, "{place}: rewritten, nothing lost: {rule}")
            }
            Self::NotFound { packets } => {
                let are = if *packets == 1 { "is" } else { "are" };
                let more = Counted(*packets, "more packet");
                write!(f, "{more} that the summary counts {are} missing")
            }
            Self::Index => f.write_str("wrote a new index"),
            Self::More(count) => write!(f, "and {} more of the kind", Grouped(*count)),
            Self::Dependent { packets } => {
                let build = if *packets == 1 { "builds" } else { "build" };
                let more = Counted(*packets, "more packet");
                write!(f, "dropped {more} that {build} on dropped packets")
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
