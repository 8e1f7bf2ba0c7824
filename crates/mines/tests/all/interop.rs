//! Comparison with the peer, `ms_toollib`, as an independent implementation.
//!
//! For real recordings and random boards, both must give the same results. Where the peer is known
//! to err, or to count differently, the tests assert the difference itself. The peer must be able
//! to read the files that we write.

use std::borrow::Cow;
use std::path::PathBuf;

use gametape_mines::engine::Status;
use gametape_mines::metrics::BoardMetrics;
use gametape_mines::rmv::{self, EventLog, ResultParts};
use gametape_mines::{
    Board, Buttons, Cell, Cells, Encoding, Ending, Engine, Event, Extensions, Game, Level, Metrics,
    Minefield, MouseAction, MouseEvent, Outcome, PlayerFields, Text, Version, property,
};
use ms_toollib::videos::{ErrReadVideoReason, NewSomeVideo2};
use ms_toollib::{Event as PeerEvent, RmvVideo, cal_bbbv, cal_hzini, cal_isl, cal_op, cal_zini};

/// The real recordings, next to the repository.
const TAPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/tapes/rmv");

fn peer(bytes: &[u8]) -> Result<RmvVideo, ErrReadVideoReason> {
    let mut video = <RmvVideo as NewSomeVideo2<_, _>>::new(bytes.to_vec(), "");
    video.parse()?;
    Ok(video)
}

/// A value as computed by both sides.
struct Fact {
    what: &'static str,
    ours: f64,
    peer: f64,
}

impl Fact {
    fn agrees(&self) -> bool {
        (self.ours - self.peer).abs() <= 1e-12 * self.ours.abs()
    }
}

/// Compares everything that both sides compute for a recording.
fn facts(game: &Game<'_>, video: &mut RmvVideo) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut fact = |what, ours: f64, peer: f64| facts.push(Fact { what, ours, peer });
    let metrics = Metrics::of(game);
    let won = f64::from(u8::from(metrics.outcome == Some(Outcome::Win)));
    let completed = |video: &RmvVideo| f64::from(u8::from(video.data.is_completed));

    // Before the analysis: the values that the peer read.
    fact("won, as recorded", won, completed(video));
    fact(
        "NF, as recorded",
        game.declared_nf().into(),
        u8::from(video.data.nf).into(),
    );
    fact(
        "3BV, as recorded",
        game.declared_bbbv().unwrap_or(0).into(),
        video.data.static_params.bbbv as f64,
    );
    let (differing, of_us, of_peer) = compare_mouse_events(game, video);
    fact("mouse events", of_us as f64, of_peer as f64);
    fact("mouse events that differ", 0.0, differing as f64);
    fact(
        "cells of the board that differ",
        0.0,
        cells_that_differ(game, video) as f64,
    );

    video.data.analyse();
    let data = &video.data;
    let (board, clicks) = (&metrics.board, &metrics.clicks);
    let (fixed, counts, rates) = (
        &data.static_params,
        &data.game_dynamic_params,
        &data.video_dynamic_params,
    );
    fact("won, as replayed", won, completed(video));
    fact("columns", game.board.cols.into(), data.width as f64);
    fact("rows", game.board.rows.into(), data.height as f64);
    fact("mines", game.board.mines.len() as f64, data.mine_num as f64);
    fact(
        "cell size",
        game.cell_size().into(),
        data.cell_pixel_size.into(),
    );
    fact(
        "mode",
        game.mode().map_or(-1.0, |mode| mode.code().into()),
        data.mode.into(),
    );
    fact(
        "level",
        metrics.level.code().into(),
        f64::from(data.level) - 3.0,
    );
    fact(
        "timestamp",
        game.board.timestamp.into(),
        data.start_time as f64 / 1e6,
    );
    fact("time in ms", metrics.time_ms.into(), counts.rtime_ms.into());
    fact("3BV", board.bbbv.into(), fixed.bbbv as f64);
    fact("openings", board.openings.into(), fixed.op as f64);
    fact("islands", board.islands.into(), fixed.isl as f64);
    fact("ZiNi", board.zini.into(), fixed.zini as f64);
    fact("HZiNi", board.hzini.into(), fixed.hzini as f64);
    fact("left clicks", clicks.left.into(), counts.left as f64);
    fact("right clicks", clicks.right.into(), counts.right as f64);
    fact("double clicks", clicks.double.into(), counts.double as f64);
    fact(
        "effective left clicks",
        clicks.left_effective.into(),
        rates.lce as f64,
    );
    fact(
        "effective right clicks",
        clicks.right_effective.into(),
        rates.rce as f64,
    );
    fact(
        "effective double clicks",
        clicks.double_effective.into(),
        rates.dce as f64,
    );
    fact("Ce", clicks.effective().into(), rates.ce as f64);
    fact(
        "flags at the end",
        f64::from(clicks.flags) - f64::from(clicks.unflags),
        counts.flag as f64,
    );
    fact(
        "solved 3BV",
        clicks.solved_bbbv.into(),
        rates.bbbv_solved as f64,
    );
    let path = data
        .video_action_state_recorder
        .last()
        .map_or(f64::NAN, |last| last.path);
    fact("path", clicks.path_px, path);
    if metrics.outcome == Some(Outcome::Win) {
        let mut ratio = |what, ours: Option<f64>, peer: f64| match ours {
            Some(ours) => fact(what, ours, peer),
            // A division by 0; the peer returns infinity or NaN.
            None => fact(what, 0.0, if peer.is_finite() { f64::NAN } else { 0.0 }),
        };
        ratio("3BV/s", metrics.bbbv_per_s(), rates.bbbv_s);
        ratio("IOE", metrics.ioe(), rates.ioe);
        ratio("Corr", metrics.correctness(), rates.corr);
        ratio("ThrP", metrics.throughput(), rates.thrp);
        ratio("RQP", metrics.rqp(), rates.rqp);
        if metrics.level != Level::Custom {
            ratio("STNB", metrics.stnb(), rates.stnb);
        }
    }
    facts
}

