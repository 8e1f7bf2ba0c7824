//! One pass over the events of a game.

use std::collections::BTreeSet;

use super::moves::Moves;
use super::{ButtonEvents, Divergence, Doubted, Replayed};
use super::{EventIndex, Observer, PlayedEvent};
use crate::engine::{Click, Doubt, Engine, Judge, Leeway};
use crate::rmv::Events;
use crate::{BoardEvent, Cell, Event, Face, Game, Mode, ModeRules, MouseAction, MouseEvent};

/// Plays a recording through the engine.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// let game = gametape_mines::rmv::read(&bytes)?;
/// assert_eq!(gametape_mines::replay(&game).divergence, None);
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[must_use]
pub fn replay(game: &Game<'_>) -> Replayed {
    replay_with(game, Engine::of(game), &mut ()).0
}

/// A mouse event whose board events differ from the standard ones, where that may be allowed.
struct Trial {
    /// The first difference.
    first: Divergence,
    /// The board events that it may have.
    allowed: Allowed,
}

/// The board events that a mouse event may have.
enum Allowed {
    /// The board events that the judge accepts.
    Judge(Box<Judge>),
    /// After the mine of a lost chord: its cells that are still closed, each once.
    Rest(BTreeSet<(Cell, u8)>),
}

/// A bound on the openings that a recording may leave out. In total, at most this number times the
/// board's safe cells may stay closed although the standard rules open them.
///
/// Taking back an opening costs time for each of its cells. Without a bound, a small file could
/// keep an audit busy for hours.
const PATIENCE: u32 = 16;
/// The bits of the known buttons. While any other bit is set, no move is quiet.
const KNOWN: u8 = 7;
/// The milliseconds between a button event and the move that it brings: known ones are 0 or 1 ms
/// apart. Where the clock is the tick of Windows, the next time is 15 or 16 ms later.
const MOVES_AFTER_MS: [u32; 4] = [0, 1, 15, 16];

/// The engine's board events that the recording has yet to confirm.
struct Expectation {
    /// The expected events of the last mouse event.
    events: Vec<BoardEvent>,
    /// How many have been confirmed.
    met: usize,
    /// Whether a mine was among the confirmed ones.
    blast: bool,
    /// Index of the mouse event that caused them.
    from: u32,
}

impl Expectation {
    fn clear(&mut self) {
        self.events.clear();
        self.met = 0;
    }
}

/// The number of opened cells.
fn openings(events: &[BoardEvent]) -> u32 {
    let is_open = |event: &&BoardEvent| matches!(event.face, Face::Number(_));
    events.iter().filter(is_open).count() as u32
}

/// A cell and the face that it shows; both codes of a blast count as the same.
fn cell_of(event: &BoardEvent) -> (Cell, u8) {
    let face = match event.face {
        Face::Open => Face::Blast,
        face => face,
    };
    (event.cell, face.code())
}

/// Code 14 "works as `open_blast`" (specification, "`board_event_type`").
fn same(wanted: BoardEvent, recorded: BoardEvent) -> bool {
    wanted == recorded
        || (wanted.cell == recorded.cell
            && wanted.face == Face::Blast
            && recorded.face == Face::Open)
}

/// Replays a game on `engine`, which is at its start.
pub(crate) fn replay_with(
    game: &Game<'_>,
    engine: Engine,
    observer: &mut impl Observer,
) -> (Replayed, Moves) {
    let mut pass = Pass::new(game, engine, observer);
    let mut events = game.events.iter();
    let mut index = 0;
    loop {
        index += pass.skip_quiet(&mut events);
        let position = events.position();
        let last = events.last_mouse();
        let Some(event) = events.step() else {
            break;
        };
        let at = EventIndex { index, position };
        index += 1;
        match event {
            Event::Mouse(mouse) => {
                pass.mouse(at, last.as_ref(), &mouse, &events);
                index += pass.skip_expected(&mut events);
            }
            Event::Board(recorded) => pass.board(at, recorded),
            Event::Timestamp(value) => pass.observer.timestamp(at, last.as_ref(), value),
        }
    }
    pass.measure();
    let unmet = pass.fault.is_none() && pass.has_open_ends();
    let unmet_from = unmet.then_some(pass.expected.from);
    // If the recording was cut off, the missing events may simply be lost.
    if game.ending.is_some() {
        pass.settle(EventIndex {
            index: game.events.len(),
            position: game.events.as_bytes().len(),
        });
    }
    let replayed = Replayed {
        divergence: pass.divergence,
        fault: pass.fault,
        doubted: pass.doubted,
        moved: pass.moved,
        unmoved: pass.unmoved,
        status: pass.engine.status(),
        unmet_from,
        after_end: pass.after_end,
    };
    (replayed, pass.moves)
}

