//! The stats of teams, which disappear when the last player leaves and come back: as written by the
//! reference, by others and by this crate. Also other parts that disappear.

use crate::common::raw::{self, Player};
use crate::common::{
    Outcome, agree, by_chunks, cases, check_correct, frames_of, journal, lines, match_options,
    options, read_all, reference, seen, tape, write,
};
use gametape_echo::butter::{self, Compression, Dialect};
use gametape_echo::{Frame, Game, ReadOptions, Rule, Stats, Team, TeamId};
use gametape_samples::echo::MatchOptions;
use proptest::prelude::*;

const OPEN: &str = "butter.team-stats";

/// Returns the outcome that all ways to read agree on, each chunk alone too.
fn read(bytes: &[u8]) -> Outcome {
    let [strict, lenient] = agree(bytes, 41);
    assert_eq!(strict.error, None);
    assert_eq!(strict, lenient);
    assert!(by_chunks(bytes, ReadOptions::default()).concat() == strict.frames);
    strict
}

/// The content of a frame about the blue team: its players, and its stored stats.
type Content = (Plays, Option<(u8, f32)>);

/// The players of the team.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Plays {
    Nobody,
    /// A player without points.
    New,
    /// A player with this many points.
    With(u8),
}
use Plays::{New, Nobody, With};

/// Makes a chunk of these frames, with a spectator whose move shows the writer.
fn chunk(says: &[Content], keyframes: &[usize], dialect: Option<Dialect>) -> Vec<raw::Frame> {
    const TURN: u32 = 0x7FDF_F7FF;
    let mut before = None;
    let mut frames = Vec::new();
    for (at, (plays, stats)) in says.iter().enumerate() {
        let keyframe = at == 0 || keyframes.contains(&at);
        let now = match *plays {
            Nobody => None,
            New => Some(0),
            With(points) => Some(points),
        };
        let known = before.replace(now).flatten().filter(|_| !keyframe);
        let player = now.map(|now| Player {
            points: (known != Some(now)).then(|| now.wrapping_sub(known.unwrap_or(0))),
            ..match known {
                None => Player::new(2, 1, [1.0, 2.0, 3.0], TURN),
                Some(_) => Player::silent(2, 1),
            }
        });
        let mut spectator = if keyframe {
            Player::new(1, 0, [9.0; 3], TURN)
        } else {
            Player::silent(1, 0)
        };
        match dialect.filter(|_| at == 1) {
            Some(Dialect::Reference) => spectator.poses[0].0 = Some([0.0; 3]),
            Some(Dialect::Exact) => spectator.velocity = Some([1.0 / 1024.0, 0.0, 0.0]),
            None => {}
        }
        frames.push(raw::Frame {
            keyframe,
            stats: *stats,
            players: player.into_iter().collect(),
            spectators: vec![spectator],
            ..raw::Frame::default()
        });
    }
    frames
}

/// The points of the blue team in each frame.
fn points(frames: &[Frame]) -> Vec<Option<i32>> {
    let stats = frames.iter().map(|frame| frame.session.teams[0].stats);
    stats.map(|stats| stats.map(|stats| stats.points)).collect()
}

/// The doubts: how many, and for the first the points if they were gone, the points if they had stayed, and
/// whether they are taken as gone.
fn open(read: &Outcome) -> (u64, Option<(f32, f32, bool)>) {
    let found = read.findings.get(OPEN);
    let first = found.map(|finding| match finding.rule {
        Rule::TeamStatsOpen {
            team: TeamId::Blue,
            stat: "points",
            absolute,
            sum,
            gone,
        } => (absolute, sum, gone),
        ref other => panic!("{other:?}"),
    });
    let times = found.map_or(0, |finding| 1 + finding.repeats);
    (times, first)
}

const REFERENCE: Option<Dialect> = Some(Dialect::Reference);
const EXACT: Option<Dialect> = Some(Dialect::Exact);

/// Checks the frames of a chunk, by its writer.
fn check(
    says: &[Content],
    keyframes: &[usize],
    dialect: Option<Dialect>,
    right: &[i32],
    first: Option<(f32, f32, bool)>,
    times: u64,
) {
    let bytes = raw::file(2, &[chunk(says, keyframes, dialect)]);
    let read = read(&bytes);
    let what = format!("{says:?} by {dialect:?}");
    // After a keyframe without stats, there are none.
    let right: Vec<_> = right.iter().map(|&p| (p >= 0).then_some(p)).collect();
    assert_eq!(points(&read.frames), right, "{what}");
    assert_eq!(open(&read), (times, first), "{what}");
    // The audit agrees.
    let audit = butter::audit(&bytes);
    assert_eq!(audit.findings.get(OPEN), read.findings.get(OPEN), "{what}");
}

