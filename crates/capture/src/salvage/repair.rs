//! The repairs of a salvage, each rendered as a sentence.

use std::fmt;

use gametape_core::Place;
use gametape_core::text::{Bytes, Counted, Grouped};

use crate::read::end::After;
use crate::rule::{Finding, Rule};

/// A repair, or a loss.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Repair {
    /// The record with the length of a tick is missing.
    TickLengthLost,
    /// The record with the length of a tick is missing, and the log times tell it: it is written again.
    TickLength {
        /// The length of a tick in nanoseconds.
        ns: u64,
    },
    /// Messages of a channel of another program were left out.
    Foreign {
        /// The topic of the channel.
        topic: String,
        /// Their number.
        messages: u64,
    },
    /// Attachments, or metadata of another program, were left out.
    ForeignRecords {
        /// Their number.
        records: u64,
    },
    /// What follows the capture in its file was left out; another capture is a recording of its own.
    LeftOutAfter(After),
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
    /// A packet whose tick is far off was given the tick that the packets around it tell.
    Tick {
        /// The packet.
        place: Place,
        /// The recorded tick.
        tick: u32,
        /// The tick that is meant.
        meant: u32,
    },
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
            Self::LeftOutAfter(after) => matches!(after, After::Others { .. }),
            Self::TickLengthLost
            | Self::NotRead(_)
            | Self::OutOfOrder(_)
            | Self::Dropped(..)
            | Self::NotFound { .. }
            | Self::Foreign { .. }
            | Self::ForeignRecords { .. }
            | Self::Dependent { .. } => true,
            Self::TakenIn { .. }
            | Self::AddedLeftOut { .. }
            | Self::WrittenAnew(..)
            | Self::TickLength { .. }
            | Self::Tick { .. }
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
            Self::TickLength { ns } => write!(
                f,
                "wrote the length of a tick, {} ns, which the log times tell",
                Grouped(*ns)
            ),
            Self::Foreign { topic, messages } => {
                let messages = Counted(*messages, "message");
                write!(
                    f,
                    "left out {messages} of channel {topic}, of another program"
                )
            }
            Self::ForeignRecords { records } => {
                let records = Counted(*records, "attachment or metadata record");
                write!(f, "left out {records} of another program")
            }
            Self::LeftOutAfter(after) => match after {
                After::Next(at) => {
                    let at = Grouped(*at);
                    write!(
                        f,
                        "another capture begins at byte {at}: it is a recording of its own"
                    )
                }
                After::Zeros { at, bytes } => {
                    let (at, bytes) = (Grouped(*at), Bytes(*bytes));
                    write!(f, "left out {bytes} from byte {at} on, which are all zero")
                }
                After::Others { at, bytes } => {
                    let (at, bytes) = (Grouped(*at), Bytes(*bytes));
                    write!(
                        f,
                        "left out {bytes} from byte {at} on, after the end of the capture"
                    )
                }
            },
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
            Self::Tick { place, tick, meant } => {
                let [tick, meant] = [tick, meant].map(|tick| Grouped((*tick).into()));
                write!(
                    f,
                    "{place}: wrote tick {meant}, which the packets around it tell, in place of {tick}"
                )
            }
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
