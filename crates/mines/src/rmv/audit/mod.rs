//! Is this file what it claims to be? Every rule, and what known writers do beyond them.

mod form;
mod hands;
mod mouse;
mod play;
mod ranking;
mod release;
mod result;

use std::time::SystemTime;

use super::error::Findings;
use super::limits::{Limits, ReadOptions};
use super::read::{Reading, read_with};
use crate::metrics::Played;
use crate::replay::Observer;
use crate::{Game, Metrics};

/// The outcome of an audit.
#[derive(Clone, PartialEq, Debug)]
pub struct Audit<'a> {
    /// The game; `None` where nothing can be made of the file.
    pub game: Option<Game<'a>>,
    /// Its statistics.
    pub metrics: Option<Metrics>,
    /// Every broken or stretched rule, worst first.
    pub findings: Findings,
}

/// Checks a file as thoroughly as its bytes allow: form, text, board, mouse, and every board
/// event against an independent engine.
///
/// Never fails: what can't be read is a finding, too. The checksum can't be verified, because
/// its algorithm is unpublished; an audit without errors says that the recording is consistent
/// with itself and with the rules, not that it is genuine.
///
/// ```
/// # let mut bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv::{audit, Severity};
/// assert_ne!(audit(&bytes).findings.worst(), Some(Severity::Error));
/// let time = bytes.len() - 18 - 5 - 1; // The last byte of the termination event.
/// bytes[time] ^= 1;
/// assert!(audit(&bytes).findings.has("rmv.time"));
/// ```
#[must_use]
pub fn audit(bytes: &[u8]) -> Audit<'_> {
    audit_with(bytes, Limits::DEFAULT)
}

/// [`audit()`], within other limits.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv::{Limits, audit_with};
/// let limits = Limits { max_video_bytes: 100 };
/// assert!(audit_with(&bytes, limits).findings.has("rmv.limit"));
/// ```
#[must_use]
pub fn audit_with(bytes: &[u8], limits: Limits) -> Audit<'_> {
    audit_at(bytes, limits, SystemTime::now())
}

/// [`audit_with`], at another time than that of the machine's clock: a board that was made later
/// than a day after it is a finding.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use std::time::UNIX_EPOCH;
/// use gametape_mines::rmv::{Limits, audit_at};
/// assert!(audit_at(&bytes, Limits::DEFAULT, UNIX_EPOCH).findings.has("rmv.date-future"));
/// ```
#[must_use]
pub fn audit_at(bytes: &[u8], limits: Limits, now: SystemTime) -> Audit<'_> {
    match read_with(bytes, ReadOptions::lenient().limits(limits)) {
        Ok(Reading { game, mut findings }) => {
            let (played, ()) = check(&game, bytes.len() as u64, now, &mut findings, ());
            findings.sort();
            Audit {
                game: Some(game),
                metrics: Some(played.metrics()),
                findings,
            }
        }
        Err(error) => {
            let mut findings = Findings::default();
            if let Some(finding) = error.into_finding() {
                findings.push(finding);
            }
            Audit {
                game: None,
                metrics: None,
                findings,
            }
        }
    }
}

/// Checks a game that was read already, `real_size` being the size of its file in bytes; adds
/// to what the reader found.
pub fn audit_game(game: &Game<'_>, real_size: u64, findings: &mut Findings) -> Metrics {
    audit_watched(game, real_size, findings, ()).0.metrics()
}

/// [`audit_game`] while somebody else watches the game that is replayed.
pub(crate) fn audit_watched<O: Observer>(
    game: &Game<'_>,
    real_size: u64,
    findings: &mut Findings,
    observer: O,
) -> (Played, O) {
    check(game, real_size, SystemTime::now(), findings, observer)
}

fn check<O: Observer>(
    game: &Game<'_>,
    real_size: u64,
    now: SystemTime,
    findings: &mut Findings,
    observer: O,
) -> (Played, O) {
    form::check(game, real_size, findings);
    release::check(game, now, findings);
    let mut hands = hands::Hands::new(game);
    let watch = mouse::Watch::new(game, &mut hands, findings);
    let (played, replayed, (watch, observer)) = Played::of(game, (watch, observer));
    watch.finish();
    result::check(game, &played, findings);
    play::check(game, &replayed, findings);
    hands.check(game, &played, findings);
    ranking::check(game, &played, findings);
    (played, observer)
}
