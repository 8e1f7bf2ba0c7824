//! From bytes to frames: the one place that knows what stands where. Slices, sources and growing
//! recordings are all read through it, and so agree.

use gametape_core::ByteReader;
use gametape_core::feed::{Buffer, Decode, Step};

use super::header::{Compression, Header};
use super::layout::Layout;
use super::pack::chunk_start;
use super::packed::{KEYFRAME, NORMAL, Packed};
use super::play::{Playing, Seen};
use super::resync::{Found, Search, read_within};
use super::state::Dialect;
use super::table::head;
use crate::error::{Error, Finding, Findings, ReadOptions};
use crate::model::Frame;
use crate::rule::Rule;

/// Bytes that have come and are not done with.
pub trait Bytes {
    /// More may come behind what seems to be the end.
    const GROW: bool;

    fn rest(&self) -> &[u8];
    fn take(&mut self, count: usize);
    /// Where the rest starts in the recording.
    fn offset(&self) -> u64;
    /// Where the bytes that have come end in the recording.
    fn end(&self) -> u64;
    fn is_ended(&self) -> bool;
    /// Nothing can be told before the rest has so many bytes.
    fn want(&mut self, bytes: u64);
}

impl Bytes for Buffer {
    const GROW: bool = true;

    fn rest(&self) -> &[u8] {
        self.rest()
    }

    fn take(&mut self, count: usize) {
        self.take(count);
    }

    fn offset(&self) -> u64 {
        self.offset()
    }

    fn end(&self) -> u64 {
        self.end()
    }

    fn is_ended(&self) -> bool {
        self.is_ended()
    }

    fn want(&mut self, bytes: u64) {
        self.want(bytes);
    }
}

/// A whole recording in memory.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    bytes: &'a [u8],
    taken: usize,
}

impl<'a> Slice<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, taken: 0 }
    }
}

impl Bytes for Slice<'_> {
    const GROW: bool = false;

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    fn take(&mut self, count: usize) {
        self.taken += count;
    }

    fn offset(&self) -> u64 {
        self.taken as u64
    }

    fn end(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn is_ended(&self) -> bool {
        true
    }

    fn want(&mut self, _: u64) {}
}

/// Where a recording is read.
#[derive(Clone, Debug)]
enum Place {
    /// Before the header.
    Header,
    /// Among the chunks: sizes still to come, the last first.
    Chunks(Vec<u32>),
    /// Behind the chunks, where a recording that is not finished has its frames.
    Open,
    /// Behind a fault there: frames count again from the next keyframe or header.
    Lost(Box<Search>),
    /// Among bytes that are nothing, so many of them so far, and how they start.
    Behind(u64, [u8; 4]),
    End,
}

/// What became of a look at the bytes.
enum Look {
    /// So many of them are done with.
    Took(usize),
    /// Nothing can be told before there are so many more; without them, the recording ends here.
    Wait(u64),
    End,
}

/// What is known of the recording so far.
#[derive(Clone, Debug)]
struct Known {
    place: Place,
    playing: Option<Playing>,
    /// The table ends with a size of 0: frames may stand behind the chunks.
    may_be_open: bool,
    /// Bytes of headers in the middle.
    headers: u64,
    /// Faults behind which reading went on.
    gaps: u64,
    /// Bytes that were tried there in vain.
    tried: u64,
}

/// Makes frames of the bytes of a recording, by whatever way they come.
#[derive(Debug)]
pub struct Decoder {
    options: ReadOptions,
    said: Option<Dialect>,
    known: Known,
    /// It counts that no more bytes come.
    ended: bool,
    /// What was known before it did, and where the bytes ended: where more come, what was told since
    /// is taken back.
    before: Option<(Box<Known>, u64)>,
    /// Bytes that were looked at since: they are not taken.
    ahead: usize,
    /// Frames that were told since. Those that were given do not come again.
    told: u64,
    given: u64,
    /// What ended reading: it comes again.
    failed: Option<Finding>,
}

