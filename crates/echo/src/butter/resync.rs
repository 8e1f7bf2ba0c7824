//! Behind a fault in a recording that is not finished: where reading can go on.

use gametape_core::ByteReader;
use memchr::memmem;

use super::header::Header;
use super::layout::Layout;
use super::packed::{KEYFRAME, NORMAL, Packed};
use crate::limits::Limits;
use crate::rule::Rule;

/// What a search has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// A keyframe, so many bytes on.
    Keyframe(usize),
    /// What may be a header, so many bytes on.
    Header(usize),
    /// Nothing in so many bytes; behind them, more bytes have to tell.
    Nothing(usize),
    /// Enough was tried: nothing more is looked for.
    Tired,
}

/// Looks for a keyframe that something follows, and for a header like the last.
#[derive(Clone, Debug)]
pub struct Search {
    /// How a header of this recording starts.
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

    /// Searches `rest`, which stands at `offset` of the recording. What was tried in vain is
    /// counted in `tried`: bytes made for it could look like a long frame at each of them.
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
            let behind = rest.get(from..).unwrap_or_default();
            let keyframe = memmem::find(behind, &KEYFRAME).map(|at| from + at);
            let Some(place) = header.into_iter().chain(keyframe).min() else {
                // What is cut off at the end may be the start of either.
                let kept = if finished { 0 } else { self.prefix.len() };
                return Found::Nothing(rest.len().saturating_sub(kept).max(from));
            };
            if header == Some(place) {
                return Found::Header(place);
            }
            let here = rest.get(place..).unwrap_or_default();
            let (seen, size) = self.keyframe(here, layout, limits);
            match seen {
                Seen::Frames => return Found::Keyframe(place),
                Seen::One if finished => return Found::Keyframe(place),
                Seen::One | Seen::Cut if !finished => return Found::Nothing(place),
                _ => {}
            }
            *tried += size as u64 + 1;
            if *tried > (offset + place as u64).saturating_mul(16) + (1 << 24) {
                return Found::Tired;
            }
            from = place + 1;
        }
    }

    /// What stands here, and how many bytes were looked at.
    ///
    /// The bytes of a keyframe's start occur by chance; two frames in a row don't.
    fn keyframe(&mut self, here: &[u8], layout: Layout, limits: &Limits) -> (Seen, usize) {
        let (read, size) = read_within(&mut self.packed, here, layout, limits);
        match read {
            Ok(()) => {}
            Err(Rule::Truncated { .. }) => return (Seen::Cut, size),
            Err(_) => return (Seen::Nothing, size),
        }
        let behind = here.get(size..).unwrap_or_default();
        if behind.starts_with(&self.prefix) {
            return (Seen::Frames, size);
        }
        if self.prefix.starts_with(behind) {
            return (Seen::One, size);
        }
        let (read, more) = read_within(&mut self.packed, behind, layout, limits);
        let seen = match read {
            Ok(()) => Seen::Frames,
            Err(Rule::Truncated { .. }) => Seen::One,
            Err(_) => Seen::Nothing,
        };
        (seen, size + more)
    }
}

/// What stands where a keyframe seems to start.
enum Seen {
    Nothing,
    /// What may be one when there are more bytes.
    Cut,
    /// One, and what may be another frame when there are more bytes.
    One,
    /// One, and another frame or a header.
    Frames,
}

/// Reads the frame that `rest` starts with, of no more bytes than the limit; and how many bytes it
/// takes, or were looked at.
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

/// What all headers of a recording that is not finished start with.
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

/// Whether a frame stands somewhere in these bytes behind the first, and something that goes on
/// from it: the file's end, or another frame's start.
pub fn holds_frames(bytes: &[u8], layout: Layout) -> bool {
    // A header may be lost that names more players.
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
                // So much looks like frames that it may be some.
                return true;
            };
            patience = left;
            let behind = input.rest();
            let goes_on = behind.is_empty()
                || behind.starts_with(&KEYFRAME)
                || behind.starts_with(&NORMAL)
                || matches!(behind, [byte] if *byte == KEYFRAME[0] || *byte == NORMAL[0]);
            read && goes_on
        })
    })
}

/// Whether a keyframe of a plausible time seems to stand in these bytes, whatever the header says:
/// what is cut within its first header has none.
pub fn seems_to_hold_frames(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, &KEYFRAME).any(|at| {
        // A time of 2004 to 2039.
        let time = bytes.get(at..).unwrap_or_default();
        matches!(time, [_, _, _, _, _, _, _, 1, 0, 0, ..])
    })
}
