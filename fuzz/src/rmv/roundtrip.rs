//! Writing what was read gives the same bytes; converted, repaired and redacted recordings can be
//! written.

use arbitrary::Unstructured;
use gametape_mines::rmv::{
    self, Loss, Personal, ReadOptions, Repair, ResultString, SIGNATURE, Salvaged, WriteError,
};
use gametape_mines::{
    DeclaredSize, Encoding, Event, Game, MouseEvent, V1_CELL_SIZE, Version, replay,
};

use super::{structured, writer};

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
            writer::check(&game, &mut script);
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
