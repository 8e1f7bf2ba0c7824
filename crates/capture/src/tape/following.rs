//! The rows of packets that are still being recorded, as their bytes arrive.

use gametape_core::feed::Fed;
use gametape_core::table::{Scan, VisitEach, Waiting, go_on};
use gametape_core::tape::{Error, Follow, Grown, Partial};
use gametape_core::{Input, Stamp};

use super::opened::{PacketsTape, made_of};
use super::pass::Pass;
use crate::cursor::Cursor;
use crate::feed::Feed;
use crate::replay::Replay;
use crate::rule::{Finding, fault};
use crate::stream::Packets;

/// Follows a recording of packets; `None` for one that was made from the tables of another
/// recording, since such a capture is made all at once.
pub(super) fn follow(tape: &PacketsTape, scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
    let packets = tape.packets()?;
    if made_of(&packets)?.is_some() {
        return Ok(None);
    }
    let schema = packets.schema();
    let replay = || Ok(Replay::live(schema));
    let (pass, waiting) = Pass::new(schema, packets.tick_ns(), scans, replay)?;
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
        waiting,
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
    waiting: Vec<Waiting>,
    /// The problem that ended reading.
    failed: Option<Finding>,
    /// Whether no more rows are wanted.
    enough: bool,
}

impl Following {
    /// Visits the rows of the packets that are complete.
    fn give(&mut self, visit: &mut VisitEach<'_>) -> Result<(), Error> {
        let Self {
            feed,
            pass,
            packets,
            ..
        } = self;
        let (failed, enough) = go_on(&mut self.waiting, visit, |rows| {
            loop {
                let packet = match feed.next_packet() {
                    Ok(Fed::Item(packet)) => packet,
                    Ok(Fed::NeedMore | Fed::End) => return Ok((None, false)),
                    Err(error) => return Ok((Some(fault(error)?), false)),
                };
                *packets += u64::from(packet.role.is_of_stream());
                if pass.packet(&packet, rows)?.is_break() {
                    return Ok((None, true));
                }
            }
        })?;
        (self.failed, self.enough) = (failed, enough);
        Ok(())
    }

    /// Takes all bytes that have arrived.
    fn take(&mut self, input: &Input, visit: &mut VisitEach<'_>) -> Result<(), Error> {
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
    fn more(&mut self, input: &Input, visit: &mut VisitEach<'_>) -> Result<Option<Stamp>, Error> {
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
        visit: &mut VisitEach<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        self.take(input, visit)?;
        let Self {
            tape,
            feed,
            packets: count,
            mut pass,
            mut waiting,
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
            failed = go_on(&mut waiting, visit, |rows| pass.all(&mut cursor, rows))?;
        }
        let problem = || {
            let failed = failed.clone().map(crate::rule::Error::from);
            Ok(failed.or_else(|| packets.problem()))
        };
        pass.end(problem, waiting, visit)
    }
}
