//! Playback of a capture that was made from tables: the state at a moment of the original
//! recording.

use std::collections::HashMap;
use std::ops::ControlFlow;

use gametape_core::table::{Batch, Lane, Playback, Scan, State, StateAt, Stepped, Value};
use gametape_core::tape::{self, Secrets, Work};
use gametape_core::{Clocks, Stamp};
use gametape_delta::Snapshot;

use super::labels::Labels;
use super::scan::{Changes, clocks, scan as scanned};
use super::{Made, RowReader, StampReader};
use crate::layout::Role;
use crate::limits::decoder_to_show;
use crate::made::write::making::Rising;
use crate::packets::Packet;
use crate::read::Capture;
use crate::rule::Error;

/// Returns the value of a column in the table of packets.
type PacketColumn = fn(&Packet<'_>, usize) -> Value<'static>;

/// Plays back the recording from which a capture was made.
pub(crate) fn play(
    capture: Capture<'static>,
    made: Made,
    packet: PacketColumn,
    work: &Work<'_>,
) -> Result<Box<dyn Playback>, tape::Error> {
    let (stamps, ticks) = moments(&capture, &made, work)?;
    let clocks = clocks(&made.of);
    let labels = Labels::read(&capture, &made.of, capture.chunks().len())?;
    let source = MadePlayback {
        capture,
        made,
        labels,
        ticks,
        held: None,
        packet,
    };
    Ok(Box::new(Stepped::over(stamps, clocks, source)))
}

/// The stamp of each step, and each step with the tick of its last packet.
type Moments = (Vec<Stamp>, Vec<(u64, u32)>);

/// Reads the stamp of each step and the tick of its last packet.
fn moments(capture: &Capture<'_>, made: &Made, work: &Work<'_>) -> Result<Moments, tape::Error> {
    let (mut stamps, mut ticks): Moments = (Vec::new(), Vec::new());
    // Playback ends where the rows end.
    each(capture, made, |stamp, tick, offset| {
        match ticks.last_mut() {
            Some((step, last)) if *step == stamp.step => *last = tick,
            // Steps ascend.
            Some((step, _)) if *step > stamp.step => {}
            _ => {
                stamps.push(stamp);
                ticks.push((stamp.step, tick));
            }
        }
        work.done(offset)
    })?;
    Ok((stamps, ticks))
}

struct MadePlayback {
    capture: Capture<'static>,
    made: Made,
    labels: Labels,
    /// Steps with the ticks of their last packets.
    ticks: Vec<(u64, u32)>,
    /// The state that was requested last.
    held: Option<Snapshot>,
    packet: PacketColumn,
}

impl MadePlayback {
    /// Builds the state at a step.
    fn hold(&mut self, step: u64) -> Result<Option<&Snapshot>, tape::Error> {
        let upto = self.ticks.partition_point(|(other, _)| *other <= step);
        let last = upto.checked_sub(1).and_then(|at| self.ticks.get(at));
        let Some((_, tick)) = last.copied() else {
            return Ok(None);
        };
        if self.held.as_ref().is_none_or(|held| held.tick() != tick) {
            self.held = Some(self.capture.state_at(tick)?);
        }
        Ok(self.held.as_ref())
    }

    fn facts(&self, scan: &Scan, rows: &mut State) -> Result<(), tape::Error> {
        let all = Scan {
            secrets: Secrets::Show,
            ..Scan::table(&*scan.table)
        };
        let mut visit = |_, batch: Batch| {
            for row in 0..batch.len() {
                rows.row(|column| batch.get(row, column));
            }
            Ok(ControlFlow::Continue(()))
        };
        let (capture, made, work) = (&self.capture, &self.made, Work::default());
        scanned(capture, made, &[all], &self.packet, &work, &mut visit)?;
        Ok(())
    }
}

impl StateAt for MadePlayback {
    fn state_at(&mut self, now: Stamp, scan: &Scan) -> Result<Batch, tape::Error> {
        let table = scan.find(&self.made.tables)?;
        let mut rows = State::new(table, scan, now)?;
        let tables = &mut self.made.of.tables.iter();
        let Some(at) = tables.position(|described| described.name == table.name) else {
            return Ok(rows.rows());
        };
        if table.lane == Lane::Facts {
            self.facts(scan, &mut rows)?;
            return Ok(rows.rows());
        }
        let reading = RowReader::new(&self.made.of, self.capture.schema(), at)?;
        self.hold(now.step)?;
        let mut changes = Changes::default();
        if let Some(state) = &self.held {
            changes.find(&reading, &self.labels, None, state);
        }
        let labels = &self.labels;
        changes.rows(&reading, labels, |row| {
            rows.row(|column| reading.value(labels, row, column));
            true
        });
        Ok(rows.rows())
    }
}

/// Visits the stamp and the tick of each packet, up to the first damage. Only the clock's fields of
/// the packets are decoded. The visitor also gets the offset of the packet.
pub(crate) fn each<E: From<Error>>(
    capture: &Capture<'_>,
    made: &Made,
    mut visit: impl FnMut(Stamp, u32, u64) -> Result<(), E>,
) -> Result<(), E> {
    let clock = StampReader::new(&made.of, capture.schema())?;
    let decoder = decoder_to_show(capture.schema());
    let mut known = HashMap::new();
    capture.packets().each(|packet| {
        if packet.role != Role::Added
            && let Ok(decoded) = decoder.packet_upto(packet.bytes, clock.entity())
            && let Some(stamp) = clock.stamp_after(&decoded, &mut known)
        {
            visit(stamp, decoded.header.tick, packet.offset)?;
        }
        Ok::<_, E>(ControlFlow::Continue(()))
    })?;
    Ok(())
}

/// Whether the clocks of the packets rise as far as the capture says that they do.
pub(crate) fn rise(capture: &Capture<'_>, made: &Made) -> Result<bool, Error> {
    let said = capture.rises();
    if said == Clocks::STEPS {
        return Ok(true);
    }
    let mut rising = Rising::default();
    each(capture, made, |stamp, _, _| {
        rising.take(stamp);
        Ok::<(), Error>(())
    })?;
    // Without packets, no clock goes back.
    let found = rising.rises().unwrap_or(said);
    Ok((found.ticks || !said.ticks) && (found.times || !said.times))
}
