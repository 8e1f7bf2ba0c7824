//! Writing exactly as the reference does, bit for bit, faults included.
//!
//! Differences are taken between the original values instead of the reader's, so truncation adds up until
//! the next keyframe. A part is left out if the bytes of its difference equal those of the frame before.
//! Keyframes store bones as differences from the frame before. This mode is for readers that expect the
//! reference's files.
//!
//! A chunk is written when it is closed. By then the players of the chunk and of the keyframe after it are
//! known, and their indices are looked up by name.

mod pack;
mod texts;

use pack::{Last, Packing};
use texts::{Names, SpelledFrame, hands, held, loadout, ping_changed};

use super::header::Header;
use super::packed::{Layout, Packed, PackedBones};
use super::primitive::to_fixed;
use super::rotation;
use crate::error::WriteError;
use crate::model::{BONES, Bones, Frame, Game, Player, PlayerBones, Session, Stats};
use crate::spelled::{BonesAnswer, Spelled};

/// Encodes frames as the reference does.
#[derive(Debug)]
pub struct CompatEncoder {
    layout: Layout,
    packed: Packed,
    names: Names,
    /// The frames of the open chunk. Elements past `length` are old frames whose memory is reused.
    chunk: Vec<SpelledFrame>,
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
            None => self.chunk.push(SpelledFrame::new(frame, spelled)),
        }
        self.count += 1;
    }

    /// Writes the open chunk and closes it.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        let frames = self.chunk.get(..self.count).unwrap_or_default();
        let mut last: Option<Last> = None;
        let mut bones = self.bones.take();
        let (mut known, mut older): (Option<&SpelledFrame>, Option<&SpelledFrame>) = (None, None);
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

/// Packs the bones of a frame as differences from the frame before, which may be in another chunk.
fn pack_bones(seen: &SpelledFrame, before: Option<&Bones>, packed: &mut Packed) {
    packed.bones.clear();
    packed.bone_positions.clear();
    packed.bone_rotations.clear();
    let Some(bones) = &seen.frame.bones else {
        packed.bone_bits = u8::from(seen.spelled.bones == BonesAnswer::Nobody);
        return;
    };
    let count = bones.user_bones.len().min(127);
    packed.bone_bits = 1 | (count as u8) << 1;
    let before = before
        .map(|before| before.user_bones.as_slice())
        .filter(|before| before.len() == bones.user_bones.len())
        .unwrap_or_default();
    let start = PlayerBones::default();
    for (at, bones) in bones.user_bones.iter().take(count).enumerate() {
        let known = before.get(at).unwrap_or(&start);
        let mut masks = PackedBones::default();
        for at in 0..BONES {
            let (Some(&[x, y, z]), Some(&[fx, fy, fz])) =
                (bones.positions.get(at), known.positions.get(at))
            else {
                continue;
            };
            let delta = [x - fx, y - fy, z - fz];
            let [dx, dy, dz] = delta;
            if (dx * dx + dy * dy + dz * dz).sqrt() > 0.001 {
                masks.positions |= 1 << at;
                let numbers = delta.map(|d| i32::from(to_fixed(d)));
                packed.bone_positions.push(numbers);
            }
            let (Some(&now), Some(&from)) = (bones.rotations.get(at), known.rotations.get(at))
            else {
                continue;
            };
            if rotation::angle(now, from) > 1.0 {
                masks.rotations |= 1 << at;
                let turn = rotation::multiply(now, rotation::inverse(from));
                packed.bone_rotations.push(rotation::to_smallest3(turn));
            }
        }
        packed.bones.push(masks);
    }
}

/// The member, and what is wrong with it.
type Refused = (String, String);

/// A frame with its context.
struct Checked<'c> {
    pub session: &'c Session,
    pub spelled: &'c Spelled,
    /// Whether the recording has bones.
    pub bones: bool,
    /// The header with the players of all earlier frames; `None` for the first frame.
    pub header: Option<&'c Header>,
    /// The frame before, in the same chunk.
    pub before: Option<&'c SpelledFrame>,
    /// The frame before that one, in the same chunk.
    pub older: Option<&'c SpelledFrame>,
    /// The frame before, in whichever chunk, had a bones response without bones.
    pub after_no_bones: bool,
}

