//! Sans-I/O feeding: bytes go in as they come, items come out as they get whole.
//!
//! A format writes one [`Decode`]. [`Feed`] is it with bytes pushed by hand, [`Reader`] with bytes
//! taken from any [`Read`](std::io::Read); both hold one item, or as much as was pushed at once, and
//! both can go on where a recording that grows has ended for now.

use alloc::vec::Vec;
use core::ops::Range;

/// Bytes that have come and are not done with, and where they are in the recording.
#[derive(Clone, Default, Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    /// Bytes of the buffer that have come; behind them is space for more.
    filled: usize,
    /// Bytes of the buffer that were taken.
    taken: usize,
    /// The last piece that was taken.
    piece: Range<usize>,
    /// Where the first byte of the buffer is in the recording.
    base: u64,
    /// Where the bytes have to reach before it makes sense to look again.
    wanted: u64,
    ended: bool,
}

impl Buffer {
    /// Bytes that have come and were not taken.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        self.bytes.get(self.taken..self.filled).unwrap_or_default()
    }

    /// Takes bytes off the front of the rest: they stay readable as [`Buffer::piece`] until more
    /// are asked of the source.
    #[inline]
    pub fn take(&mut self, count: usize) {
        let from = self.taken;
        self.taken = self.filled.min(from + count);
        self.piece = from..self.taken;
    }

    /// The last piece that was taken.
    #[inline]
    #[must_use]
    pub fn piece(&self) -> &[u8] {
        self.bytes.get(self.piece.clone()).unwrap_or_default()
    }

    /// Where the rest starts in the recording.
    #[inline]
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.base + self.taken as u64
    }

    /// Where the bytes that have come end in the recording.
    #[inline]
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// True where no more bytes will come, as far as is known.
    #[inline]
    #[must_use]
    pub const fn is_ended(&self) -> bool {
        self.ended
    }

    /// Says that nothing can be told before the rest has so many bytes: until then (or the end) the
    /// decoder is not asked. It costs nothing to wait for what will never come.
    pub const fn want(&mut self, bytes: u64) {
        self.wanted = self.offset().saturating_add(bytes);
    }

    /// Whether it makes sense to look.
    #[inline]
    const fn is_ripe(&self) -> bool {
        self.ended || self.end() >= self.wanted
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.make_room();
        self.bytes.truncate(self.filled);
        self.bytes.extend_from_slice(bytes);
        self.filled = self.bytes.len();
        if !bytes.is_empty() {
            self.ended = false;
        }
    }

    /// Says that no more bytes will come. Pushing more takes it back.
    pub const fn end_input(&mut self) {
        self.ended = true;
    }

    /// Forgets what it holds: what comes now is at `offset` of the recording.
    pub fn restart(&mut self, offset: u64) {
        *self = Self {
            bytes: core::mem::take(&mut self.bytes),
            base: offset,
            ..Self::default()
        };
    }

    /// Lets go of what was taken.
    fn make_room(&mut self) {
        if self.taken > 0 {
            self.bytes.copy_within(self.taken..self.filled, 0);
            self.base += self.taken as u64;
            self.filled -= self.taken;
            self.taken = 0;
        }
        self.piece = 0..0;
    }

    /// Reads once more from a source; 0 at its end.
    ///
    /// # Errors
    /// What the source says, interruptions aside.
    #[cfg(feature = "std")]
    pub fn read_from(&mut self, source: &mut impl std::io::Read) -> std::io::Result<usize> {
        /// Bytes asked of a source at a time.
        const CHUNK: usize = 64 << 10;
        self.make_room();
        let held = self.filled;
        let wanted = usize::try_from(self.wanted.saturating_sub(self.base)).unwrap_or(usize::MAX);
        // What is large is read in large pieces, but never in larger ones than have come so far: a
        // claim alone reserves nothing.
        let chunk = CHUNK.max(held.min(wanted));
        if self.bytes.len() < held + chunk {
            self.bytes.resize(held + chunk, 0);
        }
        // All the space that there is: the fewer the reads, the less often the rest moves up.
        let spare = self.bytes.get_mut(held..).unwrap_or_default();
        let count = loop {
            match source.read(spare) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // No more than there is space for, whatever the source says.
                other => break other?.min(spare.len()),
            }
        };
        self.filled += count;
        self.ended = count == 0;
        Ok(count)
    }
}

/// What a decoder did.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// It took an item: [`Decode::item`] is it.
    Item,
    /// Nothing whole is there: more bytes are needed. After the end of the input no decoder says
    /// this.
    NeedMore,
    /// The recording ended.
    End,
}

/// What a [`Feed`] has to give.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fed<T> {
    /// The next item.
    Item(T),
    /// Nothing whole is left: more bytes are needed, or [`Feed::finish`].
    NeedMore,
    /// The recording ended.
    End,
}

