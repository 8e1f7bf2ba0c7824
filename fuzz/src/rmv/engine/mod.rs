//! The engine keeps its own rules, and recordings of its games can be replayed.

mod forged;
mod watch;

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use gametape_mines::engine::{ClickKind, Engine, Status};
use gametape_mines::rmv::{self, EventLog};
use gametape_mines::{
    Board, Buttons, Cell, Cells, Ending, Event, Game, Metrics, Minefield, MouseAction, MouseEvent,
    Outcome, Version, property, replay,
};

use super::audit::plausible;
use watch::Watch;

/// The largest time: times are 24-bit numbers.
const MAX_TIME: u32 = 0xFF_FFFF;

/// For any board, any preflags and any sequence of mouse events, the engine shows only what is
/// possible: events on the board, numbers that match the mines around them, nothing on an open
/// square, and nothing after the end. [`Engine::face`] is the face that was shown last,
/// [`Engine::opened`] counts the open squares, and the game is won when all safe squares are open
/// and no mine was hit.
///
/// A recording of all this replays without a divergence or a lag, is written and read back, passes
/// the audit's replay, and has the clicks that the engine reported. Board events that come one
/// mouse event late are a lag and not a divergence. A board event that is missing, wrong or
/// repeated is a divergence.
///
/// `data` is a script: first the board, then the mouse events.
pub fn rmv_engine(data: &[u8]) {
    let mut script = Unstructured::new(data);
    if let Ok(table) = Table::new(&mut script) {
        if table.wild {
            wild(&table, &mut script);
        } else {
            recorded(&table, &mut script);
        }
    }
}

/// The setup of a game.
struct Table {
    version: Version,
    marks: bool,
    /// Whether positions, times and buttons are any numbers, even those that a file cannot store.
    wild: bool,
    square_size: u8,
    board: Board<'static>,
    preflags: Cells<'static>,
}

impl Table {
    fn new(script: &mut Unstructured<'_>) -> Result<Self> {
        let flags: u8 = script.arbitrary()?;
        let bit = |n: u8| flags >> n & 1 == 1;
        let large = flags >> 4 == 0xF;
        let mut squares = || -> Result<u32> {
            let byte: u8 = script.arbitrary()?;
            Ok(u32::from(if large { byte.max(1) } else { byte % 9 + 1 }))
        };
        let (cols, rows) = (squares()?, squares()?);
        let version = if bit(0) { Version::V1 } else { Version::V2 };
        let wild = bit(2);
        let square_size = match (version, script.arbitrary()?) {
            (Version::V1, _) => 16,
            (Version::V2, size) if wild => size,
            (Version::V2, size) => size.max(1),
        };
        let mines = some_cells(script, cols, rows)?;
        let preflags = if bit(3) {
            some_cells(script, cols, rows)?.into_iter().collect()
        } else {
            Cells::default()
        };
        Ok(Self {
            version,
            marks: bit(1),
            wild,
            square_size,
            board: Board::new(cols, rows, mines, 0).expect("cells inside, each once"),
            preflags,
        })
    }

    fn engine(&self) -> Engine {
        let field = Minefield::new(&self.board);
        let mut engine = Engine::new(field, self.square_size, self.marks);
        engine.preflag(&self.preflags);
        engine
    }

    /// A game without any events.
    fn game(&self) -> Game<'static> {
        let mut game = Game::new(self.version, self.board.clone());
        let mut properties = game.properties.to_vec();
        properties[property::MARKS] = self.marks.into();
        if self.version == Version::V2 {
            properties[property::SQUARE_SIZE] = self.square_size;
        }
        game.properties = Cow::Owned(properties);
        game.preflags = Some(self.preflags.clone());
        game
    }
}

/// Cells of the board, row by row: any subset on small boards, a random share on large ones.
fn some_cells(script: &mut Unstructured<'_>, cols: u32, rows: u32) -> Result<Vec<Cell>> {
    let all = (0..rows as u8).flat_map(|row| (0..cols as u8).map(move |col| Cell::new(col, row)));
    if cols * rows <= 81 {
        let mut bits = (0u8, 0u8);
        return all
            .filter_map(|cell| {
                if bits.1 == 0 {
                    match script.arbitrary() {
                        Ok(byte) => bits = (byte, 8),
                        Err(error) => return Some(Err(error)),
                    }
                }
                let chosen = bits.0 & 1 == 1;
                bits = (bits.0 >> 1, bits.1 - 1);
                chosen.then_some(Ok(cell))
            })
            .collect();
    }
    let share: u8 = script.arbitrary()?;
    let mut state: u32 = u32::from(script.arbitrary::<u16>()?) << 1 | 1;
    Ok(all
        .filter(|_| {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            // Most boards are sparse, so that openings unfold.
            u32::from(share) * u32::from(share) / 255 > state >> 24
        })
        // A section has at most 65,535 bytes.
        .take(32_000)
        .collect())
}