/// The number of mouse events that differ, and the number of events on either side.
///
/// Our events are first changed in the same way as the peer changes the events that it reads: it
/// inserts preflags and the unrecorded first press of the left button before them, and moves every
/// position outside of the board to the board's lower right corner (a cell that does not exist).
/// This causes an error in the peer: reduced moves continue from that corner, so they are wrong
/// until the next full event.
fn compare_mouse_events(game: &Game<'_>, video: &RmvVideo) -> (usize, usize, usize) {
    let theirs: Vec<(f64, &str, i32, i32)> = video
        .data
        .video_action_state_recorder
        .iter()
        .filter_map(|record| match &record.event {
            Some(PeerEvent::Mouse(mouse)) => Some((
                record.time,
                mouse.mouse.as_str(),
                mouse.x.into(),
                mouse.y.into(),
            )),
            _ => None,
        })
        .collect();
    let preflags = game.preflags.as_ref().map_or(0, Cells::len);
    let (first, theirs) = theirs.split_at(theirs.len().min(preflags + 1));
    assert!(first.iter().take(preflags).all(|event| event.1 == "pf"));
    assert_eq!(
        first.last().map(|event| event.1),
        Some("lc"),
        "the unrecorded press"
    );

    let size = i32::from(game.cell_size());
    let corner = (
        size * i32::from(game.board.cols),
        size * i32::from(game.board.rows),
    );
    let mut ours = Vec::new();
    let (mut before, mut seen) = ((0, 0), (0, 0));
    for event in &game.events {
        let Event::Mouse(mouse) = event else {
            continue;
        };
        let name = match mouse.action {
            MouseAction::Move => "mv",
            MouseAction::LeftDown => "lc",
            MouseAction::LeftUp => "lr",
            MouseAction::RightDown => "rc",
            MouseAction::RightUp => "rr",
            MouseAction::MiddleDown => "mc",
            MouseAction::MiddleUp => "mr",
        };
        seen = if mouse.reduced {
            (seen.0 + mouse.x - before.0, seen.1 + mouse.y - before.1)
        } else {
            (mouse.x, mouse.y)
        };
        before = (mouse.x, mouse.y);
        if !((0..corner.0).contains(&seen.0) && (0..corner.1).contains(&seen.1)) {
            seen = corner;
        }
        ours.push((f64::from(mouse.time_ms) / 1000.0, name, seen.0, seen.1));
    }
    let differing = ours.iter().zip(theirs).filter(|(a, b)| a != b).count();
    (differing, ours.len(), theirs.len())
}

