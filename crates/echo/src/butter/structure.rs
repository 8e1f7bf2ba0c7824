//! The structure of a recording as a state machine: header, chunks, and the frames after them. After a
//! fault in an unfinished recording, it finds the place from which reading can continue.

use gametape_core::ByteReader;
use memchr::memmem;

use super::chunk::{chunk_start, head};
use super::frame::packed::{KEYFRAME, Layout, NORMAL, Packed};
use super::frame::reference::Dialect;
use super::frame::unpack::{Parts, read_within};
use super::header::{Compression, Header};
use super::play::Playing;
#[cfg(feature = "tape")]
use super::play::Skip;
use crate::error::Error;
use crate::limits::{Limits, ReadOptions};
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
pub struct ReadState {
    options: ReadOptions,
    writer: Option<Dialect>,
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
    /// The chunks that are left out at the start.
    #[cfg(feature = "tape")]
    skip: Option<Skip>,
}

impl ReadState {
    /// Leaves out chunks at the start.
    #[cfg(feature = "tape")]
    pub const fn skip(&mut self, skip: Skip) {
        self.skip = Some(skip);
    }

    pub const fn new(options: ReadOptions, writer: Option<Dialect>) -> Self {
        Self {
            options,
            writer,
            parts: Parts::ALL,
            place: Section::Header,
            playing: None,
            ended: false,
            may_be_open: false,
            headers: 0,
            gaps: 0,
            tried: 0,
            #[cfg(feature = "tape")]
            skip: None,
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
                    let playing = Playing::new(header, self.options, self.writer);
                    let playing = self.playing.insert(playing.of_parts(self.parts));
                    #[cfg(feature = "tape")]
                    if let Some(skip) = self.skip {
                        sizes.truncate(sizes.len().saturating_sub(skip.chunks));
                        playing.skip(skip);
                    }
                    #[cfg(not(feature = "tape"))]
                    let _ = playing;
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
        #[cfg(feature = "tape")]
        let offset = offset + self.skip.map_or(0, |skip| skip.bytes);
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

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// A keyframe, at this distance.
    Keyframe(usize),
    /// A possible header, at this distance.
    Header(usize),
    /// Nothing in this many bytes; more bytes are needed to search on.
    Nothing(usize),
    /// The budget is spent: the search ends.
    Tired,
}

/// Searches for a keyframe that is followed by something valid, and for a header like the last.
#[derive(Clone, Debug)]
pub struct Search {
    /// The first bytes of every header of this recording.
    prefix: Vec<u8>,
    packed: Packed,
}

impl Search {
    pub fn of(header: &Header) -> Self {
        Self {
            prefix: prefix(header),
            packed: Packed::default(),
        }
    }

    /// Searches `rest`, which is at `offset` in the recording. `tried` counts the bytes searched in vain,
    /// because a crafted file could seem to have a long frame at every byte.
    pub fn next(
        &mut self,
        rest: &[u8],
        offset: u64,
        layout: Layout,
        limits: &Limits,
        finished: bool,
        tried: &mut u64,
    ) -> Found {
        let mut from = 0;
        let header = memmem::find(rest, &self.prefix);
        loop {
            let after = rest.get(from..).unwrap_or_default();
            let keyframe = memmem::find(after, &KEYFRAME).map(|at| from + at);
            let Some(place) = header.into_iter().chain(keyframe).min() else {
                // The last bytes may be the start of either.
                let kept = if finished { 0 } else { self.prefix.len() };
                return Found::Nothing(rest.len().saturating_sub(kept).max(from));
            };
            if header == Some(place) {
                return Found::Header(place);
            }
            let here = rest.get(place..).unwrap_or_default();
            let (seen, size) = self.keyframe(here, layout, limits);
            match seen {
                Candidate::Frames => return Found::Keyframe(place),
                Candidate::One if finished => return Found::Keyframe(place),
                Candidate::One | Candidate::Cut if !finished => return Found::Nothing(place),
                _ => {}
            }
            *tried += size as u64 + 1;
            if *tried > (offset + place as u64).saturating_mul(16) + (1 << 24) {
                return Found::Tired;
            }
            from = place + 1;
        }
    }

    /// Returns what is at this place, and the number of bytes that were looked at.
    ///
    /// The bytes that start a keyframe occur by chance, but two frames in a row don't.
    fn keyframe(&mut self, here: &[u8], layout: Layout, limits: &Limits) -> (Candidate, usize) {
        let (read, size) = read_within(&mut self.packed, here, layout, limits);
        match read {
            Ok(()) => {}
            Err(Rule::Truncated { .. }) => return (Candidate::Cut, size),
            Err(_) => return (Candidate::Nothing, size),
        }
        let after = here.get(size..).unwrap_or_default();
        if after.starts_with(&self.prefix) {
            return (Candidate::Frames, size);
        }
        if self.prefix.starts_with(after) {
            return (Candidate::One, size);
        }
        let (read, more) = read_within(&mut self.packed, after, layout, limits);
        let seen = match read {
            Ok(()) => Candidate::Frames,
            Err(Rule::Truncated { .. }) => Candidate::One,
            Err(_) => Candidate::Nothing,
        };
        (seen, size + more)
    }
}

/// What a seeming keyframe turns out to be.
enum Candidate {
    Nothing,
    /// Perhaps a frame, once there are more bytes.
    Cut,
    /// One frame, and perhaps another once there are more bytes.
    One,
    /// A frame, and another frame or a header.
    Frames,
}

/// The bytes that all headers of an unfinished recording start with.
fn prefix(header: &Header) -> Vec<u8> {
    let mut prefix = vec![header.version];
    prefix.extend_from_slice(&header.keyframe_interval.to_le_bytes());
    prefix.push(header.compression.code());
    prefix.extend_from_slice(&header.client_name);
    prefix.push(0);
    prefix.extend_from_slice(&header.sessionid);
    prefix.extend_from_slice(&header.sessionip);
    prefix
}

/// Whether these bytes contain, after the first byte, a frame with something valid after it: the file's end
/// or the start of another frame.
pub fn holds_frames(bytes: &[u8], layout: Layout) -> bool {
    // The lost part may include a header with more players.
    let layout = Layout {
        players: u8::MAX,
        ..layout
    };
    let mut packed = Packed::default();
    let mut patience = bytes.len().saturating_mul(16).saturating_add(1 << 20);
    memchr::memchr_iter(0xFE, bytes).any(|at| {
        let starts = [at, at.wrapping_sub(1)];
        starts.into_iter().any(|at| {
            let here = bytes.get(at..).unwrap_or_default();
            if at == 0 || !(here.starts_with(&KEYFRAME) || here.starts_with(&NORMAL)) {
                return false;
            }
            let mut input = ByteReader::new(here);
            let read = packed.read(&mut input, layout).is_ok();
            let Some(left) = patience.checked_sub(input.offset()) else {
                // So many bytes look like frames that there may be one.
                return true;
            };
            patience = left;
            let after = input.rest();
            let goes_on = after.is_empty()
                || after.starts_with(&KEYFRAME)
                || after.starts_with(&NORMAL)
                || matches!(after, [byte] if *byte == KEYFRAME[0] || *byte == NORMAL[0]);
            read && goes_on
        })
    })
}

/// Whether these bytes seem to contain a keyframe with a plausible time, whatever the header is. A file
/// that was cut within its first header contains none.
pub fn seems_to_hold_frames(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, &KEYFRAME).any(|at| {
        // A time from 2004 to 2039.
        let time = bytes.get(at..).unwrap_or_default();
        matches!(time, [_, _, _, _, _, _, _, 1, 0, 0, ..])
    })
}
