//! RMV: Minesweeper.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use gametape_mines::rmv::{self, Reading, ResultString, SalvageError};
use gametape_mines::{DeclaredSize, Encoding, Event, Game, Level, Metrics, Mode, Outcome, Version};
use serde_json::{Map, Value, json};

use crate::format::{Adapter, Check, Convert, Converted, Dump, Partial, Repaired, Secrets};
use crate::info::printable;
use crate::source::Source;
use crate::{Audit, Error, Finding, Format, Info, Severity, Work};

/// What stands for a secret.
const HIDDEN: &str = "<hidden>";

pub(crate) struct Rmv;

fn broken(path: &Path, error: &rmv::Error) -> Error {
    Error::Broken {
        path: path.to_owned(),
        code: error.code(),
        offset: error.offset(),
        message: error.to_string(),
    }
}

fn unwritable(path: &Path, error: &rmv::WriteError) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        message: error.to_string(),
    }
}

/// What is wrong with a file that was read leniently: its first error.
fn problem(path: &Path, reading: &Reading<'_>) -> Option<Error> {
    let finding = reading.findings.iter().next()?;
    Some(Error::Broken {
        path: path.to_owned(),
        code: finding.code(),
        offset: finding.offset,
        message: rmv::Error::from(finding.clone()).to_string(),
    })
}

impl Adapter for Rmv {
    fn extensions(&self) -> &'static [&'static str] {
        &["rmv"]
    }

    fn sniff(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(&rmv::SIGNATURE)
    }

    fn header(
        &self,
        path: &Path,
        bytes: &Source,
        secrets: Secrets,
    ) -> Result<Partial<Info>, Error> {
        let options = rmv::ReadOptions {
            strictness: rmv::Strictness::Lenient,
            ..rmv::ReadOptions::default()
        };
        let game = options
            .header(bytes)
            .map_err(|error| broken(path, &error))?;
        Ok(Partial {
            value: info(path, bytes, &game, None, secrets),
            problem: None,
        })
    }

    fn info(&self, path: &Path, bytes: &Source, secrets: Secrets) -> Result<Partial<Info>, Error> {
        let reading = rmv::read_lenient(bytes).map_err(|error| broken(path, &error))?;
        let game = &reading.game;
        // The termination event counts as one, as in the specification.
        let frames = u64::from(game.events.len()) + u64::from(game.ending.is_some());
        Ok(Partial {
            value: info(path, bytes, game, Some(frames), secrets),
            problem: problem(path, &reading),
        })
    }

    fn audit(&self, _path: &Path, bytes: &Source, _check: &Check) -> Result<Audit, Error> {
        let audit = rmv::audit(bytes);
        Ok(Audit {
            summary: audit
                .metrics
                .as_ref()
                .map(|metrics| summary(metrics, audit.game.as_ref().and_then(Game::mode)))
                .unwrap_or_default(),
            findings: audit.findings.iter().map(finding).collect(),
        })
    }

    fn stats(&self, path: &Path, bytes: &Source) -> Result<Partial<Map<String, Value>>, Error> {
        let reading = rmv::read_lenient(bytes).map_err(|error| broken(path, &error))?;
        Ok(Partial {
            value: stats(&Metrics::of(&reading.game)),
            problem: problem(path, &reading),
        })
    }

    fn dump(
        &self,
        path: &Path,
        bytes: &Source,
        wanted: &Dump,
        out: &mut dyn Write,
    ) -> io::Result<Result<Partial<()>, Error>> {
        let reading = match rmv::read_lenient(bytes) {
            Ok(reading) => reading,
            Err(error) => return Ok(Err(broken(path, &error))),
        };
        dump(&reading.game, wanted.tick, out)?;
        Ok(Ok(Partial {
            value: (),
            problem: problem(path, &reading),
        }))
    }

    fn convert<'a>(
        &self,
        path: &Path,
        bytes: &'a Source,
        _to: Format,
        convert: &Convert,
        _work: &Work<'_>,
    ) -> Result<Converted<'a>, Error> {
        let mut game = rmv::read(bytes).map_err(|error| broken(path, &error))?;
        let mut losses = Vec::new();
        let unwritable = |error| unwritable(path, &error);
        if convert.redact {
            let (redacted, lost) = rmv::redact(&game);
            game = redacted;
            losses.extend(lost.iter().map(ToString::to_string));
        }
        let to = match convert.version {
            None => game.version(),
            Some(1) => Version::V1,
            Some(2) => Version::V2,
            Some(other) => {
                return Err(Error::NoConversion {
                    path: path.to_owned(),
                    from: Format::Rmv,
                    to: format!("rmv v{other}: versions 1 and 2 exist"),
                });
            }
        };
        if to != game.version() {
            let (converted, lost) = rmv::convert(&game, to).map_err(unwritable)?;
            game = converted;
            losses.extend(lost.iter().map(ToString::to_string));
        }
        Ok(Converted {
            notes: Vec::new(),
            content: rmv::write(&game).map_err(unwritable)?.into(),
            losses,
            report: None,
            beside: Vec::new(),
        })
    }

    fn repair<'a>(
        &self,
        path: &Path,
        bytes: &'a Source,
        _work: &Work<'_>,
    ) -> Result<Repaired<'a>, Error> {
        let salvaged = rmv::salvage(bytes).map_err(|error| match error {
            SalvageError::Read(error) => broken(path, &error),
            other => Error::Unwritable {
                path: path.to_owned(),
                message: other.to_string(),
            },
        })?;
        Ok(Repaired {
            content: rmv::write(&salvaged.game)
                .map_err(|error| unwritable(path, &error))?
                .into(),
            lossy: salvaged.repairs.iter().any(rmv::Repair::is_loss),
            actions: salvaged.repairs.iter().map(ToString::to_string).collect(),
            beside: Vec::new(),
        })
    }
}