fn cells_that_differ(game: &Game<'_>, video: &RmvVideo) -> usize {
    let ours = numbers(&Minefield::new(&game.board));
    let theirs = &video.data.board;
    assert_eq!(ours.len(), theirs.len());
    ours.iter()
        .flatten()
        .zip(theirs.iter().flatten())
        .filter(|(a, b)| a != b)
        .count()
}

/// A board in the peer's form: rows of numbers, −1 for a mine.
fn numbers(field: &Minefield) -> Vec<Vec<i32>> {
    (0..field.rows())
        .map(|row| {
            (0..field.cols())
                .map(|col| Cell::new(col, row))
                .map(|cell| {
                    if field.is_mine(cell) {
                        -1
                    } else {
                        field.number(cell).into()
                    }
                })
                .collect()
        })
        .collect()
}

/// The known differences: file, value, ours, the peer's.
///
/// - The peer counts preflags as right clicks and flags (12 in this file). We count none of them,
///   because they are placed before the game.
/// - The peer does not count as effective a click that removes a flag, or that sets a flag on the
///   same mine again. We count every click that changes the board. Everything that is computed from
///   Ce differs accordingly.
/// - The peer scales the path to cells of 16 pixels; `formats/rmv.md` measures it in recorded
///   pixels.
const KNOWN: &[(&str, &str, f64, f64)] = &[
    ("test_rmv2_24px_preflags.rmv", "right clicks", 17.0, 29.0),
    (
        "test_rmv2_24px_preflags.rmv",
        "effective right clicks",
        17.0,
        7.0,
    ),
    ("test_rmv2_24px_preflags.rmv", "Ce", 33.0, 23.0),
    ("test_rmv2_24px_preflags.rmv", "flags at the end", -5.0, 7.0),
    (
        "test_rmv2_24px_preflags.rmv",
        "path",
        1_645.123_939_570_609_3,
        1_096.749_293_047_058,
    ),
    (
        "test_rmv2_24px_preflags.rmv",
        "IOE",
        17.0 / 33.0,
        17.0 / 45.0,
    ),
    ("test_rmv2_24px_preflags.rmv", "Corr", 1.0, 23.0 / 45.0),
    (
        "test_rmv2_24px_preflags.rmv",
        "ThrP",
        17.0 / 33.0,
        17.0 / 23.0,
    ),
    (
        "test_subject_2.rmv",
        "path",
        1_951.025_926_194_520_3,
        1_300.683_950_796_348_2,
    ),
];

#[test]
fn real_recordings_mean_the_same_to_both() {
    let Ok(folder) = std::fs::read_dir(TAPES) else {
        return eprintln!("SKIPPED: the real recordings are not at {TAPES}");
    };
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut wrong = Vec::new();
    let mut known = Vec::new();
    let mut compared = 0;
    for path in paths {
        let file = path.file_name().unwrap().to_str().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let (game, mut video) = match (rmv::read(&bytes), peer(&bytes)) {
            (Ok(game), Ok(video)) => (game, video),
            (Err(error), Err(peer)) => {
                println!("{file}: both refuse it: {error} (the peer: {peer:?})");
                assert!(file.contains("invalid"), "{file} should be readable");
                continue;
            }
            (ours, peer) => {
                let (ours, peer) = (ours.err(), peer.err());
                wrong.push(format!(
                    "{file}: one refuses it: ours {ours:?}, peer {peer:?}"
                ));
                continue;
            }
        };
        let facts = facts(&game, &mut video);
        compared += facts.len();
        for fact in facts.iter().filter(|fact| !fact.agrees()) {
            let Fact { what, ours, peer } = *fact;
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs();
            let line = format!("{file}: {what}: ours {ours}, the peer's {peer}");
            match KNOWN
                .iter()
                .position(|k| k.0 == file && k.1 == what && near(k.2, ours) && near(k.3, peer))
            {
                Some(at) => {
                    println!("known: {line}");
                    known.push(at);
                }
                None => wrong.push(line),
            }
        }
        // The two ways to compute a path agree to the last bits.
        let scaled = Metrics::of(&game).clicks.path_px * 16.0 / f64::from(game.cell_size());
        let path = video.data.video_action_state_recorder.last().unwrap().path;
        assert!(
            (scaled - path).abs() < 1e-9,
            "{file}: path {scaled}, the peer's {path}"
        );
    }
    println!("{compared} facts compared");
    assert!(wrong.is_empty(), "new disagreements:\n{}", wrong.join("\n"));
    assert_eq!(
        known.len(),
        KNOWN.len(),
        "a known disagreement is gone: update the list"
    );
    assert!(compared > 100, "hardly anything was compared");
}

