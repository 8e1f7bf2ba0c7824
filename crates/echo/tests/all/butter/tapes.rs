//! Files of the reference: what is read of them, against what was recorded and against what the
//! reference itself reads.

use std::collections::BTreeMap;

use crate::common::walk::different;
use crate::common::{check_compat, lines, read_strictly, tape};
use gametape_echo::{Frame, Stats};

const TAPES: [(&str, u16); 3] = [("a_single", 300), ("b_scenario", 5), ("c_combat", 4)];

struct Tape {
    /// What was recorded.
    recorded: Vec<Frame>,
    /// What the reference reads of what it wrote.
    decoded: Vec<Frame>,
    /// What it wrote, not compressed and gzip.
    files: [Vec<u8>; 2],
}

fn load(name: &str, interval: u16) -> Option<Tape> {
    Some(Tape {
        recorded: lines(&tape(&format!("{name}.echoreplay"))?),
        // The reference gives both members that a position may be, and null for the one it is not.
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
        // Five frames show nothing of who wrote them, and timers that go on are left out; the
        // timers of keyframes are not stored, and those of the frame before are another pause's.
        let excused: &[&str] = match name {
            "b_scenario" => &["paused_timer", "unpaused_timer"],
            _ => &[],
        };
        let (bounds, _) = check_compat(&tape.recorded, &tape.files[0], name, excused);
        // Those that are excused are off, or there is nothing to excuse.
        if name == "b_scenario" {
            assert!(bounds.worst["paused_timer"] > 1.0 && bounds.worst["unpaused_timer"] > 1.0);
        }
    }
}

/// Where the reference misreads its own files, by field: all of it where a part of a frame is left
/// out, which for it is 0 and for us what it was; and what is a difference, which for it is not.
fn faults(name: &str) -> BTreeMap<&'static str, Vec<usize>> {
    let faults: &[(&str, &[usize])] = match name {
        "a_single" => &[],
        "b_scenario" => &[
            // Differences, read as what they differ to.
            ("paused_timer", &[3, 4]),
            ("team.stats", &[3, 4, 7, 8, 9, 11]),
            ("team.possession_time", &[3, 4, 7, 8, 9, 11]),
            // None of a frame that leaves out pauses.
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
fn to_the_last_bit_what_the_reference_reads_but_for_its_faults() {
    for (name, interval) in TAPES {
        let Some(tape) = load(name, interval) else {
            return;
        };
        let read = read_strictly(&tape.files[0]).frames;
        assert_eq!(read.len(), tape.decoded.len());
        let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (a, b)) in tape.decoded.iter().zip(&read).enumerate() {
            // Spectators have no stats, of which the reference makes zeros.
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
