//! The packets of a recording as rows of several tables at once, also while it is being recorded.

use std::ops::ControlFlow;

use gametape_core::feed::Fed;
use gametape_core::table::{Position, Scan, Scanning, Scans, Value, Visit};
use gametape_core::tape::{Error, Follow, Grown, Partial, Work};
use gametape_core::{Clocks, Input, Stamp};
use gametape_delta::{Component, Entity, FixedPoint, Part, Schema, Snapshot, Value as Wire};

use super::packets::{BITS, PACKETS, PARTS, PacketHead, Parting, Sizing};
use super::{OF_PACKETS, component, of};
use crate::cursor::Cursor;
use crate::follow::Steps;
use crate::layout::Role;
use crate::made::ends;
use crate::packets::{Clock, Packet, Packets};
use crate::replay::Replay;
use crate::rule::{Error as ReadError, Finding, fault};
use crate::stream::Feed;
use crate::tape::dump::stamp;
use crate::tape::opened::{PacketsTape, made_of};

/// The rows that a scan is for.
enum ScanKind {
    Packets,
    Parts(Box<Parting>),
    Bits(Box<Sizing>),
    States(ComponentReader),
}

/// Makes the rows of tables, packet by packet.
pub(crate) struct Pass {
    /// For each scan the rows of its table.
    wanted: Vec<ScanKind>,
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
pub(crate) const fn clocks(tick_ns: Option<u64>) -> Clocks {
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
                Some(component) => ScanKind::States(ComponentReader::of(component)),
                None if table.name == PARTS.name => {
                    ScanKind::Parts(Box::new(Parting::new(schema, of_components)))
                }
                None if table.name == BITS.name => {
                    ScanKind::Bits(Box::new(Sizing::of(schema, of_components)))
                }
                None => ScanKind::Packets,
            });
        }
        let of_states = wanted.iter().any(|of| matches!(of, ScanKind::States(_)));
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
        // Rows end at the damage.
        cursor.each(|packet| {
            work.done(packet.offset)?;
            self.packet(packet, visit)
        })
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
                ScanKind::Packets => {
                    rows.row_of(&PACKETS, stamp, &PacketHead::of(packet));
                }
                ScanKind::Parts(parting) => parting.packet(packet, stamp, rows)?,
                ScanKind::Bits(sizing) => sizing.packet(packet)?,
                ScanKind::States(_) => {}
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
        let is_open = |(wanted, rows): (&ScanKind, &Scanning)| {
            matches!(wanted, ScanKind::States(_)) && !rows.is_over()
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
                if let (false, ScanKind::States(reading)) = (rows.is_over(), wanted) {
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
            if let ScanKind::Bits(sizing) = wanted {
                sizing.give(rows);
            }
        }
        self.scans.end(visit, |at| {
            // A scan that ended early does not report problems after its rows.
            if over.get(at) == Some(&true) {
                return None;
            }
            let found = match wanted.get(at)? {
                ScanKind::Packets => None,
                ScanKind::Parts(parting) => parting.problem.clone(),
                ScanKind::Bits(sizing) => sizing.problem.clone(),
                ScanKind::States(_) => lost.clone(),
            };
            let found = found.map(ReadError::from);
            found.or_else(&at_end).map(Error::from)
        })
    }
}

/// Reads the values of a component as columns; fixed-point numbers in their unit.
pub(crate) struct ComponentReader {
    component: Component,
    fixed: Vec<Option<FixedPoint>>,
}

impl ComponentReader {
    pub fn of(component: &Component) -> Self {
        let fields = component.fields.iter();
        let fixed = fields.map(|field| FixedPoint::of(field.codec)).collect();
        Self {
            component: component.clone(),
            fixed,
        }
    }

    /// The value of a column: first the entity, then the fields.
    pub fn value(&self, entity: u32, values: &[Wire], column: usize) -> Value<'static> {
        let Some(at) = column.checked_sub(1) else {
            return entity.into();
        };
        let fixed = self.fixed.get(at).copied().flatten();
        match values.get(at).copied() {
            None => Value::Null,
            Some(Wire::Bool(value)) => value.into(),
            Some(Wire::UInt(value)) => value.into(),
            Some(Wire::SInt(value)) => value.into(),
            Some(Wire::VarUInt(value)) => value.into(),
            Some(Wire::VarSInt(value)) => value.into(),
            Some(Wire::FixedPoint(value)) => fixed.map(|fixed| fixed.value(value)).into(),
        }
    }

    /// The component of an entity in a state.
    fn part<'s>(&self, state: &'s Snapshot, entity: u32) -> Option<Part<'s>> {
        state.entity(entity)?.component(self.component.id)
    }

    /// The entities of a state that have the component.
    pub fn entities<'s>(&self, state: &'s Snapshot) -> impl Iterator<Item = (u32, Part<'s>)> + 's {
        let id = self.component.id;
        let of = move |entity: Entity<'s>| Some((entity.id(), entity.component(id)?));
        state.iter().filter_map(of)
    }
}