/// Where v1 promises no encoding, the peer tries GB18030 before UTF-8, and so reads a European
/// character as a Chinese one. `formats/rmv.md` asks to decode such a text as well as possible.
#[test]
fn texts_without_an_encoding_are_guessed_differently() {
    let Ok(bytes) = std::fs::read(format!("{TAPES}/test_rmv1_noutf8_but_valid_utf8.rmv")) else {
        return eprintln!("SKIPPED: the real recordings are not at {TAPES}");
    };
    let game = rmv::read(&bytes).unwrap();
    assert_eq!(game.decode(game.player.name()).0, "aaȑaa Kolar");
    assert_eq!(peer(&bytes).unwrap().data.player_identifier, "aa葢aa Kolar");
}

/// Small pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u32) -> u32 {
        // The upper half of the 64-bit generator of Numerical Recipes.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * u64::from(end)) >> 32) as u32
    }

    fn board(&mut self, max: u32) -> Board<'static> {
        let (cols, rows) = (1 + self.below(max), 1 + self.below(max));
        let share = self.below(40);
        let mines = (0..rows)
            .flat_map(|row| (0..cols).map(move |col| Cell::new(col as u8, row as u8)))
            .filter(|_| self.below(100) < share)
            .collect::<Vec<_>>();
        // The peer expects a timestamp of ten digits.
        Board::new(cols, rows, mines, 1_700_000_000).unwrap()
    }
}

/// The peer opens openings recursively, which needs more than a usual stack on a large board.
#[test]
fn random_boards_measure_the_same_to_both() {
    let large_stack = std::thread::Builder::new().stack_size(256 << 20);
    large_stack
        .spawn(compare_random_boards)
        .unwrap()
        .join()
        .unwrap();
}

fn compare_random_boards() {
    let mut dice = Dice(1);
    for round in 0..1000 {
        let board = dice.board(if round % 100 == 0 { 255 } else { 32 });
        let field = Minefield::new(&board);
        let ours = BoardMetrics::of(&field);
        let theirs = numbers(&field);
        let what = format!(
            "round {round}: {} x {}, {} mines",
            board.cols,
            board.rows,
            field.mines()
        );
        assert_eq!(ours.bbbv as usize, cal_bbbv(&theirs), "3BV of {what}");
        assert_eq!(
            ours.openings as usize,
            cal_op(&theirs),
            "openings of {what}"
        );
        assert_eq!(ours.islands as usize, cal_isl(&theirs), "islands of {what}");
        assert_eq!(ours.zini as usize, cal_zini(&theirs), "ZiNi of {what}");
        assert_eq!(ours.hzini as usize, cal_hzini(&theirs), "HZiNi of {what}");
    }
}

/// A player who knows where the mines are, forgets them now and then, and records everything.
struct Player<'a> {
    dice: &'a mut Dice,
    engine: Engine,
    log: EventLog<'static>,
    mouse: MouseEvent,
    size: i32,
}

