//! Sans-I/O decoding: push bytes as they arrive, and get items as they become complete.
//!
//! A format implements one [`Decode`]. [`Feed`] drives it with bytes pushed by the caller,
//! [`Reader`] with bytes from any [`Read`](std::io::Read). Both buffer one item, or the bytes that
//! were pushed at once. Both can continue after the end of a recording that has grown since.

mod buffer;
#[cfg(feature = "std")]
mod reader;

pub use buffer::Buffer;
#[cfg(feature = "std")]
pub use reader::Reader;

/// The outcome of a decoding step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// The decoder consumed an item, which [`Decode::item`] returns.
    Item,
    /// There is no complete item: more bytes are needed. Decoders do not return this after the end
    /// of the input.
    NeedMore,
    /// The recording ended.
    End,
}

/// The result of [`Feed::next`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fed<T> {
    /// The next item.
    Item(T),
    /// No complete item is left: push more bytes, or call [`Feed::finish`].
    NeedMore,
    /// The recording ended.
    End,
}

impl<T> Fed<T> {
    /// Returns the item, if there is one.
    pub fn item(self) -> Option<T> {
        match self {
            Self::Item(item) => Some(item),
            Self::NeedMore | Self::End => None,
        }
    }
}

/// A format's decoder: makes items from bytes.
///
/// ```
/// use gametape_core::feed::{Buffer, Decode, Fed, Feed, Step};
///
/// /// Words, each after a byte that states its length.
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

    /// The error type of the format.
    type Error;

    /// Looks at the input, consumes the bytes of the next item, and returns the outcome. Bytes
    /// outside of items, such as a header, are consumed on the way.
    ///
    /// # Errors
    /// The errors of the format. A further call after an error returns the same error.
    fn decode(&mut self, input: &mut Buffer) -> Result<Step, Self::Error>;

    /// Tries to consume the next item on a fast path and returns whether it did. If not,
    /// [`Decode::decode`] is called. This method is called first for every item, so it must be
    /// cheap and must not look again at bytes that are incomplete.
    #[inline]
    fn decode_plain(&mut self, input: &mut Buffer) -> bool {
        let _ = input;
        false
    }

    /// Returns the item that was consumed last; its bytes are [`Buffer::piece`].
    fn item<'a>(&'a mut self, input: &'a Buffer) -> Self::Item<'a>;

    /// Forgets an end that was caused by a lack of bytes, because more bytes may come.
    fn reopen(&mut self) {}
}

/// A decoder whose bytes are pushed by the caller, in pieces of any size.
#[derive(Clone, Default, Debug)]
pub struct Feed<D> {
    decoder: D,
    input: Buffer,
}

impl<D: Decode> Feed<D> {
    /// Creates a feed at the start of a recording.
    #[must_use]
    pub fn new(decoder: D) -> Self {
        Self {
            decoder,
            input: Buffer::default(),
        }
    }

    /// Appends the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.input.push(bytes);
        if !bytes.is_empty() {
            self.decoder.reopen();
        }
    }

    /// Marks the end of the input, so that an incomplete item is an error. Pushing more bytes
    /// clears the mark.
    pub const fn finish(&mut self) {
        self.input.end_input();
    }

    /// Returns the next item.
    ///
    /// # Errors
    /// The same errors as the slice reader. An incomplete item is an error only after
    /// [`Feed::finish`], and pushing the missing bytes recovers from it. Any other error is
    /// returned again by the next call.
    #[inline]
    #[allow(clippy::should_implement_trait)] // Lending, and fallible.
    pub fn next(&mut self) -> Result<Fed<D::Item<'_>>, D::Error> {
        Ok(match self.step()? {
            Step::Item => Fed::Item(self.decoder.item(&self.input)),
            Step::NeedMore => Fed::NeedMore,
            Step::End => Fed::End,
        })
    }

    /// Like [`Feed::next`], but without the item, which [`Feed::item`] returns.
    ///
    /// # Errors
    /// Same as [`Feed::next`].
    #[inline]
    pub fn step(&mut self) -> Result<Step, D::Error> {
        if self.step_plain() {
            return Ok(Step::Item);
        }
        self.step_closer()
    }

    /// Tries the fast path; returns whether it consumed an item.
    #[inline(always)]
    pub(super) fn step_plain(&mut self) -> bool {
        self.decoder.decode_plain(&mut self.input)
    }

    /// [`Feed::step`] after the fast path has failed.
    #[inline]
    pub(super) fn step_closer(&mut self) -> Result<Step, D::Error> {
        if !self.input.is_ripe() {
            return Ok(Step::NeedMore);
        }
        self.decoder.decode(&mut self.input)
    }

    /// Returns the item that [`Feed::step`] consumed.
    #[inline]
    pub fn item(&mut self) -> D::Item<'_> {
        self.decoder.item(&self.input)
    }

    /// Returns the start of the next item, which is the end of the complete items so far.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Returns the decoder, which has the state read from the recording so far.
    #[must_use]
    pub const fn decoder(&self) -> &D {
        &self.decoder
    }

    /// Returns the decoder for changes.
    pub const fn decoder_mut(&mut self) -> &mut D {
        &mut self.decoder
    }

    /// Returns the input buffer; [`Buffer::piece`] contains the bytes of the last item.
    #[must_use]
    pub const fn input(&self) -> &Buffer {
        &self.input
    }

    /// Returns the decoder and the unconsumed input, for callers that decode in another way.
    pub const fn parts(&mut self) -> (&mut D, &mut Buffer) {
        (&mut self.decoder, &mut self.input)
    }
}

#[cfg(all(test, feature = "std"))]
pub(super) mod tests {
    use alloc::vec::Vec;

    use super::*;

    crate::rules! {
        /// Rules of words.
        pub enum WordRule: "word";
        /// A word without a newline at its end.
        #[error("cut after {bytes} bytes")]
        Cut { bytes: u64 } = "word.cut", Error, Truncated;
        /// Not allowed.
        #[error("a word with an x")]
        X = "word.x", Error;
    }

    pub type Error = crate::ReadError<WordRule>;

    /// Words, each ended by a newline.
    #[derive(Default)]
    pub struct Words {
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
}
