//! The folders in which transcripts begin. Each is made once and copied for every section.

use std::fs;
use std::io::Cursor;
use std::sync::LazyLock;

use gametape::capture::{Options, Writer};
use gametape::delta::{Change, Codec, Component, Field, Schema, Snapshot, Value};
use gametape::echo::butter::{self, Compression};
use gametape::echo::echoreplay::ZipWriter;
use gametape::mines::{DeclaredSize, Encoding, Game, PlayerFields, rmv};
use gametape::murk::engine::World;
use gametape_samples::delta::Arena;
use gametape_samples::echo::{Match, MatchOptions};
use gametape_samples::mines::{Tampering, record, scenarios};
use gametape_samples::murk::{HEAT, WEATHER};
use gametape_testkit::archive::Zip;
use gametape_testkit::mines::{mouse_of, remake};
use tempfile::TempDir;

use crate::common::tree;
use crate::delta::support as delta;
use crate::echo::support as echo;
use crate::kit;
use crate::murk::support as murk;

/// The names and the bytes of files.
type Files = Vec<(String, Vec<u8>)>;

/// A copy of a prepared folder.
pub fn copy(name: &str) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for (name, bytes) in files(name) {
        let path = copy.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    copy
}

fn files(folder: &str) -> &'static Files {
    macro_rules! folders {
        ($($name:literal => $make:expr,)*) => {
            match folder {
                $($name => {
                    static FILES: LazyLock<Files> = LazyLock::new(|| $make);
                    &FILES
                })*
                other => panic!("no folder is called {other}"),
            }
        };
    }
    folders! {
        "empty" => Files::new(),
        "all" => every_format(),
        "delta" => tree(delta::folder().path()),
        "delta/damaged" => damaged_captures(),
        "delta/other" => other_streams(),
        "delta/schemas" => schemas(),
        "echo" => tree(echo::folder().path()),
        "echo/odd" => odd_matches(),
        "matches" => matches(),
        "mines" => games(),
        "mines/two" => two_games(),
        "murk" => simulations(),
        "murk/broken" => broken_runs(),
        "murk/faulty" => faulty_runs(),
        "pictures" => pictures(),
        "ranking" => ranking(),
        "site" => site(),
    }
}

/// These files, and others.
fn with<N: Into<String>>(mut files: Files, more: impl IntoIterator<Item = (N, Vec<u8>)>) -> Files {
    files.extend(more.into_iter().map(|(name, bytes)| (name.into(), bytes)));
    files
}

/// Samples of every format, with what lies beside them.
fn every_format() -> Files {
    let formats = gametape::formats();
    let samples = formats
        .iter()
        .flat_map(|format| kit::samples(format.name()));
    let files = samples.flat_map(|sample| [vec![(sample.name, sample.bytes)], sample.beside]);
    files.flatten().collect()
}

/// The stream, and others that differ from it.
fn other_streams() -> Files {
    let stream = |change: &dyn Fn(&mut Vec<Snapshot>)| {
        let mut states = delta::states();
        change(&mut states);
        delta::packets_of(&Arena::schema(), &states).concat()
    };
    let set = |state: &mut Snapshot, entity, field, value| {
        let mut entity = state.entity_mut(entity).unwrap();
        entity.set_value(1, field, Value::UInt(value)).unwrap();
    };
    let packets = delta::packets();
    let whole = delta::capture(&packets, delta::with_keyframes());
    let mut timed = Writer::new(Vec::new(), &Arena::schema(), Options::default()).unwrap();
    for (packet, second) in packets.iter().zip(1_700_000_000_u64..) {
        timed.push_at(packet, second * 1_000_000_000).unwrap();
    }
    let files = [
        ("schema.json", delta::schema_json()),
        (
            "hull.delta",
            stream(&|states| set(&mut states[22], 3, 8, 3)),
        ),
        (
            "two-ships.delta",
            stream(&|states| {
                for state in &mut states[9..] {
                    for ship in [2, 4] {
                        set(state, ship, 7, 0);
                        set(state, ship, 8, 1);
                    }
                }
            }),
        ),
        (
            "ship-gone.delta",
            stream(&|states| {
                states[4].remove(2);
                states[30].entity_mut(1).unwrap().remove(1);
            }),
        ),
        (
            "component-gone.delta",
            stream(&|states| {
                states[30].entity_mut(1).unwrap().remove(1);
            }),
        ),
        (
            "gap.delta",
            stream(&|states| {
                states.remove(5);
            }),
        ),
        ("short.delta", stream(&|states| states.truncate(38))),
        ("cut.delta", packets.concat()[..900].to_vec()),
        ("cut.mcap", whole[..whole.len() * 2 / 3].to_vec()),
        ("end.mcap", whole[..whole.len() - 30].to_vec()),
        ("timed.mcap", timed.finish().unwrap()),
    ];
    with(tree(delta::folder().path()), files)
}

