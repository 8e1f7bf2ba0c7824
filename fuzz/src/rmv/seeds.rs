//! Seed recordings, made with the public API.

use std::borrow::Cow;

use gametape_mines::engine::{Engine, Status};
use gametape_mines::rmv::{self, EventLog, ResultParts, Writer};
use gametape_mines::{
    Board, BoardEvent, Buttons, Cell, Cells, DeclaredSize, Encoding, Ending, Event, Extensions,
    Face, Game, Level, Mode, MouseAction, MouseEvent, Outcome, PlayerFields, Text, Version,
    property,
};

use MouseAction::{LeftDown, LeftUp, MiddleDown, MiddleUp, Move, RightDown, RightUp};

/// An action of the player and its cell.
type Act = (MouseAction, i32, i32);

/// Three clicks win a game with mines on the left.
const WIN: [Act; 5] = [
    (LeftUp, 3, 0),
    (Move, 2, 1),
    (Move, 1, 2),
    (LeftDown, 1, 2),
    (LeftUp, 1, 2),
];

fn game(version: Version, cols: u32, rows: u32, mines: &[(u8, u8)]) -> Game<'static> {
    let mines = mines.iter().map(|&(col, row)| Cell::new(col, row));
    let board = Board::new(cols, rows, mines, 1_700_000_000).expect("a sound board");
    Game::new(version, board)
}

/// 4 x 3 cells with two mines in the first column.
fn small(version: Version) -> Game<'static> {
    game(version, 4, 3, &[(0, 0), (0, 1)])
}

fn set(game: &mut Game<'_>, at: usize, value: u8) {
    game.properties.to_mut()[at] = value;
}

/// Plays these actions; the engine gives the board events.
fn play(game: &mut Game<'_>, deeds: &[Act], step_ms: u32) {
    let mut engine = Engine::of(game);
    let size = i32::from(game.cell_size());
    let mut buttons = Buttons::LEFT;
    for (at, &(action, col, row)) in (0..).zip(deeds) {
        buttons = buttons.after(action);
        let mouse = MouseEvent {
            action,
            time_ms: at * step_ms,
            buttons,
            x: col * size + 5,
            y: row * size + 3,
            reduced: false,
        };
        let mut shown = Vec::new();
        engine.apply(&mouse, &mut shown);
        let log = &mut game.events;
        log.push_shortest(Event::Mouse(mouse))
            .expect("a small board");
        for event in shown {
            log.push(Event::Board(event)).expect("a small board");
        }
    }
    let outcome = match engine.status() {
        Status::Playing => Outcome::Other,
        Status::Won => Outcome::Win,
        Status::Lost => Outcome::Blast,
    };
    let time_ms = game.events.last_time_ms();
    game.ending = Some(Ending { outcome, time_ms });
    game.tail = Game::canonical_tail(game.version(), time_ms)
        .to_vec()
        .into();
}

/// Makes the game look as ViennaSweeper 5 writes it.
fn vienna(game: &mut Game<'_>) {
    game.encoding = Encoding::V2 {
        clone_id: 1,
        clone_major: 5,
        extensions: Extensions::default(),
    };
    game.file_size = DeclaredSize::LessTwo;
    game.checksum = Cow::Borrowed(b"not a real checksu");
}

fn result(game: &mut Game<'_>, name: &str, nick: &str, bbbv: u32) {
    let parts = ResultParts {
        level: game.declared_level().unwrap_or(Level::Custom),
        ending: game.ending.expect("it was played"),
        name,
        nick,
        bbbv,
        nf: game.declared_nf(),
        timestamp: game.board.timestamp,
    };
    game.encoding = Encoding::V1 {
        result: Text::from(parts.write().expect("the names have no #")),
    };
}

fn fields<const N: usize>(fields: [&[u8]; N]) -> PlayerFields<'static> {
    PlayerFields::new(fields).expect("short texts")
}

