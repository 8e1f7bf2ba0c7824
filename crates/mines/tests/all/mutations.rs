//! The effect of every single-byte change of a file.
//!
//! Run with `--nocapture` to see the percentages that the book quotes.

use std::collections::BTreeMap;

use gametape_mines::rmv::{self, Findings, Severity};
use gametape_mines::{Encoding, Event, Game, Outcome};
use gametape_samples::mines::{record, scenarios};

use crate::common::real_files;

/// The purpose of a byte of a recording.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Region {
    Signature,
    CloneVersion,
    Sizes,
    ResultString,
    Text,
    Counts,
    BoardTime,
    BoardSize,
    Cells,
    Properties,
    SkinName,
    EventCode,
    MouseTime,
    MouseButtons,
    MousePosition,
    BoardEventCell,
    Ending,
    Tail,
    Checksum,
}

impl Region {
    /// Whether a change of this region can give another valid recording. Nobody can tell it from a
    /// genuine one, as long as nobody can verify the checksum.
    fn may_be_silent(self) -> bool {
        matches!(
            self,
            Self::CloneVersion
                | Self::Text
                | Self::ResultString
                | Self::BoardTime
                | Self::Properties
                | Self::SkinName
                | Self::MouseTime
                | Self::MousePosition
                | Self::Checksum
        )
    }
}

/// The region of every byte of a valid recording.
fn regions(game: &Game<'_>, len: usize) -> Vec<Region> {
    let mut map: Vec<Region> = Vec::with_capacity(len);
    let mut put = |region, count: usize| map.resize(map.len() + count, region);
    put(Region::Signature, 6);
    let v2 = matches!(game.encoding, Encoding::V2 { .. });
    if v2 {
        put(Region::CloneVersion, 2);
    }
    put(Region::Sizes, 22);
    if let Encoding::V1 { result } = &game.encoding {
        put(Region::ResultString, result.as_bytes().len());
    }
    put(Region::Text, game.version_info.as_bytes().len());
    put(Region::Counts, 2);
    for field in game.player.iter() {
        put(Region::Counts, 1);
        put(Region::Text, field.len());
    }
    put(Region::BoardTime, 4);
    put(Region::BoardSize, 2);
    put(Region::Counts, 2);
    put(Region::Cells, 2 * game.board.mines.len());
    if let Some(flags) = &game.preflags {
        put(Region::Counts, 2);
        put(Region::Cells, 2 * flags.len());
    }
    put(Region::Properties, game.properties.len());
    if let Encoding::V2 { extensions, .. } = &game.encoding {
        put(Region::Counts, 2);
        for extension in extensions.iter() {
            put(Region::Counts, 1);
            put(Region::SkinName, extension.name.len());
            put(Region::Counts, 1);
            put(Region::SkinName, extension.value.len());
        }
    }
    for event in &game.events {
        put(Region::EventCode, 1);
        match event {
            Event::Mouse(mouse) if mouse.reduced => {
                put(Region::MouseTime, 1);
                put(Region::MousePosition, 1);
            }
            Event::Mouse(_) => {
                put(Region::MouseTime, 3);
                put(Region::MouseButtons, 1);
                put(Region::MousePosition, 4);
            }
            Event::Board(_) => put(Region::BoardEventCell, 2),
            Event::Timestamp(_) => put(Region::Tail, 4),
        }
    }
    put(Region::Ending, 4);
    put(Region::Tail, game.tail.len());
    put(Region::Checksum, game.checksum.len());
    assert_eq!(map.len(), len, "the map covers the file");
    map
}

#[derive(Default, Clone, Copy)]
struct Shares {
    error: u64,
    finding: u64,
    silent: u64,
}

impl Shares {
    fn add(&mut self, other: Self) {
        self.error += other.error;
        self.finding += other.finding;
        self.silent += other.silent;
    }
}

type Table = BTreeMap<Region, Shares>;

