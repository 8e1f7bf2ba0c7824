//! `record` with `resume` on recordings that were cut, damaged, or both: it gives the bytes of an
//! undisturbed recorder, or leaves everything unchanged.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gametape_core::tape::Error;
use gametape_core::text::Grouped;
use gametape_murk::engine::World;
use gametape_murk::engine::own::Kinds;
use gametape_murk::tape::WorldFile;
use gametape_murk::tools::{CommandList, RecordOptions, Recorded, index, index_path, record};

use crate::common::bounds;
use crate::common::tapes::{open, temporary};

/// A pond of three by four squares in which ink spreads.
const POND: &str = r#"dt = 0.1

[space]
kind = "square4"
rows = 3
cols = 4
edge = "absorb"

[[field]]
name = "ink"
type = "scalar"
mutability = "sparse"

[[field]]
name = "spread"
type = "scalar"
mutability = "per_tick"

[[propagator]]
kind = "scalar_diffusion"
input_field = "ink"
output_field = "spread"
coefficient = 0.5
"#;

const TICKS: u64 = 200;

/// Commands of all types in two of three ticks, with the first and the last.
fn commands(until: u64) -> CommandList {
    let mut lines = String::new();
    for tick in (1..=until).filter(|tick| tick % 3 != 0) {
        let (row, col) = (tick % 3, tick % 4);
        let line = match tick % 9 {
            1 => r#""kind":"move","entity_id":12,"target":[1,2]"#,
            2 => r#""kind":"spawn","coord":[0,1],"values":[["ink",0.5],["spread",2]]"#,
            4 => r#""kind":"custom","type_id":9,"data":"00ff10ff00""#,
            5 => r#""kind":"set_parameter","key":3,"value":0.25,"expires_after_tick":900"#,
            7 => r#""kind":"set_parameter_batch","parameters":[[3,0.25],[4,1e300]]"#,
            _ => r#""kind":"despawn","entity_id":7,"source_id":300,"source_seq":1"#,
        };
        // Writing to a string does not fail.
        let _ = writeln!(lines, r#"{{"tick":{tick},{line}}}"#);
        let _ = writeln!(
            lines,
            r#"{{"tick":{tick},"kind":"set_field","coord":[{row},{col}],"field":"ink","value":{tick}}}"#
        );
    }
    let world = World::from_toml(POND).unwrap();
    CommandList::read(lines.as_bytes(), Path::new("lines"), &world).unwrap()
}

/// The recording of an undisturbed recorder, its index, and the offsets of its frames with the end.
/// It is made once; the tests damage copies of it.
static MADE: LazyLock<(Vec<u8>, Vec<u8>, Vec<usize>)> = LazyLock::new(|| {
    let (_folder, path) = temporary("run.murk");
    record_at(&path, TICKS, false, &commands(TICKS)).unwrap();
    let whole = fs::read(&path).unwrap();
    let index = index(&open(&path)).unwrap().bytes;
    let bounds = bounds(&whole);
    assert_eq!(bounds.len() as u64, TICKS + 1);
    (whole, index, bounds)
});

struct Studio {
    /// Removed when dropped.
    #[expect(dead_code)]
    folder: tempfile::TempDir,
    path: PathBuf,
    whole: &'static [u8],
    index: &'static [u8],
    bounds: &'static [usize],
}

fn record_at(
    path: &Path,
    ticks: u64,
    resume: bool,
    commands: &CommandList,
) -> Result<Recorded, Error> {
    let options = RecordOptions {
        world: Some(WorldFile {
            path: "pond.toml".into(),
            bytes: POND.into(),
            kinds: Kinds::new(),
        }),
        ticks,
        output: path.to_owned(),
        resume,
        ..RecordOptions::default()
    };
    record(&options, commands)
}

impl Studio {
    fn new() -> Self {
        let (folder, path) = temporary("run.murk");
        let (whole, index, bounds) = &*MADE;
        Self {
            folder,
            path,
            whole,
            index,
            bounds,
        }
    }

    /// Resumes the recording.
    fn resume(&self, ticks: u64, commands: &CommandList) -> Result<Recorded, Error> {
        record_at(&self.path, ticks, true, commands)
    }

    /// Writes the recording, and an index or none.
    fn put(&self, bytes: &[u8], index: Option<&[u8]>) {
        fs::write(&self.path, bytes).unwrap();
        match index {
            Some(index) => fs::write(index_path(&self.path), index).unwrap(),
            None => drop(fs::remove_file(index_path(&self.path))),
        }
    }

    /// Returns the current files.
    fn there(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        let index = fs::read(index_path(&self.path)).ok();
        (fs::read(&self.path).unwrap(), index)
    }

    /// Resumes these bytes: to the end, or not at all. Returns why not.
    fn go_on(&self, bytes: &[u8], commands: &CommandList, what: &str) -> Option<String> {
        let mut refused = None;
        for beside in [None, Some(self.index)] {
            self.put(bytes, beside);
            match self.resume(TICKS, commands) {
                Ok(_) => assert!(
                    self.there().0 == self.whole,
                    "{what}: gone on to another end"
                ),
                Err(error) => {
                    let before = (bytes.to_vec(), beside.map(<[u8]>::to_vec));
                    assert!(self.there() == before, "{what}: not left alone: {error}");
                    refused = Some(error.to_string());
                }
            }
        }
        refused
    }
}

/// Every byte of the first frames, of some in the middle, and of the last ones; some of the header;
/// with an index and without.
#[test]
fn damage_is_refused_and_everything_is_left_as_it_was() {
    let studio = Studio::new();
    let commands = commands(TICKS);
    let header = (0..studio.bounds[0]).step_by(13);
    let frames = [0, 1, 99, 100, 199].map(|frame| studio.bounds[frame]..studio.bounds[frame + 1]);
    for at in header.chain(frames.into_iter().flatten()) {
        for damage in [0x40, 0xff] {
            let mut damaged = studio.whole.to_vec();
            damaged[at] ^= damage;
            let what = format!("byte {at} ^ {damage}");
            let refused = studio.go_on(&damaged, &commands, &what).expect(&what);
            // With the index, a bit is turned back.
            if damage != 0xff {
                assert!(refused.contains("`gametape repair`"), "{what}: {refused}");
            }
        }
    }
}

/// The engine has its own count of ticks: nothing else reveals that a frame's tick is wrong.
#[test]
fn a_tick_that_is_not_the_next_one_is_refused() {
    let studio = Studio::new();
    let commands = CommandList::none();
    // 200 is 0xc8; it becomes 72, 201, 456 and others.
    for (frame, byte, bit) in [
        (199, 0, 0x80),
        (199, 0, 1),
        (199, 1, 1),
        (199, 7, 0x80),
        (0, 0, 1),
        (0, 0, 2),
        (99, 0, 4),
    ] {
        let mut damaged = studio.whole.to_vec();
        damaged[studio.bounds[frame] + byte] ^= bit;
        for ticks in [TICKS, TICKS + 10] {
            studio.put(&damaged, None);
            let error = studio.resume(ticks, &commands).unwrap_err();
            let message = error.to_string();
            assert!(
                ["murk.tick-order", "murk.tick-gap"].contains(&error.code())
                    && message.starts_with(&format!("frame {frame} ("))
                    && message.contains("`gametape repair`"),
                "{message}"
            );
            assert!(studio.there() == (damaged.clone(), None));
        }
    }
}

/// Cut at any byte of some frames, it continues to the same bytes; damaged before the cut, it does
/// not.
#[test]
fn what_was_cut_goes_on_and_what_was_damaged_as_well_does_not() {
    let studio = Studio::new();
    let commands = commands(TICKS);
    for frame in [0, 199] {
        let (start, end) = (studio.bounds[frame], studio.bounds[frame + 1]);
        for cut in start..end {
            let left = &studio.whole[..cut];
            assert_eq!(
                studio.go_on(left, &commands, &format!("cut at {cut}")),
                None
            );
        }
        // The part that is cut off must be equal to the bytes that are written again.
        for cut in [end - 1, end - 9, start + 30] {
            for at in start..cut {
                let mut damaged = studio.whole[..cut].to_vec();
                damaged[at] ^= 0x10;
                let what = format!("byte {at}, cut at {cut}");
                let refused = studio.go_on(&damaged, &commands, &what).expect(&what);
                assert!(refused.contains("`gametape repair`"), "{what}: {refused}");
            }
        }
    }
}

/// The caller must give the commands of the cut frame again.
#[test]
fn a_cut_frame_with_other_commands_than_are_given_is_refused() {
    let studio = Studio::new();
    let (start, end) = (studio.bounds[99], studio.bounds[100]);
    for cut in start..end {
        studio.put(&studio.whole[..cut], None);
        let resumed = studio.resume(TICKS, &CommandList::none());
        // The number of commands follows the tick.
        if cut > start + 8 {
            let message = resumed.unwrap_err().to_string();
            assert!(message.contains("other commands"), "{message}");
            assert!(studio.there().0 == studio.whole[..cut]);
        } else {
            assert_eq!(resumed.unwrap().dropped as usize, cut - start);
        }
    }
    // If there are no ticks to make, the cut part is still checked.
    let before = commands(99);
    studio.put(&studio.whole[..end - 1], None);
    assert!(studio.resume(99, &before).is_err());
    assert!(studio.there().0 == studio.whole[..end - 1]);
    studio.put(&studio.whole[..start + 8], None);
    let recorded = studio.resume(99, &before).unwrap();
    assert_eq!((recorded.ticks, recorded.dropped), (0, 8));
    assert!(studio.there().0 == studio.whole[..start]);
}

/// An index beside the recording that can mend it.
#[test]
fn an_index_that_can_mend_is_not_lost() {
    let studio = Studio::new();
    let index = Some(studio.index);
    // A bit that no state depends on, in a tick without given commands: 300, a source.
    let at = studio.bounds[7] + 12 + 5 + 8 + 2;
    assert_eq!(studio.whole[at..at + 2], [0x2c, 1]);
    let mut damaged = studio.whole.to_vec();
    damaged[at] ^= 1;
    for ticks in [TICKS, TICKS + 10] {
        studio.put(&damaged, index);
        let error = studio.resume(ticks, &CommandList::none()).unwrap_err();
        assert_eq!(error.code(), "murk.frame-changed");
        assert_eq!(
            error.to_string(),
            format!(
                "frame 7 (tick 8, byte {}): the frame is not what it was when the index was made: bit 0 of byte {} is flipped; nothing was changed: `gametape repair` turns it back",
                Grouped(studio.bounds[7] as u64),
                Grouped(at as u64)
            )
        );
        assert!(studio.there() == (damaged.clone(), Some(studio.index.to_vec())));
    }
    // Two bits can't be flipped back, but are noticed.
    damaged[at] ^= 2;
    studio.put(&damaged, index);
    let error = studio.resume(TICKS, &CommandList::none()).unwrap_err();
    assert_eq!(error.code(), "murk.frame-changed");
    assert!(!error.to_string().contains("turns it back"), "{error}");
    assert!(studio.there() == (damaged, Some(studio.index.to_vec())));
    // A damaged header is not another world.
    let mut header = studio.whole.to_vec();
    header[60] ^= 1;
    studio.put(&header, index);
    let error = studio.resume(TICKS, &CommandList::none()).unwrap_err();
    assert_eq!(error.code(), "murk.header-changed");
    assert!(studio.there() == (header, Some(studio.index.to_vec())));
}

/// It is removed only if it matched the recording, which has outgrown it.
#[test]
fn an_index_goes_when_the_recording_outgrows_it() {
    let studio = Studio::new();
    let commands = commands(TICKS);
    let index = Some(studio.index);
    studio.put(studio.whole, index);
    studio.resume(TICKS, &commands).unwrap();
    assert!(studio.there() == (studio.whole.to_vec(), Some(studio.index.to_vec())));
    studio.resume(TICKS + 1, &commands).unwrap();
    assert!(studio.there().1.is_none());
    // If the recording was cut since, the index stays and matches again.
    studio.put(&studio.whole[..studio.bounds[50] + 3], index);
    studio.resume(60, &self::commands(60)).unwrap();
    assert!(studio.there().1.as_ref() == Some(&studio.index.to_vec()));
    studio.resume(TICKS, &commands).unwrap();
    assert!(studio.there() == (studio.whole.to_vec(), Some(studio.index.to_vec())));
    // A damaged index proves nothing, and stays.
    for at in [0, 20, 48, 300] {
        let mut broken = studio.index.to_vec();
        broken[at] ^= 1;
        studio.put(studio.whole, Some(&broken));
        studio.resume(TICKS + 1, &commands).unwrap();
        assert!(studio.there().1 == Some(broken));
    }
}