/// Captures with damaged chunks, checksums, ends and indices.
fn damaged_captures() -> Files {
    let packets = delta::packets();
    let whole = delta::chunked(&packets);
    let summary = mcap::Summary::read(&whole).unwrap().unwrap();
    let chunks = &summary.chunk_indexes;
    assert!(chunks.len() > 8);
    // A chunk: opcode, length, two times, uncompressed size, then its checksum.
    let crc = |at: u64| at as usize + 9 + 24;
    let flipped = |bytes: &[u8], at: usize, bits: u8| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= bits;
        bytes
    };
    let keyframes = Options {
        chunk_bytes: 600,
        ..delta::with_keyframes()
    };
    let keyframes = delta::capture(&packets, keyframes);
    let second = mcap::Summary::read(&keyframes).unwrap().unwrap();
    let second = second.chunk_indexes[1].chunk_start_offset;
    // The length of a tick, as text: 50,000,000 ns.
    let name = b"\x07\0\0\0tick_ns";
    let rate = whole.windows(name.len()).position(|window| window == name);
    let rate = rate.unwrap() + name.len() + 4;
    assert!(whole[rate..].starts_with(b"50000000"));
    let unsummed = crc(chunks[2].chunk_start_offset);
    let mut without_crc = whole.clone();
    without_crc[unsummed..unsummed + 4].fill(0);
    let index = *chunks[2].message_index_offsets.values().min().unwrap() as usize;
    let middle = |at: usize| (chunks[at].chunk_start_offset + chunks[at].chunk_length / 2) as usize;
    let last = chunks.last().unwrap();
    let end = last.chunk_start_offset + last.chunk_length + last.message_index_length;
    let half = &chunks[chunks.len() / 2];
    let files = [
        ("schema.json", delta::schema_json()),
        ("crc.mcap", flipped(&whole, crc(half.chunk_start_offset), 1)),
        ("crc-keyframes.mcap", flipped(&keyframes, crc(second), 1)),
        ("tick-length.mcap", flipped(&whole, rate, 2)),
        ("no-crc.mcap", without_crc),
        ("index-bit.mcap", flipped(&whole, index + 9 + 2 + 4, 1)),
        ("cut.mcap", whole[..middle(5)].to_vec()),
        ("no-index.mcap", whole[..end as usize].to_vec()),
        ("no-packet.mcap", whole[..middle(0)].to_vec()),
        ("ros.mcap", {
            let options = mcap::WriteOptions::new().profile("ros2");
            let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
            writer.finish().unwrap();
            writer.into_inner().into_inner()
        }),
    ];
    with(tree(delta::folder().path()), files)
}

/// The stream, with schemas that it can be carried to, and schemas that it can't.
fn schemas() -> Files {
    let changed = |change: &dyn Fn(&mut Vec<Component>)| {
        let mut components = Arena::schema().components().to_vec();
        change(&mut components);
        serde_json::to_vec(&Schema::new(components).unwrap()).unwrap()
    };
    let yaw = |codec| changed(&move |components| components[0].fields[6].codec = codec);
    let files = [
        (
            "wide.json",
            changed(&|components| {
                components[0].fields[6].codec = Codec::UInt { bits: 16 };
                let fuel = Field::new(9, Codec::VarUInt).named("fuel");
                components[0].fields.push(fuel);
            }),
        ),
        // Without shields and hulls, positions in tenths.
        (
            "poor.json",
            changed(&|components| {
                components.truncate(1);
                components[0].fields.truncate(7);
                for field in &mut components[0].fields[..3] {
                    field.codec = fixed(-5_000, 5_000, 10);
                }
            }),
        ),
        ("bool.json", yaw(Codec::Bool)),
        ("narrow.json", yaw(Codec::UInt { bits: 4 })),
        ("eleven.json", yaw(Codec::UInt { bits: 11 })),
        ("thirteen.json", yaw(Codec::UInt { bits: 13 })),
        (
            "other.json",
            changed(&|components| {
                components[0].fields[0].change = Change::Threshold { threshold_q: 9 };
                components[0].fields[6].codec = Codec::VarSInt;
                components[0].fields.remove(7);
                components[1].fields.push(Field::new(2, Codec::Bool));
                let flag = Component::new(9, [Field::new(1, Codec::Bool)]);
                components.push(flag.named("flag"));
            }),
        ),
        ("every.json", serde_json::to_vec(&every_codec()).unwrap()),
        ("large.json", vec![b' '; (4 << 20) + 1]),
        ("run.murk", gametape::murk::doc_example()),
    ];
    with(tree(delta::folder().path()), files)
}

