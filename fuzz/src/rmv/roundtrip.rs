//! Writing what was read gives the same bytes; converted, repaired and redacted recordings can be
//! written; a recorder can be killed and resumed.

use std::io::Cursor;

use arbitrary::Unstructured;
use gametape_mines::rmv::{
    self, EventLog, Loss, Personal, ReadOptions, Repair, ResultString, SIGNATURE, Salvaged,
    WriteError, Writer,
};
use gametape_mines::{
    DeclaredSize, Encoding, Ending, Event, Game, MouseEvent, V1_CELL_SIZE, Version, replay,
};

use super::structured;

/// Bytes that start like a recording are treated as one:
///
/// - A recording that strict reading accepts is written back byte for byte.
/// - Converted to the other version, it can be written and read. It has the same board, ending,
///   3BV, events and course of play, and so does the result of converting it back.
/// - Redacted, it can be written, and contains no personal data except what is to be kept.
/// - The result of salvage can be written, and reads strictly with the same content. Each dropped
///   byte is reported. An intact file stays unchanged, and salvage gives up only if the right value
///   is not in the file.
///
/// Other bytes are a script from which a [`Game`] is built with the public API, valid or not:
///
/// - An event that the log refuses leaves no trace in it; the others are read back unchanged.
/// - A written game is read back equal.
/// - A recorder writes the same bytes. If it is killed at any byte, it leaves a prefix of the
///   events; after resuming, the result is a valid file with all events.
pub fn rmv_roundtrip(data: &[u8]) {
    if data.starts_with(&SIGNATURE) {
        file(data);
    } else {
        let mut script = Unstructured::new(data);
        if let Ok(game) = structured::game(&mut script) {
            built(&game);
            recorder(&game, &mut script);
        }
    }
}

fn built(game: &Game<'_>) {
    let Ok(bytes) = rmv::write(game) else {
        return;
    };
    let read = rmv::read(&bytes).expect("what was written");
    let mut expected = game.clone();
    if let DeclaredSize::Other(_) = expected.file_size {
        // A number that happened to be right.
        expected.file_size = read.file_size;
    }
    assert_eq!(read, expected);
    file(&bytes);
}

fn file(data: &[u8]) {
    let read = rmv::read(data);
    if let Ok(game) = &read {
        let written = rmv::write(game).expect("what was read");
        assert_eq!(written, data, "not the bytes it was read from");
        conversion(game);
        redaction(game);
    }
    let (written, salvaged) = match rmv::salvage(data) {
        Ok(salvaged) => salvaged,
        Err(error) => {
            assert!(!is_mendable(data), "not hopeless: {error}");
            return;
        }
    };
    match &read {
        Ok(game) => {
            assert!(salvaged.repairs.is_empty(), "{:?}", salvaged.repairs);
            assert_eq!(game, &salvaged.game);
        }
        Err(error) => assert!(!salvaged.repairs.is_empty(), "not mended: {error}"),
    }
    assert_eq!(rmv::write(&salvaged.game).as_ref(), Ok(&written));
    let again = rmv::read(&written).expect("what was written");
    assert_eq!(again, salvaged.game);
    if let Some(dropped) = dropped(data, &salvaged) {
        assert_eq!(
            written.len() + dropped,
            data.len(),
            "{:?}",
            salvaged.repairs
        );
    }
}

/// True if the file breaks only rules that salvage can handle.
fn is_mendable(data: &[u8]) -> bool {
    const MENDABLE: [&str; 13] = [
        "rmv.event-cell",
        "rmv.event-code",
        "rmv.event-cut",
        "rmv.event-position",
        "rmv.event-reduced-first",
        "rmv.event-time-order",
        "rmv.event-time-range",
        "rmv.file-size-wrong",
        "rmv.section-size",
        "rmv.tail-size",
        "rmv.termination-missing",
        "rmv.trailing-bytes",
        "rmv.truncated",
    ];
    let Ok(reading) = rmv::read_with(data, ReadOptions::lenient()) else {
        return false;
    };
    let mut findings = reading.findings.iter();
    findings.all(|finding| MENDABLE.contains(&finding.code()))
}

/// The number of bytes that the repairs report as dropped; `None` if something was put in their
/// place.
fn dropped(data: &[u8], salvaged: &Salvaged) -> Option<usize> {
    salvaged.repairs.iter().try_fold(0, |sum, repair| {
        Some(
            sum + match repair {
                Repair::FileSize { .. } => 0,
                Repair::Slack { bytes, .. } | Repair::TrailingBytes { bytes } => *bytes as usize,
                Repair::Lost(Loss::Checksum) => {
                    let reading = rmv::read_with(data, ReadOptions::lenient());
                    reading.ok()?.game.checksum.len()
                }
                _ => return None,
            },
        )
    })
}

fn other(version: Version) -> Version {
    match version {
        Version::V1 => Version::V2,
        Version::V2 => Version::V1,
    }
}

fn conversion(game: &Game<'_>) {
    let (same, losses) = rmv::convert(game, game.version()).expect("nothing to do");
    assert_eq!(&same, game);
    assert!(losses.is_empty());

    let Ok(there) = converted(game, other(game.version())) else {
        return;
    };
    match converted(&there, game.version()) {
        Ok(_) => {}
        // Small cells become large ones, so that v1 can express more than v2.
        Err(WriteError::PositionRange { .. }) if game.cell_size() < V1_CELL_SIZE => {}
        // A result string cannot quote its separators.
        Err(WriteError::Invalid(_)) if unquotable(game) => {}
        Err(error) => panic!("no way back: {error}"),
    }
}