/// Counts the results of changing each byte.
fn survey(name: &str, bytes: &[u8], changes: impl Fn(usize) -> Vec<u8>) -> Table {
    let mut table = Table::new();
    let game = rmv::read(bytes).unwrap();
    let map = regions(&game, bytes.len());
    let won = game
        .ending
        .is_some_and(|ending| ending.outcome == Outcome::Win);
    let told =
        |findings: &Findings| -> Vec<String> { findings.iter().map(ToString::to_string).collect() };
    let before = told(&rmv::audit(bytes).findings);
    let mut changed = bytes.to_vec();
    for (at, &region) in map.iter().enumerate() {
        for change in changes(at) {
            changed[at] ^= change;
            let findings = rmv::audit(&changed).findings;
            let shares = table.entry(region).or_default();
            if findings.worst() == Some(Severity::Error) {
                shares.error += 1;
            } else if told(&findings) != before {
                shares.finding += 1;
            } else {
                shares.silent += 1;
                // In a game that was not won, the content of the closed cells was never shown.
                let unseen = region == Region::Cells && !won;
                assert!(
                    region.may_be_silent() || unseen,
                    "{name}: byte {at} ({region:?}) ^ {change:#x} goes unnoticed"
                );
            }
            if let Ok(game) = rmv::read(&changed) {
                assert_eq!(
                    rmv::write(&game).unwrap(),
                    changed,
                    "{name}: byte {at} ^ {change:#x}"
                );
            }
            changed[at] ^= change;
        }
    }
    table
}

/// Surveys files in parallel and prints the results.
fn survey_all<C: Fn(usize) -> Vec<u8>>(
    files: &[(String, Vec<u8>)],
    changes: impl Fn(&[u8]) -> C + Sync,
) {
    let mut table = Table::new();
    std::thread::scope(|scope| {
        let changes = &changes;
        let surveys: Vec<_> = files
            .iter()
            .map(|(name, bytes)| scope.spawn(move || survey(name, bytes, changes(bytes))))
            .collect();
        for (region, shares) in surveys.into_iter().flat_map(|one| one.join().unwrap()) {
            table.entry(region).or_default().add(shares);
        }
    });
    let mut all = Shares::default();
    for (region, shares) in table {
        let total = shares.error + shares.finding + shares.silent;
        let percent = |n: u64| 100.0 * n as f64 / total as f64;
        eprintln!(
            "{:<16} {total:>8} changes: {:5.1}% error, {:5.1}% finding, {:5.1}% silent",
            format!("{region:?}"),
            percent(shares.error),
            percent(shares.finding),
            percent(shares.silent)
        );
        all.add(shares);
    }
    let total = all.error + all.finding + all.silent;
    eprintln!(
        "all {total} changes: {:.2}% error, {:.2}% finding, {:.2}% silent",
        100.0 * all.error as f64 / total as f64,
        100.0 * all.finding as f64 / total as f64,
        100.0 * all.silent as f64 / total as f64
    );
}

#[test]
fn every_byte_of_the_real_files_counts() {
    let files: Vec<_> = real_files()
        .into_iter()
        .filter(|(_, bytes)| rmv::read(bytes).is_ok())
        .collect();
    // Small files get every change; large ones get a few changes per byte, unless all are requested
    // (minutes in release mode, an hour otherwise).
    let all = gametape_testkit::cases::exhaustive();
    survey_all(&files, |bytes| {
        let size = bytes.len();
        move |at| match size {
            0..1_000 => (1..=255).collect(),
            1_000..20_000 if all => (1..=255).collect(),
            1_000..20_000 => vec![0x01, 0x80],
            _ if all || at.is_multiple_of(8) => vec![0x01, 0x80],
            _ => Vec::new(),
        }
    });
}

#[test]
fn every_byte_of_synthetic_files_counts() {
    let files: Vec<_> = scenarios()
        .iter()
        .map(|scenario| {
            (
                scenario.name.to_owned(),
                rmv::write(&record(scenario, 11).unwrap()).unwrap(),
            )
        })
        .filter(|(_, bytes)| bytes.len() < 3000)
        .collect();
    survey_all(&files, |_| |_| vec![0x01, 0x10, 0xFF]);
}
