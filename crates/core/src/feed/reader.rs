//! A decoder that reads from a source.

use super::buffer::Buffer;
use super::{Decode, Feed, Step};

/// A decoder that reads its bytes from any source. It needs no [`std::io::BufReader`].
#[derive(Debug)]
pub struct Reader<R, D> {
    source: R,
    feed: Feed<D>,
    /// Whether the caller was told that the recording ended here, complete or not.
    told: bool,
}

impl<R: std::io::Read, D, Rule> Reader<R, D>
where
    D: Decode<Error = crate::ReadError<Rule>>,
    Rule: crate::Rule,
{
    /// Creates a reader at the start of a recording.
    #[must_use]
    pub fn new(source: R, decoder: D) -> Self {
        Self {
            source,
            feed: Feed::new(decoder),
            told: false,
        }
    }

    /// Returns the next item; `None` at the end. If the recording grows, later calls may return
    /// more items.
    ///
    /// # Errors
    /// The same errors as the slice reader, and errors of the source.
    #[inline]
    #[allow(clippy::should_implement_trait)] // Lending, and fallible.
    pub fn next(&mut self) -> Result<Option<D::Item<'_>>, D::Error> {
        Ok(if self.step()? {
            Some(self.feed.item())
        } else {
            None
        })
    }

    /// Like [`Reader::next`], but without the item, which [`Reader::item`] returns. Returns true if
    /// there is an item.
    ///
    /// # Errors
    /// Same as [`Reader::next`].
    #[inline]
    pub fn step(&mut self) -> Result<bool, D::Error> {
        // If the fast path has an item, no end was reported before, so `told` needs no check.
        if self.feed.step_plain() {
            return Ok(true);
        }
        self.step_closer()
    }

    /// A separate function, so that the fast path stays small enough to be inlined.
    #[inline(never)]
    fn step_closer(&mut self) -> Result<bool, D::Error> {
        self.go_on();
        loop {
            match self.feed.step_closer() {
                Ok(Step::Item) => return Ok(true),
                Ok(Step::NeedMore) => self.fill()?,
                end => {
                    self.told = true;
                    return end.map(|_| false);
                }
            };
        }
    }

    /// If an end was reported, the source may have grown since: look again.
    #[inline]
    fn go_on(&mut self) {
        if self.told {
            self.told = false;
            let (decoder, input) = self.feed.parts();
            if input.reopen() {
                decoder.reopen();
            }
        }
    }

    /// Reads whatever precedes the first item, such as a header. Reads more bytes until `look`
    /// returns a value. At the end of the input, `look` must return a value or an error.
    ///
    /// # Errors
    /// The errors of `look` and of the source.
    pub fn until<T>(
        &mut self,
        mut look: impl FnMut(&mut D, &mut Buffer) -> Result<Option<T>, D::Error>,
    ) -> Result<T, D::Error> {
        self.go_on();
        loop {
            let (decoder, input) = self.feed.parts();
            match look(decoder, input) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) => self.fill()?,
                Err(error) => {
                    self.told = true;
                    return Err(error);
                }
            };
        }
    }

    /// Returns the item that [`Reader::step`] consumed.
    #[inline]
    pub fn item(&mut self) -> D::Item<'_> {
        self.feed.item()
    }

    /// Reads more bytes from the source; returns false at its end.
    ///
    /// # Errors
    /// Any error of the source.
    pub fn fill(&mut self) -> Result<bool, D::Error> {
        let (_, input) = self.feed.parts();
        match input.read_from(&mut self.source) {
            Ok(count) => Ok(count > 0),
            Err(source) => Err(crate::ReadError::io(input.end(), source)),
        }
    }

    /// Returns the start of the next item, which is the end of the complete items so far.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.feed.offset()
    }

    /// Returns the decoder, which has the state read from the recording so far.
    #[must_use]
    pub const fn decoder(&self) -> &D {
        self.feed.decoder()
    }

    /// Returns the input buffer; [`Buffer::piece`] contains the bytes of the last item.
    #[must_use]
    pub const fn input(&self) -> &Buffer {
        self.feed.input()
    }

    /// Returns the decoder and the unconsumed input.
    pub const fn parts(&mut self) -> (&mut D, &mut Buffer) {
        self.feed.parts()
    }

    /// Returns the source. Its position is after the bytes that were read ahead.
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.source
    }

    /// Returns the source and discards the bytes that were read ahead.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.source
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::super::tests::{Error, Words};
    use super::*;

    /// Returns bytes, but only after the end of the input.
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

    /// A source that gives one byte at a time, is interrupted, fails once, and then continues.
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