/// Whether a name would end its value in a result string.
fn unquotable(game: &Game<'_>) -> bool {
    let player = &game.player;
    player.name().contains(&b'#') || player.nickname().contains(&b'#')
}

fn converted(game: &Game<'_>, to: Version) -> Result<Game<'static>, WriteError> {
    let (converted, losses) = rmv::convert(game, to)?;
    assert_eq!(converted.version(), to);
    let bytes = rmv::write(&converted).unwrap_or_else(|error| panic!("converted: {error}"));
    assert_eq!(rmv::read(&bytes).expect("what was written"), converted);

    assert_eq!(converted.board, game.board);
    assert_eq!(converted.preflags, game.preflags);
    assert_eq!(converted.ending, game.ending);
    assert_eq!(converted.mode(), game.mode());
    assert_eq!(converted.marks(), game.marks());
    assert_eq!(converted.declared_nf(), game.declared_nf());
    assert_eq!(converted.declared_level(), game.declared_level());
    if let Some(bbbv) = game.declared_bbbv() {
        assert_eq!(
            converted.declared_bbbv(),
            Some(bbbv),
            "3BV changed in silence"
        );
    }

    let kept = || {
        game.events
            .iter()
            .filter(|event| !matches!(event, Event::Timestamp(_)))
    };
    let dropped = match to {
        Version::V1 => 0,
        Version::V2 => game.events.len() - kept().count() as u32,
    };
    assert_eq!(converted.events.len(), game.events.len() - dropped);
    let named = losses.contains(&Loss::TimestampEvents { count: dropped });
    assert_eq!(named, dropped > 0);
    let same_events = |a: Event, b: Event| match (a, b) {
        (Event::Mouse(a), Event::Mouse(b)) => {
            let cell = |event: &MouseEvent, game: &Game<'_>| event.cell(game.cell_size());
            cell(&a, game) == cell(&b, &converted)
                && (a.action, a.time_ms, a.buttons) == (b.action, b.time_ms, b.buttons)
                && (game.cell_size() != V1_CELL_SIZE || (a.x, a.y) == (b.x, b.y))
        }
        (a, b) => a == b,
    };
    for (before, after) in kept().zip(&converted.events) {
        assert!(same_events(before, after), "{before:?} became {after:?}");
    }
    let (before, after) = (replay(game), replay(&converted));
    assert_eq!(before.status, after.status);
    // Where cells get another size, two pixels may become one.
    if game.cell_size() == V1_CELL_SIZE {
        assert_eq!(before.moved.is_some(), after.moved.is_some());
        assert_eq!(before.unmoved.is_some(), after.unmoved.is_some());
    }
    if game.cell_size() == V1_CELL_SIZE || before.moved.is_none() {
        assert_eq!(before.divergence.is_some(), after.divergence.is_some());
    }
    Ok(converted)
}

fn redaction(game: &Game<'_>) {
    let named = [Personal::Name, Personal::Country, Personal::Date];
    for keep in [&[][..], &named, &Personal::ALL] {
        let (redacted, losses) = rmv::redact(game, keep);
        let bytes = rmv::write(&redacted).unwrap_or_else(|error| panic!("redacted: {error}"));
        assert_eq!(rmv::read(&bytes).expect("what was written"), redacted);
        assert_eq!(losses.is_empty(), &redacted == game, "{losses:?}");
        assert_eq!(rmv::redact(&redacted, keep), (redacted.clone(), Vec::new()));
        let keeps = |what: Personal| keep.contains(&what);
        if keeps(Personal::Name) {
            assert_eq!(redacted.player.name(), game.player.name());
        }
        if keeps(Personal::Date) {
            assert_eq!(redacted.board.timestamp, game.board.timestamp);
        }
        if keep.is_empty() {
            anonymous(&redacted);
        }
        assert!(keeps(Personal::Token) || redacted.player.token().is_empty());
    }
}

/// Asserts that no personal data is left.
fn anonymous(game: &Game<'_>) {
    assert!(game.player.iter().all(<[u8]>::is_empty));
    assert_eq!(game.board.timestamp, 0);
    let dated = |event| matches!(event, Event::Timestamp(1..));
    assert!(!game.events.iter().any(dated));
    match &game.encoding {
        Encoding::V1 { result } => {
            for (key, value) in ResultString::parse(result.as_bytes()).iter() {
                let nobody = match key {
                    b"NAME" | b"NICK" => value.is_empty(),
                    b"TIMESTAMP" => value.is_empty() || value == b"0",
                    _ => true,
                };
                assert!(nobody, "{}", key.escape_ascii());
            }
        }
        Encoding::V2 { extensions, .. } => {
            let mut names = extensions.iter().map(|extension| extension.name);
            assert!(names.all(|name| name == b"clone_name"));
        }
    }
}

/// Records `game` event by event; kills the recorder at a byte that `script` selects.
fn recorder(game: &Game<'_>, script: &mut Unstructured<'_>) {
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
