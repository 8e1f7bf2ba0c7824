//! Writing exactly as the reference does, bit for bit, faults included.
//!
//! Differences are taken between the original values instead of the reader's, so truncation adds up until
//! the next keyframe. A part is left out if the bytes of its difference equal those of the frame before.
//! Keyframes store bones as differences from the frame before. This mode is for readers that expect the
//! reference's files.
//!
//! A chunk is written when it is closed. By then the players of the chunk and of the keyframe after it are
//! known, and their indices are looked up by name.

mod check;
mod pack;
mod seen;
mod texts;

use super::header::Header;
use super::layout::Layout;
use super::packed::Packed;
use crate::error::WriteError;
use crate::model::{Bones, Frame};
use crate::spelled::Spelled;

use check::{Checked, has_no_bones};
use pack::{Last, Packing, pack_bones};
use seen::Seen;
use texts::Names;

/// Encodes frames as the reference does.
#[derive(Debug)]
pub struct CompatEncoder {
    layout: Layout,
    packed: Packed,
    names: Names,
    /// The frames of the open chunk. Elements past `length` are old frames whose memory is reused.
    chunk: Vec<Seen>,
    count: usize,
    /// The number of frames in closed chunks.
    before: u64,
    /// The bones of the last frame of the closed chunks.
    bones: Option<Bones>,
    /// Whether that frame had a bones response without bones.
    no_bones: bool,
}

impl CompatEncoder {
    pub fn new(header: &Header) -> Self {
        Self {
            layout: Layout::of(header),
            packed: Packed::default(),
            names: Names::default(),
            chunk: Vec::new(),
            count: 0,
            before: 0,
            bones: None,
            no_bones: false,
        }
    }

    /// Refuses a first frame for which the reference writes no file.
    pub fn check_first(frame: &Frame, spelled: &Spelled, interval: u16) -> Result<(), WriteError> {
        if interval == 0 {
            return Err(WriteError::Reference {
                frame: 0,
                member: "the keyframe interval".to_owned(),
                why: "is 0".to_owned(),
            });
        }
        let checked = Checked {
            session: &frame.session,
            spelled,
            bones: false,
            header: None,
            before: None,
            older: None,
            after_no_bones: false,
        };
        checked.check(0)
    }

    /// Refuses a later frame for which the reference writes no file. `header` has the players of all
    /// earlier frames.
    pub fn check(
        &self,
        frame: &Frame,
        spelled: &Spelled,
        keyframe: bool,
        header: &Header,
    ) -> Result<(), WriteError> {
        let (older, last) = match self.chunk.get(..self.count).unwrap_or_default() {
            [.., older, last] => (Some(older), Some(last)),
            [last] => (None, Some(last)),
            [] => (None, None),
        };
        let checked = Checked {
            session: &frame.session,
            spelled,
            bones: frame.bones.is_some(),
            header: Some(header),
            before: last.filter(|_| !keyframe),
            older: older.filter(|_| !keyframe),
            after_no_bones: last.map_or(self.no_bones, |last| has_no_bones(&last.spelled)),
        };
        checked.check(self.before + self.count as u64)
    }

    /// Takes over the players that the header has gained from a frame.
    pub fn meet(&mut self, frame: &Frame, header: &Header) {
        let new = header.players.iter().skip(self.names.len());
        for met in new {
            let mut players = frame.session.players().map(|(_, player)| player);
            let player = players.find(|player| player.userid == met.userid);
            self.names
                .push(player.map(|player| player.name.clone()).unwrap_or_default());
        }
    }

    /// Adds a frame to the open chunk.
    pub fn push(&mut self, frame: &Frame, spelled: &Spelled) {
        match self.chunk.get_mut(self.count) {
            Some(seen) => seen.set(frame, spelled),
            None => self.chunk.push(Seen::new(frame, spelled)),
        }
        self.count += 1;
    }

    /// Writes the open chunk and closes it.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        let frames = self.chunk.get(..self.count).unwrap_or_default();
        let mut last: Option<Last> = None;
        let mut bones = self.bones.take();
        let (mut known, mut older): (Option<&Seen>, Option<&Seen>) = (None, None);
        for seen in frames {
            let mut packing = Packing {
                layout: self.layout,
                names: &self.names,
                seen,
                known,
                older,
                last: last.as_ref(),
            };
            last = Some(packing.pack(&mut self.packed));
            let before = known.map_or(bones.as_ref(), |known| known.frame.bones.as_ref());
            pack_bones(seen, before, &mut self.packed);
            self.packed.write(self.layout, out);
            (older, known) = (known, Some(seen));
        }
        if let Some(seen) = known {
            bones.clone_from(&seen.frame.bones);
            self.no_bones = has_no_bones(&seen.spelled);
        }
        self.bones = bones;
        self.before += self.count as u64;
        self.count = 0;
    }
}
