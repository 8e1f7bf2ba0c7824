//! Reading as bytes come: captures and files of packets, fed by hand, growing or whole, or from any
//! source.

use std::io::Read;

use gametape_core::feed::{self, Fed};
use gametape_delta::Schema;

use crate::decode::Decoder;
use crate::limits::Limits;
use crate::packet::Packet;
use crate::rule::Error;

/// What a reader knows so far, whatever its bytes come from.
macro_rules! known {
    () => {
        /// Of a capture the schema of its packets, once its first chunk was read.
        #[must_use]
        pub fn schema(&self) -> Option<&Schema> {
            self.0.decoder().facts().map(|facts| &facts.schema)
        }

        /// The length of a tick in nanoseconds, where the recorder knew it.
        #[must_use]
        pub fn tick_ns(&self) -> Option<u64> {
            self.0.decoder().facts().and_then(|facts| facts.tick_ns)
        }

        /// Where the next bytes stand that are looked at: before them, all was whole.
        #[must_use]
        pub const fn offset(&self) -> u64 {
            self.0.offset()
        }
    };
}

/// A reader without a source: bytes go in as they come, packets come out as they get whole. Chunks are
/// taken whole; it holds one, and what was pushed and is not whole.
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
    /// At the start of a capture.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::DEFAULT)
    }

    /// [`Feed::new`], within other limits.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self(feed::Feed::new(Decoder::of_capture(limits)))
    }

    /// At the start of a file of packets.
    #[must_use]
    pub fn of_packets() -> Self {
        Self(feed::Feed::new(Decoder::of_packets()))
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// Says that no more bytes will come: what is incomplete is cut off. Pushing more takes it back.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// The next packet.
    ///
    /// # Errors
    /// What is wrong with the recording. What is cut off is an error after [`Feed::finish`] only, and
    /// pushing the rest mends it; after any other error the same comes again.
    pub fn next_packet(&mut self) -> Result<Fed<Packet<'_>>, Error> {
        self.0.next()
    }

    /// What was pushed and is not done with.
    #[cfg(feature = "tape")]
    pub(crate) fn rest(&self) -> &[u8] {
        self.0.input().rest()
    }

    known!();
}

/// Reads packets from any source, in memory bounded by a chunk. It needs no [`std::io::BufReader`].
///
/// Places are not known to it: to seek, or to read what is whole of a damaged recording, see
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
    /// At the start of a capture.
    pub fn new(source: R) -> Self {
        Self::with_limits(source, Limits::DEFAULT)
    }

    /// [`Reader::new`], within other limits.
    pub fn with_limits(source: R, limits: Limits) -> Self {
        Self(feed::Reader::new(source, Decoder::of_capture(limits)))
    }

    /// At the start of a file of packets.
    pub fn of_packets(source: R) -> Self {
        Self(feed::Reader::new(source, Decoder::of_packets()))
    }

    /// The next packet; `None` at the end. Where the recording grows, more may come after it.
    ///
    /// # Errors
    /// As [`Feed::next_packet`], and [`Error::Io`].
    pub fn next_packet(&mut self) -> Result<Option<Packet<'_>>, Error> {
        self.0.next()
    }

    known!();
}