#[test]
fn stats_that_were_gone_with_the_last_player_come_back_as_they_are() {
    let says = [
        (With(18), Some((18, 1.0))),
        (With(18), None),
        (Nobody, None),
        (Nobody, None),
        (With(18), Some((18, 1.0))),
        (With(20), Some((2, 1.0))),
        (Nobody, None),
        (With(20), Some((20, 1.0))),
    ];
    // The reference's: no doubt. It is not stored that they are gone for a while.
    let right = [18, 18, 18, 18, 18, 20, 20, 20];
    check(&says, &[], REFERENCE, &right, None, 0);
    // The writer is unknown: most likely the values are absolute.
    let first = Some((18.0, 36.0, true));
    check(&says, &[], None, &right, first, 2);
    // Another writer's: the specification requires differences.
    let first = Some((18.0, 36.0, false));
    check(
        &says,
        &[],
        EXACT,
        &[18, 18, 18, 18, 36, 38, 38, 58],
        first,
        2,
    );
}

#[test]
fn a_keyframe_is_sure() {
    let says = [
        (With(18), Some((18, 1.0))),
        (Nobody, None),
        // A keyframe without them, and one with them.
        (Nobody, None),
        (With(18), Some((18, 1.0))),
        (Nobody, None),
        (With(20), Some((20, 1.0))),
        (With(21), Some((1, 1.0))),
    ];
    for dialect in [REFERENCE, None, EXACT] {
        check(
            &says,
            &[2, 5],
            dialect,
            &[18, 18, -1, 18, 18, 20, 21],
            None,
            0,
        );
    }
}

/// The game never does this, but others may.
#[test]
fn cases_that_the_game_does_not_cause_are_open() {
    // They were stored without players: they need not disappear with the last player.
    let says = [
        (Nobody, Some((18, 1.0))),
        (Nobody, None),
        (With(3), Some((18, 1.0))),
        (With(3), None),
    ];
    let first = Some((18.0, 36.0, true));
    check(&says, &[], REFERENCE, &[18, 18, 18, 18], first, 1);
    // They are stored without players.
    let says = [
        (With(18), Some((18, 1.0))),
        (Nobody, None),
        (Nobody, Some((18, 1.0))),
    ];
    check(&says, &[], REFERENCE, &[18, 18, 18], first, 1);
    // There are players again, but no stats: they had stayed, or are gone for longer.
    let says = [
        (With(18), Some((18, 1.0))),
        (Nobody, None),
        (With(18), None),
        (With(20), Some((2, 1.0))),
    ];
    let first = Some((2.0, 20.0, false));
    for dialect in [REFERENCE, None, EXACT] {
        check(&says, &[], dialect, &[18, 18, 18, 20], first, 1);
    }
    // The players have done more.
    let says = [
        (With(18), Some((18, 1.0))),
        (Nobody, None),
        (With(20), Some((2, 1.0))),
    ];
    let first = Some((2.0, 20.0, true));
    check(&says, &[], REFERENCE, &[18, 18, 2], first, 1);
    // They fell by 4, or are huge.
    let says = [
        (With(18), Some((18, 1.0))),
        (Nobody, None),
        (New, Some((252, 0.0))),
    ];
    let first = Some((252.0, 14.0, true));
    check(&says, &[], REFERENCE, &[18, 18, 252], first, 1);
    // A time below 0 is a difference.
    let says = [
        (With(18), Some((18, 1.0))),
        (Nobody, None),
        (New, Some((252, -1.0))),
    ];
    for dialect in [REFERENCE, None, EXACT] {
        check(&says, &[], dialect, &[18, 18, 14], None, 0);
    }
    // Both readings agree.
    let says = [
        (New, Some((0, 0.0))),
        (Nobody, None),
        (With(7), Some((7, 1.0))),
    ];
    for dialect in [REFERENCE, None, EXACT] {
        check(&says, &[], dialect, &[0, 0, 7], None, 0);
    }
}

