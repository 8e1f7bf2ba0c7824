//! The structure of a recording as a state machine: header, chunks, and the frames after them.

use gametape_core::ByteReader;

use super::dialect::Dialect;
use super::header::{Compression, Header};
use super::layout::Layout;
use super::pack::chunk_start;
use super::packed::{KEYFRAME, NORMAL, Packed};
use super::parts::Parts;
use super::play::Playing;
use super::resync::{Found, Search, read_within};
use super::table::head;
use crate::error::Error;
use crate::limits::ReadOptions;
use crate::rule::Rule;

/// The part of the recording that comes next.
#[derive(Clone, Debug)]
enum Section {
    /// Before the header.
    Header,
    /// A chunk; the sizes of those to come, in reverse order.
    Chunks(Vec<u32>),
    /// After the chunks, where an unfinished recording has its frames.
    Open,
    /// After a fault among those frames. Frames count again from the next keyframe or header.
    Lost(Box<Search>),
    /// Bytes of no use, how many so far, and the first of them.
    Trailing(u64, [u8; 4]),
    End,
}

/// The result of looking at the next bytes.
pub enum Look {
    /// This many bytes are consumed.
    Took(usize),
    /// At least this many more bytes are needed. If they don't come, the recording ends here.
    Wait(u64),
    End,
}

/// The state of reading a recording.
#[derive(Clone, Debug)]
pub struct Known {
    options: ReadOptions,
    said: Option<Dialect>,
    /// The requested parts of the frames.
    pub parts: Parts,
    place: Section,
    pub playing: Option<Playing>,
    /// The end of the input counts as the end of the recording.
    pub ended: bool,
    /// The table ends with a size of 0: frames may follow the chunks.
    pub may_be_open: bool,
    /// The number of header bytes after the first header.
    pub headers: u64,
    /// The number of faults after which reading continued.
    pub gaps: u64,
    /// The number of bytes searched in vain after faults.
    tried: u64,
}

impl Known {
    pub const fn new(options: ReadOptions, said: Option<Dialect>) -> Self {
        Self {
            options,
            said,
            parts: Parts::ALL,
            place: Section::Header,
            playing: None,
            ended: false,
            may_be_open: false,
            headers: 0,
            gaps: 0,
            tried: 0,
        }
    }

    /// Looks at the bytes at `offset`.
    pub fn look(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        let looked = match &self.place {
            Section::End if rest.is_empty() => return Ok(Look::End),
            // Bytes after the end are of no interest.
            Section::End => return Ok(Look::Took(rest.len())),
            _ if rest.is_empty() && !self.ended => return Ok(Look::Wait(1)),
            Section::Header => self.header_at(rest, offset)?,
            Section::Chunks(_) => self.chunk_at(rest, offset)?,
            Section::Open => self.open_at(rest, offset)?,
            Section::Lost(_) => self.lost_at(rest, offset),
            Section::Trailing(..) => self.trailing_at(rest, offset)?,
        };
        Ok(looked)
    }

    /// Reads header and table.
    fn header_at(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        if rest.is_empty() {
            return Ok(Look::End);
        }
        let mut input = ByteReader::new(rest);
        let read = head(&mut input, &self.options.limits);
        let read = read.map(|(header, sizes)| (header, sizes.rev().collect::<Vec<u32>>()));
        let size = input.offset();
        match read {
            Ok((header, sizes)) if !self.may_follow(&header, &sizes) => {
                // It looks like a header, but not one of this recording.
                self.lose(marker(rest), offset)
            }
            Ok((header, mut sizes)) => {
                self.may_be_open = sizes.first() == Some(&0);
                // The reference may write one or two empty chunks at the end.
                let empty = sizes.iter().take(2).rposition(|&size| size == 0);
                if let Some(empty) = empty {
                    sizes.drain(..=empty);
                }
                if let Some(playing) = &mut self.playing {
                    self.headers += size as u64;
                    playing.set_header(header);
                } else {
                    let playing = Playing::new(header, self.options, self.said);
                    self.playing = Some(playing.of_parts(self.parts));
                }
                self.place = Section::Chunks(sizes);
                Ok(Look::Took(size))
            }
            Err(Rule::Truncated { needed, left, .. }) if !self.ended => {
                // A table may claim more than will ever come; waiting costs nothing.
                Ok(Look::Wait(needed.saturating_sub(left)))
            }
            // A later header of an unfinished recording is damaged: the frames before it count.
            Err(rule) if self.playing.is_some() => self.lose(rule, offset),
            Err(rule) => Err(Error::at(rule, offset + size as u64)),
        }
    }

    /// Handles a fault in an unfinished recording: reading continues after it, or ends.
    fn lose(&mut self, rule: Rule, offset: u64) -> Result<Look, Error> {
        let Some(playing) = &mut self.playing else {
            return Ok(Look::End);
        };
        playing.note(rule, offset)?;
        playing.lose();
        self.place = Section::Lost(Box::new(Search::of(&playing.header)));
        Ok(Look::Took(1))
    }

