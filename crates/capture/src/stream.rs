//! Reading captures and files of packets from bytes as they arrive, or from any source.

use std::io::Read;
use std::ops::Range;

use gametape_core::feed::{self, Buffer, Decode, Fed, Step};
use gametape_delta::Schema;
use gametape_delta::wire::{self, HEADER_BYTES, Header};
use mcap::records::op;

use crate::container::{
    Chunk, Inside, MOST_HEAD, MOST_RECORD_BYTES, RECORD_HEAD, Record, damaged, inside,
    starts_as_mcap,
};
use crate::layout::Role;
use crate::limits::{Limits, MAX_PACKET_BYTES};
use crate::packets::{Packet, Times};
use crate::read::facts::Channels;
use crate::read::read_with;
use crate::read::wild::{find, may_have, mend};
use crate::rule::{CaptureRule, Error, Finding, Rule};

/// The accessors that `Feed` and `Reader` share.
macro_rules! known {
    () => {
        /// The schema of the packets; for a capture, known once its first chunk has been read.
        #[must_use]
        pub fn schema(&self) -> Option<&Schema> {
            self.0.decoder().facts().map(|facts| &facts.schema)
        }

        /// The length of a tick in nanoseconds, if the recorder knew it.
        #[must_use]
        pub fn tick_ns(&self) -> Option<u64> {
            self.0.decoder().facts().and_then(|facts| facts.tick_ns)
        }

        /// The offset of the next bytes to be examined: everything before it is complete.
        #[must_use]
        pub const fn offset(&self) -> u64 {
            self.0.offset()
        }
    };
}

/// A reader without a source: push bytes as they arrive, and take packets as they become complete.
/// A feed keeps one whole chunk in memory, and the pushed bytes of an incomplete one.
///
/// ```
/// use gametape_capture::{Feed, Options, Writer};
/// use gametape_core::feed::Fed;
/// use gametape_delta::{Schema, Snapshot};
///
/// let schema = Schema::empty();
/// let mut writer = Writer::new(Vec::new(), &schema, Options::default())?;
/// for tick in 1..=3 {
///     writer.push_state(&Snapshot::new(&schema, tick), None)?;
/// }
/// let mut feed = Feed::new();
/// let mut ticks = Vec::new();
/// for piece in writer.finish()?.chunks(7) {
///     feed.push(piece);
///     while let Fed::Item(packet) = feed.next_packet()? {
///         ticks.extend(packet.tick());
///     }
/// }
/// assert_eq!(ticks, [1, 2, 3]);
/// assert_eq!(feed.schema(), Some(&schema));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Feed(feed::Feed<Decoder>);

impl Default for Feed {
    fn default() -> Self {
        Self::new()
    }
}

impl Feed {
    /// Creates a feed at the start of a capture.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::DEFAULT)
    }

    /// Like [`Feed::new`], with other limits.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self(feed::Feed::new(Decoder::of_capture(limits)))
    }

    /// Creates a feed at the start of a file of packets.
    #[must_use]
    pub fn of_packets() -> Self {
        Self(feed::Feed::new(Decoder::of_packets()))
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// Declares that no more bytes will come; an incomplete packet is then an error. Pushing more
    /// bytes revokes this.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// The next packet.
    ///
    /// # Errors
    /// A problem of the recording's content. An incomplete recording is an error only after
    /// [`Feed::finish`], and pushing the rest resolves it; any other error is returned again on
    /// each call.
    pub fn next_packet(&mut self) -> Result<Fed<Packet<'_>>, Error> {
        self.0.next()
    }

    /// The pushed bytes that have not been consumed.
    #[cfg(feature = "tape")]
    pub(crate) fn rest(&self) -> &[u8] {
        self.0.input().rest()
    }

    known!();
}

/// Reads packets from any source; memory is bounded by one chunk. A [`std::io::BufReader`] is not
/// necessary.
///
/// A reader cannot seek. To seek, or to read the intact parts of a damaged recording, see
/// [`read()`](crate::read()) and [`Packets`](crate::Packets).
///
/// ```no_run
/// let mut reader = gametape_capture::Reader::new(std::fs::File::open("arena.mcap")?);
/// while let Some(packet) = reader.next_packet()? {
///     println!("{:?}: {} bytes", packet.tick(), packet.bytes.len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reader<R>(feed::Reader<R, Decoder>);

impl<R: Read> Reader<R> {
    /// Creates a reader at the start of a capture.
    pub fn new(source: R) -> Self {
        Self::with_limits(source, Limits::DEFAULT)
    }

