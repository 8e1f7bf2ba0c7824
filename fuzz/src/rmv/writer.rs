//! Kills and resumes a recorder.

use std::io::Cursor;

use arbitrary::Unstructured;
use gametape_mines::rmv::{self, EventLog, ReadOptions, Writer};
use gametape_mines::{DeclaredSize, Ending, Event, Game};

/// Records `game` event by event; kills the recorder at a byte that `script` selects.
pub(super) fn check(game: &Game<'_>, script: &mut Unstructured<'_>) {
    let Some(ending) = game.ending else {
        return;
    };
    let mut shortest = game.clone().into_owned();
    shortest.events = EventLog::empty(game.version());
    for event in &game.events {
        if shortest.events.push_shortest(event).is_err() {
            return;
        }
    }
    // A recorder writes only the real size, or that minus 2.
    if let DeclaredSize::Other(_) = shortest.file_size {
        shortest.file_size = DeclaredSize::Exact;
    }
    let Ok(expected) = rmv::write(&shortest) else {
        return;
    };
    let mut empty = shortest.clone();
    empty.events = EventLog::empty(game.version());
    let mut file = Cursor::new(Vec::new());
    let mut writer = Writer::new(&mut file, empty).expect("the same sections");
    for event in &game.events {
        writer.push(event).expect("the same event");
    }
    drop(writer);
    let unfinished = file.into_inner();
    let mut file = Cursor::new(unfinished.clone());
    let (writer, _) = Writer::resume(&mut file).expect("unfinished");
    writer.finish(ending).expect("it can be finished");
    let finished = rmv::read(file.get_ref()).expect("it was finished");
    same_play(&finished, &shortest);

    let mut file = Cursor::new(Vec::new());
    let mut writer = Writer::new(&mut file, shortest.clone()).expect("events as well");
    writer.flush().expect("memory");
    writer.finish(ending).expect("it can be finished");
    assert_eq!(file.get_ref(), &expected, "a recorder writes other bytes");

    let video = unfinished.len() - shortest.events.as_bytes().len();
    let cut = script
        .int_in_range(video..=unfinished.len())
        .unwrap_or(video);
    killed(&unfinished[..cut], &shortest);
}

fn killed(left: &[u8], game: &Game<'_>) {
    let ending = game.ending.expect("it was written");
    let reading = rmv::read_with(left, ReadOptions::lenient()).expect("the sections are whole");
    let kept = reading.game.events.len() as usize;
    let events: Vec<Event> = game.events.iter().collect();
    assert!(
        reading
            .game
            .events
            .iter()
            .eq(events.iter().copied().take(kept))
    );
    if let Some(&next) = events.get(kept) {
        let mut log = reading.game.events.clone();
        log.push_shortest(next).expect("it was there");
        let lost = log.as_bytes().len() as u64 + log.offset();
        assert!(lost > left.len() as u64, "a whole event was not found");
    }
    let (writer, resumed) =
        Writer::resume(Cursor::new(left.to_vec())).expect("no termination event");
    let whole = writer.position() as usize;
    assert_eq!(resumed.events as usize, kept);
    assert_eq!(resumed.dropped as usize, left.len() - whole);
    // With and without the incomplete event at its end.
    for held in [&left[..whole], left] {
        let resumed = resume(held, &events[kept..], ending);
        same_play(&rmv::read(&resumed).expect("it was finished"), game);
        // Nothing more is recorded: the game ends where it was cut.
        let resumed = resume(held, &[], ending);
        let ended = rmv::read(&resumed).expect("it was finished");
        assert_eq!(ended.events, reading.game.events);
        assert_eq!(ended.ending, Some(ending));
    }
}

/// Resumes the recording `held`, records `events`, and finishes it.
fn resume(held: &[u8], events: &[Event], ending: Ending) -> Vec<u8> {
    let mut file = Cursor::new(held.to_vec());
    let (mut writer, _) = Writer::resume(&mut file).expect("no termination event");
    for &event in events {
        writer.push(event).expect("it was written before");
    }
    writer.finish(ending).expect("it can be finished");
    file.into_inner()
}

/// A resumed recording has lost its tail and checksum, because they were not in the file yet.
fn same_play(a: &Game<'_>, b: &Game<'_>) {
    assert_eq!(a.board, b.board);
    assert_eq!(a.events, b.events);
    assert_eq!(a.ending, b.ending);
    assert_eq!(a.player, b.player);
    assert_eq!(a.encoding, b.encoding);
}
