//! Every game mode: an honest game keeps its verdict, and no mode excuses a false one.

use gametape_mines::rmv::Severity;
use gametape_mines::{
    BoardEvent, Ending, Event, Face, Game, Mode, MouseAction, Outcome, Version, property,
};
use gametape_samples::mines::{Finish, Scenario, record};

use crate::common::board::Recording;
use crate::common::{audited, findings, rewritten, scenario};

use MouseAction::{LeftDown, LeftUp, RightDown};

/// Games in a mode, played to the given end. v1 has only the first four modes.
fn games(mode: Mode, finish: Finish) -> Vec<(String, Game<'static>)> {
    let mut games = Vec::new();
    for name in ["beginner-win", "v1-beginner-win", "clumsy", "preflags"] {
        let scenario = scenario(name);
        if scenario.version == Version::V1 && mode > Mode::Density {
            continue;
        }
        let scenario = Scenario {
            mode,
            finish,
            ..scenario
        };
        for seed in 0..2 {
            let game = record(&scenario, seed).unwrap();
            assert_eq!(game.mode(), Some(mode));
            games.push((format!("{name}, mode {}, seed {seed}", mode.code()), game));
        }
    }
    games
}

fn ended(game: &Game<'static>, outcome: Outcome) -> Game<'static> {
    let mut game = game.clone();
    game.ending = Some(Ending {
        outcome,
        time_ms: game.events.last_time_ms(),
    });
    game.tail = Game::canonical_tail(game.version(), game.events.last_time_ms())
        .to_vec()
        .into();
    game
}

const FINISHES: [(Finish, Outcome); 4] = [
    (Finish::Win, Outcome::Win),
    (Finish::Abort(0.5), Outcome::Other),
    (Finish::Loss(0.4), Outcome::Blast),
    (Finish::ChordLoss, Outcome::Blast),
];

/// The bug for which this file was written: the audit did not check the endings of modes 3, 11, 12
/// and 13.
#[test]
fn no_mode_excuses_another_ending() {
    for mode in Mode::ALL {
        for (finish, honest) in FINISHES {
            for (name, game) in games(mode, finish) {
                // A game that was to be lost by a chord may be won instead, if no chord can lose.
                let honest = match game.ending.unwrap().outcome {
                    Outcome::Win => Outcome::Win,
                    outcome => {
                        assert_eq!(outcome, honest, "{name}");
                        honest
                    }
                };
                for claimed in [Outcome::Win, Outcome::Blast, Outcome::Other] {
                    let (severity, found) = audited(&ended(&game, claimed));
                    let sound = claimed == honest;
                    assert_eq!(
                        !found.contains(&"rmv.outcome"),
                        sound,
                        "{name}, {honest} as {claimed}: {found:?}"
                    );
                    if !sound {
                        assert_eq!(severity, Some(Severity::Error), "{name}");
                        continue;
                    }
                    // upk and cheat are reported as unfit for the ranking.
                    let excluded = matches!(mode, Mode::Upk | Mode::Cheat);
                    let verdict = if excluded {
                        Severity::Warning
                    } else {
                        Severity::Info
                    };
                    assert_eq!(severity, Some(verdict), "{name}: {found:?}");
                    assert_eq!(found.contains(&"rmv.rank-mode"), excluded, "{name}");
                }
            }
        }
    }
}

/// A game that is cut off after each tenth of its events and declared won.
#[test]
fn no_mode_makes_the_first_part_of_a_game_a_win() {
    for mode in Mode::ALL {
        for (name, game) in games(mode, Finish::Win) {
            let events: Vec<Event> = game.events.iter().collect();
            for tenth in 0..10 {
                let cut = rewritten(&game, events[..events.len() * tenth / 10].to_vec());
                let (severity, found) = audited(&ended(&cut, Outcome::Win));
                assert!(
                    found.contains(&"rmv.outcome") || found.contains(&"rmv.board-event"),
                    "{name}, {tenth}0%: {found:?}"
                );
                assert_eq!(severity, Some(Severity::Error));
            }
        }
    }
}

/// A loss whose mine is recorded as a number or as a flag, or is left out, and which is declared a
/// win.
#[test]
fn no_mode_turns_a_loss_into_a_win() {
    for mode in Mode::ALL {
        for (name, game) in games(mode, Finish::Loss(0.4)) {
            let events: Vec<Event> = game.events.iter().collect();
            let is_blast =
                |event: &Event| matches!(event, Event::Board(board) if board.face == Face::Blast);
            let Some(at) = events.iter().position(is_blast) else {
                continue;
            };
            let Event::Board(blast) = events[at] else {
                continue;
            };
            for face in [None, Some(Face::Number(3)), Some(Face::Flag)] {
                let mut forged = events.clone();
                match face {
                    Some(face) => forged[at] = Event::Board(BoardEvent { face, ..blast }),
                    None => {
                        forged.remove(at);
                    }
                }
                let (severity, found) = audited(&ended(&rewritten(&game, forged), Outcome::Win));
                assert_eq!(severity, Some(Severity::Error), "{name}: {found:?}");
                assert!(found.contains(&"rmv.board-event"), "{name}: {found:?}");
            }
        }
    }
}

/// One changed board event is an error in every mode.
#[test]
fn no_mode_excuses_an_altered_board_event() {
    for mode in Mode::ALL {
        for (name, game) in games(mode, Finish::Win).into_iter().take(2) {
            let events: Vec<Event> = game.events.iter().collect();
            for (at, event) in events.iter().enumerate() {
                let Event::Board(board) = *event else {
                    continue;
                };
                let face = match board.face {
                    Face::Number(number) => Face::Number((number + 1) % 9),
                    Face::Flag => Face::Closed,
                    _ => Face::Number(8),
                };
                let mut forged = events.clone();
                forged[at] = Event::Board(BoardEvent { face, ..board });
                let (_, found) = audited(&rewritten(&game, forged));
                assert!(
                    found.contains(&"rmv.board-event"),
                    "{name}, {at}: {found:?}"
                );
                let mut forged = events.clone();
                forged.remove(at);
                let (_, found) = audited(&rewritten(&game, forged));
                assert!(
                    found.contains(&"rmv.board-event"),
                    "{name}, {at}: {found:?}"
                );
            }
        }
    }
}

/// The same game with another mode byte: whatever the mode, the ending must be true.
#[test]
fn a_mode_byte_is_no_excuse() {
    let honest = games(Mode::Normal, Finish::Abort(0.5));
    for (name, game) in honest {
        let most = match game.version() {
            Version::V1 => 3,
            Version::V2 => 13,
        };
        for code in 0..=most {
            let mut game = ended(&game, Outcome::Win);
            game.properties.to_mut()[property::MODE] = code;
            let (_, found) = audited(&game);
            assert!(
                found.contains(&"rmv.outcome"),
                "{name} as {code}: {found:?}"
            );
        }
    }
}

/// The audit reports what is unknown about a mode, with the mode's number; nothing is unknown about
/// the normal mode.
#[test]
fn the_unknown_rules_of_a_mode_are_named() {
    for mode in Mode::ALL {
        for (name, game) in games(mode, Finish::Win).into_iter().take(1) {
            let findings = findings(&game);
            let said = findings.iter().find(|f| f.code() == "rmv.mode-unproven");
            let Some(unknown) = mode.rules().unknown else {
                assert_eq!((mode, said), (Mode::Normal, None), "{name}");
                continue;
            };
            let said = said.unwrap();
            assert_eq!(said.severity(), Severity::Info);
            let start = format!("game mode {}, {}: ", mode.code(), mode.name());
            assert!(said.message().starts_with(&start), "{}", said.message());
            assert!(said.message().ends_with(unknown), "{}", said.message());
        }
    }
}

/// A game in which a number beside the flagged corner is open and the left button chords on it.
fn chain(mode: Mode) -> Recording {
    let mut game = Recording::new(&["*...*", "....."]);
    game.mode(mode).plays(LeftUp, 0, 1);
    for (col, row) in [(0, 0), (4, 0)] {
        game.flags(col, row);
    }
    game.plays(LeftDown, 0, 1).plays(RightDown, 0, 1);
    game
}

#[test]
fn chords_go_on_where_the_mode_says_so_and_no_further() {
    // By the standard rules (1, 0) and (1, 1) open; both are 1, and each of them may chord in turn.
    let standard = "open_110 open_111";
    assert_eq!(chain(Mode::Normal).gives(LeftUp, 0, 1), standard);
    let further = "open_110 open_020 open_130 open_111 open_021 open_131 open_141";
    for mode in Mode::ALL {
        let recursive = mode.rules().chords_go_on;
        let mut game = chain(mode);
        game.says(LeftUp, 0, 1, further);
        let (findings, replayed) = game.ended(Outcome::Win);
        assert_eq!(replayed.fault.is_none(), recursive, "{}", mode.name());
        assert_eq!(findings.has("rmv.board-event"), !recursive);
        assert_eq!(findings.has("rmv.board-event-unproven"), recursive);
        if recursive {
            assert!(!findings.has("rmv.outcome"), "{findings:?}");
            assert_eq!(replayed.doubted.map(|doubted| doubted.times), Some(1));
        }
    }
    for wrong in [
        // Part of the chord itself, or all of it, is missing.
        "",
        "open_110",
        "open_110 open_020 open_130 open_021 open_131",
        // A wrong number, a mine, a hole in the opening, a cell out of reach.
        "open_110 open_111 open_120 open_130 open_021 open_131",
        "open_110 open_111 open_blast40",
        "open_110 open_111 open_020 open_130 open_021",
        "open_110 open_111 open_141",
        "open_110 open_111 flag30",
    ] {
        let mut game = chain(Mode::ChordingRecursiveStandard);
        game.says(LeftUp, 0, 1, wrong);
        assert!(game.left().1.fault.is_some(), "{wrong}");
    }
    // Nothing continues if the number of flags differs from the cell's number.
    let mut game = Recording::new(&["*.....", "...*.."]);
    game.mode(Mode::ChordingRecursiveStandard)
        .plays(LeftUp, 0, 1);
    game.flags(0, 0);
    game.plays(LeftDown, 0, 1).plays(RightDown, 0, 1);
    game.says(LeftUp, 0, 1, "open_110 open_111 open_120 open_121 open_130");
    assert!(game.left().1.fault.is_some());
}

#[test]
fn flags_continue_only_where_the_mode_allows_it() {
    let start = |mode| {
        let mut game = Recording::new(&["*....", "...*."]);
        game.mode(mode).plays(LeftUp, 0, 1);
        game
    };
    for mode in Mode::ALL {
        let recursive = mode.rules().flags_go_on;
        // The flag completes the 1 beside it, which opens its other neighbours.
        let mut game = start(mode);
        game.says(RightDown, 0, 0, "flag00 open_110 open_111");
        assert_eq!(game.left().1.fault.is_none(), recursive, "{}", mode.name());
        // A right press on a number with exactly as many closed cells around it.
        let mut game = start(mode);
        game.clicks(1, 0);
        game.clicks(1, 1);
        game.says(RightDown, 0, 1, "flag00");
        assert_eq!(game.left().1.fault.is_none(), recursive, "{}", mode.name());
    }
    for wrong in [
        "",
        "open_110",
        "flag00 open_110",
        "flag00 open_110 open_211",
        "flag00 open_110 open_111 flag31",
        "flag00 open_110 open_111 open_140",
        "flag00 flag10",
        "flag10",
    ] {
        let mut game = start(Mode::ChordingFlagRecursive);
        game.says(RightDown, 0, 0, wrong);
        assert!(game.left().1.fault.is_some(), "{wrong}");
    }
    // A safe cell is not a forced mine, so it gets no flag.
    let mut game = start(Mode::FlagRecursive);
    game.says(RightDown, 0, 1, "flag10");
    assert!(game.left().1.fault.is_some());
}