    /// Like [`Reader::new`], with other limits.
    pub fn with_limits(source: R, limits: Limits) -> Self {
        Self(feed::Reader::new(source, Decoder::of_capture(limits)))
    }

    /// Creates a reader at the start of a file of packets.
    pub fn of_packets(source: R) -> Self {
        Self(feed::Reader::new(source, Decoder::of_packets()))
    }

    /// The next packet; `None` at the end. In a growing recording, more packets may follow later.
    ///
    /// # Errors
    /// As [`Feed::next_packet`], and [`Error::Io`].
    pub fn next_packet(&mut self) -> Result<Option<Packet<'_>>, Error> {
        self.0.next()
    }

    known!();
}

/// The first bytes of a packet.
const MAGIC: [u8; 4] = wire::MAGIC.to_le_bytes();

/// Produces packets from the bytes that have arrived.
#[derive(Debug)]
pub struct Decoder {
    form: Decoding,
    /// The number of packets of the stream so far.
    packets: u64,
    /// The role and the offset of the last packet.
    role: Role,
    offset: u64,
    /// The problem that ended reading; it is returned again on each call.
    failed: Option<Finding>,
}

#[derive(Debug)]
enum Decoding {
    Capture(Box<OfCapture>),
    Delta,
}

/// The state of decoding a capture.
#[derive(Debug)]
struct OfCapture {
    limits: Limits,
    /// Everything up to the end of the first chunk, until that chunk has been read.
    head: Vec<u8>,
    facts: Option<Declared>,
    /// The content of the open chunk, its offset, and the position of the next record in it.
    unpacked: Vec<u8>,
    chunk: u64,
    at: usize,
    /// The range of the last packet in the open chunk.
    packet: Range<usize>,
    times: Option<Times>,
    /// The number of bytes of a record that are still to be skipped, and the record's offset.
    skipped: u64,
    record: u64,
    /// Whether the end of the data section has been read.
    ended: bool,
}

/// The schema, tick length and channels that a capture declares.
#[derive(Debug)]
pub struct Declared {
    pub schema: Schema,
    pub tick_ns: Option<u64>,
    log_tick_ns: u64,
    channels: Channels,
}

/// Requests `bytes` bytes of input; if no more will come, returns an error.
fn wait(input: &mut Buffer, bytes: u64, what: &'static str) -> Result<Option<Step>, Error> {
    if input.rest().len() as u64 >= bytes {
        return Ok(None);
    }
    if !input.is_ended() {
        input.want(bytes);
        return Ok(Some(Step::NeedMore));
    }
    if input.rest().is_empty() {
        return Ok(Some(Step::End));
    }
    Err(CaptureRule::Truncated { what }.at(input.offset()))
}

