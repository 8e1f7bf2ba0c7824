//! The packets of a recording as rows of several tables at once.

use std::ops::ControlFlow;

use gametape_core::table::{Scan, Scanning, VisitEach, Visitors, Waiting};
use gametape_core::tape::{Error, Partial};
use gametape_core::{Clocks, Stamp};
use gametape_delta::Schema;

use super::defs::of;
use super::dump::stamp;
use super::heads::{Head, PACKETS};
use super::reading::{Reading, show};
use crate::clock::Clock;
use crate::cursor::Cursor;
use crate::follow::Steps;
use crate::layout::Role;
use crate::packet::Packet;
use crate::replay::Replay;
use crate::rule::{Error as ReadError, Finding, fault};

/// A table that is being scanned: that of a component, or that of the packets.
struct Going {
    component: Option<Reading>,
    /// Whether no more rows are wanted.
    enough: bool,
}

/// Produces the rows of tables, packet by packet.
pub(super) struct Pass {
    going: Vec<Going>,
    /// The times of packets, and those of states, which may begin later.
    clock: Clock,
    of_states: Clock,
    /// The states, if any table needs them.
    steps: Option<Steps>,
    /// The stamp of the last packet, and the stamp up to which all rows are complete.
    last: Option<Stamp>,
    pub settled: Option<Stamp>,
}

/// The clocks of packets.
pub(super) const fn clocks(tick_ns: Option<u64>) -> Clocks {
    Clocks::ticks(tick_ns.is_some())
}

impl Pass {
    /// A pass for these scans; also returns them, waiting for rows. `replay` makes the replay for
    /// the states.
    pub fn new(
        schema: &Schema,
        tick_ns: Option<u64>,
        scans: &[Scan],
        replay: impl FnOnce() -> Result<Replay, ReadError>,
    ) -> Result<(Self, Vec<Waiting>), Error> {
        let tables = of(schema);
        let (mut going, mut waiting) = (Vec::new(), Vec::new());
        for scan in scans {
            let table = scan.find(&tables)?;
            waiting.push(Waiting::new(table, scan, clocks(tick_ns))?);
            // After the table of packets, the tables of components follow in the order of the
            // schema.
            let at = tables.iter().position(|other| std::ptr::eq(other, table));
            let component = at.and_then(|at| at.checked_sub(1));
            let component = component.and_then(|at| schema.components().get(at));
            going.push(Going {
                component: component.map(Reading::of),
                enough: false,
            });
        }
        let of_states = going.iter().any(|going| going.component.is_some());
        let pass = Self {
            going,
            clock: Clock::new(tick_ns),
            of_states: Clock::new(tick_ns),
            steps: of_states.then(|| replay().map(Steps::new)).transpose()?,
            last: None,
            settled: None,
        };
        Ok((pass, waiting))
    }

    /// Produces the rows of packets until no more are wanted. Returns the problem that ended
    /// reading, if any.
    pub fn all(
        &mut self,
        cursor: &mut Cursor<'_>,
        rows: &mut [Scanning<'_>],
    ) -> Result<Option<Finding>, Error> {
        loop {
            let packet = match cursor.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => return Ok(None),
                // Rows end at the damage.
                Err(error) => return Ok(Some(fault(error)?)),
            };
            if self.packet(&packet, rows)?.is_break() {
                return Ok(None);
            }
        }
    }

    /// Produces the rows of a packet. Breaks if no more are wanted.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        rows: &mut [Scanning<'_>],
    ) -> Result<ControlFlow<()>, Error> {
        if packet.role != Role::Added {
            self.head(packet, rows)?;
        }
        self.state(packet, rows)?;
        // As long as there is no state, an added full snapshot of the last packet's tick may still
        // follow.
        let open = self.steps.as_ref();
        if open.is_none_or(|steps| steps.has_state() || steps.is_lost) {
            self.settled = self.last;
        }
        Ok(if self.going.iter().all(|going| going.enough) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    fn head(&mut self, packet: &Packet<'_>, rows: &mut [Scanning<'_>]) -> Result<(), Error> {
        let stamp = stamp(packet, &mut self.clock);
        if self.steps.as_ref().is_some_and(|steps| !steps.has_state()) {
            self.settled = self.last;
        }
        self.last = Some(stamp);
        let each = self.going.iter_mut().zip(rows);
        for (going, rows) in each.filter(|(going, _)| !going.enough && going.component.is_none()) {
            let head = Head::of(packet);
            going.enough = rows.row_of(&PACKETS, stamp, &head)?.is_break();
        }
        Ok(())
    }

    /// Produces a row where an entity gets new values, and one where it is removed.
    fn state(&mut self, packet: &Packet<'_>, rows: &mut [Scanning<'_>]) -> Result<(), Error> {
        let (clock, going) = (&mut self.of_states, &mut self.going);
        let is_open = |going: &Going| !going.enough && going.component.is_some();
        let Some(steps) = self.steps.as_mut().filter(|steps| !steps.is_lost) else {
            return Ok(());
        };
        if !going.iter().any(is_open) {
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
            for (going, rows) in going.iter_mut().zip(rows) {
                if let (false, Some(reading)) = (going.enough, &going.component) {
                    going.enough = show(reading, stamp, before, state, rows)?.is_break();
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(())
    }

    /// Ends the pass; `behind` gives the problem at the end of the packets.
    pub fn end(
        self,
        behind: impl Fn() -> Result<Option<ReadError>, Error>,
        waiting: Vec<Waiting>,
        visit: &mut VisitEach<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let lost = self.steps.and_then(|steps| steps.problem);
        let lost = lost.map(fault).transpose()?;
        let visitors = Visitors::new(visit);
        let mut ends = Vec::with_capacity(waiting.len());
        for (scan, (going, waiting)) in self.going.into_iter().zip(waiting).enumerate() {
            let mut visit = visitors.of(scan);
            let lost = lost.clone().filter(|_| going.component.is_some());
            let problem = match lost {
                // A scan that has enough rows does not report problems after them.
                _ if going.enough => None,
                Some(lost) => Some(ReadError::from(lost)),
                None => behind()?,
            };
            let rows = waiting.go_on(&mut visit);
            ends.push(rows.end(problem.map(Error::from))?);
        }
        Ok(ends)
    }
}