    /// Searches for the place from which frames count again.
    fn lost_at(&mut self, rest: &[u8], offset: u64) -> Look {
        let limits = &self.options.limits;
        let (Section::Lost(search), Some(playing)) = (&mut self.place, &self.playing) else {
            return Look::End;
        };
        let layout = Layout::of(&playing.header);
        match search.next(rest, offset, layout, limits, self.ended, &mut self.tried) {
            Found::Nothing(0) => Look::Wait(1),
            Found::Nothing(size) => Look::Took(size),
            Found::Tired => {
                self.place = Section::End;
                Look::Took(rest.len())
            }
            Found::Keyframe(size) => {
                self.gaps += 1;
                self.place = Section::Open;
                Look::Took(size)
            }
            Found::Header(size) => {
                let mut input = ByteReader::new(rest.get(size..).unwrap_or_default());
                let read = head(&mut input, limits);
                let more = matches!(read, Err(Rule::Truncated { .. }));
                let good = read.is_ok_and(|(header, sizes)| {
                    self.may_follow(&header, &sizes.collect::<Vec<u32>>())
                });
                if good {
                    self.gaps += 1;
                    self.place = Section::Header;
                    Look::Took(size)
                } else if more && !self.ended {
                    // The bytes before it are useless.
                    if size > 0 {
                        Look::Took(size)
                    } else {
                        Look::Wait(1)
                    }
                } else {
                    Look::Took(size + 1)
                }
            }
        }
    }

    /// Reads the next chunk.
    fn chunk_at(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        let (Section::Chunks(sizes), Some(playing)) = (&mut self.place, &mut self.playing) else {
            return Ok(Look::End);
        };
        let Some(&size) = sizes.last() else {
            self.place = Section::Open;
            return Ok(Look::Took(0));
        };
        let limit = self.options.limits.max_chunk_bytes;
        if u64::from(size) > limit {
            let rule = Rule::Limit {
                what: "a chunk",
                size: size.into(),
                limit,
            };
            return Err(playing.error(rule, offset));
        }
        let place = (offset, playing.seen.chunks);
        if let Some(stored) = rest.get(..size as usize) {
            sizes.pop();
            playing.load(stored, place, true);
            return Ok(Look::Took(stored.len()));
        }
        let left = rest.len() as u64;
        if !self.ended {
            return Ok(Look::Wait(u64::from(size) - left));
        }
        // The file ends within the chunk: its whole frames still count.
        self.place = Section::End;
        if self.options.is_lenient() && !rest.is_empty() {
            playing.load(rest, place, false);
        }
        let rule = Rule::Truncated {
            what: "a chunk",
            needed: size.into(),
            left,
        };
        playing.note(rule, offset)?;
        Ok(Look::Took(rest.len()))
    }

    /// Reads frames after the chunks.
    fn open_at(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        let (Some(playing), Some(&first)) = (&mut self.playing, rest.first()) else {
            return Ok(Look::End);
        };
        let frames = first == KEYFRAME[0] || first == NORMAL[0];
        // Any bytes may follow the chunks of a finished recording.
        let journal = playing.seen.chunks == 0 && playing.header.compression == Compression::None;
        if !self.may_be_open || !frames && !journal {
            self.place = Section::Trailing(0, [0; 4]);
            return Ok(Look::Took(0));
        }
        if first == playing.header.version && playing.seen.frames > 0 {
            self.place = Section::Header;
            return Ok(Look::Took(0));
        }
        let whole = playing.load_open(rest, offset);
        if whole > 0 {
            return Ok(Look::Took(whole));
        }
        let layout = Layout::of(&playing.header);
        let limits = &self.options.limits;
        let (read, _) = read_within(&mut Packed::default(), rest, layout, limits);
        match read.err().unwrap_or(Rule::NoKeyframe) {
            Rule::Truncated { needed, left, .. } if !self.ended => {
                Ok(Look::Wait(needed.saturating_sub(left)))
            }
            // Bytes that are no frame will not become one.
            rule => self.lose(rule, offset),
        }
    }

    /// Counts useless bytes.
    fn trailing_at(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        let (Section::Trailing(bytes, start), Some(playing)) = (&mut self.place, &mut self.playing)
        else {
            return Ok(Look::End);
        };
        if !rest.is_empty() {
            let at = usize::try_from(*bytes).unwrap_or(usize::MAX);
            for (to, from) in start.iter_mut().skip(at).zip(rest) {
                *to = *from;
            }
            *bytes += rest.len() as u64;
            return Ok(Look::Took(rest.len()));
        }
        let (bytes, start) = (*bytes, *start);
        self.place = Section::End;
        let rule = if start.starts_with(chunk_start(playing.header.compression)) {
            Rule::Unlisted { bytes }
        } else {
            Rule::Trailing { bytes }
        };
        playing.note(rule, offset - bytes)?;
        Ok(Look::End)
    }

    /// A copy of the state between two chunks.
    pub fn between_chunks(&mut self) -> Self {
        Self {
            place: self.place.clone(),
            playing: self.playing.as_mut().map(Playing::between_chunks),
            ..*self
        }
    }

    /// Whether this header may follow: as the first one or, in an unfinished recording, as the last one
    /// with more players.
    fn may_follow(&self, header: &Header, sizes: &[u32]) -> bool {
        let Some(playing) = &self.playing else {
            return true;
        };
        let last = &playing.header;
        let known = last.players.iter().map(|player| player.userid);
        let players = header.players.iter().map(|player| player.userid);
        sizes == [0]
            && (header.version, header.compression, header.map)
                == (last.version, last.compression, last.map)
            && header.players.len() >= last.players.len()
            && known.eq(players.take(last.players.len()))
    }
}

/// The error for bytes that are no frame.
fn marker(rest: &[u8]) -> Rule {
    let mut found = [0; 2];
    for (to, from) in found.iter_mut().zip(rest) {
        *to = *from;
    }
    Rule::Marker { found }
}