impl OfCapture {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            head: Vec::new(),
            facts: None,
            unpacked: Vec::new(),
            chunk: 0,
            at: 0,
            packet: 0..0,
            times: None,
            skipped: 0,
            record: 0,
            ended: false,
        }
    }

    /// Takes bytes off the input; bytes of the head are kept.
    fn take(&mut self, count: usize, input: &mut Buffer) {
        if self.facts.is_none() {
            let taken = input.rest().get(..count).unwrap_or_default();
            self.head.extend_from_slice(taken);
        }
        input.take(count);
    }

    /// The role of the next packet, or the step that has to be returned instead.
    fn next(&mut self, input: &mut Buffer) -> Result<Result<Role, Step>, Error> {
        loop {
            if let Some(role) = self.in_chunk()? {
                return Ok(Ok(role));
            }
            if self.ended {
                // The rest of the file only repeats or indexes what came before.
                let rest = input.rest().len();
                input.take(rest);
                return Ok(Err(if input.is_ended() {
                    Step::End
                } else {
                    Step::NeedMore
                }));
            }
            if let Some(step) = self.record(input)? {
                return Ok(Err(step));
            }
        }
    }

    /// The role of the next packet in the open chunk.
    fn in_chunk(&mut self) -> Result<Option<Role>, Error> {
        let Some(facts) = &mut self.facts else {
            return Ok(None);
        };
        loop {
            let record = inside(&self.unpacked, self.at, self.chunk)?;
            let Some((found, end)) = record else {
                return Ok(None);
            };
            self.at = end;
            match found {
                Inside::Channel(channel) => facts.channels.define(channel),
                Inside::Message(message) => {
                    let channel = message.channel;
                    if facts.channels.foreign(channel).is_some() {
                        continue;
                    }
                    let role = facts.channels.role(channel);
                    let undefined = || CaptureRule::ForeignMessage { channel }.at(self.chunk);
                    let role = role.ok_or_else(undefined)?;
                    if role.is_beside() {
                        continue;
                    }
                    self.times = Some(Times::of(&message));
                    self.packet = end - message.data.len()..end;
                    return Ok(Some(role));
                }
                Inside::Schema(_) | Inside::Other => {}
            }
        }
    }

    /// Reads the next record, as far as it has arrived; returns a step if decoding cannot continue.
    fn record(&mut self, input: &mut Buffer) -> Result<Option<Step>, Error> {
        const WHAT: &str = "last record";
        if self.skipped > 0 {
            let count = input.rest().len() as u64;
            let count = count.min(self.skipped);
            self.take(usize::try_from(count).unwrap_or(usize::MAX), input);
            self.skipped -= count;
            return if self.skipped == 0 {
                Ok(None)
            } else if input.is_ended() {
                Err(CaptureRule::Truncated { what: WHAT }.at(self.record))
            } else {
                Ok(Some(Step::NeedMore))
            };
        }
        if input.offset() == 0 {
            let magic = mcap::MAGIC.len();
            if let Some(step) = wait(input, magic as u64, WHAT)? {
                return Ok(Some(step));
            }
            if !starts_as_mcap(input.rest()) {
                return Err(CaptureRule::NotMcap.at(0));
            }
            self.take(magic, input);
            return Ok(None);
        }
        if let Some(step) = wait(input, RECORD_HEAD, WHAT)? {
            return Ok(Some(step));
        }
        let at = input.offset();
        let Some(record) = Record::of(input.rest(), at, u64::MAX) else {
            return Err(CaptureRule::Truncated { what: WHAT }.at(at));
        };
        match record.op {
            op::CHUNK => self.chunk(&record, input),
            op::MESSAGE => self.loose(&record, input),
            op::SCHEMA | op::CHANNEL if self.facts.is_some() => self.loose(&record, input),
            op::DATA_END => {
                self.ended = true;
                Ok(None)
            }
            // Opcode 0 does not exist, so these bytes are damaged and no length can be trusted.
            0 => Err(CaptureRule::Truncated { what: WHAT }.at(at)),
            _ if self.facts.is_none() && record.end() - at > MOST_RECORD_BYTES => {
                Err(record.damaged())
            }
            _ => {
                (self.skipped, self.record) = (record.end() - at, at);
                Ok(None)
            }
        }
    }

    /// Opens a chunk once it has arrived completely.
    fn chunk(&mut self, record: &Record, input: &mut Buffer) -> Result<Option<Step>, Error> {
        const WHAT: &str = "last record";
        let (at, size) = (record.at, record.end() - record.at);
        let least = size.min(RECORD_HEAD + MOST_HEAD);
        if let Some(step) = wait(input, least, WHAT)? {
            return Ok(Some(step));
        }
        let start = input.rest().get(RECORD_HEAD as usize..);
        let chunk = Chunk::of(start.unwrap_or_default(), at, record.end());
        let chunk = chunk.ok_or_else(|| damaged(at))?;
        chunk.check(&self.limits)?;
        if let Some(step) = wait(input, size, WHAT)? {
            return Ok(Some(step));
        }
        let within = |place: u64| usize::try_from(place - at).unwrap_or(usize::MAX);
        let packed = within(chunk.packed_at())..within(chunk.end());
        let packed = input.rest().get(packed).unwrap_or_default();
        let unpacked = chunk.unpack(packed, &mut self.unpacked);
        (self.chunk, self.at) = (at, 0);
        self.take(within(record.end()), input);
        let is_first = self.facts.is_none();
        self.learn()?;
        unpacked?;
        if let Some(facts) = &self.facts
            && may_have(chunk.start_time, chunk.end_time, facts.log_tick_ns)
        {
            for wild in find(&self.unpacked, &facts.channels, is_first) {
                mend(&mut self.unpacked, &wild, facts.log_tick_ns);
            }
        }
        Ok(None)
    }

    /// Opens a record outside of chunks, which is read like a chunk that contains only this record.
    fn loose(&mut self, record: &Record, input: &mut Buffer) -> Result<Option<Step>, Error> {
        let (at, size) = (record.at, record.end() - record.at);
        let limit = self.limits.max_chunk_bytes;
        if size > limit {
            let claimed = size;
            return Err(CaptureRule::LooseTooLarge { claimed, limit }.at(at));
        }
        if let Some(step) = wait(input, size, "last record")? {
            return Ok(Some(step));
        }
        let count = usize::try_from(size).unwrap_or(usize::MAX);
        let bytes = input.rest().get(..count).unwrap_or_default();
        self.unpacked.clear();
        self.unpacked.extend_from_slice(bytes);
        (self.chunk, self.at) = (at, 0);
        self.take(count, input);
        self.learn()?;
        Ok(None)
    }

    /// Takes what the head declares, once it is there.
    fn learn(&mut self) -> Result<(), Error> {
        if self.facts.is_some() {
            return Ok(());
        }
        let head = std::mem::take(&mut self.head);
        let capture = read_with(&head, self.limits)?;
        self.facts = Some(Declared {
            schema: capture.schema().clone(),
            tick_ns: capture.tick_ns(),
            log_tick_ns: capture.log_tick_ns(),
            channels: capture.channels().clone(),
        });
        Ok(())
    }
}

