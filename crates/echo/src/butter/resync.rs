//! Finding the place after a fault in an unfinished recording from which reading can continue.

use gametape_core::ByteReader;
use memchr::memmem;

use super::header::Header;
use super::layout::Layout;
use super::packed::{KEYFRAME, NORMAL, Packed};
use crate::limits::Limits;
use crate::rule::Rule;

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

/// Reads the frame at the start of `rest`, within the limit. Also returns the number of bytes that it takes
/// or that were looked at.
pub fn read_within(
    packed: &mut Packed,
    rest: &[u8],
    layout: Layout,
    limits: &Limits,
) -> (Result<(), Rule>, usize) {
    let most = usize::try_from(limits.max_frame_bytes).unwrap_or(usize::MAX);
    let window = rest.get(..most).unwrap_or(rest);
    let mut input = ByteReader::new(window);
    let read = match packed.read(&mut input, layout) {
        Err(Rule::Truncated { .. }) if window.len() < rest.len() => Err(Rule::Limit {
            what: "a frame",
            size: limits.max_frame_bytes + 1,
            limit: limits.max_frame_bytes,
        }),
        read => read,
    };
    (read, input.offset())
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
