//! The rows of packets that are still being recorded, as their bytes arrive.

use gametape_core::feed::Fed;
use gametape_core::table::{Scan, Visit};
use gametape_core::tape::{Error, Follow, Grown, Partial, Work};
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
