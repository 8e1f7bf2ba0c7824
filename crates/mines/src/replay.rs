//! Plays a recorded game through the engine, and compares what the recording says happened.

use crate::engine::{Click, Engine, Status};
use crate::{BoardEvent, Event, Game, MouseEvent};

/// The first board event that the engine does not give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// Index of the event where the two part: the recorded board event, or whatever stands
    /// where the missing one should be.
    pub event: u32,
    /// Bytes from the start of the event log.
    pub position: usize,
    /// Game time in milliseconds.
    pub time_ms: u32,
    /// What the recording says; `None` where it lacks an event.
    pub recorded: Option<BoardEvent>,
    /// What the rules give; `None` where the recording has an event too many.
    pub expected: Option<BoardEvent>,
    /// A mine was open already: the order in which the rest of a lost chord opens is not
    /// proven by real files.
    pub after_blast: bool,
}

/// Where board events were recorded one mouse event late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lag {
    /// Index of the first late event.
    pub event: u32,
    /// Bytes from the start of the event log.
    pub position: usize,
    /// Game time in milliseconds.
    pub time_ms: u32,
    /// How often it happened.
    pub times: u32,
}

/// The outcome of playing a recording through the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// Where recording and rules part for good.
    pub divergence: Option<Divergence>,
    /// Where the recording lags behind by one mouse event.
    pub lag: Option<Lag>,
    /// How far the game came by the rules.
    pub status: Status,
    /// The first mouse event after the game was over: index, position, event.
    pub after_end: Option<(u32, usize, MouseEvent)>,
}

/// Watches a game while it is replayed.
pub(crate) trait Observer {
    /// A mouse event was played; the board did `shown`.
    fn mouse(&mut self, event: &MouseEvent, click: Option<Click>, shown: &[BoardEvent]);
}

impl Observer for () {
    fn mouse(&mut self, _: &MouseEvent, _: Option<Click>, _: &[BoardEvent]) {}
}

/// Plays a recording through the engine.
///
/// ```
/// # let bytes = gametape_mines::player::doc_example();
/// let game = gametape_mines::rmv::read(&bytes)?;
/// assert_eq!(gametape_mines::replay(&game).divergence, None);
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[must_use]
pub fn replay(game: &Game<'_>) -> Replayed {
    replay_with(game, Engine::of(game), &mut ())
}

/// What the engine gave and the recording has yet to say.
struct Expectation {
    /// Expected events: those left over from the mouse event before, then those of the last.
    events: Vec<BoardEvent>,
    /// How many of them are left over.
    late: usize,
    /// How many were met.
    met: usize,
    /// A mine has been met.
    blast: bool,
}

pub(crate) fn replay_with(
    game: &Game<'_>,
    mut engine: Engine,
    observer: &mut impl Observer,
) -> Replayed {
    let mut expected = Expectation {
        events: Vec::with_capacity(64),
        late: 0,
        met: 0,
        blast: false,
    };
    let mut divergence: Option<Divergence> = None;
    let mut lag: Option<Lag> = None;
    let mut after_end = None;
    let mut time_ms = 0;
    let mut events = game.events.iter();
    let mut position = 0;
    let mut index = 0u32;
    while let Some(event) = events.next() {
        match event {
            Event::Mouse(mouse) => {
                time_ms = mouse.time_ms;
                if divergence.is_none() {
                    divergence = expected.turn(false).map(|missing| Divergence {
                        event: index,
                        position,
                        time_ms,
                        recorded: None,
                        expected: Some(missing),
                        after_blast: expected.blast,
                    });
                } else {
                    expected.clear();
                }
                if engine.status() != Status::Playing && after_end.is_none() {
                    after_end = Some((index, position, mouse));
                }
                let before = expected.events.len();
                let click = engine.apply(&mouse, &mut expected.events);
                observer.mouse(
                    &mouse,
                    click,
                    expected.events.get(before..).unwrap_or_default(),
                );
            }
            Event::Board(recorded) if divergence.is_none() => {
                let late = expected.met < expected.late;
                let wanted = expected.events.get(expected.met).copied();
                if wanted.is_some_and(|wanted| same(wanted, recorded)) {
                    expected.met += 1;
                    expected.blast |= recorded.face == crate::Face::Blast;
                    if late {
                        let first = lag.get_or_insert(Lag {
                            event: index,
                            position,
                            time_ms,
                            times: 0,
                        });
                        if expected.met == expected.late {
                            first.times += 1;
                        }
                    }
                } else {
                    divergence = Some(Divergence {
                        event: index,
                        position,
                        time_ms,
                        recorded: Some(recorded),
                        expected: wanted,
                        after_blast: expected.blast,
                    });
                }
            }
            Event::Board(_) | Event::Timestamp(_) => {}
        }
        index += 1;
        position = events.position();
    }
    if divergence.is_none() && game.ending.is_some() {
        divergence = expected.turn(true).map(|missing| Divergence {
            event: index,
            position,
            time_ms,
            recorded: None,
            expected: Some(missing),
            after_blast: expected.blast,
        });
    }
    Replayed {
        divergence,
        lag,
        status: engine.status(),
        after_end,
    }
}

/// Code 14 "works as `open_blast`" (specification, "`board_event_type`").
fn same(wanted: BoardEvent, recorded: BoardEvent) -> bool {
    wanted == recorded
        || (wanted.cell == recorded.cell
            && wanted.face == crate::Face::Blast
            && recorded.face == crate::Face::Open)
}

impl Expectation {
    /// The next mouse event comes (or the end): what is left of the events before may be one
    /// mouse event late, but not two. Gives the event that is missing for good.
    fn turn(&mut self, end: bool) -> Option<BoardEvent> {
        let missing = self.events.get(self.met).copied();
        if missing.is_none() {
            self.clear();
            return None;
        }
        if self.met < self.late || end {
            return missing;
        }
        self.events.drain(..self.met);
        self.late = self.events.len();
        self.met = 0;
        None
    }

    fn clear(&mut self) {
        self.events.clear();
        self.late = 0;
        self.met = 0;
    }
}