impl Checked<'_> {
    /// Refuses frames for which the reference throws, and frames that no reader could read.
    fn check(&self, frame: u64) -> Result<(), WriteError> {
        match self.fault() {
            None => Ok(()),
            Some((member, why)) => Err(WriteError::Reference { frame, member, why }),
        }
    }

    fn fault(&self) -> Option<Refused> {
        let game = self.session.map_name.game();
        let first = self.header.is_none();
        let mut lacks = self.spelled.lacks.iter();
        let lack = lacks.find(|lack| lack.when.holds(game, first));
        let lack = lack.map(|lack| (lack.member.clone(), lack.why.to_owned()));
        lack.or_else(|| self.header_fault(game))
            .or_else(|| session_fault(self.session, game))
            .or_else(|| {
                (self.bones && self.after_no_bones).then(|| {
                    let why = "come after a response without user_bones";
                    ("the bones".to_owned(), why.to_owned())
                })
            })
            .or_else(|| self.players_fault(game))
    }

    /// Returns the first value that the header can't hold.
    fn header_fault(&self, game: Game) -> Option<Refused> {
        let session = self.session;
        let refused = |member: &str, why: String| Some((member.to_owned(), why));
        if let Some(header) = self.header {
            if header.map_name().game() != game {
                let why = "is another kind of map than the first frame's".to_owned();
                return refused("map_name", why);
            }
            return None;
        }
        let digits = session.sessionid.bytes().filter(|byte| *byte != b'-');
        if digits.clone().count() != 32 || !digits.clone().all(|digit| digit.is_ascii_hexdigit()) {
            return refused("sessionid", "is not 32 hexadecimal digits".to_owned());
        }
        if session.sessionip.parse::<std::net::Ipv4Addr>().is_err() {
            return refused(
                "sessionip",
                "is not four bytes with dots between".to_owned(),
            );
        }
        if session.map_name.code().is_none() {
            return refused(
                "map_name",
                format!("{:?} has no code", session.map_name.as_str()),
            );
        }
        for (name, score) in [
            ("blue_round_score", session.blue_round_score),
            ("orange_round_score", session.orange_round_score),
        ] {
            if score > 127 {
                return refused(name, format!("{score} is more than 127"));
            }
        }
        session.client_name.contains('\0').then(|| {
            let why = "has a NUL: no reader finds the text after it".to_owned();
            ("client_name".to_owned(), why)
        })
    }

    fn players_fault(&self, game: Game) -> Option<Refused> {
        for (team, at) in (0..3_u8).zip(&self.session.teams) {
            let path = || format!("teams[{team}]");
            // Stats that are gone are written like stats that have not changed: not at all.
            if let Some(why) = too_many_stuns(at.stats.as_ref()) {
                return Some((format!("{}.stats", path()), why));
            }
            for (place, player) in (0..=u8::MAX).zip(&at.players) {
                if let Some((member, why)) = self.player_fault(player, (team, place), game) {
                    return Some((format!("{}.players[{place}].{member}", path()), why));
                }
                if let Some(null) = self.looked_for_in_null(player.userid) {
                    let why =
                        "are null in an earlier frame, in which a player of this one is looked up";
                    return Some((format!("teams[{null}].players"), why.to_owned()));
                }
            }
        }
        None
    }

    /// Finds a team whose `players` is `null` and which comes before the player with `userid`, in one of
    /// the two frames before. The reference compares with both frames and fails there.
    fn looked_for_in_null(&self, userid: u64) -> Option<u8> {
        let mut frames = self.before.into_iter().chain(self.older);
        frames.find_map(|seen| {
            let first = *seen.spelled.no_players.iter().min()?;
            let found = seen.player(userid);
            let comes_first = found.is_none_or(|((team, _), _)| first < team);
            comes_first.then_some(first)
        })
    }

    fn player_fault(&self, player: &Player, place: (u8, u8), game: Game) -> Option<Refused> {
        let refused = |member: &str, why: String| Some((member.to_owned(), why));
        let known = self.header.is_some_and(|header| {
            header
                .players
                .iter()
                .any(|known| known.userid == player.userid)
        });
        if !known && self.spelled.nameless.contains(&place) {
            return refused("name", "is missing".to_owned());
        }
        if !known && player.name.contains('\0') {
            return refused(
                "name",
                "has a NUL: no reader finds the text after it".to_owned(),
            );
        }
        if let Some(why) = too_many_stuns(player.stats.as_ref()) {
            return refused("stats", why);
        }
        let before = self.before.and_then(|seen| seen.player(player.userid));
        if player.stats.is_none() && before.is_some_and(|(_, before)| before.stats.is_some()) {
            let why = "disappear, which would make the file unreadable";
            return refused("stats", why.to_owned());
        }
        if game == Game::Combat
            && let Err(member) = loadout(player.loadout.as_ref())
        {
            return refused(member, "has no code in the format".to_owned());
        }
        if game == Game::Arena && ping_changed(player, self.spelled, place, self.before) {
            let names = ["holding_left", "holding_right"];
            for (name, text) in names.into_iter().zip(hands(player, self.spelled, place)) {
                if held(text.as_deref()).is_none() {
                    let text = text.unwrap_or_default();
                    return refused(name, format!("{text:?} is no byte"));
                }
            }
        }
        None
    }
}

