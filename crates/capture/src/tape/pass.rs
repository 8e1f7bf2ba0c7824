//! The packets of a recording as rows of several tables at once.

use std::ops::ControlFlow;

use gametape_core::table::{Position, Scan, Scanning, Scans, Visit};
use gametape_core::tape::{Error, Partial, Work};
use gametape_core::{Clocks, Stamp};
use gametape_delta::Schema;

use super::defs::{OF_PACKETS, component, of};
use super::dump::stamp;
use super::heads::{Head, PACKETS};
use super::parts::{PARTS, Parting};
use super::reading::{Reading, show};
use super::sizes::{BITS, Sizing};
use crate::clock::Clock;
use crate::cursor::Cursor;
use crate::follow::Steps;
use crate::layout::Role;
use crate::made::ends;
use crate::packet::Packet;
use crate::replay::Replay;
use crate::rule::{Error as ReadError, Finding, fault};

/// The rows that a scan is for.
enum Wanted {
    Packets,
    Parts(Box<Parting>),
    Bits(Box<Sizing>),
    States(Reading),
}

/// Makes the rows of tables, packet by packet.
pub(super) struct Pass {
    /// For each scan the rows of its table.
    wanted: Vec<Wanted>,
    scans: Scans,
    /// The times of packets, and those of states, which may begin later.
    clock: Clock,
    of_states: Clock,
    /// The states, if any table needs them.
    steps: Option<Steps>,
    /// The number of the packet before which the states of others may be unknown: they build on
    /// packets that were not read.
    sure: u64,
    /// The stamp of the last packet, and the stamp up to which all rows are complete.
    last: Option<Stamp>,
    pub settled: Option<Stamp>,
}

/// The clocks of packets.
pub(super) const fn clocks(tick_ns: Option<u64>) -> Clocks {
    Clocks::ticks(tick_ns.is_some())
}

impl Pass {
    /// Starts a pass for these scans; `replay` makes the replay for the states.
    pub fn new(
        schema: &Schema,
        tick_ns: Option<u64>,
        scans: &[Scan],
        replay: impl FnOnce() -> Result<Replay, ReadError>,
    ) -> Result<Self, Error> {
        let tables = of(schema);
        let running = Scans::new(&tables, scans, clocks(tick_ns))?;
        let of_components = tables.get(OF_PACKETS..).unwrap_or_default();
        let mut wanted = Vec::new();
        for scan in scans {
            let table = scan.find(&tables)?;
            wanted.push(match component(schema, &tables, table) {
                Some(component) => Wanted::States(Reading::of(component)),
                None if table.name == PARTS.name => {
                    Wanted::Parts(Box::new(Parting::new(schema, of_components)))
                }
                None if table.name == BITS.name => {
                    Wanted::Bits(Box::new(Sizing::of(schema, of_components)))
                }
                None => Wanted::Packets,
            });
        }
        let of_states = wanted.iter().any(|of| matches!(of, Wanted::States(_)));
        Ok(Self {
            wanted,
            scans: running,
            clock: Clock::new(tick_ns),
            of_states: Clock::new(tick_ns),
            steps: of_states.then(|| replay().map(Steps::new)).transpose()?,
            sure: 0,
            last: None,
            settled: None,
        })
    }

    /// Starts within the recording: its clocks started before, and states are needed from the packet
    /// of number `sure` on.
    pub fn within(self, clock: Clock, of_states: Clock, sure: u64) -> Self {
        Self {
            clock,
            of_states,
            sure,
            ..self
        }
    }

    /// Ends those scans whose rows are all read because the part that was read goes beyond their
    /// range.
    pub fn is_beyond(&mut self, scans: &[Scan]) {
        for (scan, rows) in scans.iter().zip(self.scans.iter_mut()) {
            if ends(scan) {
                rows.finish();
            }
        }
    }

