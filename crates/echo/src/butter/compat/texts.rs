//! A frame as its line spells it, and the texts that the reference converts to numbers by the rules of .NET.

use std::borrow::Cow;

use compact_str::CompactString;

use super::super::fill::holding;
use crate::model::{Frame, GoalType, Holding, Loadout, Player};
use crate::spelled::Spelled;

/// A frame that was pushed.
#[derive(Debug)]
pub struct SpelledFrame {
    pub frame: Frame,
    pub spelled: Spelled,
}

impl SpelledFrame {
    pub fn new(frame: &Frame, spelled: &Spelled) -> Self {
        Self {
            frame: frame.clone(),
            spelled: spelled.clone(),
        }
    }

    /// Like [`SpelledFrame::new`], reusing memory.
    pub fn set(&mut self, frame: &Frame, spelled: &Spelled) {
        self.frame.clone_from(frame);
        self.spelled.clone_from(spelled);
    }

    /// Returns the players of all teams, each with its team and its place in the team.
    pub fn players(&self) -> impl Iterator<Item = ((u8, u8), &Player)> {
        let teams = (0..=u8::MAX).zip(&self.frame.session.teams);
        teams.flat_map(|(team, at)| {
            let players = (0..=u8::MAX).zip(&at.players);
            players.map(move |(place, player)| ((team, place), player))
        })
    }

    /// Returns the first player with this user id.
    pub fn player(&self, userid: u64) -> Option<((u8, u8), &Player)> {
        self.players().find(|(_, player)| player.userid == userid)
    }

    /// The time in units of 100 ns since 1970.
    pub fn ticks(&self) -> i64 {
        let ticks = self.frame.time.0.saturating_mul(10_000);
        ticks.saturating_add(self.spelled.sub_ms.into())
    }

    /// The status; `None` if the line has none.
    pub fn status(&self) -> Option<&str> {
        let status = self.frame.session.game_status.as_str();
        (!self.spelled.no_status).then_some(status)
    }
}

/// Whether ping, packet loss or a hand's content differs from the frame before.
pub fn ping_changed(
    player: &Player,
    spelled: &Spelled,
    place: (u8, u8),
    before: Option<&SpelledFrame>,
) -> bool {
    let Some(before) = before else { return true };
    let Some((from_place, from)) = before.player(player.userid) else {
        return true;
    };
    let same_loss = (player.packetlossratio - from.packetlossratio).abs() < f32::from_bits(1);
    from.ping != player.ping
        || !same_loss
        || hands(player, spelled, place) != hands(from, &before.spelled, from_place)
}

/// The names of goal types, ordered by number.
const GOALS: [&str; 9] = [
    "unknown",
    "BOUNCE_SHOT",
    "INSIDE_SHOT",
    "LONG_BOUNCE_SHOT",
    "LONG_SHOT",
    "SELF_GOAL",
    "SLAM_DUNK",
    "BUMPER_SHOT",
    "HEADBUTT",
];

/// Parses a text as a .NET enumeration of bytes: a name, several names with commas between them, or a
/// number. A space in the text matches an underscore in a name.
fn named(text: &str, names: &[&str]) -> Option<u8> {
    let text = text.replace(' ', "_");
    let text = text.trim();
    if text.starts_with(|first: char| first.is_ascii_digit() || first == '-' || first == '+')
        && let Some(number) = whole(text)
    {
        return u8::try_from(number).ok();
    }
    text.split(',').try_fold(0, |all, part| {
        let at = names.iter().position(|name| *name == part.trim())?;
        Some(all | u8::try_from(at).ok()?)
    })
}

/// Parses a whole number with an optional sign. Numbers that no byte can hold are all treated alike.
fn whole(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits.iter().fold(0_i64, |number, digit| {
        number
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    });
    Some(if negative { -number } else { number })
}

/// Parses a byte, with optional white space around it.
fn byte(text: &str) -> Option<u8> {
    let blank = |c: char| matches!(c, ' ' | '\t'..='\r');
    let text = text.trim_end_matches('\0').trim_matches(blank);
    u8::try_from(whole(text)?).ok()
}

/// The code of a goal type; 0 for an unknown one.
pub fn goal(goal: &GoalType) -> u8 {
    named(goal.as_str(), &GOALS).unwrap_or(0)
}

/// The byte of a loadout, or the name of the first member that is invalid.
pub fn loadout(loadout: Option<&Loadout>) -> Result<u8, &'static str> {
    let Some(loadout) = loadout else {
        return Err("Weapon");
    };
    let parts = [
        (
            "Weapon",
            loadout.weapon.as_str(),
            0,
            &["rocket", "blaster", "scout", "assault"][..],
        ),
        (
            "Ordnance",
            loadout.ordnance.as_str(),
            2,
            &["stun", "det", "burst", "arc"],
        ),
        (
            "TacMod",
            loadout.tac_mod.as_str(),
            4,
            &["sensor", "wraith", "heal", "shield"],
        ),
        ("Arm", loadout.arm.as_str(), 6, &["Left", "Right"]),
    ];
    parts
        .into_iter()
        .try_fold(0, |all, (name, text, shift, names)| {
            let number = named(text, names).ok_or(name)?;
            Ok(all | (u32::from(number) << shift) as u8)
        })
}

/// The text of what a hand holds; `None` if there is none.
fn text<'t>(
    held: Option<&'t Holding>,
    spelled: &'t Spelled,
    place: (u8, u8),
    right: bool,
) -> Option<Cow<'t, str>> {
    let odd = spelled
        .hands
        .iter()
        .find(|(at, side, _)| (*at, *side) == (place, right));
    let held = held?;
    if let Some((_, _, text)) = odd {
        return Some(text.as_str().into());
    }
    Some(match held {
        Holding::None => "none".into(),
        Holding::Geo => "geo".into(),
        Holding::Disc => "disc".into(),
        Holding::Other(text) => text.as_str().into(),
        Holding::Number(number) => number.to_string().into(),
    })
}

/// The texts of what a player's two hands hold.
pub fn hands<'t>(
    player: &'t Player,
    spelled: &'t Spelled,
    place: (u8, u8),
) -> [Option<Cow<'t, str>>; 2] {
    [
        text(player.holding_left.as_ref(), spelled, place, false),
        text(player.holding_right.as_ref(), spelled, place, true),
    ]
}

/// The byte of what a hand holds; `None` if the text is no byte.
pub fn held(text: Option<&str>) -> Option<u8> {
    match text {
        None => Some(holding::NULL),
        Some("none") => Some(holding::NONE),
        Some("geo") => Some(holding::GEO),
        Some("disc") => Some(holding::DISC),
        Some(text) => byte(text),
    }
}

/// The full names of a file's players. The header's names have lost their characters outside ASCII.
#[derive(Clone, Debug, Default)]
pub struct Names(Vec<CompactString>);

impl Names {
    pub fn push(&mut self, name: CompactString) {
        self.0.push(name);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The index of the first player with this name; 0 if there is none.
    pub fn index(&self, name: &str) -> u8 {
        let at = self.0.iter().position(|known| known == name);
        at.and_then(|at| u8::try_from(at + 1).ok()).unwrap_or(0)
    }
}