/// One pass over the events of a game.
struct Pass<'o, O> {
    mode: ModeRules,
    /// Whether any event may be in doubt, because of the game's mode or its question marks.
    wary: bool,
    engine: Engine,
    observer: &'o mut O,
    expected: Expectation,
    /// How far the board events of the last mouse event may differ.
    leeway: Option<Leeway>,
    /// The click that the last mouse event completed.
    click: Option<Click>,
    /// Set if its board events do differ.
    trial: Option<Trial>,
    /// Number of cells that may still be left closed although the standard rules open them.
    patience: u32,
    divergence: Option<Divergence>,
    fault: Option<Divergence>,
    doubted: Option<Doubted>,
    moved: Option<ButtonEvents>,
    unmoved: Option<ButtonEvents>,
    /// A button event that acts with the next mouse event, the move that it brought.
    held_back: Option<MouseEvent>,
    after_end: Option<(u32, usize, MouseEvent)>,
    /// Time of the last mouse event.
    time_ms: u32,
    moves: Moves,
}

impl<'o, O: Observer> Pass<'o, O> {
    // Inlined into the function of the loop: as a separate function it makes an audit a twentieth
    // slower.
    #[inline(always)]
    fn new(game: &Game<'_>, engine: Engine, observer: &'o mut O) -> Self {
        // A number that no mode has is a finding of its own.
        let mode = game.mode().unwrap_or(Mode::Normal).rules();
        Self {
            patience: engine.field().safe().saturating_mul(PATIENCE),
            wary: game.marks() || mode.chords_go_on || mode.flags_go_on,
            mode,
            engine,
            observer,
            expected: Expectation {
                // Few openings show more cells than this at once.
                events: Vec::with_capacity(64),
                met: 0,
                blast: false,
                from: 0,
            },
            leeway: None,
            click: None,
            trial: None,
            divergence: None,
            fault: None,
            doubted: None,
            moved: None,
            unmoved: None,
            held_back: None,
            after_end: None,
            time_ms: 0,
            moves: Moves::new(game.version()),
        }
    }

    fn diverges(
        &mut self,
        at: EventIndex,
        recorded: Option<BoardEvent>,
        expected: Option<BoardEvent>,
    ) -> Divergence {
        let divergence = Divergence {
            event: at.index,
            position: at.position,
            time_ms: self.time_ms,
            recorded,
            expected,
        };
        self.divergence.get_or_insert(divergence);
        divergence
    }

    /// Whether an expected event or a doubt is still unsettled by the recording.
    fn has_open_ends(&self) -> bool {
        self.trial.is_some() || self.expected.met < self.expected.events.len()
    }

    /// Skips the quiet moves that come next, as many as fit in the buffer; returns their number.
    #[inline(always)]
    fn skip_quiet(&mut self, events: &mut Events<'_>) -> u32 {
        if !self.expected.events.is_empty() || self.trial.is_some() || self.engine.is_over() {
            return 0;
        }
        if self.engine.has_open_question() || self.held_back.is_some() {
            return 0;
        }
        let Some(last) = events.last_mouse().filter(|last| last.buttons.0 <= KNOWN) else {
            return 0;
        };
        let held = self.engine.held_cell();
        let skipped = events.skip_quiet(held, self.moves.free_slots());
        if skipped == 0 {
            self.time_ms = last.time_ms;
            return 0;
        }
        self.moves.put(skipped);
        if let Some(last) = events.last_mouse() {
            self.time_ms = last.time_ms;
            self.engine.hover(&last);
        }
        if self.leeway.take().is_some() {
            // The next board events belong to a quiet move, about which nothing is in doubt.
            self.engine.trust();
        }
        skipped as u32
    }

    /// Passes the waiting mouse events to the observer.
    #[inline(never)]
    fn measure(&mut self) {
        self.observer.measure(&self.moves);
        self.moves.clear();
    }