impl<T> Fed<T> {
    /// The item, if it is one.
    pub fn item(self) -> Option<T> {
        match self {
            Self::Item(item) => Some(item),
            Self::NeedMore | Self::End => None,
        }
    }
}

/// How a format makes items of bytes.
///
/// ```
/// use gametape_core::feed::{Buffer, Decode, Fed, Feed, Step};
///
/// /// Words, each behind a byte that says how long it is.
/// struct Words;
///
/// impl Decode for Words {
///     type Item<'a> = &'a [u8];
///     type Error = &'static str;
///
///     fn decode(&mut self, input: &mut Buffer) -> Result<Step, &'static str> {
///         let rest = input.rest();
///         let size = match rest.first() {
///             None if input.is_ended() => return Ok(Step::End),
///             None => return Ok(Step::NeedMore),
///             Some(length) => 1 + usize::from(*length),
///         };
///         if rest.len() >= size {
///             input.take(size);
///             Ok(Step::Item)
///         } else if input.is_ended() {
///             Err("the last word is cut off")
///         } else {
///             // Until so many bytes are there, nobody asks again.
///             input.want(size as u64);
///             Ok(Step::NeedMore)
///         }
///     }
///
///     fn item<'a>(&'a mut self, input: &'a Buffer) -> &'a [u8] {
///         &input.piece()[1..]
///     }
/// }
///
/// let mut feed = Feed::new(Words);
/// feed.push(b"\x04gam");
/// assert_eq!(feed.next(), Ok(Fed::NeedMore));
/// feed.push(b"e\x04ta");
/// assert_eq!(feed.next(), Ok(Fed::Item(&b"game"[..])));
/// feed.finish();
/// assert_eq!(feed.next(), Err("the last word is cut off"));
/// feed.push(b"pe");
/// assert_eq!(feed.next(), Ok(Fed::Item(&b"tape"[..])));
/// ```
pub trait Decode {
    /// A frame, an event, a line: it may borrow from the decoder and from the bytes.
    type Item<'a>
    where
        Self: 'a;

    /// Why it can't go on.
    type Error;

    /// Looks at what there is, takes the next item's bytes, and says what it did. Bytes that are no
    /// item (a header, what is skipped) are taken on the way.
    ///
    /// # Errors
    /// The format's. After an error the same comes again.
    fn decode(&mut self, input: &mut Buffer) -> Result<Step, Self::Error>;

    /// The item that [`Decode::decode`] took; [`Buffer::piece`] are its bytes.
    fn item<'a>(&'a mut self, input: &'a Buffer) -> Self::Item<'a>;

    /// More may come behind what seemed to be the end: an end for want of bytes is taken back.
    fn reopen(&mut self) {}
}

/// A decoder whose bytes are pushed by hand, in whatever pieces they come.
#[derive(Clone, Default, Debug)]
pub struct Feed<D> {
    decoder: D,
    input: Buffer,
}

impl<D: Decode> Feed<D> {
    /// At the start of a recording.
    #[must_use]
    pub fn new(decoder: D) -> Self {
        Self {
            decoder,
            input: Buffer::default(),
        }
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.input.push(bytes);
        if !bytes.is_empty() {
            self.decoder.reopen();
        }
    }

    /// Says that no more bytes will come: what is incomplete is cut off. Pushing more takes it back.
    pub const fn finish(&mut self) {
        self.input.end_input();
    }

    /// The next item.
    ///
    /// # Errors
    /// As the slice reader's. What is cut off is an error after [`Feed::finish`] only, and pushing
    /// the rest mends it; after any other error the same comes again.
    #[inline]
    #[allow(clippy::should_implement_trait)] // Lending, and fallible.
    pub fn next(&mut self) -> Result<Fed<D::Item<'_>>, D::Error> {
        Ok(match self.step()? {
            Step::Item => Fed::Item(self.decoder.item(&self.input)),
            Step::NeedMore => Fed::NeedMore,
            Step::End => Fed::End,
        })
    }

    /// [`Feed::next`] without the item, which [`Feed::item`] gives.
    ///
    /// # Errors
    /// As [`Feed::next`].
    #[inline]
    pub fn step(&mut self) -> Result<Step, D::Error> {
        if !self.input.is_ripe() {
            return Ok(Step::NeedMore);
        }
        self.decoder.decode(&mut self.input)
    }

    /// The item that [`Feed::step`] took.
    #[inline]
    pub fn item(&mut self) -> D::Item<'_> {
        self.decoder.item(&self.input)
    }

    /// Where the next item starts: the end of those that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// The decoder: what it knows of the recording so far.
    #[must_use]
    pub const fn decoder(&self) -> &D {
        &self.decoder
    }

    /// The decoder.
    pub const fn decoder_mut(&mut self) -> &mut D {
        &mut self.decoder
    }

    /// The bytes that have come: [`Buffer::piece`] are those of the last item.
    #[must_use]
    pub const fn input(&self) -> &Buffer {
        &self.input
    }

    /// The decoder, and the bytes that it has not taken: for who gives them to it in other ways.
    pub const fn parts(&mut self) -> (&mut D, &mut Buffer) {
        (&mut self.decoder, &mut self.input)
    }
}