/// If stats are `null` although the team has players, only the players' stats help.
#[test]
fn a_team_with_players_has_at_least_their_stats() {
    let quiet = |before: u8, now: u8, delta: u8| {
        [
            (With(before), Some((18, 0.0))),
            (With(before), None),
            (With(now), Some((delta, 0.0))),
        ]
    };
    // A goal; the players have done more than that.
    for dialect in [REFERENCE, None, EXACT] {
        check(&quiet(18, 20, 2), &[], dialect, &[18, 18, 20], None, 0);
    }
    // They have done no more, or the team has less than they have: that proves nothing.
    for (before, now, delta, sum) in [(0, 2, 2, 20), (0, 18, 18, 36), (30, 32, 2, 20)] {
        let right = [18, 18, sum];
        let first = Some((delta.into(), sum as f32, false));
        for dialect in [REFERENCE, None] {
            check(&quiet(before, now, delta), &[], dialect, &right, first, 1);
        }
        check(&quiet(before, now, delta), &[], EXACT, &right, None, 0);
    }
    // They were in the frame before.
    let says = [
        (New, Some((18, 1.0))),
        (New, Some((1, 1.0))),
        (New, Some((1, 1.0))),
    ];
    for dialect in [REFERENCE, None, EXACT] {
        check(&says, &[], dialect, &[18, 19, 20], None, 0);
    }
}

#[test]
fn a_chunk_alone_is_read_as_the_chunks_before_it_show() {
    // Four moves show the writer clearly; the second chunk shows nothing.
    let first = vec![(With(1), Some((1, 1.0))); 6];
    let second = [
        (With(18), Some((18, 1.0))),
        (Nobody, None),
        (With(18), Some((18, 1.0))),
        (With(18), None),
    ];
    for (dialect, right) in [
        (REFERENCE, [18, 18, 18, 18].map(Some)),
        (EXACT, [18, 18, 36, 36].map(Some)),
    ] {
        let mut shows = chunk(&first, &[], dialect);
        for frame in &mut shows[2..] {
            let player = &mut frame.spectators[0];
            match dialect {
                REFERENCE => player.poses[0].0 = Some([0.0; 3]),
                _ => player.velocity = Some([1.0 / 1024.0, 0.0, 0.0]),
            }
        }
        let bytes = raw::file(2, &[shows, chunk(&second, &[], None)]);
        let whole = read(&bytes);
        assert_eq!(points(&whole.frames[6..]), right);
        let alone = butter::read(&bytes).unwrap().chunk(1).unwrap();
        assert!(alone.findings().is_empty());
        assert_eq!(open(&whole).0, u64::from(dialect == EXACT));
    }
}

#[test]
fn the_references_case_reads_as_recorded_or_reports_a_doubt() {
    let Some(recorded) = tape("compat/team-stats-gone.echoreplay") else {
        return;
    };
    let bytes = tape("compat/team-stats-gone.k9.none.butter").unwrap();
    let recorded = lines(&recorded);
    let read = read(&bytes);
    for (at, (a, b)) in recorded.iter().zip(&read.frames).enumerate() {
        for (a, b) in a.session.teams.iter().zip(&b.session.teams) {
            assert!(a.stats.is_none() || a.stats == b.stats, "frame {at}");
        }
    }
    assert!(read.findings.has(OPEN));
}

/// Teams empty and fill again.
#[test]
fn of_the_references_matches_all_stats_of_teams_are_right() {
    for name in ["emptying-arena", "emptying-combat"] {
        let file = reference(name);
        let read = read(&file.bytes);
        let chunks = seen(&file.bytes);
        assert_eq!(chunks.reference_chunks, chunks.chunks, "{name}");
        assert!(!read.findings.has(OPEN), "{name}");
        for (at, (a, b)) in file.recorded.iter().zip(&read.frames).enumerate() {
            assert!(agree_where_stored(a, b), "{name}, frame {at}");
        }
    }
}

/// A random generator, so that a seed determines everything.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        // xorshift64*.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// The sum of the players' stats, as the game reports it for the team.
fn together(team: &Team) -> Option<Stats> {
    let mut sum = Stats::default();
    for stats in team.players.iter().filter_map(|player| player.stats) {
        sum.possession_time += stats.possession_time;
        sum.points += stats.points;
        sum.saves += stats.saves;
        sum.goals += stats.goals;
        sum.stuns += stats.stuns;
        sum.passes += stats.passes;
        sum.catches += stats.catches;
        sum.steals += stats.steals;
        sum.blocks += stats.blocks;
        sum.interceptions += stats.interceptions;
        sum.assists += stats.assists;
        sum.shots_taken += stats.shots_taken;
    }
    (!team.players.is_empty()).then_some(sum)
}

/// Stats except the time of possession, which is rounded, clamped to their range.
fn counts(stats: Option<Stats>) -> Option<Stats> {
    stats.map(|stats| Stats {
        points: stats.points.clamp(0, 255),
        saves: stats.saves.clamp(0, 255),
        possession_time: 0.0,
        ..stats
    })
}

fn teams_of(frame: &Frame) -> Vec<Option<Stats>> {
    let teams = frame.session.teams.iter();
    teams.map(|team| counts(team.stats)).collect()
}