    /// Makes the rows of packets until no more are wanted. Returns the problem that ended reading,
    /// if any.
    pub fn all(
        &mut self,
        cursor: &mut Cursor<'_>,
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Option<Finding>, Error> {
        loop {
            let packet = match cursor.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => return Ok(None),
                // Rows end at the damage.
                Err(error) => return Ok(Some(fault(error)?)),
            };
            work.done(packet.offset)?;
            if self.packet(&packet, visit)?.is_break() {
                return Ok(None);
            }
        }
    }

    /// Makes the rows of a packet, and passes full batches to the visitor. Breaks if no more rows
    /// are wanted.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        if packet.role != Role::Added {
            self.head(packet)?;
        }
        self.state(packet)?;
        // As long as there is no state, an added full snapshot of the last packet's tick may still
        // follow.
        let open = self.steps.as_ref();
        if open.is_none_or(|steps| steps.has_state() || steps.is_lost) {
            self.settled = self.last;
        }
        self.scans.give(visit)
    }

    /// Passes all rows so far to the visitor.
    pub fn give_all(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.scans.give_all(visit)
    }

    fn head(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        let stamp = stamp(packet, &mut self.clock);
        if self.steps.as_ref().is_some_and(|steps| !steps.has_state()) {
            self.settled = self.last;
        }
        self.last = Some(stamp);
        for (wanted, rows) in self.wanted.iter_mut().zip(self.scans.iter_mut()) {
            match wanted {
                Wanted::Packets => {
                    rows.row_of(&PACKETS, stamp, &Head::of(packet));
                }
                Wanted::Parts(parting) => parting.packet(packet, stamp, rows)?,
                Wanted::Bits(sizing) => sizing.packet(packet)?,
                Wanted::States(_) => {}
            }
        }
        Ok(())
    }

    /// Makes a row where an entity gets new values, and one where it is removed.
    fn state(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        let (clock, wanted) = (&mut self.of_states, &self.wanted);
        let scans = &mut self.scans;
        let Some(steps) = self.steps.as_mut().filter(|steps| !steps.is_lost) else {
            return Ok(());
        };
        let is_open = |(wanted, rows): (&Wanted, &Scanning)| {
            matches!(wanted, Wanted::States(_)) && !rows.is_over()
        };
        if !wanted.iter().zip(scans.iter()).any(is_open) {
            return Ok(());
        }
        if packet.index < self.sure && !steps.can_apply(packet) {
            return Ok(());
        }
        if packet.role == Role::Delta && steps.is_forgotten(packet) {
            return Err(Error::Unsupported(format!(
                "packet {} builds on a state of long before it, which is not held any more: all of it has to be read",
                packet.index
            )));
        }
        let _ = steps.packet(packet, |packet, before, state| {
            let stamp = stamp(packet, clock);
            for (wanted, rows) in wanted.iter().zip(scans.iter_mut()) {
                // Rows before the range need not be made.
                if rows.position(stamp) == Position::Outside {
                    continue;
                }
                if let (false, Wanted::States(reading)) = (rows.is_over(), wanted) {
                    show(reading, stamp, before, state, rows);
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(())
    }

    /// Ends the pass; `at_end` returns the problem at the end of the packets.
    pub fn end(
        mut self,
        at_end: impl Fn() -> Option<ReadError>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let lost = self.steps.and_then(|steps| steps.problem);
        let lost = lost.map(fault).transpose()?;
        let over: Vec<bool> = self.scans.iter().map(Scanning::is_over).collect();
        let wanted = self.wanted;
        for (wanted, rows) in wanted.iter().zip(self.scans.iter_mut()) {
            if let Wanted::Bits(sizing) = wanted {
                sizing.give(rows);
            }
        }
        self.scans.end(visit, |at| {
            // A scan that ended early does not report problems after its rows.
            if over.get(at) == Some(&true) {
                return None;
            }
            let found = match wanted.get(at)? {
                Wanted::Packets => None,
                Wanted::Parts(parting) => parting.problem.clone(),
                Wanted::Bits(sizing) => sizing.problem.clone(),
                Wanted::States(_) => lost.clone(),
            };
            let found = found.map(ReadError::from);
            found.or_else(&at_end).map(Error::from)
        })
    }
}