const fn fixed(min_q: i64, max_q: i64, scale: u32) -> Codec {
    Codec::FixedPoint {
        min_q,
        max_q,
        scale,
    }
}

/// Every codec, with and without names and thresholds.
fn every_codec() -> Schema {
    let threshold = |field: Field, threshold_q| Field {
        change: Change::Threshold { threshold_q },
        ..field
    };
    let body = [
        Field::new(1, Codec::Bool).named("alive"),
        Field::new(2, Codec::UInt { bits: 1 }),
        Field::new(300, Codec::SInt { bits: 64 }).named("ränge"),
        threshold(Field::new(4, Codec::VarUInt), 3),
    ];
    let unnamed = [
        Field::new(1, Codec::VarSInt),
        threshold(Field::new(2, fixed(-1000, 1000, 100)), 5),
        Field::new(3, fixed(4, 4, 1)),
        Field::new(4, fixed(i64::MIN, i64::MAX, 3)),
    ];
    let body = Component::new(7, body).named("body");
    Schema::new([body, Component::new(3, unnamed)]).unwrap()
}

/// A match, and what is odd about others.
fn odd_matches() -> Files {
    let frames = echo::frames();
    let zip = echo::zip(&frames);
    let entry = (0..zip.len()).rfind(|at| zip[*at..].starts_with(b"PK\x01\x02"));
    let mut wrong_sum = zip.clone();
    wrong_sum[entry.unwrap() + 16] ^= 1;
    // The checksum of the second chunk, so far from its end.
    let wrong_chunk = |compression, from_end| {
        let options = butter::Options {
            keyframe_interval: 30,
            compression,
        };
        let mut bytes = butter::write(&frames, options).unwrap();
        let chunk = butter::read(&bytes).unwrap().chunks()[1];
        bytes[(chunk.offset + chunk.size) as usize - from_end] ^= 1;
        bytes
    };
    let mut changed = frames.clone();
    changed[40].session.teams[1].players[0].head.position[2] += 0.5;
    changed[41].session.blue_points += 1.0;
    let mut two = Zip::default();
    let (first, second) = (echo::text(&frames[..50]), echo::text(&frames[50..]));
    two.file(b"a.echoreplay", 8, &first[..first.len() - 2]);
    two.file(b"a.echoreplay", 8, &second);
    let empty = |name: &str| {
        let zip = ZipWriter::new(Cursor::new(Vec::new()), name, 1).unwrap();
        zip.finish().unwrap().into_inner()
    };
    let files = [
        ("sum.echoreplay", wrong_sum),
        ("sum-gzip.butter", wrong_chunk(Compression::Gzip, 8)),
        ("sum-zstd.butter", wrong_chunk(Compression::Zstd3, 4)),
        ("changed.butter", echo::butter(&changed)),
        ("two.zip", two.finish()),
        ("no-lines.echoreplay", empty("a.echoreplay")),
        ("words.zip", empty("words.txt")),
    ];
    with(tree(echo::folder().path()), files)
}

/// A world, its commands, and a recording of them; and another world.
fn simulations() -> Files {
    with(
        tree(murk::folder().path()),
        [("weather.toml", WEATHER.into())],
    )
}