/// Whether the stats of a frame are read as they were. A frame without stats matches any.
pub fn agree_where_stored(had: &Frame, read: &Frame) -> bool {
    let (had, read) = (teams_of(had), teams_of(read));
    had.iter()
        .zip(read)
        .all(|(had, read)| had.is_none() || *had == read)
}

/// Frames in which stats and parts appear and disappear at random.
fn flickering(seed: u64, frames: u64) -> Vec<Frame> {
    let mut rng = Rng(seed | 1);
    let mut frames = frames_of(MatchOptions {
        players_per_team: 2,
        bones: false,
        ..match_options(seed, frames)
    });
    let mut gone = [false; 16];
    let mut invented = [Stats::default(); 3];
    for frame in &mut frames {
        for gone in &mut gone {
            *gone ^= rng.one_in(if *gone { 3 } else { 12 });
        }
        let [disc, score, payload, rules, ..] = gone;
        let session = &mut frame.session;
        if disc {
            session.disc = None;
        }
        if score {
            session.last_score = None;
        }
        if payload {
            session.payload = None;
        }
        if rules {
            (session.rules_changed_at, session.rules_changed_by) = (None, None);
        }
        for (at, team) in session.teams.iter_mut().enumerate() {
            let [empty, without, with] = [gone[4 + at], gone[7 + at], gone[10 + at]];
            if at < 2 && empty {
                team.players.clear();
            }
            // As in the game; stats that stay, or disappear although there are players; and random stats.
            if rng.one_in(9) {
                let by = [1, 1, 2, 40, -3][rng.below(5) as usize];
                let stats = &mut invented[at];
                (stats.points, stats.saves) = (
                    (stats.points + by).clamp(0, 255),
                    stats.saves + rng.below(2) as i32,
                );
                stats.possession_time += [0.0, 0.1, 7.77][rng.below(3) as usize];
            }
            team.stats = match seed % 5 {
                0 => together(team).filter(|_| at < 2),
                1 => team.stats,
                2 => team.stats.filter(|_| with).filter(|_| !without),
                3 => Some(invented[at]),
                _ => Some(invented[at]).filter(|_| with),
            };
            for (at, player) in team.players.iter_mut().enumerate() {
                if gone[13 + at % 3] && seed.is_multiple_of(2) {
                    player.stats = None;
                }
            }
        }
    }
    frames
}

proptest! {
    #![proptest_config(cases(128))]

    /// Values that disappear are gone, values that come back are right, and no reader is left in doubt,
    /// even one that does not know the writer.
    #[test]
    fn our_files_leave_no_doubt_about_parts_that_come_and_go(
        seed: u64,
        count in prop_oneof![1_u64..8, 60_u64..160],
        interval in prop_oneof![Just(7_u16), Just(300)],
    ) {
        let frames = flickering(seed, count);
        let options = options(interval, Compression::None);
        let bytes = write(&frames, options);
        let read = read(&bytes);
        prop_assert!(read.findings.is_empty(), "{:?}", read.findings);
        check_correct(&frames, &bytes, &format!("seed {seed}"));
        for (at, (a, b)) in frames.iter().zip(&read.frames).enumerate() {
            prop_assert_eq!(teams_of(a), teams_of(b), "frame {}", at);
            let (a, b) = (&a.session, &b.session);
            let there = |s: &gametape_echo::Session| {
                let parts = [s.disc.is_some(), s.last_score.is_some(), s.rules_changed_at.is_some() && s.private_match];
                let arena = s.map_name.game() == Game::Arena;
                (parts.map(|part| part && arena), s.payload.is_some() && !arena)
            };
            prop_assert_eq!(there(a), there(b), "frame {}", at);
            for ((_, a), (_, b)) in a.players().zip(b.players()) {
                prop_assert_eq!(counts(a.stats), counts(b.stats), "frame {}", at);
            }
        }
        prop_assert!(write(&read.frames, options) == bytes);
        // For readers that don't know the writer: each chunk alone, as in a file that shows nothing.
        let chunks = butter::read(&bytes).unwrap().chunks().len();
        for at in 0..chunks {
            let file = butter::read(&bytes).unwrap();
            let mut chunk = file.chunk(at).unwrap();
            while chunk.next_frame().unwrap().is_some() {}
            prop_assert!(chunk.findings().is_empty());
        }
        // A recording in progress, too.
        let (live, _) = journal(&frames, options);
        let live = read_all(&live, ReadOptions::default());
        for (a, b) in frames.iter().zip(&live.frames) {
            prop_assert_eq!(teams_of(a), teams_of(b));
        }
        prop_assert!(live.findings.is_empty());
    }
}