    /// Skips the board events that the last mouse event should cause; returns their number. Nearly
    /// always the recording has all of them, in order.
    fn skip_expected(&mut self, events: &mut Events<'_>) -> u32 {
        if self.fault.is_some() {
            return 0;
        }
        let met = events.skip_board(&self.expected.events);
        self.expected.met = met;
        if self.engine.is_over() {
            let shown = self.expected.events.iter().take(met);
            self.expected.blast |= shown.into_iter().any(|event| event.face == Face::Blast);
        }
        // A doubtful event is kept: the following board events may have to be judged.
        if met == self.expected.events.len() && self.leeway.is_none() {
            self.expected.clear();
        }
        met as u32
    }

    fn mouse(
        &mut self,
        at: EventIndex,
        last: Option<&MouseEvent>,
        mouse: &MouseEvent,
        following: &Events<'_>,
    ) {
        if !self.expected.events.is_empty() || self.trial.is_some() {
            self.end_mouse_event(at, mouse);
        }
        self.time_ms = mouse.time_ms;
        if self.engine.is_over() {
            self.after_end
                .get_or_insert((at.index, at.position, *mouse));
        }
        let is_button = mouse.action != MouseAction::Move;
        if let Some(button) = self.held_back.take() {
            self.play(at, last, mouse, Some(&button));
        } else if let Some(before) = last
            && is_button
            && (before.x, before.y) != (mouse.x, mouse.y)
            && !self.engine.is_over()
        {
            self.button_elsewhere(at, before, mouse, following);
        } else {
            self.expected.from = at.index;
            self.play(at, last, mouse, Some(mouse));
        }
        if self.moves.is_full() {
            self.measure();
        }
        self.moves.push(mouse);
        if is_button {
            self.moves.end_path();
        }
    }

    /// A button event at another pixel than the mouse event before it. If it brings the move there,
    /// the program handles the move first: the button acts with the move.
    #[cold]
    fn button_elsewhere(
        &mut self,
        at: EventIndex,
        before: &MouseEvent,
        mouse: &MouseEvent,
        following: &Events<'_>,
    ) {
        self.expected.from = at.index;
        let brings_move = brings_move(mouse, following);
        let found = if brings_move {
            &mut self.moved
        } else {
            &mut self.unmoved
        };
        let found = found.get_or_insert(ButtonEvents {
            event: at.index,
            position: at.position,
            button: *mouse,
            before: *before,
            times: 0,
        });
        found.times += 1;
        let acts = if brings_move {
            self.held_back = Some(*mouse);
            None
        } else {
            Some(mouse)
        };
        self.play(at, Some(before), mouse, acts);
    }

    /// Plays a mouse event; the one before it has ended. `acts` is the event that acts on the board
    /// now.
    #[inline(always)]
    fn play(
        &mut self,
        at: EventIndex,
        last: Option<&MouseEvent>,
        mouse: &MouseEvent,
        acts: Option<&MouseEvent>,
    ) {
        let click = match acts {
            // Nearly all events of nearly all recordings are beyond doubt.
            Some(acts)
                if self.wary
                    || self.leeway.is_some()
                    || self.engine.has_open_question()
                    || self.engine.raises_question(acts) =>
            {
                self.apply_in_doubt(acts)
            }
            Some(acts) => self.engine.apply(acts, &mut self.expected.events),
            None => None,
        };
        self.click = click;
        self.observer.mouse(&PlayedEvent {
            at,
            last,
            event: mouse,
            acts,
            click,
            shown: &self.expected.events,
            waiting: &self.moves,
        });
    }

    /// Applies an event that may be in doubt, or the first event after a doubtful one.
    #[cold]
    fn apply_in_doubt(&mut self, mouse: &MouseEvent) -> Option<Click> {
        let before = self.engine.watch(mouse, self.mode);
        let click = self.engine.apply(mouse, &mut self.expected.events);
        self.leeway = before.and_then(|before| self.engine.leeway(before, mouse.action, self.mode));
        click
    }

    /// Called when the next mouse event comes: the board events of the last one have to be complete.
    fn end_mouse_event(&mut self, at: EventIndex, mouse: &MouseEvent) {
        self.time_ms = mouse.time_ms;
        let is_complete = self.expected.met == self.expected.events.len();
        if is_complete && self.fault.is_none() && self.trial.is_none() {
            self.engine.confirm(&self.expected.events);
        }
        self.settle(at);
    }