impl Decoder {
    /// A decoder of a capture.
    pub fn of_capture(limits: Limits) -> Self {
        Self::new(Decoding::Capture(Box::new(OfCapture::new(limits))))
    }

    /// A decoder of a file of packets.
    pub const fn of_packets() -> Self {
        Self::new(Decoding::Delta)
    }

    const fn new(form: Decoding) -> Self {
        Self {
            form,
            packets: 0,
            role: Role::Delta,
            offset: 0,
            failed: None,
        }
    }

    fn step(&mut self, input: &mut Buffer) -> Result<Step, Error> {
        let (role, offset) = match &mut self.form {
            Decoding::Capture(capture) => match capture.next(input)? {
                Ok(role) => (role, capture.chunk),
                Err(step) => return Ok(step),
            },
            Decoding::Delta => match bare(input)? {
                Ok(found) => found,
                Err(step) => return Ok(step),
            },
        };
        // An added packet has the number of the packet before it.
        self.packets += u64::from(role.is_of_stream());
        (self.role, self.offset) = (role, offset);
        Ok(Step::Item)
    }

    /// The declarations in the first chunk of a capture.
    pub const fn facts(&self) -> Option<&Declared> {
        match &self.form {
            Decoding::Capture(capture) => capture.facts.as_ref(),
            Decoding::Delta => None,
        }
    }
}

/// The next packet of a file of packets: its role and its offset.
fn bare(input: &mut Buffer) -> Result<Result<(Role, u64), Step>, Error> {
    const WHAT: &str = "last packet";
    let at = input.offset();
    let wire = |error| Error::from(Finding::new(Rule::Wire(error)).at(at));
    if let Some(step) = wait(input, MAGIC.len() as u64, WHAT)? {
        return Ok(Err(step));
    }
    let start = input.rest().first_chunk::<4>().copied().unwrap_or_default();
    if start != MAGIC {
        // The error does not need the rest of the header.
        let mut header = [0; HEADER_BYTES];
        header
            .iter_mut()
            .zip(start)
            .for_each(|(to, from)| *to = from);
        Header::read(&header).map_err(wire)?;
    }
    if let Some(step) = wait(input, HEADER_BYTES as u64, WHAT)? {
        return Ok(Err(step));
    }
    let (header, payload) = Header::read(input.rest()).map_err(wire)?;
    let size = HEADER_BYTES as u64 + u64::from(payload);
    if size > (HEADER_BYTES + MAX_PACKET_BYTES) as u64 {
        let bytes = HEADER_BYTES as u64;
        return Err(CaptureRule::LostSync { bytes, next: None }.at(at));
    }
    if let Some(step) = wait(input, size, WHAT)? {
        return Ok(Err(step));
    }
    input.take(usize::try_from(size).unwrap_or(usize::MAX));
    let role = match header.baseline() {
        None => Role::Keyframe,
        Some(_) => Role::Delta,
    };
    Ok(Ok((role, at)))
}

impl Decode for Decoder {
    type Item<'a> = Packet<'a>;
    type Error = Error;

    fn decode(&mut self, input: &mut Buffer) -> Result<Step, Error> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone().into());
        }
        let step = self.step(input);
        if let Err(error) = &step {
            self.failed = error.finding().cloned();
        }
        step
    }

    fn item<'a>(&'a mut self, input: &'a Buffer) -> Packet<'a> {
        let (bytes, times) = match &self.form {
            Decoding::Capture(capture) => {
                let bytes = capture.unpacked.get(capture.packet.clone());
                (bytes.unwrap_or_default(), capture.times)
            }
            Decoding::Delta => (input.piece(), None),
        };
        Packet {
            bytes,
            index: self.packets.saturating_sub(1),
            offset: self.offset,
            role: self.role,
            times,
        }
    }

    fn reopen(&mut self) {
        let truncated = |failed: &mut Finding| {
            matches!(failed.rule, Rule::Recording(CaptureRule::Truncated { .. }))
        };
        self.failed.take_if(truncated);
    }
}