/// The recording, and broken ones.
fn broken_runs() -> Files {
    let files = tree(murk::folder().path());
    let run = files.iter().find(|(name, _)| name == "run.murk").unwrap();
    let run = &run.1[..];
    let first = murk::header_size(run);
    let replay = gametape::murk::read(run).unwrap();
    let offsets: Vec<usize> = replay
        .frames()
        .map(|frame| frame.unwrap().offset as usize)
        .collect();
    let with_bytes = |at: usize, what: &[u8]| {
        let mut bytes = run.to_vec();
        bytes[at..at + what.len()].copy_from_slice(what);
        bytes
    };
    let flipped = |bits: &[(usize, u8)]| {
        let mut bytes = run.to_vec();
        for (at, bit) in bits {
            bytes[*at] ^= 1 << bit;
        }
        bytes
    };
    let in_first = (first + 2, 0);
    let more = [
        ("game.rmv", gametape_samples::mines::example()),
        ("bare.murk", without_world(run)),
        (
            "foreign.murk",
            murk::with_header(run, |header| {
                header.config_hash = 0;
                header.space_descriptor = b"\x00\xffspace".into();
            }),
        ),
        // In the world that it carries, in its first frame, and in its sixth.
        ("broken/cut", run[..first - 40].to_vec()),
        ("broken/first-frame", run[..first + 30].to_vec()),
        ("broken/sixth-frame", run[..offsets[6] - 4].to_vec()),
        ("broken/command", flipped(&[(first + 19, 0)])),
        ("broken/magic", with_bytes(0, b"m")),
        ("broken/version", with_bytes(4, &[2])),
        ("broken/huge", with_bytes(first + 8, &[0xFF; 4])),
        // The first command's length: all that follows looks like one frame that was cut.
        ("broken/swallowed", with_bytes(first + 14, &[0xFF])),
        ("broken/text", b"%PDF-1.7 and more".to_vec()),
        ("broken/letter", b"%".to_vec()),
        ("broken/one-bit", flipped(&[in_first])),
        (
            "broken/two-frames",
            flipped(&[in_first, (run.len() - 1, 3)]),
        ),
        (
            "broken/two-bits",
            flipped(&[in_first, (offsets[6] - 1, 0), (offsets[6] - 2, 0)]),
        ),
    ];
    let more: Vec<_> = more.into();
    with(files, more)
}

/// A recording as the origin's own programs write it.
fn without_world(run: &[u8]) -> Vec<u8> {
    murk::with_header(run, |header| {
        header.config_hash = 0;
        header.space_descriptor = (&[]).into();
    })
}

/// Commands that come to nothing: outranked, expired, and overwritten by the propagator.
const IN_VAIN: &str = r#"{"tick":2,"kind":"set_field","coord":[1,2],"field":"ink","value":6,"priority":2,"source_id":4}
{"tick":2,"kind":"set_field","coord":[1,2],"field":"ink","value":5,"priority":0}
{"tick":4,"kind":"set_field","coord":[1,2],"field":"ink","value":7,"expires_after_tick":3}
{"tick":5,"kind":"set_field","coord":[1,2],"field":"spread","value":8}
"#;

