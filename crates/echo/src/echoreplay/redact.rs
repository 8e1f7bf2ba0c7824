//! Removing the identities of the players.

use std::collections::HashMap;
use std::io::Write as _;

use compact_str::{CompactString, format_compact};

use super::decode::{self, Cursor, Fault};
use super::spans::{Sensitive, Span, spans};
use crate::members::TURNS;
use crate::model::{Frame, Holding};
use crate::rule::Rule;
use crate::visit::{Edited, Editor};

/// The name that stands for nobody.
const NOBODY: &str = "[INVALID]";

/// The replacement for a server's address.
const NOWHERE: &str = "0.0.0.0";

/// The replacement for the description of an error, which could contain anything.
const HIDDEN: &str = "<hidden>";

/// Hands hold players by their `playerid`, a byte. A larger number is a user id.
const MOST_PLAYERID: u64 = 255;

/// Replaces the names, ids and addresses in a recording. Players' names become `Player 1`, `Player 2`, …
/// and user ids 1, 2, …, in the order of appearance and the same in every frame of a recording; the
/// server's address becomes `0.0.0.0`, and the description of an error `<hidden>`.
///
/// Names are those of players, `client_name`, `person_scored`, `assist_scored` and `rules_changed_by`. Ids
/// are `userid`, and what a hand holds if it is a known id or above 255, which no `playerid` is. The rest
/// stays: the session id, which identifies the match and not a person; the names of teams; times; and
/// members that the API does not have, whose meaning is unknown.
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
    /// Creates a redactor that has seen no player.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Redacts a frame. Lines and frames of the same recording share the numbering.
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
        // Numbers are assigned in the order of the model …
        let mut order: Vec<&Span<'_>> = found.iter().collect();
        order.sort_by_key(|span| span.turn);
        for span in order {
            match &span.value {
                Sensitive::Name(name) => drop(self.number(name)),
                Sensitive::Account(id) => drop(self.id(*id)),
                Sensitive::Held(held, _) => drop(self.held(*held)),
                Sensitive::Address | Sensitive::Description => {}
            }
        }
        // … and written in the order of the text.
        let mut done = 0;
        for span in &found {
            out.extend_from_slice(text.get(done..span.start).unwrap_or_default().as_bytes());
            done = span.end;
            let kept = text.get(span.start..span.end).unwrap_or_default();
            // Writing to memory can't fail.
            let _ = match &span.value {
                Sensitive::Name(name) => match self.number(name) {
                    Some(number) => write!(out, "\"Player {number}\""),
                    None => write!(out, "{kept}"),
                },
                Sensitive::Account(id) => write!(out, "{}", self.id(*id)),
                Sensitive::Held(held, _) if self.held(*held) == *held => write!(out, "{kept}"),
                Sensitive::Held(held, true) => write!(out, "\"{}\"", self.held(*held)),
                Sensitive::Held(held, false) => write!(out, "{}", self.held(*held)),
                Sensitive::Address => write!(out, "\"{NOWHERE}\""),
                Sensitive::Description => write!(out, "\"{HIDDEN}\""),
            };
        }
        out.extend_from_slice(text.get(done..).unwrap_or_default().as_bytes());
        Ok(())
    }

    /// The number of a name; `None` for nobody's.
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

    /// The number of a user id. 0, which is nobody's, stays.
    fn id(&mut self, id: u64) -> u64 {
        let next = self.ids.len() as u64 + 1;
        match id {
            0 => 0,
            id => *self.ids.entry(id).or_insert(next),
        }
    }

    /// What a hand holds: the number of a user id, or the value as it is.
    fn held(&mut self, held: u64) -> u64 {
        match self.ids.get(&held) {
            Some(number) => *number,
            None if held > MOST_PLAYERID => self.id(held),
            None => held,
        }
    }
}

/// The members that are redacted in one turn.
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
            *said = HIDDEN.into();
        }
    }
}
