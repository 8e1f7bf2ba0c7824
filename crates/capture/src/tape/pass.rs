//! The packets of a recording, as rows of several tables at once.

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

/// A table whose rows are given: that of a component, or of the packets themselves.
struct Going {
    component: Option<Reading>,
    /// Nothing that follows is wanted.
    enough: bool,
}

/// What gives the rows of tables, packet after packet.
pub(super) struct Pass {
    going: Vec<Going>,
    /// When packets are; when states are, which may begin later.
    clock: Clock,
    of_states: Clock,
    /// The states, where any table is of them.
    steps: Option<Steps>,
    /// When the last packet was, and the last up to which no more rows come.
    last: Option<Stamp>,
    pub settled: Option<Stamp>,
}

/// When the moments of packets are.
pub(super) const fn clocks(tick_ns: Option<u64>) -> Clocks {
    Clocks::ticks(tick_ns.is_some())
}

impl Pass {
    /// Of these scans, which wait for rows; `replay` follows states.
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
            // The components' tables follow, in the order of the schema.
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

    /// Gives the rows of packets, until nobody wants more; what keeps them from being read further.
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

    /// Gives the rows of a packet. Breaks where nobody wants more.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        rows: &mut [Scanning<'_>],
    ) -> Result<ControlFlow<()>, Error> {
        if packet.role != Role::Added {
            self.head(packet, rows)?;
        }
        self.state(packet, rows)?;
        // While there is no state, a full snapshot may come that is of the last packet, too.
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

    /// A row where an entity gets other values, and one where it goes.
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

    /// There are no more packets; `behind` is what is wrong where they end.
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
                // Who has enough has not asked for what is behind it.
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
