//! Features that a game may share with others. They reveal games that were handed in twice, boards
//! that were already known, and copied mouse movements.
//!
//! A game that is handed in again is rarely unchanged: it has another name and date, or is
//! converted to the other version, mirrored, shifted by some pixels, or slowed down. So the prints
//! of a path use only what such changes preserve. They cover many short pieces of the path, of
//! which a few equal ones are enough.

mod board;
mod path;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use gametape_core::Severity;
use gametape_core::tape::{BusyTime, Print, RelationDef, Traces};

use super::info::is_default_name;
use crate::Game;
use crate::replay::{Observer, PlayedEvent};
use board::CERTAIN;
pub(super) use board::key as board_key;
use path::ClickPath;
pub(super) use path::key as path_key;

/// The relations, strongest first.
pub(super) const RELATIONS: &[RelationDef] = &[
    RelationDef {
        kind: "same-game",
        code: "rmv.same-game",
        severity: Severity::Warning,
        says: "the same game as",
        doc: "The same board, and all clicks at the same times in the same places: the same game, whatever name, date and version it has.\n\nA copy: rank one of them, and ask who played it.",
    },
    RelationDef {
        kind: "same-path",
        code: "rmv.same-path",
        severity: Severity::Warning,
        says: "the mouse does the same as in",
        doc: "The clicks follow each other as in another recording for a while: in the cells, in the pixels or in the times between them; the board may be mirrored or rotated, the cells larger, the clock slower.\n\nOne of them is made of the other: play both back.",
    },
    RelationDef {
        kind: "same-checksum",
        code: "rmv.same-checksum",
        severity: Severity::Warning,
        says: "the same checksum as",
        doc: "The checksum of another game; no two known games have the same one.\n\nIt was taken from there: refuse the one that is not the original.",
    },
    RelationDef {
        kind: "same-board",
        code: "rmv.same-board",
        severity: Severity::Warning,
        says: "the same board as",
        doc: "The same mines as in another recording, or those of it mirrored or rotated. An info where so many boards of this size are likely to have two alike.\n\nWhoever played it second may have known the board: ask where it is from.",
    },
    RelationDef {
        kind: "two-at-once",
        code: "rmv.two-at-once",
        severity: Severity::Warning,
        says: "the same player at the same time as in",
        doc: "A player of the same name or nickname was in two games at once: a board was generated before another game, begun earlier, can have ended. A name that programs give to whoever types none, such as Anonymous, is no player's.\n\nA date was changed, or two people have one name.",
    },
];

const GAME: usize = 0;
const PATH: usize = 1;
const CHECKSUM: usize = 2;
const BOARD: usize = 3;
const AT_ONCE: usize = 4;

/// Computes the traces of a game while it is replayed.
pub(super) struct Tracer {
    traces: Traces,
    board: board::Signs,
    way: ClickPath,
}

impl Tracer {
    pub fn new(game: &Game<'_>) -> Self {
        let board = board::Signs::of(&game.board);
        let mut traces = Traces {
            // As many as a long game has.
            prints: Vec::with_capacity(24),
            busy: Vec::new(),
        };
        traces.prints.push(Print {
            relation: BOARD,
            hash: board.turned,
            bits: board.bits,
        });
        traces.prints.extend(checksum(&game.checksum));
        busy(game, &mut traces.busy);
        Self {
            traces,
            way: ClickPath::new(game.cell_size()),
            board,
        }
    }

    /// The traces, after all events.
    pub fn finish(self) -> Traces {
        let mut traces = self.traces;
        let (hash, clicks) = self.way.whole();
        traces.prints.push(Print {
            relation: GAME,
            hash: board::mix(hash ^ self.board.as_is),
            // Each click counts as 8 bits: it has one of some hundred cells, and a time.
            bits: self.board.bits.saturating_add(clicks.saturating_mul(8)),
        });
        let pieces = self.way.pieces(&self.board);
        traces.prints.extend(pieces.map(|(hash, bits)| Print {
            relation: PATH,
            hash,
            bits,
        }));
        traces
    }
}

impl Observer for Tracer {
    fn mouse(&mut self, step: &PlayedEvent<'_>) {
        self.way.follow(step);
    }
}

/// The print of a checksum, unless all of its bytes are equal.
fn checksum(bytes: &[u8]) -> Option<Print> {
    let first = bytes.first()?;
    let is_mixed = bytes.iter().any(|byte| byte != first);
    is_mixed.then(|| Print {
        relation: CHECKSUM,
        hash: hash_of(bytes),
        bits: CERTAIN,
    })
}

/// The time during which the player was busy, for each of the player's names.
///
/// A board is generated within the second of its timestamp and played then or later. Until the
/// game's time has passed, the same player cannot generate another board.
fn busy(game: &Game<'_>, times: &mut Vec<BusyTime>) {
    let (timestamp, Some(ending)) = (i64::from(game.board.timestamp), game.ending) else {
        return;
    };
    if timestamp == 0 {
        return;
    }
    let named = |name: &[u8]| {
        let name = game.decode(name).0;
        let name = name.trim();
        let is_person = !name.is_empty() && !is_default_name(name);
        is_person.then(|| hash_of(name.to_lowercase().as_bytes()))
    };
    let who = [game.player.name(), game.player.nickname()].map(named);
    let [name, nickname] = who;
    let nickname = nickname.filter(|nickname| name != Some(*nickname));
    times.extend(name.into_iter().chain(nickname).map(|who| BusyTime {
        relation: AT_ONCE,
        who,
        from: (timestamp + 1) * 1000,
        to: timestamp * 1000 + i64::from(ending.time_ms),
    }));
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