/// Returns the first session member that can't be written.
fn session_fault(session: &Session, game: Game) -> Option<Refused> {
    let refused = |member: &str, why: &str| Some((member.to_owned(), why.to_owned()));
    if session.teams.len() < 3 {
        return refused("teams", "are fewer than three");
    }
    let Some(pause) = &session.pause else {
        return refused("pause", "is missing");
    };
    if session.player.is_none() {
        return refused("player", "is missing");
    }
    let no_team = "is none of the four teams";
    if pause.paused_requested_team.code().is_none() {
        return refused("pause.paused_requested_team", no_team);
    }
    if pause.unpaused_team.code().is_none() {
        return refused("pause.unpaused_team", no_team);
    }
    if game == Game::Arena {
        if session.disc.is_none() {
            return refused("disc", "is missing");
        }
        let Some(score) = &session.last_score else {
            return refused("last_score", "is missing");
        };
        if score.team.code().is_none() {
            return refused("last_score.team", no_team);
        }
        if session.private_match
            && session
                .rules_changed_by
                .as_ref()
                .is_some_and(|by| by.contains('\0'))
        {
            return refused(
                "rules_changed_by",
                "has a NUL: no reader finds the text after it",
            );
        }
    }
    None
}

fn too_many_stuns(stats: Option<&Stats>) -> Option<String> {
    let stuns = stats?.stuns;
    (stuns > 65_535).then(|| format!("have {stuns} stuns, more than 65,535"))
}

/// Whether the bones response holds no bones.
fn has_no_bones(spelled: &Spelled) -> bool {
    spelled.bones == BonesAnswer::NoBones
}

#[cfg(test)]
mod tests {
    use super::texts::{goal, held};
    use crate::model::GoalType;

    #[test]
    fn texts_give_the_numbers_that_the_reference_gives() {
        let goal = |text: &str| goal(&GoalType::from(text));
        for (text, right) in [
            ("SLAM DUNK", 6),
            ("slam dunk", 0),
            ("3", 3),
            ("17", 17),
            ("300", 0),
            ("+5", 5),
            ("-0", 0),
            ("-1", 0),
            ("SLAM DUNK,LONG SHOT", 6),
            ("BOUNCE SHOT,INSIDE SHOT", 3),
            ("BOUNCE SHOT, INSIDE SHOT", 0),
            ("BOUNCE SHOT,,INSIDE SHOT", 0),
            ("3,BOUNCE SHOT", 0),
            (" HEADBUTT", 0),
            ("", 0),
        ] {
            assert_eq!(goal(text), right, "{text}");
        }
        for (text, right) in [
            (" 5", Some(5)),
            ("+5", Some(5)),
            ("007", Some(7)),
            ("-0", Some(0)),
            ("255", Some(255)),
            ("256", None),
            ("-1", None),
            ("5 5", None),
            ("[INVALID]", None),
            ("", None),
        ] {
            assert_eq!(held(Some(text)), right, "{text}");
        }
    }
}
