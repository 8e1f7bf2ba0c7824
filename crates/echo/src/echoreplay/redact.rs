//! Who played, taken out.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write as _;

use compact_str::{CompactString, format_compact};

use super::decode::{self, Cursor, Fault, Read};
use crate::model::{Frame, Holding};
use crate::rule::Rule;

/// Stands for nobody.
const NOBODY: &str = "[INVALID]";

/// What a server's address is replaced by.
const NOWHERE: &str = "0.0.0.0";

/// What the description of an error is replaced by, which may say anything.
const UNSAID: &str = "<hidden>";

/// Hands hold players by their `playerid`, a byte; what is larger is an account.
const MOST_PLAYERID: u64 = 255;

/// Replaces what tells who played and where: names of players by `Player 1`, `Player 2`, … and user
/// ids by 1, 2, …, in the order in which they are met and the same in every frame of a recording;
/// the server's address by `0.0.0.0`; the description of an error by `<hidden>`.
///
/// Names are those of players, `client_name`, `person_scored`, `assist_scored` and
/// `rules_changed_by`; ids are `userid` and what hands hold, where that is one that was met or
/// above 255, which no `playerid` is. What stays: the
/// session id, which names the match and not a person; the names of teams; times; and members that
/// the API's are not, of which nobody knows what they say.
///
/// ```
/// use gametape_echo::{Frame, Player, Team, echoreplay::Redactor};
/// let ann = Player { name: "Ann".into(), userid: 1_583_780_395, ..Player::default() };
/// let mut frame = Frame::default();
/// frame.session.teams.push(Team { players: vec![ann], ..Team::default() });
/// frame.session.client_name = "Ann".into();
///
/// Redactor::new().frame(&mut frame);
/// assert_eq!(frame.session.client_name, "Player 1");
/// assert_eq!(frame.session.teams[0].players[0].userid, 1);
/// ```
#[derive(Clone, Default, Debug)]
pub struct Redactor {
    names: HashMap<CompactString, u64>,
    ids: HashMap<u64, u64>,
}

/// What stands in a span of a text.
enum Secret<'t> {
    Name(Cow<'t, str>),
    Id(u64),
    /// What a hand holds: perhaps an id; whether it is spelled as a text.
    Held(u64, bool),
    Address,
    /// The description of an error.
    Said,
}

/// A span of a text that tells something.
struct Span<'t> {
    start: usize,
    end: usize,
    secret: Secret<'t>,
    /// In which order names and ids are numbered: players first, as the model has them.
    rank: u8,
}

impl Redactor {
    /// One that has met nobody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Redacts a frame. Lines and frames of the same recording are numbered alike.
    pub fn frame(&mut self, frame: &mut Frame) {
        let session = &mut frame.session;
        let teams = session.teams.iter_mut();
        for player in teams.flat_map(|team| &mut team.players) {
            self.rename(&mut player.name);
            player.userid = self.id(player.userid);
        }
        // Those that are not met otherwise are numbered first in left hands, then in right ones.
        let players = session.teams.iter_mut().flat_map(|team| &mut team.players);
        for player in players {
            self.hand(&mut player.holding_left);
        }
        let players = session.teams.iter_mut().flat_map(|team| &mut team.players);
        for player in players {
            self.hand(&mut player.holding_right);
        }
        self.rename(&mut session.client_name);
        if let Some(score) = &mut session.last_score {
            self.rename(&mut score.person_scored);
            self.rename(&mut score.assist_scored);
        }
        if let Some(name) = &mut session.rules_changed_by {
            self.rename(name);
        }
        if !session.sessionip.is_empty() {
            session.sessionip = NOWHERE.into();
        }
        if let Some(said) = session.err_description.as_mut().filter(|s| !s.is_empty()) {
            *said = UNSAID.into();
        }
    }

    /// Redacts the text of a session.
    pub(super) fn session(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let text = decode::utf8(text)?;
        let mut json = Cursor::new(text);
        let mut spans = Vec::new();
        let walked = session(&mut json, &mut spans).and_then(|()| json.end());
        if walked.is_err() {
            return Err(Fault {
                rule: Rule::LineJson {
                    message: json.why(),
                },
                at: json.at() as u64,
            });
        }
        // Numbers are given in the order of the model …
        let mut order: Vec<&Span<'_>> = spans.iter().collect();
        order.sort_by_key(|span| span.rank);
        for span in order {
            match &span.secret {
                Secret::Name(name) => drop(self.number(name)),
                Secret::Id(id) => drop(self.id(*id)),
                Secret::Held(held, _) => drop(self.held(*held)),
                Secret::Address | Secret::Said => {}
            }
        }
        // … and written in that of the text.
        let mut done = 0;
        for span in &spans {
            out.extend_from_slice(text.get(done..span.start).unwrap_or_default().as_bytes());
            done = span.end;
            let kept = text.get(span.start..span.end).unwrap_or_default();
            // Writing to memory does not fail.
            let _ = match &span.secret {
                Secret::Name(name) => match self.number(name) {
                    Some(number) => write!(out, "\"Player {number}\""),
                    None => write!(out, "{kept}"),
                },
                Secret::Id(id) => write!(out, "{}", self.id(*id)),
                Secret::Held(held, _) if self.held(*held) == *held => write!(out, "{kept}"),
                Secret::Held(held, true) => write!(out, "\"{}\"", self.held(*held)),
                Secret::Held(held, false) => write!(out, "{}", self.held(*held)),
                Secret::Address => write!(out, "\"{NOWHERE}\""),
                Secret::Said => write!(out, "\"{UNSAID}\""),
            };
        }
        out.extend_from_slice(text.get(done..).unwrap_or_default().as_bytes());
        Ok(())
    }