fn finding(finding: &rmv::Finding) -> Finding {
    Finding {
        code: finding.code(),
        severity: match finding.severity() {
            rmv::Severity::Info => Severity::Info,
            rmv::Severity::Warning => Severity::Warning,
            rmv::Severity::Error => Severity::Error,
        },
        offset: finding.offset,
        tick: finding.time_ms.map(u64::from),
        event: finding.event.map(u64::from),
        message: printable(&finding.message()),
        place: finding.place(),
    }
}

/// `expert win 34.884 s, 3BV 128, 3.67 3BV/s`.
fn summary(metrics: &Metrics, mode: Option<Mode>) -> String {
    let outcome = metrics.outcome.map_or("unfinished", Outcome::name);
    let mut text = format!(
        "{} {outcome} {}.{:03} s, 3BV {}",
        metrics.level.name(),
        metrics.time_ms / 1000,
        metrics.time_ms % 1000,
        metrics.board.bbbv
    );
    if let Some(speed) = metrics.bbbv_per_s() {
        // Writing to a string does not fail.
        let _ = write!(text, ", {speed:.2} 3BV/s");
    }
    if let Some(mode) = mode.filter(|mode| *mode != Mode::Normal) {
        let _ = write!(text, ", mode {}", mode.name());
    }
    text
}

/// An object whose keys keep their order.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn info(path: &Path, bytes: &[u8], game: &Game<'_>, frames: Option<u64>, secrets: Secrets) -> Info {
    let text = |bytes: &[u8]| game.decode(bytes).0.into_owned();
    let secret = |bytes: &[u8]| match secrets {
        _ if bytes.is_empty() => String::new(),
        Secrets::Hide => HIDDEN.to_owned(),
        Secrets::Show => text(bytes),
    };
    let board = &game.board;
    let generated = UNIX_EPOCH + Duration::from_secs(u64::from(board.timestamp));
    let mut details = object(json!({
        "program": text(game.version_info.as_bytes()),
        "player": {
            "name": text(game.player.name()),
            "nickname": text(game.player.nickname()),
            "country": text(game.player.country()),
            "token": secret(game.player.token()),
        },
        "board": {
            "cols": board.cols,
            "rows": board.rows,
            "mines": board.mines.len(),
            "preflags": game.preflags.as_ref().map_or(0, gametape_mines::Cells::len),
        },
        "generated": humantime::format_rfc3339_seconds(generated).to_string(),
        "level": game.declared_level().map(Level::name),
        "mode": game.mode().map(Mode::name),
        "marks": game.marks(),
        "nf": game.declared_nf(),
        "square_size": game.square_size(),
        "declared_3bv": game.declared_bbbv(),
        "outcome": game.ending.map(|ending| ending.outcome.name()),
        "text": match game.text_rule() {
            gametape_mines::TextRule::Utf8 => "UTF-8".to_owned(),
            gametape_mines::TextRule::Undefined => format!(
                "undefined, name read as {}",
                game.decode(game.player.name()).1.name()
            ),
        },
        "file_size": match game.file_size {
            DeclaredSize::Exact => "exact".to_owned(),
            DeclaredSize::LessTwo => "real size less 2".to_owned(),
            DeclaredSize::Other(size) => format!("wrong: {size}"),
        },
        "checksum_bytes": game.checksum.len(),
    }));
    match &game.encoding {
        Encoding::V1 { result } => {
            let parsed = ResultString::parse(result.as_bytes());
            let mut pairs = Map::new();
            for (key, value) in parsed.iter() {
                let hide = key == b"NICK" && game.nick_may_be_token(value);
                let value = if hide { secret(value) } else { text(value) };
                // Of a key that occurs twice the first one counts, as in the audit.
                pairs.entry(text(key)).or_insert(Value::String(value));
            }
            details.insert("result".into(), Value::Object(pairs));
        }
        Encoding::V2 {
            clone_id,
            clone_major,
            extensions,
        } => {
            details.insert("clone_id".into(), json!(clone_id));
            details.insert("clone_major".into(), json!(clone_major));
            let mut pairs = Map::new();
            for extension in extensions.iter() {
                pairs
                    .entry(text(extension.name))
                    .or_insert_with(|| Value::String(value(extension.value)));
            }
            details.insert("extensions".into(), Value::Object(pairs));
        }
    }
    Info {
        path: path.display().to_string(),
        format: Format::Rmv,
        format_version: u32::from(game.version().number()),
        bytes: bytes.len() as u64,
        duration_ms: game.ending.map(|ending| u64::from(ending.time_ms)),
        frames,
        details,
    }
}