/// The smallest possible game: one cell, opened, and nothing else.
fn one_cell() -> Game<'static> {
    let mut game = game(Version::V2, 1, 1, &[]);
    play(&mut game, &[(LeftUp, 0, 0)], 0);
    game.tail = Cow::Borrowed(&[]);
    game.preflags = None;
    game
}

fn won() -> Game<'static> {
    let mut game = small(Version::V2);
    vienna(&mut game);
    game.version_info = "gametape fuzz seed".into();
    game.player = fields([b"Ada L", "\u{e4}d\u{e4}".as_bytes(), b"GB", b"seed-token"]);
    set(&mut game, property::BBBV_LOW, 1);
    play(&mut game, &WIN, 120);
    game
}

/// Flags, question marks, chords in each order of the buttons, cells of 24 pixels, a loss.
fn lost() -> Game<'static> {
    let mut game = game(Version::V2, 5, 5, &[(1, 1), (3, 1), (1, 3)]);
    set(&mut game, property::MARKS, 1);
    set(&mut game, property::CELL_SIZE, 24);
    game.preflags = Some([Cell::new(1, 1)].into_iter().collect());
    game.encoding = Encoding::V2 {
        clone_id: 0,
        clone_major: 0,
        extensions: Extensions::new([
            ("clone_name", &b"gametape"[..]),
            ("rmv_x", &[0, 255]),
            ("rmv_x", b""),
        ])
        .expect("short texts"),
    };
    let deeds = [
        (LeftUp, 2, 2),
        (RightDown, 3, 1),
        (RightUp, 3, 1),
        (RightDown, 1, 3),
        (LeftDown, 2, 2),
        (RightUp, 2, 2),
        (LeftUp, 2, 2),
        (RightDown, 1, 3),
        (RightUp, 1, 3),
        (LeftDown, 1, 3),
        (Move, 2, 3),
        (RightDown, 2, 3),
        (LeftUp, 2, 3),
        (RightUp, 2, 3),
        (RightDown, 3, 3),
        (RightUp, 3, 3),
        (LeftDown, 1, 2),
        (LeftUp, 1, 2),
        (LeftDown, 1, 3),
        (LeftUp, 1, 3),
    ];
    play(&mut game, &deeds, 90);
    game
}

/// The middle button, a path outside of the board, an unknown mode; the player leaves before the
/// end.
fn left() -> Game<'static> {
    let mut game = game(Version::V2, 8, 8, &[(0, 0), (7, 7), (3, 3), (3, 4), (4, 3)]);
    set(&mut game, property::MODE, Mode::FlagRecursive.code());
    set(&mut game, property::NF, 1);
    let deeds = [
        (LeftUp, 2, 2),
        (MiddleDown, 4, 4),
        (Move, 5, 5),
        (Move, -1, 5),
        (Move, -1, -1),
        (Move, 6, 6),
        (MiddleUp, 6, 6),
        (LeftDown, 6, 6),
        (Move, 7, 6),
        (MiddleDown, 7, 6),
        (LeftUp, 7, 6),
        (MiddleUp, 7, 6),
    ];
    play(&mut game, &deeds, 60);
    game.ending = Some(Ending {
        outcome: Outcome::Other,
        time_ms: 12_345,
    });
    game.tail = Game::canonical_tail(Version::V2, 12_345).to_vec().into();
    game
}

/// A board of the ranking with the events of another one.
fn beginner(version: Version) -> Game<'static> {
    let top = [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)];
    let below = [(5, 2), (6, 2), (7, 2), (0, 7), (7, 7)];
    let mines = [top, below].concat();
    let mut game = game(version, 8, 8, &mines);
    play(
        &mut game,
        &[(LeftUp, 4, 5), (LeftDown, 0, 1), (LeftUp, 0, 1)],
        700,
    );
    for (code, at) in (9..=27).zip(0..) {
        if let Some(face) = Face::from_code(code) {
            let cell = Cell::new(at % 8, at / 8);
            game.events
                .push(Event::Board(BoardEvent { cell, face }))
                .expect("on the board");
        }
    }
    if version == Version::V1 {
        result(&mut game, "Name", "Nick", 9);
        game.player = fields([b"Name", b"Nick", b"", b""]);
    }
    game
}