    /// The number of a name; nobody has none.
    fn number(&mut self, name: &str) -> Option<u64> {
        if name.is_empty() || name == NOBODY {
            return None;
        }
        let next = self.names.len() as u64 + 1;
        Some(match self.names.get(name) {
            Some(number) => *number,
            None => *self.names.entry(name.into()).or_insert(next),
        })
    }

    fn rename(&mut self, name: &mut CompactString) {
        if let Some(number) = self.number(name) {
            *name = format_compact!("Player {number}");
        }
    }

    /// The number of a user id; 0, which is nobody's, stays.
    fn id(&mut self, id: u64) -> u64 {
        let next = self.ids.len() as u64 + 1;
        match id {
            0 => 0,
            id => *self.ids.entry(id).or_insert(next),
        }
    }

    /// What a hand holds: the number of an id, or else what it is.
    fn held(&mut self, held: u64) -> u64 {
        match self.ids.get(&held) {
            Some(number) => *number,
            None if held > MOST_PLAYERID => self.id(held),
            None => held,
        }
    }

    fn hand(&mut self, hand: &mut Option<Holding>) {
        if let Some(Holding::Number(number)) = hand {
            *number = self.held(*number);
        }
    }
}

/// Walks over the members of an object, and over those of no interest.
fn members<'t>(
    json: &mut Cursor<'t>,
    mut member: impl FnMut(&str, &mut Cursor<'t>) -> Read<bool>,
) -> Read {
    if json.null()? {
        return Ok(());
    }
    json.open_object()?;
    let mut first = true;
    while let Some(name) = json.member(&mut first)? {
        if !member(&name, json)? {
            json.raw()?;
        }
    }
    Ok(())
}

fn items<'t>(json: &mut Cursor<'t>, mut item: impl FnMut(&mut Cursor<'t>) -> Read) -> Read {
    if json.null()? {
        return Ok(());
    }
    json.open_list()?;
    let mut first = true;
    while json.item(&mut first)? {
        item(json)?;
    }
    Ok(())
}

fn session<'t>(json: &mut Cursor<'t>, spans: &mut Vec<Span<'t>>) -> Read {
    members(json, |member, json| {
        match member {
            "teams" => items(json, |json| team(json, spans))?,
            "client_name" => name(json, 5, spans)?,
            "last_score" => members(json, |member, json| {
                match member {
                    "person_scored" => name(json, 6, spans)?,
                    "assist_scored" => name(json, 7, spans)?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?,
            "rules_changed_by" => name(json, 8, spans)?,
            "err_description" => text(json, 0, spans, |said| match &*said {
                "" => Secret::Name(said),
                _ => Secret::Said,
            })?,
            "sessionip" => text(json, 0, spans, |address| match &*address {
                // Nothing is there: it stays, as an empty name does.
                "" => Secret::Name(address),
                _ => Secret::Address,
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })
}

fn team<'t>(json: &mut Cursor<'t>, spans: &mut Vec<Span<'t>>) -> Read {
    members(json, |member, json| {
        if member == "players" {
            items(json, |json| player(json, spans))?;
        }
        Ok(member == "players")
    })
}

fn player<'t>(json: &mut Cursor<'t>, spans: &mut Vec<Span<'t>>) -> Read {
    members(json, |member, json| {
        match member {
            "name" => name(json, 1, spans)?,
            "userid" => {
                number(json, 2, spans, Secret::Id)?;
            }
            "holding_left" | "holding_right" => {
                let rank = if member == "holding_left" { 3 } else { 4 };
                hand(json, rank, spans)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })
}

fn hand<'t>(json: &mut Cursor<'t>, rank: u8, spans: &mut Vec<Span<'t>>) -> Read {
    if json.peek() != b'"' {
        return number(json, rank, spans, |held| Secret::Held(held, false));
    }
    text(json, rank, spans, |held| match Holding::from(&*held) {
        Holding::Number(number) => Secret::Held(number, true),
        // A text that is no number: nobody.
        _ => Secret::Held(0, true),
    })
}

fn name<'t>(json: &mut Cursor<'t>, rank: u8, spans: &mut Vec<Span<'t>>) -> Read {
    text(json, rank, spans, Secret::Name)
}

/// A text that tells something; what is there instead of one could tell it too.
fn text<'t>(
    json: &mut Cursor<'t>,
    rank: u8,
    spans: &mut Vec<Span<'t>>,
    secret: impl FnOnce(Cow<'t, str>) -> Secret<'t>,
) -> Read {
    if json.null()? {
        return Ok(());
    }
    if json.peek() != b'"' {
        return Err(json.stop("a text is expected"));
    }
    let start = json.at();
    let text = json.string()?;
    spans.push(Span {
        start,
        end: json.at(),
        secret: secret(text),
        rank,
    });
    Ok(())
}

fn number<'t>(
    json: &mut Cursor<'t>,
    rank: u8,
    spans: &mut Vec<Span<'t>>,
    secret: impl FnOnce(u64) -> Secret<'t>,
) -> Read {
    if json.null()? {
        return Ok(());
    }
    json.peek();
    let start = json.at();
    let Some(Ok(number)) = json.whole()?.map(u64::try_from) else {
        return Err(json.stop("a whole number of 64 bits, not negative, is expected"));
    };
    spans.push(Span {
        start,
        end: json.at(),
        secret: secret(number),
        rank,
    });
    Ok(())
}
