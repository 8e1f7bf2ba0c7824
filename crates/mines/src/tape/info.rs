//! The description of a game: header, properties and statistics.

use gametape_core::text::Bytes;
use std::fmt::Write as _;
use std::time::{Duration, UNIX_EPOCH};

use gametape_core::tape::{Info, Secrets, Started, object};
use serde_json::{Map, Value, json};

use crate::event::game_time;
use crate::metrics::Played;
use crate::rmv::ResultString;
use crate::{DeclaredSize, Encoding, Game, Level, Mode, Outcome, TextRule};

/// Replaces a secret.
const HIDDEN: &str = "<hidden>";

/// `expert win 34.884 s, 3BV 128, 3.67 3BV/s`.
pub(super) fn summary(played: &Played, mode: Option<Mode>) -> String {
    let outcome = played.outcome.map_or("unfinished", Outcome::name);
    let mut text = format!(
        "{} {outcome} {}, 3BV {}",
        played.level.name(),
        game_time(played.time_ms),
        played.bbbv()
    );
    if let Some(speed) = played.bbbv_per_s() {
        // Writing to a string cannot fail.
        let _ = write!(text, ", {speed:.2} 3BV/s");
    }
    if let Some(mode) = mode.filter(|mode| *mode != Mode::Normal) {
        let _ = write!(text, ", mode {}", mode.name());
    }
    text
}

/// The texts of a game's header.
pub(super) struct Texts {
    pub program: String,
    pub name: String,
    pub nickname: String,
    pub country: String,
    /// Hidden if secrets are.
    pub token: String,
    /// When the board was made; `None` if the date was removed or never known.
    pub generated: Option<String>,
    /// How texts are encoded.
    pub text: String,
    /// Whether the declared size is that of the file.
    pub file_size: String,
}

impl Texts {
    pub fn of(game: &Game<'_>, secrets: Secrets) -> Self {
        let text = |bytes: &[u8]| game.decode(bytes).0.into_owned();
        let board = &game.board;
        let generated = (board.timestamp != 0).then(|| {
            let at = UNIX_EPOCH + Duration::from_secs(u64::from(board.timestamp));
            humantime::format_rfc3339_seconds(at).to_string()
        });
        Self {
            program: text(game.version_info.as_bytes()),
            name: text(game.player.name()),
            nickname: nickname(game, secrets),
            country: text(game.player.country()),
            token: secret(game, game.player.token(), secrets),
            generated,
            text: match game.text_rule() {
                TextRule::Utf8 => "UTF-8".to_owned(),
                TextRule::Undefined => format!(
                    "undefined, name read as {}",
                    game.decode(game.player.name()).1.name()
                ),
            },
            file_size: match game.file_size {
                DeclaredSize::Exact => "exact".to_owned(),
                DeclaredSize::LessTwo => "real size less 2".to_owned(),
                DeclaredSize::Other(size) => format!("wrong: {}", Bytes(size.into())),
            },
        }
    }
}

/// The nickname: the player's field, or else `NICK` of the result string of version 1.
fn nickname(game: &Game<'_>, secrets: Secrets) -> String {
    let field = game.player.nickname();
    if !field.is_empty() {
        return game.decode(field).0.into_owned();
    }
    let Encoding::V1 { result } = &game.encoding else {
        return String::new();
    };
    let parsed = ResultString::parse(result.as_bytes());
    let nick = parsed.iter().find(|(key, _)| *key == b"NICK");
    nick.map_or_else(String::new, |(_, nick)| {
        if game.nick_may_be_token(nick) {
            secret(game, nick, secrets)
        } else {
            game.decode(nick).0.into_owned()
        }
    })
}

/// Whether a name is one that programs write for players who type none.
pub(super) fn is_default_name(name: &str) -> bool {
    const DEFAULTS: [&str; 2] = ["anonymous", "player"];
    let name = name.trim();
    DEFAULTS
        .iter()
        .any(|given| name.eq_ignore_ascii_case(given))
}

/// A text that is shown only on request.
fn secret(game: &Game<'_>, bytes: &[u8], secrets: Secrets) -> String {
    match secrets {
        _ if bytes.is_empty() => String::new(),
        Secrets::Hide => HIDDEN.to_owned(),
        Secrets::Show => game.decode(bytes).0.into_owned(),
    }
}

/// Completes the description of a game. `events` is the number of events, if it is known.
pub(super) fn info(mut info: Info, game: &Game<'_>, events: Option<u64>, secrets: Secrets) -> Info {
    let texts = Texts::of(game, secrets);
    let board = &game.board;
    let mut details = object(json!({
        "program": texts.program,
        "player": {
            "name": texts.name,
            "nickname": texts.nickname,
            "country": texts.country,
            "token": texts.token,
        },
        "board": {
            "cols": board.cols,
            "rows": board.rows,
            "mines": board.mines.len(),
            "preflags": game.preflags.as_ref().map_or(0, crate::Cells::len),
        },
        "generated": &texts.generated,
        "declared_level": game.declared_level().map(Level::name),
        "mode": game.mode().map(Mode::name),
        "marks": game.marks(),
        "nf": game.declared_nf(),
        "cell_size": game.cell_size(),
        "declared_bbbv": game.declared_bbbv(),
        "outcome": game.ending.map(|ending| ending.outcome.name()),
        "text": texts.text,
        "file_size": texts.file_size,
        "checksum_bytes": game.checksum.len(),
    }));
    of_encoding(game, &mut details, secrets);
    info.duration_ms = game.ending.map(|ending| u64::from(ending.time_ms));
    info.steps = events;
    // A board is made as its game begins.
    info.started = texts.generated.map(Started::Utc);
    info.details = details;
    info
}

/// Adds the details that only one of the two versions has.
fn of_encoding(game: &Game<'_>, details: &mut Map<String, Value>, secrets: Secrets) {
    let text = |bytes: &[u8]| game.decode(bytes).0.into_owned();
    match &game.encoding {
        Encoding::V1 { result } => {
            let parsed = ResultString::parse(result.as_bytes());
            let mut pairs = Map::new();
            for (key, value) in parsed.iter() {
                let hide = key == b"NICK" && game.nick_may_be_token(value);
                let value = if hide {
                    secret(game, value, secrets)
                } else {
                    text(value)
                };
                // If a key occurs twice, the first value counts, as in the audit.
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

/// The values by which games are listed and ranked: columns of their table of facts.
pub(super) fn facts(game: &Game<'_>, played: &Played) -> Map<String, Value> {
    let board = &game.board;
    object(json!({
        "outcome": played.outcome.map(Outcome::name),
        "mode": game.mode().map(Mode::name),
        "level": played.level.name(),
        "style": played.style(),
        "bbbv": played.bbbv(),
        "total_time_ms": played.time_ms,
        "board_cols": board.cols,
        "board_rows": board.rows,
        "board_mines": board.mines.len(),
    }))
}