/// A decoder whose bytes are taken from any source. It needs no [`std::io::BufReader`].
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct Reader<R, D> {
    source: R,
    feed: Feed<D>,
    /// It was told that the recording ended here, whole or not.
    told: bool,
}

#[cfg(feature = "std")]
impl<R: std::io::Read, D, Rule> Reader<R, D>
where
    D: Decode<Error = crate::ReadError<Rule>>,
    Rule: crate::Rule,
{
    /// At the start of a recording.
    #[must_use]
    pub fn new(source: R, decoder: D) -> Self {
        Self {
            source,
            feed: Feed::new(decoder),
            told: false,
        }
    }

    /// The next item; `None` at the end. Where a recording grows, more may come after it.
    ///
    /// # Errors
    /// As the slice reader's, and what the source says.
    #[inline]
    #[allow(clippy::should_implement_trait)] // Lending, and fallible.
    pub fn next(&mut self) -> Result<Option<D::Item<'_>>, D::Error> {
        Ok(if self.step()? {
            Some(self.feed.item())
        } else {
            None
        })
    }

    /// [`Reader::next`] without the item, which [`Reader::item`] gives: true where there is one.
    ///
    /// # Errors
    /// As [`Reader::next`].
    #[inline]
    pub fn step(&mut self) -> Result<bool, D::Error> {
        self.go_on();
        loop {
            match self.feed.step() {
                Ok(Step::Item) => return Ok(true),
                Ok(Step::NeedMore) => self.fill()?,
                end => {
                    self.told = true;
                    return end.map(|_| false);
                }
            };
        }
    }

    /// What ended before may have grown since; while items come, nobody was told that it ended.
    #[inline]
    fn go_on(&mut self) {
        if self.told {
            self.told = false;
            if self.feed.input.is_ended() {
                self.feed.input.ended = false;
                self.feed.decoder.reopen();
            }
        }
    }

    /// What stands before the first item, as long as it was not found: bytes are read until `look`
    /// finds it. After the end of the input it has to find it, or to say what is wrong.
    ///
    /// # Errors
    /// What `look` says, and the source.
    pub fn until<T>(
        &mut self,
        mut look: impl FnMut(&mut D, &mut Buffer) -> Result<Option<T>, D::Error>,
    ) -> Result<T, D::Error> {
        self.go_on();
        loop {
            match look(&mut self.feed.decoder, &mut self.feed.input) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) => self.fill()?,
                Err(error) => {
                    self.told = true;
                    return Err(error);
                }
            };
        }
    }

    /// The item that [`Reader::step`] took.
    #[inline]
    pub fn item(&mut self) -> D::Item<'_> {
        self.feed.item()
    }

    /// Gets more bytes from the source; false at its end.
    ///
    /// # Errors
    /// What the source says.
    pub fn fill(&mut self) -> Result<bool, D::Error> {
        match self.feed.input.read_from(&mut self.source) {
            Ok(count) => Ok(count > 0),
            Err(source) => Err(crate::ReadError::io(self.feed.input.end(), source)),
        }
    }

    /// Where the next item starts: the end of those that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.feed.offset()
    }

    /// The decoder: what it knows of the recording so far.
    #[must_use]
    pub const fn decoder(&self) -> &D {
        self.feed.decoder()
    }

    /// The bytes that were read: [`Buffer::piece`] are those of the last item.
    #[must_use]
    pub const fn input(&self) -> &Buffer {
        self.feed.input()
    }

    /// The decoder, and the bytes that it has not taken.
    pub const fn parts(&mut self) -> (&mut D, &mut Buffer) {
        self.feed.parts()
    }

    /// The source, as it is: behind the bytes that were read ahead.
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.source
    }

    /// The source. Bytes that were read ahead are lost.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.source
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use alloc::vec::Vec;
    use std::io::{self, Read};

    use super::*;

    crate::rules! {
        /// Of words.
        pub enum WordRule: "word";
        /// No newline behind it.
        #[error("cut after {bytes} bytes")]
        Cut { bytes: u64 } = "word.cut", Error, Truncated;
        /// Not allowed.
        #[error("a word with an x")]
        X = "word.x", Error;
    }

    type Error = crate::ReadError<WordRule>;

    /// Words, each ended by a newline.
    #[derive(Default)]
    struct Words {
        asked: usize,
    }

    impl Decode for Words {
        type Item<'a> = &'a [u8];
        type Error = Error;

        fn decode(&mut self, input: &mut Buffer) -> Result<Step, Error> {
            self.asked += 1;
            let rest = input.rest();
            match rest.iter().position(|byte| *byte == b'\n') {
                Some(end) if rest[..end].contains(&b'x') => {
                    Err(Error::at(WordRule::X, input.offset()))
                }
                Some(end) => {
                    input.take(end + 1);
                    Ok(Step::Item)
                }
                None if !input.is_ended() => {
                    input.want(rest.len() as u64 + 1);
                    Ok(Step::NeedMore)
                }
                None if rest.is_empty() => Ok(Step::End),
                None => Err(Error::at(
                    WordRule::Cut {
                        bytes: rest.len() as u64,
                    },
                    input.offset(),
                )),
            }
        }

        fn item<'a>(&'a mut self, input: &'a Buffer) -> &'a [u8] {
            input.piece()
        }
    }

    #[test]
    fn any_pieces_give_the_same_items_and_a_cut_one_can_be_mended() {
        let text = b"one\ntwo\nthree";
        assert_eq!(WordRule::ALL.len(), 2);
        for size in 1..=text.len() {
            let mut feed = Feed::new(Words::default());
            let mut words: Vec<Vec<u8>> = Vec::new();
            for piece in text.chunks(size) {
                feed.push(piece);
                while let Fed::Item(word) = feed.next().unwrap() {
                    words.push(word.to_vec());
                }
            }
            assert_eq!(words, [b"one\n", b"two\n"]);
            assert_eq!(feed.next().unwrap(), Fed::NeedMore);
            feed.finish();
            let error = feed.next().unwrap_err();
            assert!(error.is_truncated());
            assert_eq!(error.offset(), Some(8));
            feed.push(b"\n");
            assert_eq!(feed.next().unwrap(), Fed::Item(&b"three\n"[..]));
            feed.finish();
            assert_eq!(feed.next().unwrap(), Fed::End);
        }
    }

    #[test]
    fn a_decoder_is_not_asked_before_what_it_wants_has_come() {
        let mut feed = Feed::new(Words::default());
        feed.push(b"a");
        for _ in 0..5 {
            assert_eq!(feed.next().unwrap(), Fed::NeedMore);
        }
        assert_eq!(feed.decoder().asked, 1);
    }

    /// Bytes, once it is known that they are all.
    #[derive(Default)]
    struct Last {
        reopened: usize,
    }

    impl Decode for Last {
        type Item<'a> = u8;
        type Error = Error;

        fn decode(&mut self, input: &mut Buffer) -> Result<Step, Error> {
            Ok(match input.rest() {
                _ if !input.is_ended() => Step::NeedMore,
                [] => Step::End,
                _ => {
                    input.take(1);
                    Step::Item
                }
            })
        }

        fn item<'a>(&'a mut self, input: &'a Buffer) -> u8 {
            input.piece()[0]
        }

        fn reopen(&mut self) {
            self.reopened += 1;
        }
    }

    #[test]
    fn an_end_is_taken_back_only_once_it_was_told() {
        let mut reader = Reader::new(b"abc".as_slice(), Last::default());
        for byte in b"abc" {
            assert_eq!(reader.next().unwrap(), Some(*byte));
        }
        assert_eq!(reader.next().unwrap(), None);
        assert_eq!(reader.decoder().reopened, 0);
        *reader.get_mut() = b"d";
        assert_eq!(reader.next().unwrap(), Some(b'd'));
        assert_eq!(reader.decoder().reopened, 1);
    }

    /// Gives a byte, is interrupted, fails once, and goes on.
    struct Flaky<'a>(&'a [u8], usize);

    impl Read for Flaky<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            match self.1 {
                2 => Err(io::ErrorKind::Interrupted.into()),
                4 => Err(io::Error::other("broken")),
                _ => {
                    let count = self.0.len().min(1);
                    into[..count].copy_from_slice(&self.0[..count]);
                    self.0 = &self.0[count..];
                    Ok(count)
                }
            }
        }
    }

    #[test]
    fn a_reader_goes_on_after_its_source_failed_and_after_an_end_that_was_none() {
        let mut reader = Reader::new(Flaky(b"ab\ncd", 0), Words::default());
        let error = reader.next().unwrap_err();
        assert_eq!((error.code(), error.offset()), ("io", Some(2)));
        assert_eq!(reader.next().unwrap(), Some(&b"ab\n"[..]));
        assert!(reader.next().unwrap_err().is_truncated());
        reader.get_mut().0 = b"\nx\n";
        assert_eq!(reader.next().unwrap(), Some(&b"cd\n"[..]));
        assert_eq!(reader.next().unwrap_err().code(), "word.x");
        assert_eq!(reader.next().unwrap_err().code(), "word.x");
        assert_eq!(reader.offset(), 6);
    }
}
