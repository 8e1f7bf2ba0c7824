//! The personal data of a recording, and removing it.

use std::borrow::Cow;

use super::convert::Loss;
use super::events::EventLog;
use super::result_string::ResultString;
use crate::game::Encoding;
use crate::rmv::{Extensions, PlayerFields};
use crate::{Event, Game, Text};

/// A kind of data that tells who played a game, or when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Personal {
    /// The player's name.
    Name,
    /// The player's nickname.
    Nick,
    /// The player's country.
    Country,
    /// The token: a secret.
    Token,
    /// The time at which the board was generated.
    Date,
    /// Extension properties: an id, a path on the player's disk, anything that the program stores
    /// there. `clone_name`, which names the program, does not count.
    Extensions,
}

impl Personal {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Name,
        Self::Nick,
        Self::Country,
        Self::Token,
        Self::Date,
        Self::Extensions,
    ];

    /// The words of [`Personal::word`], in the same order.
    pub const WORDS: &[&str] = &["name", "nick", "country", "token", "date", "extensions"];

    /// `name`, `nick`, `country`, `token`, `date` or `extensions`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Nick => "nick",
            Self::Country => "country",
            Self::Token => "token",
            Self::Date => "date",
            Self::Extensions => "extensions",
        }
    }

    /// The kind with this [word](Personal::word).
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.word() == word)
    }

    /// Its name as used in sentences.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "the player's name",
            Self::Nick => "the player's nickname",
            Self::Country => "the player's country",
            Self::Token => "the player's token",
            Self::Date => "the time the board was made",
            Self::Extensions => "extension properties",
        }
    }

    /// The kind of the player field at this position. An undefined field is treated as a secret,
    /// like the token.
    fn of_field(at: usize) -> Self {
        let fields = [Self::Name, Self::Nick, Self::Country];
        fields.get(at).copied().unwrap_or(Self::Token)
    }
}

/// A copy of the game without the data that tells who played it and when, except for the kinds in
/// `keep`. Also returns what was removed.
///
/// Fields and values stay in place and become empty, so sizes and offsets remain right and the form
/// is that of any recording. A date becomes 0. The checksum is removed as soon as anything else is,
/// because it covers everything. If there is nothing to remove, the game is returned unchanged.
///
/// The movements of the mouse are not removed: they are the game.
///
/// ```
/// use gametape_mines::rmv::{self, Personal};
/// # let bytes = gametape_samples::mines::example();
/// let game = rmv::read(&bytes)?;
/// let (redacted, losses) = rmv::redact(&game, &[Personal::Nick]);
/// assert_eq!(redacted.player.name(), b"");
/// assert_eq!(redacted.player.nickname(), game.player.nickname());
/// assert_eq!(losses[0].to_string(), "the player's name");
/// let (same, losses) = rmv::redact(&redacted, &[Personal::Nick]);
/// assert_eq!((same, losses.len()), (redacted, 0));
/// # Ok::<(), rmv::Error>(())
/// ```
#[must_use]
pub fn redact(game: &Game<'_>, keep: &[Personal]) -> (Game<'static>, Vec<Loss>) {
    let mut redaction = Redaction {
        keep,
        losses: Vec::new(),
    };
    let mut redacted = game.clone().into_owned();
    redacted.player = redaction.player(&game.player);
    if redaction.takes(Personal::Date, game.board.timestamp != 0) {
        redacted.board.timestamp = 0;
    }
    if let Some(events) = redaction.events(game) {
        redacted.events = events;
    }
    match &mut redacted.encoding {
        Encoding::V1 { result } => *result = redaction.result(game, result.as_bytes()),
        Encoding::V2 { extensions, .. } => *extensions = redaction.extensions(extensions),
    }
    if !redaction.losses.is_empty() && !redacted.checksum.is_empty() {
        redacted.checksum = Cow::Borrowed(&[]);
        redaction.losses.push(Loss::Checksum);
    }
    (redacted, redaction.losses)
}

struct Redaction<'k> {
    keep: &'k [Personal],
    losses: Vec<Loss>,
}

impl Redaction<'_> {
    fn lose(&mut self, loss: Loss) {
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }

    /// Whether data that `is_there` has to be removed; records it as lost if so.
    fn takes(&mut self, what: Personal, is_there: bool) -> bool {
        let takes = is_there && !self.keep.contains(&what);
        if takes {
            self.lose(Loss::Personal(what));
        }
        takes
    }

    fn player(&mut self, player: &PlayerFields<'_>) -> PlayerFields<'static> {
        player.emptied(|at, field| self.takes(Personal::of_field(at), !field.is_empty()))
    }

    /// A copy of version 1's events in which all timestamps are 0; `None` if they already are, or
    /// are to be kept.
    fn events(&mut self, game: &Game<'_>) -> Option<EventLog<'static>> {
        let says = |event| matches!(event, Event::Timestamp(value) if value != 0);
        let is_there = game.events.iter().any(says);
        if !self.takes(Personal::Date, is_there) {
            return None;
        }
        let mut events = EventLog::empty(game.version());
        for event in &game.events {
            let event = match event {
                Event::Timestamp(_) => Event::Timestamp(0),
                event => event,
            };
            // An event that was read can also be written.
            events.push(event).ok()?;
        }
        Some(events)
    }

    fn result(&mut self, game: &Game<'_>, result: &[u8]) -> Text<'static> {
        let mut parts = Vec::new();
        for part in result.split(|&byte| byte == b'#') {
            let bare = part.strip_prefix(b"\n").unwrap_or(part);
            let feed = part.len() - bare.len();
            let colon = bare.iter().position(|&byte| byte == b':');
            let (kept, value) = part.split_at(feed + colon.map_or(0, |colon| colon + 1));
            let key = colon.and_then(|colon| bare.get(..colon));
            let emptied = self.emptied(game, key, value);
            parts.push([kept, emptied.as_deref().unwrap_or(value)].concat());
        }
        Text(Cow::Owned(parts.join(&b'#')))
    }

    /// The replacement for a value of the result string; `None` if the value stays.
    fn emptied(&mut self, game: &Game<'_>, key: Option<&[u8]>, value: &[u8]) -> Option<Vec<u8>> {
        let is_there = !value.is_empty();
        let key = key.and_then(|key| std::str::from_utf8(key).ok());
        let takes = match key {
            Some("NAME") => self.takes(Personal::Name, is_there),
            Some("NICK") if game.nick_may_be_token(value) => self.takes(Personal::Token, is_there),
            Some("NICK") => self.takes(Personal::Nick, is_there),
            Some("TIMESTAMP") => {
                let takes = self.takes(Personal::Date, value != b"0" && is_there);
                return takes.then(|| b"0".to_vec());
            }
            Some(key) if ResultString::KEYS.contains(&key) => false,
            // The meaning of other keys is unknown, so they are removed.
            _ if is_there => {
                self.lose(Loss::ResultExtra);
                true
            }
            _ => false,
        };
        takes.then(Vec::new)
    }

    fn extensions(&mut self, extensions: &Extensions<'_>) -> Extensions<'static> {
        if self.keep.contains(&Personal::Extensions) {
            return extensions.clone().into_owned();
        }
        extensions.only(|extension| {
            let program = extension.name == b"clone_name";
            if !program {
                let name = String::from_utf8_lossy(extension.name).into_owned();
                self.lose(Loss::Extension { name });
            }
            program
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_all() {
        assert!(Personal::ALL.map(Personal::word).iter().eq(Personal::WORDS));
        assert_eq!(Personal::from_word("date"), Some(Personal::Date));
        assert_eq!(Personal::from_word("dates"), None);
    }
}
