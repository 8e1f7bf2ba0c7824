//! Finds frames for which the reference writes no file, or a file that can't be read.

use super::super::header::Header;
use super::seen::{Seen, ping_changed};
use super::texts::{hands, held, loadout};
use crate::error::WriteError;
use crate::model::{Game, Player, Session, Stats};
use crate::spelled::{BonesAnswer, Spelled};

/// The member, and what is wrong with it.
type Refused = (String, String);

/// A frame with its context.
pub struct Checked<'c> {
    pub session: &'c Session,
    pub spelled: &'c Spelled,
    /// Whether the recording has bones.
    pub bones: bool,
    /// The header with the players of all earlier frames; `None` for the first frame.
    pub header: Option<&'c Header>,
    /// The frame before, in the same chunk.
    pub before: Option<&'c Seen>,
    /// The frame before that one, in the same chunk.
    pub older: Option<&'c Seen>,
    /// The frame before, in whichever chunk, had a bones response without bones.
    pub after_no_bones: bool,
}

impl Checked<'_> {
    /// Refuses frames for which the reference throws, and frames that no reader could read.
    pub fn check(&self, frame: u64) -> Result<(), WriteError> {
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
pub fn has_no_bones(spelled: &Spelled) -> bool {
    spelled.bones == BonesAnswer::NoBones
}