    /// The last mouse event has no more board events.
    fn settle(&mut self, at: EventIndex) {
        if self.fault.is_none() {
            let missing = self.expected.events.get(self.expected.met).copied();
            if missing.is_some() && self.trial.is_none() {
                self.differs(at, None, missing);
            }
            self.decide();
        }
        self.trial = None;
        self.expected.clear();
    }

    /// The recording differs from the standard rules: either for good, or only for the last mouse
    /// event.
    fn differs(
        &mut self,
        at: EventIndex,
        recorded: Option<BoardEvent>,
        wanted: Option<BoardEvent>,
    ) {
        let first = self.diverges(at, recorded, wanted);
        let expected = &self.expected;
        let allowed = match self.leeway {
            Some(leeway) => {
                let judge = self.engine.judge(leeway, &expected.events, expected.met);
                Allowed::Judge(Box::new(judge))
            }
            None if expected.blast => {
                let rest = expected.events.get(expected.met..).unwrap_or_default();
                Allowed::Rest(rest.iter().map(cell_of).collect())
            }
            None => {
                self.fault = Some(first);
                return;
            }
        };
        self.trial = Some(Trial { first, allowed });
        if let Some(recorded) = recorded {
            self.try_event(at, recorded, wanted);
        }
    }

    /// Takes one more board event of a mouse event that is in doubt.
    fn try_event(&mut self, at: EventIndex, recorded: BoardEvent, wanted: Option<BoardEvent>) {
        let possible = match self.trial.as_mut().map(|trial| &mut trial.allowed) {
            Some(Allowed::Judge(judge)) => self.engine.judge_event(judge, recorded),
            Some(Allowed::Rest(rest)) => rest.remove(&cell_of(&recorded)),
            None => true,
        };
        if !possible {
            let fault = self.diverges(at, Some(recorded), wanted);
            self.set_fault(fault);
        }
    }

    /// All board events of the last mouse event are known: decides whether a difference is excused.
    fn decide(&mut self) {
        let why = match &mut self.trial {
            Some(Trial {
                allowed: Allowed::Judge(judge),
                first,
            }) => {
                let expected = &self.expected.events;
                let left_out = openings(expected).saturating_sub(openings(judge.recorded()));
                let patience = self.patience.checked_sub(left_out);
                self.patience = patience.unwrap_or(0);
                if patience.is_none() || !self.engine.accepts(judge) {
                    let fault = *first;
                    self.set_fault(fault);
                    return;
                }
                self.observer
                    .corrected(self.click, expected, judge.recorded());
                judge.leeway().doubt
            }
            Some(_) => Doubt::LostChord,
            None => return,
        };
        if let Some(Trial { first, .. }) = self.trial.take() {
            let doubted = self.doubted.get_or_insert(Doubted {
                first,
                why,
                times: 0,
            });
            doubted.times += 1;
        }
    }

    /// Records a fault, which no doubt excuses.
    fn set_fault(&mut self, fault: Divergence) {
        self.fault = Some(fault);
        if let Some(Trial {
            allowed: Allowed::Judge(judge),
            ..
        }) = self.trial.take()
        {
            self.engine.overrule(&judge, &self.expected.events);
        }
    }

    fn board(&mut self, at: EventIndex, recorded: BoardEvent) {
        if self.fault.is_some() {
            return;
        }
        let expected = &mut self.expected;
        if self.trial.is_some() {
            // The standard rules may have an event for this cell.
            let mut standard = expected.events.iter().skip(expected.met).copied();
            let wanted = standard.find(|event| event.cell == recorded.cell);
            self.try_event(at, recorded, wanted);
            return;
        }
        let wanted = expected.events.get(expected.met).copied();
        let Some(met) = wanted.filter(|&wanted| same(wanted, recorded)) else {
            self.differs(at, Some(recorded), wanted);
            return;
        };
        expected.met += 1;
        expected.blast |= met.face == Face::Blast;
    }
}

/// Whether a button event brings a move: the next event is a move to the same pixel, with the same
/// buttons.
fn brings_move(button: &MouseEvent, following: &Events<'_>) -> bool {
    let mut next = following
        .clone()
        .skip_while(|event| matches!(event, Event::Timestamp(_)));
    let Some(Event::Mouse(next)) = next.next() else {
        return false;
    };
    next.action == MouseAction::Move
        && (next.x, next.y, next.buttons) == (button.x, button.y, button.buttons)
        && MOVES_AFTER_MS.contains(&next.time_ms.wrapping_sub(button.time_ms))
}
