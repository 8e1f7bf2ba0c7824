//! Bytes that are taken from a source.

use super::buffer::Buffer;
use super::decode::{Decode, Feed, Step};

/// A decoder whose bytes are taken from any source. It needs no [`std::io::BufReader`].
#[derive(Debug)]
pub struct Reader<R, D> {
    source: R,
    feed: Feed<D>,
    /// It was told that the recording ended here, whole or not.
    told: bool,
}

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
        // As long as there are such, nobody was told that it ended.
        if self.feed.step_plain() {
            return Ok(true);
        }
        self.step_closer()
    }

    /// Apart: what is plain stays small enough to stand where it is asked for.
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

    /// What ended before may have grown since; while items come, nobody was told that it ended.
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
        let (_, input) = self.feed.parts();
        match input.read_from(&mut self.source) {
            Ok(count) => Ok(count > 0),
            Err(source) => Err(crate::ReadError::io(input.end(), source)),
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

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::super::decode::tests::{Error, Words};
    use super::*;

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