impl Decoder {
    pub const fn new(options: ReadOptions, said: Option<Dialect>) -> Self {
        Self {
            options,
            said,
            known: Known {
                place: Place::Header,
                playing: None,
                may_be_open: false,
                headers: 0,
                gaps: 0,
                tried: 0,
            },
            ended: false,
            before: None,
            ahead: 0,
            told: 0,
            given: 0,
            failed: None,
        }
    }

    /// The header, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.playing().map(|playing| &playing.header)
    }

    pub fn findings(&self) -> &Findings {
        static NONE: Findings = Findings::new();
        self.playing().map_or(&NONE, |playing| &playing.findings)
    }

    pub fn seen(&self) -> Seen {
        self.playing()
            .map(|playing| playing.seen)
            .unwrap_or_default()
    }

    /// Whether the last frame is a keyframe.
    pub fn is_keyframe(&self) -> bool {
        self.playing().is_some_and(Playing::is_keyframe)
    }

    /// So far, what was read is a recording that was not finished.
    pub fn is_unfinished(&self) -> bool {
        self.known.may_be_open && self.seen().chunks == 0
    }

    /// In a recording that was not finished, bytes of headers but the first, and faults behind which
    /// reading went on.
    pub const fn open_counts(&self) -> (u64, u64) {
        (self.known.headers, self.known.gaps)
    }

    pub const fn playing(&self) -> Option<&Playing> {
        self.known.playing.as_ref()
    }

    /// Where the last frame stands, in a recording whose frames stand there as they are.
    pub fn frame_span(&self) -> (u64, u64) {
        self.playing().map_or((0, 0), Playing::span)
    }

    /// The last frame.
    pub fn frame(&self) -> &Frame {
        /// Never shown: there is a frame before it is asked for.
        static NONE: std::sync::LazyLock<Frame> = std::sync::LazyLock::new(Frame::default);
        self.playing().map_or(&NONE, Playing::frame)
    }

    /// Goes on to the next frame.
    #[inline]
    pub fn step(&mut self, input: &mut impl Bytes) -> Result<Step, Error> {
        if self.failed.is_some() && self.waits(input) {
            return Ok(Step::NeedMore);
        }
        if let Some(failed) = &self.failed {
            return Err(failed.clone().into());
        }
        let step = self.try_step(input);
        if let Err(error) = &step {
            self.failed = error.finding().cloned();
        }
        step
    }

    /// What seemed to be the end may not be: true while nothing has come behind it.
    fn waits(&mut self, input: &mut impl Bytes) -> bool {
        let waits = self.ended && !self.take_back(input) && !input.is_ended();
        if waits {
            input.want(input.rest().len() as u64 + 1);
        }
        waits
    }

    /// Goes back to what seemed to be the end, if bytes have come behind it. False if not.
    fn take_back(&mut self, input: &impl Bytes) -> bool {
        let came = |before: &mut (Box<Known>, u64)| input.end() > before.1;
        let Some((known, _)) = self.before.take_if(came) else {
            return false;
        };
        self.known = *known;
        (self.ended, self.ahead, self.told) = (false, 0, 0);
        self.failed = None;
        true
    }

    #[inline]
    fn try_step<B: Bytes>(&mut self, input: &mut B) -> Result<Step, Error> {
        loop {
            if let Some(playing) = &mut self.known.playing
                && playing.has_more()
                && playing.step()?
            {
                if B::GROW && (self.ended || self.told < self.given) {
                    self.told += 1;
                    if self.told <= self.given {
                        continue;
                    }
                    self.given = self.told;
                }
                return Ok(Step::Item);
            }
            if self.waits(input) {
                return Ok(Step::NeedMore);
            }
            let (rest, offset) = (input.rest(), input.offset() + self.ahead as u64);
            let rest = rest.get(self.ahead..).unwrap_or_default();
            match self.look(rest, offset)? {
                Look::Took(count) if B::GROW && self.ended => self.ahead += count,
                Look::Took(count) => input.take(count),
                Look::Wait(_) if input.is_ended() && !self.ended => {
                    self.ended = true;
                    if B::GROW {
                        let known = Box::new(self.known.between_chunks());
                        self.before = Some((known, input.end()));
                        (self.told, self.given) = (0, self.given - self.told);
                    }
                }
                Look::Wait(more) if !self.ended => {
                    let wanted = rest.len() as u64 + more;
                    input.want(wanted);
                    return Ok(Step::NeedMore);
                }
                Look::Wait(_) | Look::End => return Ok(Step::End),
            }
        }
    }

    /// Looks at what stands at `offset`.
    fn look(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        let looked = match &self.known.place {
            Place::End if rest.is_empty() => return Ok(Look::End),
            // It is of no interest.
            Place::End => return Ok(Look::Took(rest.len())),
            _ if rest.is_empty() && !self.ended => return Ok(Look::Wait(1)),
            Place::Header => self.header_at(rest, offset)?,
            Place::Chunks(_) => self.chunk_at(rest, offset)?,
            Place::Open => self.open_at(rest, offset)?,
            Place::Lost(_) => self.lost_at(rest, offset),
            Place::Behind(..) => self.behind_at(rest, offset)?,
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
        let known = &mut self.known;
        match read {
            Ok((header, sizes)) if !known.goes_on_with(&header, &sizes) => {
                // It looks like a header, and is none of this recording.
                self.lose(marker(rest), offset)
            }
            Ok((header, mut sizes)) => {
                known.may_be_open = sizes.first() == Some(&0);
                // The reference may write one or two empty chunks at the end.
                let empty = sizes.iter().take(2).rposition(|&size| size == 0);
                if let Some(empty) = empty {
                    sizes.drain(..=empty);
                }
                match &mut known.playing {
                    Some(playing) => {
                        known.headers += size as u64;
                        playing.set_header(header);
                    }
                    None => known.playing = Some(Playing::new(header, self.options, self.said)),
                }
                known.place = Place::Chunks(sizes);
                Ok(Look::Took(size))
            }
            Err(Rule::Truncated { needed, left, .. }) if !self.ended => {
                // A table may claim more than will ever come; it costs nothing to wait.
                Ok(Look::Wait(needed.saturating_sub(left)))
            }
            // A header in the middle of an unfinished recording: what was read counts.
            Err(rule) if known.playing.is_some() => self.lose(rule, offset),
            Err(rule) => Err(Error::at(rule, offset + size as u64)),
        }
    }

    /// A recording that is not finished is broken here: reading goes on behind it, or ends.
    fn lose(&mut self, rule: Rule, offset: u64) -> Result<Look, Error> {
        let Some(playing) = &mut self.known.playing else {
            return Ok(Look::End);
        };
        playing.note(rule, offset)?;
        playing.lose();
        self.known.place = Place::Lost(Box::new(Search::of(&playing.header)));
        Ok(Look::Took(1))
    }

    /// Looks for where frames count again.
    fn lost_at(&mut self, rest: &[u8], offset: u64) -> Look {
        let (limits, ended) = (&self.options.limits, self.ended);
        let known = &mut self.known;
        let (Place::Lost(search), Some(playing)) = (&mut known.place, &known.playing) else {
            return Look::End;
        };
        let layout = Layout::of(&playing.header);
        match search.next(rest, offset, layout, limits, ended, &mut known.tried) {
            Found::Nothing(0) => Look::Wait(1),
            Found::Nothing(size) => Look::Took(size),
            Found::Tired => {
                known.place = Place::End;
                Look::Took(rest.len())
            }
            Found::Keyframe(size) => {
                known.gaps += 1;
                known.place = Place::Open;
                Look::Took(size)
            }
            Found::Header(size) => {
                let mut input = ByteReader::new(rest.get(size..).unwrap_or_default());
                let read = head(&mut input, limits);
                let more = matches!(read, Err(Rule::Truncated { .. }));
                let good = read.is_ok_and(|(header, sizes)| {
                    known.goes_on_with(&header, &sizes.collect::<Vec<u32>>())
                });
                if good {
                    known.gaps += 1;
                    known.place = Place::Header;
                    Look::Took(size)
                } else if more && !ended {
                    // Up to it, there is nothing.
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

    /// Takes the next chunk.
    fn chunk_at(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        let known = &mut self.known;
        let (Place::Chunks(sizes), Some(playing)) = (&mut known.place, &mut known.playing) else {
            return Ok(Look::End);
        };
        let Some(&size) = sizes.last() else {
            known.place = Place::Open;
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
        known.place = Place::End;
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

    /// Takes frames behind the chunks.
    fn open_at(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        let known = &mut self.known;
        let (Some(playing), Some(&first)) = (&mut known.playing, rest.first()) else {
            return Ok(Look::End);
        };
        let frames = first == KEYFRAME[0] || first == NORMAL[0];
        // Behind the chunks of a finished recording may be anything.
        let journal = playing.seen.chunks == 0 && playing.header.compression == Compression::None;
        if !known.may_be_open || !frames && !journal {
            known.place = Place::Behind(0, [0; 4]);
            return Ok(Look::Took(0));
        }
        if first == playing.header.version && playing.seen.frames > 0 {
            known.place = Place::Header;
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
            // What is no frame will not become one.
            rule => self.lose(rule, offset),
        }
    }

    /// Counts the bytes that are nothing.
    fn behind_at(&mut self, rest: &[u8], offset: u64) -> Result<Look, Error> {
        let known = &mut self.known;
        let (Place::Behind(bytes, start), Some(playing)) = (&mut known.place, &mut known.playing)
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
        known.place = Place::End;
        let rule = if start.starts_with(chunk_start(playing.header.compression)) {
            Rule::Unlisted { bytes }
        } else {
            Rule::Trailing { bytes }
        };
        playing.note(rule, offset - bytes)?;
        Ok(Look::End)
    }
}

impl Known {
    /// The same, between two chunks.
    fn between_chunks(&mut self) -> Self {
        Self {
            place: self.place.clone(),
            playing: self.playing.as_mut().map(Playing::between_chunks),
            ..*self
        }
    }

    /// Whether a header may stand here: the first, or in an unfinished recording one like the last
    /// with more players.
    fn goes_on_with(&self, header: &Header, sizes: &[u32]) -> bool {
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

impl Decode for Decoder {
    type Item<'a> = &'a Frame;
    type Error = Error;

    #[inline]
    fn decode(&mut self, input: &mut Buffer) -> Result<Step, Error> {
        self.step(input)
    }

    #[inline]
    fn item<'a>(&'a mut self, _: &'a Buffer) -> &'a Frame {
        self.frame()
    }
}

/// What stands here is no frame.
fn marker(rest: &[u8]) -> Rule {
    let mut found = [0; 2];
    for (to, from) in found.iter_mut().zip(rest) {
        *to = *from;
    }
    Rule::Marker { found }
}

#[cfg(test)]
mod tests {
    use super::super::{Compression, Feed, Options, write};
    use crate::error::ReadOptions;
    use gametape_core::feed::Fed;

    #[test]
    fn frames_that_were_given_of_a_cut_chunk_do_not_come_again() {
        let frames = crate::doc_frames();
        for compression in [Compression::None, Options::default().compression] {
            let options = Options {
                compression,
                ..Options::default()
            };
            let bytes = write(&frames, options).unwrap();
            let mut feed = Feed::with_options(ReadOptions::lenient());
            // The header, and then the end of the recording behind each byte.
            let start = bytes.len() - bytes.len() / 2;
            let mut pieces = vec![&bytes[..start]];
            pieces.extend(bytes[start..].chunks(1));
            let mut times = Vec::new();
            for piece in pieces {
                feed.push(piece);
                feed.finish();
                times.extend(feed.next_frame().ok().and_then(Fed::item).map(|f| f.time));
            }
            while let Fed::Item(frame) = feed.next_frame().unwrap() {
                times.push(frame.time);
            }
            let whole: Vec<_> = frames.iter().map(|frame| frame.time).collect();
            assert_eq!(times, whole, "{compression:?}");
            assert!(feed.findings().is_empty());
        }
    }
}
