//! Reading captures and files of packets from bytes as they arrive, or from any source.

use std::io::Read;

use gametape_core::feed::{self, Fed};
use gametape_delta::Schema;

use crate::decode::Decoder;
use crate::limits::Limits;
use crate::packet::Packet;
use crate::rule::Error;

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
