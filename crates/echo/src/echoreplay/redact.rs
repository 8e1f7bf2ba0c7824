//! Who played, taken out.

use std::collections::HashMap;
use std::io::Write as _;

use compact_str::{CompactString, format_compact};

use super::decode::{self, Cursor, Fault};
use super::spans::{Span, Told, spans};
use crate::members::TURNS;
use crate::model::{Frame, Holding};
use crate::rule::Rule;
use crate::visit::{Edited, Editor};

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

impl Redactor {
    /// One that has met nobody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Redacts a frame. Lines and frames of the same recording are numbered alike.
    pub fn frame(&mut self, frame: &mut Frame) {
        for turn in TURNS {
            frame.session.edit(&mut Turn(self, turn));
        }
    }

    /// Redacts the text of a session.
    pub(super) fn session(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let text = decode::utf8(text)?;
        let mut json = Cursor::new(text);
        let mut found = Vec::new();
        let walked = spans(&mut json, &mut found).and_then(|()| json.end());
        if walked.is_err() {
            return Err(Fault {
                rule: Rule::LineJson { reason: json.why() },
                at: json.at() as u64,
            });
        }
        // Numbers are given in the order of the model …
        let mut order: Vec<&Span<'_>> = found.iter().collect();
        order.sort_by_key(|span| span.turn);
        for span in order {
            match &span.told {
                Told::Name(name) => drop(self.number(name)),
                Told::Account(id) => drop(self.id(*id)),
                Told::Held(held, _) => drop(self.held(*held)),
                Told::Address | Told::Said => {}
            }
        }
        // … and written in that of the text.
        let mut done = 0;
        for span in &found {
            out.extend_from_slice(text.get(done..span.start).unwrap_or_default().as_bytes());
            done = span.end;
            let kept = text.get(span.start..span.end).unwrap_or_default();
            // Writing to memory does not fail.
            let _ = match &span.told {
                Told::Name(name) => match self.number(name) {
                    Some(number) => write!(out, "\"Player {number}\""),
                    None => write!(out, "{kept}"),
                },
                Told::Account(id) => write!(out, "{}", self.id(*id)),
                Told::Held(held, _) if self.held(*held) == *held => write!(out, "{kept}"),
                Told::Held(held, true) => write!(out, "\"{}\"", self.held(*held)),
                Told::Held(held, false) => write!(out, "{}", self.held(*held)),
                Told::Address => write!(out, "\"{NOWHERE}\""),
                Told::Said => write!(out, "\"{UNSAID}\""),
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
}

/// What is redacted in a turn.
struct Turn<'r>(&'r mut Redactor, u8);

impl Editor for Turn<'_> {
    fn name(&mut self, turn: u8, name: &mut CompactString) {
        if turn == self.1
            && let Some(number) = self.0.number(name)
        {
            *name = format_compact!("Player {number}");
        }
    }

    fn account(&mut self, turn: u8, account: &mut u64) {
        if turn == self.1 {
            *account = self.0.id(*account);
        }
    }

    fn hand(&mut self, turn: u8, hand: &mut Option<Holding>) {
        if turn == self.1
            && let Some(Holding::Number(number)) = hand
        {
            *number = self.0.held(*number);
        }
    }

    fn address(&mut self, address: &mut CompactString) {
        if !address.is_empty() {
            *address = NOWHERE.into();
        }
    }

    fn said(&mut self, said: &mut CompactString) {
        if !said.is_empty() {
            *said = UNSAID.into();
        }
    }
}