impl Player<'_> {
    /// Applies an action of the mouse and records the board events.
    fn act(&mut self, action: MouseAction) {
        self.mouse.action = action;
        self.mouse.buttons = self.mouse.buttons.after(action);
        self.log.push_shortest(Event::Mouse(self.mouse)).unwrap();
        let mut shown = Vec::new();
        self.engine.apply(&self.mouse, &mut shown);
        for event in shown {
            self.log.push(Event::Board(event)).unwrap();
        }
        self.mouse.time_ms += self.dice.below(40);
        // Sometimes longer than the 255 ms of a reduced move.
        if self.dice.below(20) == 0 {
            self.mouse.time_ms += 300;
        }
    }

    /// Moves to a pixel in a few short and long steps.
    fn glide(&mut self, x: i32, y: i32) {
        while (self.mouse.x, self.mouse.y) != (x, y) {
            let reach = 1 + self.dice.below(30) as i32;
            self.mouse.x += (x - self.mouse.x).clamp(-reach, reach);
            self.mouse.y += (y - self.mouse.y).clamp(-reach, reach);
            self.act(MouseAction::Move);
        }
    }

    fn glide_to(&mut self, cell: Cell) {
        let mut inside =
            |at: u8| i32::from(at) * self.size + self.dice.below(self.size as u32) as i32;
        let (x, y) = (inside(cell.col), inside(cell.row));
        self.glide(x, y);
    }

    fn click(&mut self, cell: Cell) {
        self.glide_to(cell);
        self.act(MouseAction::LeftDown);
        self.act(MouseAction::LeftUp);
    }

    fn flag(&mut self, cell: Cell) {
        self.glide_to(cell);
        self.act(MouseAction::RightDown);
        self.act(MouseAction::RightUp);
    }

    fn chord(&mut self, cell: Cell) {
        self.glide_to(cell);
        let (first, second) = match self.dice.below(2) {
            0 => (MouseAction::LeftDown, MouseAction::RightDown),
            _ => (MouseAction::RightDown, MouseAction::LeftDown),
        };
        self.act(first);
        self.act(second);
        let (first, second) = match self.dice.below(2) {
            0 => (MouseAction::LeftUp, MouseAction::RightUp),
            _ => (MouseAction::RightUp, MouseAction::LeftUp),
        };
        self.act(first);
        self.act(second);
    }

    fn play(&mut self, cells: &[Cell]) {
        for &cell in cells {
            if self.engine.status() != Status::Playing || self.dice.below(120) == 0 {
                return;
            }
            let field = self.engine.field();
            let (is_mine, edge) = (
                field.is_mine(cell),
                (
                    i32::from(field.cols()) * self.size,
                    i32::from(field.rows()) * self.size,
                ),
            );
            let is_open = matches!(
                self.engine.face(cell),
                Some(gametape_mines::Face::Number(_))
            );
            if is_mine && self.dice.below(60) == 0 {
                self.click(cell);
            } else if is_mine {
                self.flag(cell);
            } else if is_open {
                self.chord(cell);
            } else {
                self.click(cell);
            }
            // Moves out of the window and back: positions left of it and above it are negative.
            match self.dice.below(15) {
                0 => self.glide(-6, 3),
                1 => self.glide(edge.0 + 5, edge.1 / 2),
                _ => {}
            }
        }
    }
}