fn action(byte: u8) -> MouseAction {
    MouseAction::from_code(byte & 7).unwrap_or(MouseAction::LeftUp)
}

/// Plays with numbers that a file cannot store.
fn wild(table: &Table, script: &mut Unstructured<'_>) {
    let mut watch = Watch::new(table);
    while let (false, Ok(byte)) = (script.is_empty(), script.arbitrary::<u8>()) {
        let (Ok(x), Ok(y)) = (script.arbitrary(), script.arbitrary()) else {
            break;
        };
        watch.apply(&MouseEvent {
            action: action(byte),
            time_ms: (x as u32).rotate_left(7),
            buttons: Buttons(byte),
            x,
            y,
            reduced: byte >> 7 == 1,
        });
    }
    watch.end();
}

fn recorded(table: &Table, script: &mut Unstructured<'_>) {
    let mut watch = Watch::new(table);
    let mut game = table.game();
    let mut time_ms = 0u32;
    // The left button may be pressed before the first event.
    let mut buttons = match script
        .peek_bytes(1)
        .map_or(MouseAction::Move, |first| action(first[0]))
    {
        MouseAction::LeftUp => Buttons::LEFT,
        _ => Buttons::NONE,
    };
    let mut last = (0, 0);
    let mut late_events = 0;
    while let (false, Ok(byte)) = (script.is_empty(), script.arbitrary::<u8>()) {
        let action = action(byte);
        // Half of all events happen at the cursor.
        if byte & 8 == 0 {
            let (Ok(col), Ok(row)) = (script.arbitrary::<u8>(), script.arbitrary::<u8>()) else {
                break;
            };
            // Includes one square outside of each edge.
            let on = |at: u8, squares: u8| {
                let square = i32::from(at) % (i32::from(squares) + 2) - 1;
                let inside = i32::from(byte >> 4) % i32::from(table.square_size);
                (square * i32::from(table.square_size) + inside).clamp(-12, 32_767)
            };
            last = (on(col, table.board.cols), on(row, table.board.rows));
        }
        time_ms = (time_ms + u32::from(byte) * u32::from(byte) / 64).min(MAX_TIME);
        buttons = buttons.after(action);
        let mouse = MouseEvent {
            action,
            time_ms,
            buttons,
            x: last.0,
            y: last.1,
            reduced: false,
        };
        late_events += u32::from(watch.engine.status() != Status::Playing);
        let push = if byte & 16 == 0 {
            EventLog::push
        } else {
            EventLog::push_shortest
        };
        push(&mut game.events, Event::Mouse(mouse)).expect("the format holds it");
        for &shown in watch.apply(&mouse) {
            game.events
                .push(Event::Board(shown))
                .expect("the format holds it");
        }
    }
    watch.end();
    finish(&mut game, &watch);
    check_recording(&game, &watch, late_events);
}

fn finish(game: &mut Game<'_>, watch: &Watch) {
    game.ending = Some(Ending {
        outcome: match watch.engine.status() {
            Status::Playing => Outcome::Other,
            Status::Won => Outcome::Win,
            Status::Lost => Outcome::Blast,
        },
        time_ms: game.events.last_time_ms(),
    });
}

fn check_recording(game: &Game<'_>, watch: &Watch, late_events: u32) {
    let replayed = replay(game);
    assert_eq!(replayed.divergence, None);
    assert_eq!(replayed.lag, None);
    assert_eq!(replayed.status, watch.engine.status());
    assert_eq!(replayed.after_end.is_some(), late_events > 0);

    let bytes = rmv::write(game).expect("a game by the rules");
    assert_eq!(&rmv::read(&bytes).expect("what was written"), game);

    // The metrics of large boards take too long.
    let field = watch.engine.field();
    if u32::from(field.cols()) * u32::from(field.rows()) > 1024 {
        return;
    }
    let metrics = Metrics::of(game);
    plausible(&metrics, field);
    assert_eq!(metrics.clicks.opened, watch.engine.opened());
    assert_eq!(metrics.clicks.left, watch.count(ClickKind::Left));
    assert_eq!(metrics.clicks.right, watch.count(ClickKind::Right));
    assert_eq!(metrics.clicks.double, watch.count(ClickKind::Double));
    assert_eq!(
        metrics.clicks.effective() as usize,
        watch.clicks.iter().filter(|click| click.effective).count()
    );
    forged::check(game, watch.clicks.len());
    if watch.engine.status() == Status::Won {
        assert_eq!(metrics.clicks.solved_bbbv, metrics.board.bbbv);
    }
    let findings = rmv::audit(&bytes).findings;
    for code in [
        "rmv.board-event",
        "rmv.board-event-unproven",
        "rmv.board-event-lag",
        "rmv.outcome",
        "rmv.buttons",
        "rmv.time",
    ] {
        assert!(!findings.has(code), "{findings:?}");
    }
    assert_eq!(findings.has("rmv.after-end"), late_events > 0);
}
