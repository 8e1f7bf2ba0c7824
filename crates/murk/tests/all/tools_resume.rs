//! `record` with `resume`, on recordings that were cut, damaged, or both: it goes on to what an
//! undisturbed recorder would have made, or leaves everything as it is.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use gametape_core::Input;
use gametape_core::tape::{Error, Source};
use gametape_murk::engine::World;
use gametape_murk::read;
use gametape_murk::tape::{MurkTape, WorldFile};
use gametape_murk::tools::{Commands, RecordOptions, Recorded, index, index_path, record};

/// A pond of three by four squares, in which ink spreads.
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

/// Commands in two ticks of three, the first and the last among them; of all types.
fn commands(until: u64) -> Commands {
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
    Commands::read(lines.as_bytes(), Path::new("lines"), &world).unwrap()
}

struct Studio {
    _folder: tempfile::TempDir,
    path: PathBuf,
    /// What an undisturbed recorder makes.
    whole: Vec<u8>,
    /// Its index.
    index: Vec<u8>,
    /// Where its frames start, and where the last one ends.
    bounds: Vec<usize>,
}

impl Studio {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.murk");
        let mut studio = Self {
            _folder: folder,
            path,
            whole: Vec::new(),
            index: Vec::new(),
            bounds: Vec::new(),
        };
        studio.record(TICKS, false, &commands(TICKS)).unwrap();
        studio.whole = fs::read(&studio.path).unwrap();
        let input = Input::file(File::open(&studio.path).unwrap()).unwrap();
        let tape = MurkTape::new(Source::new(input).lying_at(&studio.path));
        studio.index = index(&tape).unwrap().bytes;
        let replay = read(&studio.whole).unwrap();
        let starts = replay
            .frames()
            .map(|frame| frame.unwrap().offset as usize)
            .chain([studio.whole.len()]);
        studio.bounds = starts.collect();
        assert_eq!(studio.bounds.len() as u64, TICKS + 1);
        studio
    }

    fn record(&self, ticks: u64, resume: bool, commands: &Commands) -> Result<Recorded, Error> {
        let options = RecordOptions {
            world: WorldFile {
                path: "pond.toml".into(),
                bytes: POND.into(),
            },
            ticks,
            output: self.path.clone(),
            resume,
        };
        record(&options, commands)
    }

    /// Puts a recording there, and an index or none.
    fn put(&self, bytes: &[u8], index: Option<&[u8]>) {
        fs::write(&self.path, bytes).unwrap();
        match index {
            Some(index) => fs::write(index_path(&self.path), index).unwrap(),
            None => drop(fs::remove_file(index_path(&self.path))),
        }
    }

    /// What is there now.
    fn there(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        let index = fs::read(index_path(&self.path)).ok();
        (fs::read(&self.path).unwrap(), index)
    }

    /// Goes on with these bytes: to the end, or not at all. Gives why not.
    fn go_on(&self, bytes: &[u8], commands: &Commands, what: &str) -> Option<String> {
        let mut refused = None;
        for beside in [None, Some(self.index.as_slice())] {
            self.put(bytes, beside);
            match self.record(TICKS, true, commands) {
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
            let mut damaged = studio.whole.clone();
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

/// A length that is damaged makes everything behind it look like one frame that was cut.
#[test]
fn a_length_that_swallows_frames_is_refused() {
    let studio = Studio::new();
    for (frame, behind) in [(0, 14), (0, 15), (99, 14), (199, 14)] {
        let mut damaged = studio.whole.clone();
        damaged[studio.bounds[frame] + behind] ^= 0x40;
        for commands in [commands(TICKS), Commands::none()] {
            studio.put(&damaged, None);
            let error = studio.record(TICKS, true, &commands).unwrap_err();
            assert_eq!(error.code(), "murk.payload-truncated");
            let message = error.to_string();
            assert!(
                message.starts_with(&format!("frame {frame} (tick {}, ", frame + 1))
                    && message.contains("`gametape repair`"),
                "{message}"
            );
            assert!(studio.there() == (damaged.clone(), None));
        }
    }
}

/// The engine counts ticks by itself: nothing else tells that a frame's tick is wrong.
#[test]
fn a_tick_that_is_not_the_next_one_is_refused() {
    let studio = Studio::new();
    let commands = Commands::none();
    // 200 is 0xc8: it becomes 72, 201, 456 and some more.
    for (frame, byte, bit) in [
        (199, 0, 0x80),
        (199, 0, 1),
        (199, 1, 1),
        (199, 7, 0x80),
        (0, 0, 1),
        (0, 0, 2),
        (99, 0, 4),
    ] {
        let mut damaged = studio.whole.clone();
        damaged[studio.bounds[frame] + byte] ^= bit;
        for ticks in [TICKS, TICKS + 10] {
            studio.put(&damaged, None);
            let error = studio.record(ticks, true, &commands).unwrap_err();
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

/// Cut at any byte of some frames, it goes on to the same bytes; damaged before the cut, it does not.
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
        // All of what will be cut off has to be what will be written again.
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

/// The commands of the frame that was cut are the caller's to give once more.
#[test]
fn a_cut_frame_with_other_commands_than_are_given_is_refused() {
    let studio = Studio::new();
    let (start, end) = (studio.bounds[99], studio.bounds[100]);
    for cut in start..end {
        studio.put(&studio.whole[..cut], None);
        let resumed = studio.record(TICKS, true, &Commands::none());
        // Behind its tick stands how many they are.
        if cut > start + 8 {
            let message = resumed.unwrap_err().to_string();
            assert!(message.contains("other commands"), "{message}");
            assert!(studio.there().0 == studio.whole[..cut]);
        } else {
            assert_eq!(resumed.unwrap().dropped as usize, cut - start);
        }
    }
    // Where nothing is to be made, what is cut off is looked at as well.
    let before = commands(99);
    studio.put(&studio.whole[..end - 1], None);
    assert!(studio.record(99, true, &before).is_err());
    assert!(studio.there().0 == studio.whole[..end - 1]);
    studio.put(&studio.whole[..start + 8], None);
    let recorded = studio.record(99, true, &before).unwrap();
    assert_eq!((recorded.ticks, recorded.dropped), (0, 8));
    assert!(studio.there().0 == studio.whole[..start]);
}

/// What is beside the recording and can mend it.
#[test]
fn an_index_that_can_mend_is_not_lost() {
    let studio = Studio::new();
    let index = Some(studio.index.as_slice());
    // A bit that no state depends on, in a tick whose commands are not given: 300, a source.
    let at = studio.bounds[7] + 12 + 5 + 8 + 2;
    assert_eq!(studio.whole[at..at + 2], [0x2c, 1]);
    let mut damaged = studio.whole.clone();
    damaged[at] ^= 1;
    for ticks in [TICKS, TICKS + 10] {
        studio.put(&damaged, index);
        let error = studio.record(ticks, true, &Commands::none()).unwrap_err();
        assert_eq!(error.code(), "murk.frame-changed");
        assert_eq!(
            error.to_string(),
            format!(
                "frame 7 (tick 8, byte {}): the frame is not what it was when the index was made: bit 0 of byte {} is flipped; nothing was changed: `gametape repair` turns it back",
                grouped(studio.bounds[7]),
                grouped(at)
            )
        );
        assert!(studio.there() == (damaged.clone(), Some(studio.index.clone())));
    }
    // Two bits can't be turned back, but are seen.
    damaged[at] ^= 2;
    studio.put(&damaged, index);
    let error = studio.record(TICKS, true, &Commands::none()).unwrap_err();
    assert_eq!(error.code(), "murk.frame-changed");
    assert!(!error.to_string().contains("turns it back"), "{error}");
    assert!(studio.there() == (damaged, Some(studio.index.clone())));
    // A damaged header is not another world.
    let mut header = studio.whole.clone();
    header[60] ^= 1;
    studio.put(&header, index);
    let error = studio.record(TICKS, true, &Commands::none()).unwrap_err();
    assert_eq!(error.code(), "murk.header-changed");
    assert!(studio.there() == (header, Some(studio.index.clone())));
}

/// It goes only where it fitted, and fits no more.
#[test]
fn an_index_goes_when_the_recording_outgrows_it() {
    let studio = Studio::new();
    let commands = commands(TICKS);
    let index = Some(studio.index.as_slice());
    studio.put(&studio.whole, index);
    studio.record(TICKS, true, &commands).unwrap();
    assert!(studio.there() == (studio.whole.clone(), Some(studio.index.clone())));
    studio.record(TICKS + 1, true, &commands).unwrap();
    assert!(studio.there().1.is_none());
    // Of a recording that was cut since, it stays, and fits again.
    studio.put(&studio.whole[..studio.bounds[50] + 3], index);
    studio.record(60, true, &self::commands(60)).unwrap();
    assert!(studio.there().1.as_ref() == Some(&studio.index));
    studio.record(TICKS, true, &commands).unwrap();
    assert!(studio.there() == (studio.whole.clone(), Some(studio.index.clone())));
    // One that is damaged itself says nothing, and is left where it is.
    for at in [0, 20, 48, 300] {
        let mut broken = studio.index.clone();
        broken[at] ^= 1;
        studio.put(&studio.whole, Some(&broken));
        studio.record(TICKS + 1, true, &commands).unwrap();
        assert!(studio.there().1 == Some(broken));
    }
}

fn grouped(number: usize) -> String {
    format!("{},{:03}", number / 1000, number % 1000)
}