/// Adds rows for the changes of a state.
pub(crate) fn show(
    reading: &ComponentReader,
    stamp: Stamp,
    before: Option<&Snapshot>,
    state: &Snapshot,
    rows: &mut Scanning,
) {
    let mut values = Vec::new();
    for (entity, part) in reading.entities(state) {
        let held = before.and_then(|before| reading.part(before, entity));
        if held.is_some_and(|held| held.values().eq(part.values())) {
            continue;
        }
        values.clear();
        values.extend(part.values());
        if !rows.row(stamp, |column| reading.value(entity, &values, column)) {
            return;
        }
    }
    let before = before
        .into_iter()
        .flat_map(|before| reading.entities(before));
    for (entity, _) in before.filter(|(entity, _)| reading.part(state, *entity).is_none()) {
        if !rows.ended(stamp, |column| reading.value(entity, &[], column)) {
            return;
        }
    }
}

/// Follows a recording of packets; `None` for one that was made from the tables of another
/// recording, since such a capture is made all at once.
pub(crate) fn follow(tape: &PacketsTape, scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
    let packets = tape.packets()?;
    if made_of(&packets)?.is_some() {
        return Ok(None);
    }
    let schema = packets.schema();
    let replay = || Ok(Replay::live(schema));
    let pass = Pass::new(schema, packets.tick_ns(), scans, replay)?;
    let feed = match &packets {
        Packets::Capture(_) => Feed::new(),
        Packets::Delta(_) => Feed::of_packets(),
    };
    Ok(Some(Box::new(Following {
        tape: tape.again(Input::from(Vec::new()))?,
        grown: Grown::default(),
        feed,
        is_bare: matches!(packets, Packets::Delta(_)),
        packets: 0,
        pass,
        failed: None,
        enough: false,
    })))
}

/// A recording of packets that is still being written.
struct Following {
    /// The recording, without its bytes.
    tape: PacketsTape,
    grown: Grown,
    feed: Feed,
    /// Whether it is a file of packets.
    is_bare: bool,
    /// The number of packets of the stream so far.
    packets: u64,
    pass: Pass,
    /// The problem that ended reading.
    failed: Option<Finding>,
    /// Whether no more rows are wanted.
    enough: bool,
}

impl Following {
    /// Adds the rows of the packets that are complete.
    fn give(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        while !self.enough && self.failed.is_none() {
            let packet = match self.feed.next_packet() {
                Ok(Fed::Item(packet)) => packet,
                Ok(Fed::NeedMore | Fed::End) => break,
                Err(error) => {
                    self.failed = Some(fault(error)?);
                    break;
                }
            };
            self.packets += u64::from(packet.role.is_of_stream());
            self.enough = self.pass.packet(&packet, visit)?.is_break();
        }
        self.pass.give_all(visit)
    }

    /// Takes all bytes that have arrived.
    fn take(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.grown.look(input, self.feed.rest())?;
        while !self.enough
            && self.failed.is_none()
            && let Some(bytes) = self.grown.next(input)?
        {
            self.feed.push(&bytes);
            self.give(visit)?;
        }
        Ok(())
    }
}

impl Follow for Following {
    fn more(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<Option<Stamp>, Error> {
        self.take(input, visit)?;
        match &self.failed {
            // The following bytes decide where a damaged packet ends.
            Some(failed) if self.is_bare => Err(failed.clone().into()),
            _ => Ok(self.pass.settled),
        }
    }

    fn end(
        mut self: Box<Self>,
        input: &Input,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        self.take(input, visit)?;
        let Self {
            tape,
            feed,
            packets: count,
            mut pass,
            mut failed,
            enough,
            ..
        } = *self;
        let tape = tape.again(input.clone())?;
        let packets = tape.packets()?;
        if let (Packets::Delta(file), false) = (&packets, enough) {
            // The bytes after the complete packets are read in the same way as in a complete
            // recording.
            let mut cursor = Cursor::of_delta_from(file, feed.offset(), count);
            failed = pass.all(&mut cursor, &Work::default(), visit)?;
        }
        let at_end = || failed.clone().map(Into::into).or_else(|| packets.problem());
        pass.end(at_end, visit)
    }
}
