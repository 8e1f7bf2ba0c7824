//! Comparison with the peer, `ms_toollib`, as an independent implementation.
//!
//! For real recordings and random boards, both must give the same results. Where the peer is known
//! to err, or to count differently, the tests assert the difference itself. The peer must be able
//! to read the files that we write.

use std::fmt;

use gametape_mines::metrics::BoardMetrics;
use gametape_mines::rmv;
use gametape_mines::{
    Board, Cell, Cells, Event, Game, Level, Metrics, Minefield, MouseAction, Outcome, Version,
};
use gametape_samples::mines::{Finish, record};
use ms_toollib::videos::{ErrReadVideoReason, NewSomeVideo2};
use ms_toollib::{Event as PeerEvent, RmvVideo, cal_bbbv, cal_hzini, cal_isl, cal_op, cal_zini};

use crate::common::{real_files, scenario};

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

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, ours, peer } = self;
        write!(f, "{what}: ours {ours}, the peer's {peer}")
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
    ("test_rmv2_24px_preflags", "right clicks", 17.0, 29.0),
    (
        "test_rmv2_24px_preflags",
        "effective right clicks",
        17.0,
        7.0,
    ),
    ("test_rmv2_24px_preflags", "Ce", 33.0, 23.0),
    ("test_rmv2_24px_preflags", "flags at the end", -5.0, 7.0),
    (
        "test_rmv2_24px_preflags",
        "path",
        1_645.123_939_570_609_3,
        1_096.749_293_047_058,
    ),
    ("test_rmv2_24px_preflags", "IOE", 17.0 / 33.0, 17.0 / 45.0),
    ("test_rmv2_24px_preflags", "Corr", 1.0, 23.0 / 45.0),
    ("test_rmv2_24px_preflags", "ThrP", 17.0 / 33.0, 17.0 / 23.0),
    (
        "test_subject_2",
        "path",
        1_951.025_926_194_520_3,
        1_300.683_950_796_348_2,
    ),
];

#[test]
fn real_recordings_mean_the_same_to_both() {
    let mut wrong = Vec::new();
    let mut known = Vec::new();
    let mut compared = 0;
    let files = real_files();
    let are_there = !files.is_empty();
    for (file, bytes) in files {
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
            let line = format!("{file}: {fact}");
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
    if are_there {
        let gone = "a known disagreement is gone: update the list";
        assert_eq!(known.len(), KNOWN.len(), "{gone}");
        assert!(compared > 100, "hardly anything was compared");
    }
}

/// Where v1 promises no encoding, the peer tries GB18030 before UTF-8, and so reads a European
/// character as a Chinese one. `formats/rmv.md` asks to decode such a text as well as possible.
#[test]
fn texts_without_an_encoding_are_guessed_differently() {
    let mut files = real_files().into_iter();
    if let Some((_, bytes)) = files.find(|(name, _)| name == "test_rmv1_noutf8_but_valid_utf8") {
        let game = rmv::read(&bytes).unwrap();
        assert_eq!(game.decode(game.player.name()).0, "aaȑaa Kolar");
        assert_eq!(peer(&bytes).unwrap().data.player_identifier, "aa葢aa Kolar");
    }
}

/// A random board.
fn board(rng: &mut fastrand::Rng, max: u32) -> Board<'static> {
    let (cols, rows) = (rng.u32(1..=max), rng.u32(1..=max));
    let share = rng.u32(..40);
    let mines = (0..rows)
        .flat_map(|row| (0..cols).map(move |col| Cell::new(col as u8, row as u8)))
        .filter(|_| rng.u32(..100) < share)
        .collect::<Vec<_>>();
    Board::new(cols, rows, mines, 0).unwrap()
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
    let mut rng = fastrand::Rng::with_seed(1);
    for round in 0..1000 {
        let board = board(&mut rng, if round % 100 == 0 { 255 } else { 32 });
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

/// Invented games: won, lost and left, with cells of three sizes and ways beside the board.
fn invented() -> impl Iterator<Item = (String, Game<'static>)> {
    const SIZES: [u8; 3] = [16, 24, 37];
    let finishes = [Finish::Win, Finish::Loss(0.4), Finish::Abort(0.5)];
    ["v1-beginner-win", "beginner-win", "intermediate-win"]
        .into_iter()
        .flat_map(move |name| {
            (0..90).filter_map(move |seed| {
                let mut scenario = scenario(name);
                scenario.finish = finishes[seed as usize % 3];
                scenario.clumsy = seed % 2 == 0;
                if scenario.version == Version::V2 {
                    scenario.cell_size = SIZES[seed as usize / 3 % 3];
                }
                // Where the hand leaves the window further than version 1 can express, there is no game.
                Some((format!("{name} {seed}"), record(&scenario, seed).ok()?))
            })
        })
}

#[test]
fn the_peer_reads_what_we_write() {
    let mut outcomes = [0; 3];
    let (mut reduced, mut outside) = (0, 0);
    for (what, game) in invented() {
        let bytes = rmv::write(&game).unwrap();
        let mut video = peer(&bytes).unwrap_or_else(|error| panic!("{what}: {error:?}"));
        assert_eq!(video.data.player_identifier.as_bytes(), game.player.name());
        assert_eq!(
            video.data.unique_identifier.as_bytes(),
            game.player.nickname()
        );
        assert_eq!(video.data.country.as_bytes(), game.player.country());
        if game.version() == Version::V2 {
            assert_eq!(video.data.software, "gametape");
        }
        outcomes[usize::from(game.ending.unwrap().outcome.code() - 15)] += 1;
        for event in &game.events {
            if let Event::Mouse(mouse) = event {
                reduced += u32::from(mouse.reduced);
                outside += u32::from(mouse.x < 0);
            }
        }
        let facts = facts(&game, &mut video);
        let wrong = facts
            .iter()
            .filter(|fact| !fact.agrees() && !counts_differently(fact, &game));
        let wrong: Vec<String> = wrong.map(ToString::to_string).collect();
        assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
    }
    assert!(outcomes.iter().all(|&count| count > 10), "{outcomes:?}");
    assert!(outside > 100 && reduced > 1000, "{outside} {reduced}");
}

/// Values that the peer counts differently in these games: it does not count the click on the last
/// mine as effective, nor what [`KNOWN`] says of flags; it counts left releases beside the board, and
/// ignores the path there.
fn counts_differently(fact: &Fact, game: &Game<'_>) -> bool {
    let lost = game
        .ending
        .is_some_and(|ending| ending.outcome == Outcome::Blast);
    let unflags = Metrics::of(game).clicks.unflags > 0;
    let cells = [game.board.cols, game.board.rows].map(i32::from);
    let beside = game.events.iter().filter(|event| match event {
        Event::Mouse(mouse) if mouse.action == MouseAction::LeftUp => {
            let (col, row) = mouse.cell(game.cell_size());
            !(0..cells[0]).contains(&col) || !(0..cells[1]).contains(&row)
        }
        _ => false,
    });
    let beside = beside.count() as f64;
    match fact.what {
        "path" => true,
        "left clicks" => (0.0..=beside).contains(&(fact.peer - fact.ours)),
        "effective left clicks" => lost && (fact.ours - fact.peer - 1.0).abs() < 1e-9,
        "effective right clicks" => unflags && fact.ours > fact.peer,
        "Ce" => (lost || unflags) && fact.ours > fact.peer,
        "IOE" => beside > 0.0,
        "Corr" | "ThrP" => unflags || beside > 0.0,
        _ => false,
    }
}
