//! How items are made of bytes, and bytes that are pushed by hand.

use super::buffer::Buffer;

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

    /// Takes the next item where it is plain to see, and says whether it did; where it did not,
    /// [`Decode::decode`] looks. Asked before anything else, so that what is common costs little: it
    /// must not look twice at bytes that wait for more.
    #[inline]
    fn decode_plain(&mut self, input: &mut Buffer) -> bool {
        let _ = input;
        false
    }

    /// The item that was taken last; [`Buffer::piece`] are its bytes.
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
        if self.step_plain() {
            return Ok(Step::Item);
        }
        self.step_closer()
    }

    /// Whether the next item is plain to see, and taken.
    #[inline(always)]
    pub(super) fn step_plain(&mut self) -> bool {
        self.decoder.decode_plain(&mut self.input)
    }

    /// [`Feed::step`] where nothing is plain to see.
    #[inline]
    pub(super) fn step_closer(&mut self) -> Result<Step, D::Error> {
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

#[cfg(all(test, feature = "std"))]
pub(super) mod tests {
    use alloc::vec::Vec;

    use super::super::Buffer;
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
