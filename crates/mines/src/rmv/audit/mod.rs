//! The audit: is this file what it claims to be? It checks every rule of the format, and how known
//! programs behave beyond these rules.

mod form;
mod hands;
mod mouse;
mod play;
mod release;
mod result;

use std::time::SystemTime;

use super::error::Findings;
use super::read::{Limits, ReadOptions};
use super::read::{Reading, read_with};
use crate::metrics::Played;
use crate::replay::Observer;
use crate::{Game, Metrics};

/// The result of an audit.
#[derive(Clone, PartialEq, Debug)]
pub struct Audit<'a> {
    /// The game; `None` if the file cannot be read even leniently.
    pub game: Option<Game<'a>>,
    /// The game's statistics.
    pub metrics: Option<Metrics>,
    /// Every broken or stretched rule, worst first.
    pub findings: Findings,
}

/// Checks a file as thoroughly as its bytes allow: its form, texts, board and mouse, and every
/// board event against an independent engine.
///
/// An audit never fails: what cannot be read becomes a finding, too. The checksum cannot be
/// verified, because its algorithm is not published. An audit without errors says that the
/// recording is consistent with itself and with the rules, not that it is genuine.
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

/// Like [`audit()`], with other limits.
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

/// Like [`audit_with`], but takes the current time as an argument instead of from the machine's
/// clock. A board that was generated more than a day after this time gives a finding.
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

/// Checks a game that was read before, and adds to the reader's findings. `real_size` is the size
/// of its file in bytes.
pub fn audit_game(game: &Game<'_>, real_size: u64, findings: &mut Findings) -> Metrics {
    audit_watched(game, real_size, findings, ()).0.metrics()
}

/// Like [`audit_game`], with an observer of the replayed game.
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
    result::check_ranking(game, &played, findings);
    (played, observer)
}