/// The value of an extension property: text, or the bytes in hexadecimal.
fn value(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().fold("0x".to_owned(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        }),
    }
}

fn stats(metrics: &Metrics) -> Map<String, Value> {
    let clicks = &metrics.clicks;
    object(json!({
        "time_ms": metrics.time_ms,
        "result": metrics.outcome.map(Outcome::name),
        "level": metrics.level.name(),
        "bbbv": metrics.board.bbbv,
        "solved_bbbv": clicks.solved_bbbv,
        "bbbv_per_s": metrics.bbbv_per_s(),
        "estimated_time_s": metrics.estimated_time(),
        "zini": metrics.board.zini,
        "hzini": metrics.board.hzini,
        "openings": metrics.board.openings,
        "islands": metrics.board.islands,
        "left_clicks": clicks.left,
        "right_clicks": clicks.right,
        "double_clicks": clicks.double,
        "clicks": clicks.total(),
        "effective_clicks": clicks.effective(),
        "ioe": metrics.ioe(),
        "correctness": metrics.correctness(),
        "throughput": metrics.throughput(),
        "rqp": metrics.rqp(),
        "qg": metrics.qg(),
        "ios": metrics.ios(),
        "stnb": metrics.stnb(),
        "zne": metrics.zne(),
        "znt": metrics.znt(),
        "path_px": clicks.path_px,
        "flags": clicks.flags,
        "unflags": clicks.unflags,
        "misflags": clicks.misflags,
        "style": metrics.style(),
        "wasted_clicks": clicks.wasted(),
        "wasted_left_clicks": clicks.left - clicks.left_effective,
        "wasted_right_clicks": clicks.right - clicks.right_effective,
        "wasted_double_clicks": clicks.double - clicks.double_effective,
        "one_and_a_half_clicks": clicks.one_and_a_half,
        "mouse_events": clicks.mouse_events,
    }))
}

/// `tick` is a time in milliseconds: of a mouse event, and of the board events it led to.
fn dump(game: &Game<'_>, tick: Option<u64>, out: &mut dyn Write) -> io::Result<()> {
    let mut now = 0;
    for (index, event) in game.events.iter().enumerate() {
        if let Event::Mouse(mouse) = event {
            now = u64::from(mouse.time_ms);
        }
        if tick.is_some_and(|tick| tick != now) {
            continue;
        }
        match event {
            Event::Mouse(mouse) => writeln!(
                out,
                r#"{{"event":{index},"type":"mouse","time_ms":{},"action":"{}","x":{},"y":{},"buttons":{},"reduced":{}}}"#,
                mouse.time_ms,
                mouse.action.name(),
                mouse.x,
                mouse.y,
                mouse.buttons.0,
                mouse.reduced
            )?,
            Event::Board(board) => writeln!(
                out,
                r#"{{"event":{index},"type":"board","col":{},"row":{},"shows":"{}"}}"#,
                board.cell.col,
                board.cell.row,
                board.face.name()
            )?,
            Event::Timestamp(value) => {
                writeln!(
                    out,
                    r#"{{"event":{index},"type":"timestamp","value":{value}}}"#
                )?;
            }
        }
    }
    if let Some(ending) = game.ending
        && tick.is_none_or(|tick| tick == u64::from(ending.time_ms))
    {
        writeln!(
            out,
            r#"{{"event":{},"type":"end","outcome":"{}","time_ms":{}}}"#,
            game.events.len(),
            ending.outcome,
            ending.time_ms
        )?;
    }
    Ok(())
}
