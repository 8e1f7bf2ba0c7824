//! A part of a stream has the states of the whole, and the original packets as far as they do not
//! build on earlier ones.

use std::io::Cursor;

use gametape_capture::Options as Written;
use gametape_core::At;
use gametape_core::tape::{Cut, Cutout, Options, Tape, Work};
use proptest::prelude::*;

use super::{Recording, assert_clean};
use crate::common::{SHAPES, bytes_of, capture_of, schema, small, stream};

fn cut(recording: &Recording, range: Cut) -> Result<(Vec<u8>, Cutout), String> {
    let mut out = Cursor::new(Vec::new());
    let tape: &dyn Tape = &*recording.tape;
    let cutout = tape.cut(&range, &Options::new(), &mut out, &Work::default());
    let cutout = cutout.map_err(|error| error.to_string())?;
    Ok((out.into_inner(), cutout))
}

fn opened(bytes: Vec<u8>, name: &str) -> Recording {
    Recording::of(bytes, name, &schema())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_part_has_the_states_of_the_whole(
        shape in 0..SHAPES.len(), from in 1..50_u32, length in 0..50_u32, bare: bool, again in 0..20_u32,
    ) {
        let (full_every, lag, added) = SHAPES[shape];
        let (packets, states) = stream(50, 7, full_every, lag);
        let name = if bare { "a.delta" } else { "a.mcap" };
        let whole = if bare {
            packets.concat()
        } else {
            capture_of(&packets, Written { keyframe_every: added, tick_ns: Some(1000), ..small() })
        };
        let to = (from + length).min(50);
        let ticks = |from: u32, to: u32| Cut::new(
            Some(At::Tick(from.into())),
            Some(At::Tick(to.into())),
        );
        let (bytes, cutout) = cut(&opened(whole.clone(), name), ticks(from, to)).unwrap();
        prop_assert_eq!(&cutout.kept.steps, &(u64::from(from) - 1..u64::from(to)));
        if cutout.kept.is_all {
            prop_assert!(bytes == whole);
        }
        prop_assert_eq!(cutout.converted.beside.len(), usize::from(bare));
        assert_clean(&bytes_or_capture(&bytes, bare));
        let part = opened(bytes.clone(), name);
        let opened_part = part.packets().packets().unwrap();
        for state in &states[from as usize - 1..to as usize] {
            prop_assert_eq!(&opened_part.state_at(state.tick()).unwrap(), state);
        }
        // Packets that do not need earlier ones are unchanged.
        let kept: Vec<&Vec<u8>> = packets[from as usize - 1..to as usize].iter().collect();
        let all = bytes_of(&opened_part);
        for packet in kept.iter().skip(lag as usize) {
            let found = all.windows(packet.len()).any(|window| window == packet.as_slice());
            prop_assert!(found, "a packet that stays as it was");
        }
        let notes = &cutout.converted.notes;
        let rebuilt = (from + 1..=to).any(|tick| {
            let is_full = (tick - 1).is_multiple_of(full_every);
            !is_full && tick.saturating_sub(lag).max(1) < from
        });
        prop_assert_eq!(!notes.is_empty(), rebuilt, "{:?}", notes);
        // A part of a part is a part of the whole.
        let inner = ticks(from + again.min(to - from), to);
        let (of_part, _) = cut(&part, inner).unwrap();
        let of_part = opened(of_part, name);
        let of_part = of_part.packets().packets().unwrap();
        for state in states.iter().filter(|state| state.tick() >= from + again && state.tick() <= to) {
            prop_assert_eq!(&of_part.state_at(state.tick()).unwrap(), state);
        }
    }
}

/// Bare packets have no index that could be wrong; in a capture they are nevertheless checked.
fn bytes_or_capture(bytes: &[u8], bare: bool) -> Vec<u8> {
    if !bare {
        return bytes.to_vec();
    }
    let recording = opened(bytes.to_vec(), "a.delta");
    recording.convert("capture", &Options::new()).unwrap().0
}

#[test]
fn what_is_lost_within_a_range_refuses_it_and_behind_it_does_not() {
    let (packets, _) = stream(40, 5, 100, 1);
    let mut broken = capture_of(&packets, small());
    broken.truncate(broken.len() * 2 / 3);
    let recording = opened(broken, "a.mcap");
    let range = |to: Option<u64>| Cut::new(Some(At::Tick(3)), to.map(At::Tick));
    assert!(cut(&recording, range(Some(6))).is_ok());
    assert!(cut(&recording, range(None)).is_err());
    let mut missing = packets;
    missing.remove(9);
    let recording = opened(missing.concat(), "a.delta");
    assert!(cut(&recording, range(Some(9))).is_ok());
    assert!(cut(&recording, range(Some(12))).unwrap_err().contains("10"));
}
