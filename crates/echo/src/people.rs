//! Telling the players of a recording apart.

use std::collections::HashMap;

use compact_str::CompactString;

use crate::model::{Player, Session};

/// The number of players with one account, or with none and one name, that are told apart. No match has as
/// many.
const NAMESAKES: usize = 64;

/// Recognises players from frame to frame.
///
/// A player is an account, or a name where the account is 0. Two players of one frame are never one: if
/// they have one account, or none and one name, they are recognised by their `playerid`, team and order.
#[derive(Clone, Debug, Default)]
pub(crate) struct People {
    known: Vec<KnownPlayer>,
    /// The players of each account, or of each name without an account.
    places: HashMap<(u64, CompactString), Vec<usize>>,
    /// The players of the frame before, in the order of its teams.
    before: Vec<usize>,
    /// The players of this frame so far.
    now: Vec<usize>,
    frame: u64,
}

/// A player, as last seen.
#[derive(Clone, Debug)]
struct KnownPlayer {
    userid: u64,
    /// Empty if the account tells who it is.
    name: CompactString,
    playerid: i32,
    team: usize,
    /// The frame with the player, counted from 1.
    frame: u64,
}

impl People {
    /// Starts the next frame. One in which nobody is does not count: the API lost all players for a moment.
    pub fn next_frame(&mut self, session: &Session) {
        if session.players().next().is_none() {
            return;
        }
        self.frame += 1;
        std::mem::swap(&mut self.before, &mut self.now);
        self.now.clear();
    }

    /// Returns the number of the next player of the frame. It is new if it equals the number of players so
    /// far. `None` if it would be new, and there are as many as `most`, or too many who look the same.
    pub fn find(&mut self, team: usize, player: &Player, most: usize) -> Option<usize> {
        let at = match self.at_its_place(team, player) {
            Some(at) => at,
            None => self.look_up(team, player, most)?,
        };
        if let Some(known) = self.known.get_mut(at) {
            known.playerid = player.playerid;
            known.team = team;
            known.frame = self.frame;
        }
        self.now.push(at);
        Some(at)
    }

    /// Most players are at the same place as in the frame before.
    fn at_its_place(&self, team: usize, player: &Player) -> Option<usize> {
        let at = *self.before.get(self.now.len())?;
        let known = self.known.get(at)?;
        let is_same = known.userid == player.userid
            && known.playerid == player.playerid
            && known.team == team
            && known.frame != self.frame
            && (player.userid != 0 || known.name == player.name);
        is_same.then_some(at)
    }

    fn look_up(&mut self, team: usize, player: &Player, most: usize) -> Option<usize> {
        let name = match player.userid {
            0 => player.name.clone(),
            _ => CompactString::default(),
        };
        let all = self.places.get(&(player.userid, name.clone()));
        // Of several, the one that was here a moment ago and looks most like this one.
        let likeness = |known: &KnownPlayer| {
            (
                known.frame + 1 == self.frame,
                known.playerid == player.playerid,
                known.team == team,
            )
        };
        let free = all.into_iter().flatten().filter_map(|at| {
            let known = self.known.get(*at)?;
            (known.frame != self.frame).then(|| (likeness(known), std::cmp::Reverse(*at)))
        });
        if let Some((_, std::cmp::Reverse(at))) = free.max() {
            return Some(at);
        }
        let at = self.known.len();
        let alike = all.map_or(0, Vec::len);
        if at >= most || alike >= NAMESAKES {
            return None;
        }
        self.known.push(KnownPlayer {
            userid: player.userid,
            name: name.clone(),
            playerid: player.playerid,
            team,
            frame: self.frame,
        });
        self.places
            .entry((player.userid, name))
            .or_default()
            .push(at);
        Some(at)
    }
}