fn v1_won() -> Game<'static> {
    let mut game = small(Version::V1);
    game.version_info = "Vienna Minesweeper - 4.1.2".into();
    game.player = fields([b"Ada L", "\u{e4}d\u{e4}".as_bytes(), b"GB", b"seed-token"]);
    play(&mut game, &WIN, 2500);
    result(&mut game, "Ada L", "seed-token", 1);
    game.checksum = Cow::Borrowed(b"not a real checksu");
    game
}

/// Four properties, one player field in GB18030, timestamp events, far positions.
fn v1_old() -> Game<'static> {
    let mut game = game(Version::V1, 3, 1, &[(1, 0)]);
    game.properties.to_mut().truncate(4);
    game.version_info = Text(Cow::Borrowed(b"Vienna M\xfcller"));
    game.player = fields([b"\xb9\xf9\xbd\xf8"]);
    game.events.push(Event::Timestamp(0)).expect("v1");
    play(
        &mut game,
        &[(LeftUp, 0, 0), (Move, 2000, 9), (LeftDown, 2, 0)],
        400,
    );
    game.events.push(Event::Timestamp(0)).expect("v1");
    result(&mut game, "Jos", "", 2);
    if let Encoding::V1 { result } = &mut game.encoding {
        let mut bytes = result.as_bytes().to_vec();
        let name = bytes.windows(3).position(|text| text == b"Jos");
        bytes.insert(name.expect("it was written") + 3, 0xE9);
        *result = Text(bytes.into());
    }
    game.tail = Cow::Borrowed(&[]);
    game
}

/// Everything at its limit: the last time, the furthest positions, all bits, unusual orders.
fn edges() -> Game<'static> {
    let mut game = game(Version::V2, 255, 255, &[(254, 254), (0, 0)]);
    let mut mouse = MouseEvent {
        action: Move,
        time_ms: 0xFF_FF00,
        buttons: Buttons(0xFF),
        x: i16::MIN.into(),
        y: i16::MAX.into(),
        reduced: false,
    };
    game.events.push(Event::Mouse(mouse)).expect("just inside");
    (mouse.time_ms, mouse.x, mouse.y) = (0xFF_FFFF, mouse.x + 7, mouse.y - 8);
    mouse.reduced = true;
    game.events.push(Event::Mouse(mouse)).expect("just inside");
    game.properties.to_mut().extend([1, 2, 3]);
    game.player = fields([b"a", b"", b"c", b"d", b"e"]);
    game.ending = Some(Ending {
        outcome: Outcome::Win,
        time_ms: 0xFF_FFFF,
    });
    game.tail = Cow::Borrowed(b"12345");
    game.checksum = Cow::Borrowed(&[0; 18]);
    game
}

/// Only mines.
fn full() -> Game<'static> {
    let mut game = game(Version::V1, 2, 1, &[(0, 0), (1, 0)]);
    play(&mut game, &[(LeftUp, 0, 0)], 0);
    game
}

/// The seeds of the checks that read recordings.
pub fn recordings() -> Vec<Vec<u8>> {
    let games = [
        one_cell(),
        won(),
        lost(),
        left(),
        beginner(Version::V2),
        beginner(Version::V1),
        v1_won(),
        v1_old(),
        edges(),
        full(),
    ];
    let mut files: Vec<Vec<u8>> = games
        .iter()
        .map(|game| rmv::write(game).expect("a sound game"))
        .collect();
    files.extend([
        unfinished(&won()),
        unfinished(&v1_won()),
        broken(&won(), |bytes| bytes.extend(b"behind")),
        broken(&v1_won(), |bytes| bytes[9] ^= 1),
        // A reduced move without a previous event.
        broken(&won(), |bytes| {
            let first = rmv::read(bytes).expect("a sound game").events.offset();
            bytes[first as usize] = 28;
        }),
        // An unused byte in the player section.
        broken(&won(), |bytes| {
            bytes[15] += 1;
            let behind_player = 30 + 18 + 2 + 4 + 5 + 5 + 2 + 10;
            bytes.insert(behind_player, 0);
        }),
    ]);
    files
}