/// Recordings whose hashes are not those of their replay.
fn faulty_runs() -> Files {
    // The cell [1, 2].
    const CELL: usize = 6;
    let folder = murk::folder();
    let recorded = |name: &str, commands: &str| {
        let path = folder.path();
        fs::write(path.join("commands.jsonl"), commands).unwrap();
        murk::record(path, "pond.toml", "commands.jsonl", name).success();
        let bytes = fs::read(path.join(name)).unwrap();
        for name in ["commands.jsonl", name] {
            fs::remove_file(path.join(name)).unwrap();
        }
        bytes
    };
    let run = fs::read(folder.path().join("run.murk")).unwrap();
    let few = murk::DROPS
        .lines()
        .filter(|line| !line.contains(r#""tick":6"#));
    let few = recorded("few.murk", &few.collect::<Vec<_>>().join("\n"));
    let other = murk::DROPS.replace(r#""value":3,"#, r#""value":3.5,"#);
    let other = recorded("other.murk", &other);
    let vain = recorded("vain.murk", IN_VAIN);
    let bare = |run: &[u8]| murk::with_header(run, |header| header.space_descriptor = (&[]).into());
    let flipped = |(tick, field, bit)| {
        let (bytes, ..) = murk::with_flipped_value(&run, tick, field, CELL, bit);
        (format!("flipped/{tick}-{field}-{bit}.murk"), bytes)
    };
    let flips = [
        (3, 0, 30),
        (4, 0, 22),
        (4, 1, 3),
        (7, 0, 0),
        (7, 0, 31),
        (9, 0, 22),
        (9, 1, 31),
        (12, 0, 23),
    ];
    let in_vain = [(5, 0), (5, 1), (6, 1), (3, 2)].map(|(tick, field)| {
        let (bytes, ..) = murk::with_flipped_value(&vain, tick, field, CELL, 22);
        (format!("vain/{tick}-{field}.murk"), bytes)
    });
    let files = [
        ("lost.murk", murk::with_hashes_of(&run, &few)),
        ("bare.murk", bare(&run)),
        ("bare-other.murk", bare(&other)),
    ];
    let files = with(tree(folder.path()), files);
    with(with(files, flips.map(flipped)), in_vain)
}

/// A game, by a player with a token.
fn game(seed: u64, player: &[&str]) -> Game<'static> {
    let mut game = record(&scenarios()[0], seed).unwrap();
    game.player = PlayerFields::new(player).unwrap();
    game
}

fn rmv_files(games: &[(&str, Game<'static>)]) -> Files {
    let games = games.iter();
    let write = |(name, game): &(&str, _)| (format!("{name}.rmv"), rmv::write(game).unwrap());
    games.map(write).collect()
}

fn games() -> Files {
    // Tournament editions before 4.0 put the token into the result string.
    let mut tournament = record(&scenarios()[3], 1).unwrap();
    tournament.player = PlayerFields::new(["Ada"]).unwrap();
    let result = "\nLEVEL:Beginner#NICK:SECRET-TOKEN#\n".to_owned();
    tournament.encoding = Encoding::V1 {
        result: result.into(),
    };
    tournament.version_info = "Vienna Minesweeper - Tournament Edition".into();
    tournament.file_size = DeclaredSize::Exact;
    rmv_files(&[
        ("game", game(1, &["Ada", "ada", "UK", "SECRET-TOKEN"])),
        ("steering", game(1, &["A\u{1b}[2J\u{7}da"])),
        ("tournament", tournament),
    ])
}

/// Games that are to be compared, and names that are no plain text.
fn two_games() -> Files {
    let by = |seed, name, token| game(seed, &[name, name, "UK", token]);
    let first = by(1, "Ada", "TOKEN-ONE");
    // A pause of 25 ms in the middle, with a movement in it.
    let mut mouse = mouse_of(&first);
    let half = mouse.len() / 2;
    for event in &mut mouse[half..] {
        event.time_ms += 25;
    }
    let mut more = mouse[half - 1];
    more.time_ms += 10;
    more.x += 3;
    mouse.insert(half, more);
    let paused = remake(&first, &mouse).unwrap();
    rmv_files(&[
        ("game", first),
        ("paused", paused),
        ("other", by(2, "Ada", "TOKEN-ONE")),
        ("renamed", by(1, "Bob", "TOKEN-ONE")),
        ("token", by(1, "Ada", "TOKEN-TWO")),
        ("odd", by(1, "-A\u{1b}[31md\u{7}a, \"too\"", "T")),
        ("formula", by(1, "=1+1", "T")),
        ("minus", by(1, "-1", "T")),
        ("at", by(1, "@A1", "T")),
    ])
}

/// Matches of some seasons, and a game.
fn matches() -> Files {
    let seasons = (0..4).map(|number| {
        let options = MatchOptions {
            seed: number,
            frames: Some(20),
            players_per_team: 2,
            ..MatchOptions::default()
        };
        let season = 2021 + number % 3;
        let bytes = echo::zip(&Match::new(options).collect::<Vec<_>>());
        (
            format!("archive/{season}/match-{number:02}.echoreplay"),
            bytes,
        )
    });
    with(
        seasons.collect(),
        [("game.rmv", gametape_samples::mines::example())],
    )
}

/// The demo's games, and a simulation whose last hash is right, and wrong.
fn ranking() -> Files {
    let folder = tempfile::tempdir().unwrap();
    crate::ranking::demo(&folder.path().join("games"));
    let run = plate(5);
    let mut wrong = run.clone();
    *wrong.last_mut().unwrap() ^= 1;
    with(
        tree(folder.path()),
        [("run.murk", run), ("false.murk", wrong)],
    )
}

/// Heat on a plate.
fn plate(ticks: u64) -> Vec<u8> {
    let world = World::from_toml(HEAT).unwrap();
    gametape_samples::murk::record(&world, world.build().unwrap(), 1, ticks).unwrap()
}

/// Games to publish, a page, and a match.
fn site() -> Files {
    let other = record(&scenarios()[1], 9).unwrap();
    let files = [
        ("other.rmv", rmv::write(&other).unwrap()),
        ("match.echoreplay", echo::text(&echo::frames()[..10])),
    ];
    with(tree(crate::live::folder().path()), files)
}

/// A game that somebody tampered with, one that breaks off, and worlds.
fn pictures() -> Files {
    let game = gametape_samples::mines::example();
    let plate = plate(40);
    let files = [
        ("tampered.rmv", Tampering::BoardEvent.of(&game).unwrap()),
        ("cut.rmv", game[..game.len() - 300].to_vec()),
        ("game.rmv", game),
        ("bare.murk", without_world(&plate)),
        ("plate.murk", plate),
    ];
    with(Files::new(), files)
}