/// Plays a game on a random board and writes it.
fn synthetic(version: Version, dice: &mut Dice) -> Option<Vec<u8>> {
    let board = dice.board(14);
    let field = Minefield::new(&board);
    let mut cells: Vec<Cell> = (0..board.rows)
        .flat_map(|row| (0..board.cols).map(move |col| Cell::new(col, row)))
        .collect();
    for at in (1..cells.len()).rev() {
        cells.swap(at, dice.below(at as u32 + 1) as usize);
    }
    let first = cells.iter().position(|&cell| !field.is_mine(cell))?;
    cells.swap(0, first);
    let bbbv = BoardMetrics::of(&field).bbbv;

    let mut game = Game::new(version, board);
    game.player = PlayerFields::new(["Synthetic Player", "syn", "AT", ""]).unwrap();
    game.version_info = Text::from("gametape interop test, synthetic");
    let size = match version {
        Version::V1 => 16,
        Version::V2 => [16, 24, 37][dice.below(3) as usize],
    };
    if version == Version::V2 {
        let mut properties = game.properties.into_owned();
        properties[property::CELL_SIZE] = size;
        properties[property::BBBV_LOW] = bbbv as u8;
        properties[property::BBBV_HIGH] = (bbbv >> 8) as u8;
        game.properties = Cow::Owned(properties);
        // Like the specification, the peer expects a clone with id 0 to give its name.
        game.encoding = Encoding::V2 {
            clone_id: 0,
            clone_major: 1,
            extensions: Extensions::new([("clone_name", "gametape"), ("other", "\u{e9}")]).unwrap(),
        };
    }

    let engine = Engine::of(&game);
    let start = |at: u8| i32::from(at) * i32::from(size) + 1;
    let mut player = Player {
        dice,
        engine,
        log: EventLog::empty(version),
        mouse: MouseEvent {
            action: MouseAction::LeftUp,
            time_ms: 0,
            buttons: Buttons::NONE,
            x: start(cells[0].col),
            y: start(cells[0].row),
            reduced: false,
        },
        size: size.into(),
    };
    player.act(MouseAction::LeftUp);
    player.play(&cells[1..]);
    let outcome = match player.engine.status() {
        Status::Won => Outcome::Win,
        Status::Lost => Outcome::Blast,
        Status::Playing => Outcome::Other,
    };

    game.events = player.log;
    let ending = Ending {
        outcome,
        time_ms: game.events.last_time_ms(),
    };
    game.ending = Some(ending);
    game.tail = Cow::Owned(Game::canonical_tail(version, ending.time_ms).to_vec());
    if let Encoding::V1 { result } = &mut game.encoding {
        let timestamp = game.board.timestamp;
        let level = Level::of(game.board.cols, game.board.rows, game.board.mines.len());
        let (name, nick) = ("Synthetic Player", "syn");
        let parts = ResultParts {
            level,
            ending,
            name,
            nick,
            bbbv,
            nf: false,
            timestamp,
        };
        *result = Text::from(parts.write().expect("the names have no #"));
    }
    Some(rmv::write(&game).unwrap())
}

#[test]
fn the_peer_reads_what_we_write() {
    for version in [Version::V1, Version::V2] {
        let mut dice = Dice(7);
        let mut outcomes = [0; 3];
        let (mut reduced, mut outside) = (0, 0);
        for round in 0..400 {
            let Some(bytes) = synthetic(version, &mut dice) else {
                continue;
            };
            let what = format!("{version:?}, round {round}");
            let game = rmv::read(&bytes).unwrap();
            let audit = rmv::audit(&bytes);
            assert!(
                !audit.findings.has("rmv.board-event"),
                "{what}: {:?}",
                audit.findings
            );
            let mut video = peer(&bytes).unwrap_or_else(|error| panic!("{what}: {error:?}"));
            assert_eq!(video.data.player_identifier, "Synthetic Player");
            assert_eq!(video.data.unique_identifier, "syn");
            assert_eq!(video.data.country, "AT");
            if version == Version::V2 {
                assert_eq!(video.data.software, "gametape");
            }
            let outcome = game.ending.unwrap().outcome;
            outcomes[usize::from(outcome.code() - 15)] += 1;
            for event in &game.events {
                if let Event::Mouse(mouse) = event {
                    reduced += u32::from(mouse.reduced);
                    outside += u32::from(mouse.x < 0);
                }
            }
            let wrong: Vec<String> = facts(&game, &mut video)
                .iter()
                .filter(|fact| !fact.agrees() && !counts_differently(fact, &game))
                .map(|fact| {
                    format!(
                        "{}: ours {}, the peer's {}",
                        fact.what, fact.ours, fact.peer
                    )
                })
                .collect();
            assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
        }
        println!("{version:?}: {outcomes:?} lost, won, left; {reduced} reduced, {outside} outside");
        assert!(outcomes.iter().all(|&count| count > 10), "{outcomes:?}");
        assert!(outside > 100 && (reduced > 1000) == (version == Version::V2));
    }
}

/// Values that the peer counts differently in these games: it does not count the click on the last
/// mine as effective, and ignores the path outside of the board.
fn counts_differently(fact: &Fact, game: &Game<'_>) -> bool {
    let lost = game
        .ending
        .is_some_and(|ending| ending.outcome == Outcome::Blast);
    match fact.what {
        "effective left clicks" | "Ce" => lost && (fact.ours - fact.peer - 1.0).abs() < 1e-9,
        "path" => true,
        _ => false,
    }
}
