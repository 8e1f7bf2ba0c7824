//! Files of the reference: the frames read from them against the recorded ones and against the reference's
//! own reading.

use std::collections::BTreeMap;

use crate::common::walk::different;
use crate::common::{check_reference, lines, read_strictly, tape};
use gametape_echo::{Frame, Stats};

const TAPES: [(&str, u16); 3] = [("a_single", 300), ("b_scenario", 5), ("c_combat", 4)];

struct Tape {
    /// The recorded frames.
    recorded: Vec<Frame>,
    /// The frames that the reference reads from its file.
    decoded: Vec<Frame>,
    /// Its files, not compressed and gzip.
    files: [Vec<u8>; 2],
}

fn load(name: &str, interval: u16) -> Option<Tape> {
    Some(Tape {
        recorded: lines(&tape(&format!("{name}.echoreplay"))?),
        // The reference spells both possible members of a position, with null for one.
        decoded: lines(&tape(&format!("{name}.k{interval}.refdecoded.txt"))?),
        files: [
            tape(&format!("{name}.k{interval}.none.butter"))?,
            tape(&format!("{name}.k{interval}.gzip.butter"))?,
        ],
    })
}

#[test]
fn within_the_drift_of_what_was_recorded() {
    for (name, interval) in TAPES {
        let Some(tape) = load(name, interval) else {
            return;
        };
        let [none, gzip] = tape.files.each_ref().map(|bytes| read_strictly(bytes));
        assert!(none == gzip);
        assert_eq!(none.frames.len(), tape.recorded.len());
        for (at, keyframe) in none.keyframes.into_iter().enumerate() {
            assert_eq!(keyframe, at % usize::from(interval) == 0);
        }
        // Five frames do not show the writer, and timers that go on are left out. The timers of keyframes
        // are not stored, and those of the frame before belong to another pause.
        let excused: &[&str] = match name {
            "b_scenario" => &["paused_timer", "unpaused_timer"],
            _ => &[],
        };
        let (bounds, _) = check_reference(&tape.recorded, &tape.files[0], name, excused);
        // The excused fields are really off, or else the excuse is not needed.
        if name == "b_scenario" {
            assert!(bounds.worst["paused_timer"] > 1.0 && bounds.worst["unpaused_timer"] > 1.0);
        }
    }
}

/// Fields in which the reference misreads its own files. It reads a part that is left out as 0, where we
/// keep the old value, and it takes a difference for a value.
fn faults(name: &str) -> BTreeMap<&'static str, Vec<usize>> {
    let faults: &[(&str, &[usize])] = match name {
        "a_single" => &[],
        "b_scenario" => &[
            // Differences that it reads as values.
            ("paused_timer", &[3, 4]),
            ("team.stats", &[3, 4, 7, 8, 9, 11]),
            ("team.possession_time", &[3, 4, 7, 8, 9, 11]),
            // A frame that leaves out pauses has none.
            ("restart_request", &[11]),
        ],
        _ => &[
            ("points", &[1, 2, 3, 5, 6]),
            ("team.stats", &[1, 2, 3, 5, 6]),
            ("team.possession_time", &[1, 2, 3, 5, 6]),
        ],
    };
    let faults = faults
        .iter()
        .map(|(field, frames)| (*field, frames.to_vec()));
    faults.collect()
}

#[test]
fn reads_the_same_bits_as_the_reference_except_its_faults() {
    for (name, interval) in TAPES {
        let Some(tape) = load(name, interval) else {
            return;
        };
        let read = read_strictly(&tape.files[0]).frames;
        assert_eq!(read.len(), tape.decoded.len());
        let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (a, b)) in tape.decoded.iter().zip(&read).enumerate() {
            // Spectators have no stats; the reference reads zeros.
            let mut a = a.clone();
            let spectators = &mut a.session.teams[2].stats;
            assert_eq!(spectators.take(), Some(Stats::default()));
            assert_eq!(b.session.teams[2].stats, None);
            for field in different(&a, b) {
                found.entry(field).or_default().push(at);
            }
        }
        assert_eq!(found, faults(name), "{name}");
    }
}