/// A file as a killed recorder leaves it.
fn unfinished(game: &Game<'_>) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    Writer::new(&mut file, game.clone()).expect("a sound game");
    file.into_inner()
}

fn broken(game: &Game<'_>, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = rmv::write(game).expect("a sound game");
    change(&mut bytes);
    bytes
}

/// Scripts for the engine: on boards of up to 3 x 3, even random play soon covers every case.
pub fn scripts() -> Vec<Vec<u8>> {
    let mut scripts = crate::noise(27, 200);
    let sizes = (0..3).flat_map(|col| (0..3).map(move |row| (col, row)));
    for (script, (cols, rows)) in scripts.iter_mut().zip(sizes.cycle().take(24)) {
        // The script of a table begins with its flags and its size; flag 4 would select the wild
        // table.
        script[0] &= 0x0B;
        (script[1], script[2]) = (cols, rows);
    }
    scripts
}

/// Large recordings, for the memory test.
pub fn large_recordings() -> Vec<Vec<u8>> {
    const LARGE: usize = 1 << 20;
    let many_events = |version| {
        let mut game = small(version);
        play(&mut game, &WIN, 100);
        let mut log = std::mem::replace(&mut game.events, EventLog::empty(version));
        while log.as_bytes().len() < LARGE {
            let time_ms = log.last_time_ms() + 20;
            let mouse = MouseEvent {
                action: Move,
                time_ms,
                buttons: Buttons::NONE,
                x: (time_ms % 7) as i32,
                y: 3,
                reduced: false,
            };
            log.push_shortest(Event::Mouse(mouse))
                .expect("a small step");
        }
        game.events = log;
        rmv::write(&game).expect("a sound game")
    };
    let mut files = vec![many_events(Version::V1), many_events(Version::V2)];

    let small = rmv::write(&won()).expect("a sound game");
    let video_size = 24..28;
    // Many bytes after the termination event, in the checksum, and in a file without an end.
    let mut long_tail = small.clone();
    let size = u32::from_be_bytes(
        long_tail[video_size.clone()]
            .try_into()
            .expect("four bytes"),
    );
    let behind_video = long_tail.len() - 18;
    long_tail[video_size.clone()].copy_from_slice(&(size + LARGE as u32).to_be_bytes());
    long_tail.splice(behind_video..behind_video, std::iter::repeat_n(7, LARGE));
    files.push(long_tail);
    let mut trailing = small.clone();
    trailing.resize(small.len() + LARGE, 7);
    files.push(trailing.clone());
    trailing[video_size.clone()].copy_from_slice(&[0xFF; 4]);
    files.push(trailing);
    // Sizes that claim more than exists.
    let mut promises = small;
    promises[video_size].copy_from_slice(&(60u32 << 20).to_be_bytes());
    files.push(promises.clone());
    promises[12..24].fill(0xFF);
    files.push(promises);

    // The largest possible sections, and the most cells in the worst order.
    let mut wide = game(Version::V2, 255, 255, &[]);
    let every_other = |step: u16| {
        let cells = (0..32_000u16).rev().map(move |at| at * step);
        cells.map(|at| Cell::new((at % 255) as u8, (at / 255) as u8))
    };
    wide.board.mines = every_other(2).collect();
    wide.preflags = Some(every_other(1).collect::<Cells<'_>>());
    wide.version_info = "v".repeat(65_535).into();
    wide.player = PlayerFields::new((0..250).map(|_| "p".repeat(255))).expect("short texts");
    wide.properties.to_mut().resize(65_535, 0);
    wide.checksum = vec![9; 65_535].into();
    play(&mut wide, &[(LeftUp, 200, 254)], 0);
    files.push(rmv::write(&wide).expect("a sound game"));
    files
}
