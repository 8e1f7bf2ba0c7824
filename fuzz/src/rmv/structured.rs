//! Builds games of any parts that the public API accepts.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use gametape_mines::rmv::EventLog;
use gametape_mines::{
    Board, BoardEvent, Buttons, Cell, Cells, DeclaredSize, Encoding, Ending, Event, Extensions,
    Face, Game, MouseAction, MouseEvent, Outcome, PlayerFields, Text, Version, property,
};

/// A game that is usually valid.
pub(super) fn game(script: &mut Unstructured<'_>) -> Result<Game<'static>> {
    let version = if script.arbitrary()? {
        Version::V1
    } else {
        Version::V2
    };
    let mut game = Game::new(version, board(script)?);
    let (cols, rows) = (game.board.cols, game.board.rows);
    game.file_size = match script.arbitrary::<u8>()? {
        0 => DeclaredSize::Other(script.arbitrary()?),
        1..=127 => DeclaredSize::LessTwo,
        _ => DeclaredSize::Exact,
    };
    game.version_info = text(script, 40)?;
    game.player = player(script)?;
    game.preflags = match script.arbitrary::<u8>()? % 3 {
        0 => None,
        1 => Some(Cells::default()),
        _ => Some(cells(script, cols, rows)?),
    };
    game.properties = properties(script, &game)?;
    match &mut game.encoding {
        Encoding::V1 { result } => *result = text(script, 120)?,
        Encoding::V2 {
            clone_id,
            clone_major,
            extensions,
        } => {
            (*clone_id, *clone_major) = script.arbitrary()?;
            let count = script.int_in_range(0..=4)?;
            let list: Vec<_> = (0..count)
                .map(|_| Ok((text(script, 20)?.0, bytes(script, 20)?)))
                .collect::<Result<_>>()?;
            *extensions = Extensions::new(list).expect("short texts");
        }
    }
    let time = script.arbitrary::<u32>()?;
    game.ending = Outcome::from_code(15 + script.arbitrary::<u8>()? % 4).map(|outcome| Ending {
        outcome,
        time_ms: if time >> 28 == 0 {
            time
        } else {
            time & 0xFF_FFFF
        },
    });
    game.tail = match script.arbitrary::<u8>()? % 8 {
        0 => bytes(script, 12)?.into(),
        1..4 => Cow::Borrowed(&[]),
        _ => Game::canonical_tail(version, time & 0xFF_FFFF)
            .to_vec()
            .into(),
    };
    game.checksum = match script.arbitrary::<u8>()? % 4 {
        0 => bytes(script, 40)?.into(),
        1 => Cow::Borrowed(&[]),
        _ => Cow::Borrowed(b"not a real checksu"),
    };
    let log_version = match script.arbitrary::<u8>()? {
        0 => Version::V1,
        1 => Version::V2,
        _ => version,
    };
    game.events = events(script, log_version, cols, rows)?;
    Ok(game)
}

fn board(script: &mut Unstructured<'_>) -> Result<Board<'static>> {
    let (cols, rows, sound): (u8, u8, u8) = script.arbitrary()?;
    let (cols, rows) = if sound < 4 {
        (cols, rows)
    } else {
        (cols % 10 + 1, rows % 10 + 1)
    };
    Ok(Board {
        timestamp: script.arbitrary()?,
        cols,
        rows,
        mines: cells(script, cols, rows)?,
    })
}

/// Cells in row-major order without duplicates, or any cells.
fn cells(script: &mut Unstructured<'_>, cols: u8, rows: u8) -> Result<Cells<'static>> {
    let any = script.arbitrary::<u8>()? == 0;
    let list = bytes(script, 30)?;
    if any {
        return Ok(list
            .as_chunks()
            .0
            .iter()
            .map(|&[col, row]| Cell::new(col, row))
            .collect());
    }
    let all = (0..rows).flat_map(|row| (0..cols).map(move |col| Cell::new(col, row)));
    let set = |(at, cell)| {
        let at: usize = at;
        (list.get(at / 8)? >> (at % 8) & 1 == 1).then_some(cell)
    };
    Ok(all.enumerate().filter_map(set).collect())
}

fn player(script: &mut Unstructured<'_>) -> Result<PlayerFields<'static>> {
    let count = match script.arbitrary::<u8>()? {
        0 => script.arbitrary::<u8>()?.into(),
        1..=60 => 1,
        _ => 4,
    };
    let fields = (0..count)
        .map(|_| Ok(text(script, 16)?.0))
        .collect::<Result<Vec<_>>>()?;
    Ok(PlayerFields::new(fields).expect("short texts"))
}

fn properties(script: &mut Unstructured<'_>, game: &Game<'_>) -> Result<Cow<'static, [u8]>> {
    let mut list = game.properties.to_vec();
    match script.arbitrary::<u8>()? {
        0 => return Ok(bytes(script, 12)?.into()),
        byte @ 1..=20 => list.extend(0..byte),
        _ => {}
    }
    let mut set = |at: usize, value: u8| {
        if let Some(property) = list.get_mut(at) {
            *property = value;
        }
    };
    let (mode, bits, size): (u8, u8, u8) = script.arbitrary()?;
    set(property::MARKS, bits & 1);
    set(property::NF, bits >> 1 & 1);
    match game.version() {
        Version::V1 => {
            set(property::MODE, mode % 5);
            set(property::UTF8, bits >> 2 & 1);
        }
        Version::V2 => {
            set(property::MODE, mode % 15);
            set(property::BBBV_LOW, mode);
            set(property::BBBV_HIGH, bits >> 6);
            set(property::CELL_SIZE, size);
        }
    }
    Ok(list.into())
}

/// Mouse and board events; checks that the log refuses events completely or not at all.
fn events(
    script: &mut Unstructured<'_>,
    version: Version,
    cols: u8,
    rows: u8,
) -> Result<EventLog<'static>> {
    let mut log = EventLog::empty(version);
    let mut pushed = Vec::new();
    let mut last = (0u32, 0i32, 0i32, Buttons::NONE);
    // The rest of the script is left for later use.
    let end = script.len() / 8;
    while script.len() > end {
        let kind: u8 = script.arbitrary()?;
        let event = match kind {
            0..=159 => {
                let mouse = mouse(script, kind, last)?;
                last = (mouse.time_ms, mouse.x, mouse.y, mouse.buttons);
                Event::Mouse(mouse)
            }
            160..=249 => {
                let (code, col, row): (u8, u8, u8) = script.arbitrary()?;
                let cell = if code < 250 {
                    Cell::new(col % cols.max(1), row % rows.max(1))
                } else {
                    Cell::new(col, row)
                };
                let number = Face::Number(code >> 2);
                let face = Face::from_code(9 + code % 19).unwrap_or(number);
                Event::Board(BoardEvent { cell, face })
            }
            _ => Event::Timestamp(script.arbitrary()?),
        };
        let shortest = kind & 1 == 1;
        let before = (log.as_bytes().len(), log.len(), log.last_time_ms());
        let push = if shortest {
            EventLog::push_shortest
        } else {
            EventLog::push
        };
        if push(&mut log, event).is_ok() {
            pushed.push((event, shortest));
        } else {
            let after = (log.as_bytes().len(), log.len(), log.last_time_ms());
            assert_eq!(before, after, "{event:?} was refused");
        }
    }
    assert_eq!(log.len() as usize, pushed.len());
    for (read, &(mut event, shortest)) in log.iter().zip(&pushed) {
        if let (true, Event::Mouse(event), Event::Mouse(read)) = (shortest, &mut event, read) {
            event.reduced = read.reduced;
        }
        assert_eq!(read, event);
    }
    assert_eq!(log.iter().count(), pushed.len());
    Ok(log)
}

/// Usually a little later and a little further than the previous event.
fn mouse(
    script: &mut Unstructured<'_>,
    kind: u8,
    (time_ms, x, y, buttons): (u32, i32, i32, Buttons),
) -> Result<MouseEvent> {
    let action = MouseAction::from_code(kind & 7).unwrap_or(MouseAction::Move);
    let reduced = kind & 0x18 == 0x18;
    Ok(if kind < 150 {
        let (later, dx, dy): (u8, i8, i8) = script.arbitrary()?;
        let small = |step: i8| i32::from(if kind & 0x20 == 0 { step } else { step >> 4 });
        MouseEvent {
            action,
            time_ms: time_ms.saturating_add(later.into()),
            buttons: buttons.after(action),
            x: x.saturating_add(small(dx)),
            y: y.saturating_add(small(dy)),
            reduced,
        }
    } else {
        MouseEvent {
            action,
            time_ms: script.arbitrary::<u32>()? >> (kind & 15),
            buttons: Buttons(script.arbitrary()?),
            x: script.arbitrary::<i32>()? >> (kind & 31),
            y: script.arbitrary::<i32>()? >> (kind & 31),
            reduced,
        }
    })
}

fn bytes(script: &mut Unstructured<'_>, max: usize) -> Result<Vec<u8>> {
    let len = script.int_in_range(0..=max)?.min(script.len());
    Ok(script.bytes(len)?.to_vec())
}

/// Usually valid UTF-8.
fn text(script: &mut Unstructured<'_>, max: usize) -> Result<Text<'static>> {
    let any = script.arbitrary::<u8>()? < 8;
    let bytes = bytes(script, max)?;
    Ok(if any {
        Text(bytes.into())
    } else {
        String::from_utf8_lossy(&bytes).into_owned().into()
    })
}
