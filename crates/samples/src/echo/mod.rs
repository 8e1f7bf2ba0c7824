//! Invented matches for tests, demonstrations and benchmarks, to be used where no real recording is
//! available or may be shown.
//!
//! A match is generated from a seed, frame by frame, in constant memory. The same seed and options
//! give the same frames on every platform, because only additions, multiplications, divisions and
//! square roots are used. (Another version of this crate may give different frames.)
//!
//! The generator imitates the rounding and noise of the game's numbers; a recorder with jitter;
//! players who fly, grab, throw, catch, stun and stand still; the statuses of a match; goals with
//! their points, statistics and last score; pauses; people who join and leave. It does not imitate
//! tactics. All people are invented.
//!
//! ```
//! use gametape_samples::echo::{Match, MatchOptions};
//!
//! let options = MatchOptions { seed: 7, frames: Some(300), ..MatchOptions::default() };
//! let frames: Vec<_> = Match::new(options).collect();
//! assert_eq!(frames.len(), 300);
//! assert_eq!(frames[0].session.teams[1].players.len(), 5);
//! ```

mod actor;
mod arena;
mod combat;
mod crowd;
mod game;
mod math;
mod skeleton;

pub use game::{Match, MatchOptions};

use gametape_echo::echoreplay::ZipWriter;
use gametape_echo::{Frame, GameStatus, WriteError};
use std::io::Cursor;

/// Writes frames in the form in which the community shares them: a zipped .echoreplay.
///
/// # Errors
/// As those of [`ZipWriter`].
pub fn echoreplay<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> Result<Vec<u8>, WriteError> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()), "match.echoreplay", 6)?;
    for frame in frames {
        writer.push(frame)?;
    }
    Ok(writer.finish()?.into_inner())
}

/// A match from which `count` frames of play were cut out and the gap was closed. The cut is as
/// close to frame `near` as possible, at a place where the game is being played in all of these
/// frames, in the one before and in the one after. `None` if there is no such place.
///
/// ```
/// use gametape_samples::echo::{Match, MatchOptions, cut_out};
///
/// let options = MatchOptions { rate_hz: 15, frames: Some(900), ..MatchOptions::default() };
/// let frames: Vec<_> = Match::new(options).collect();
/// let cut = cut_out(&frames, 90, 600, 15).unwrap(); // six seconds
/// assert_eq!(cut.len(), 810);
/// ```
#[must_use]
pub fn cut_out(frames: &[Frame], count: usize, near: usize, rate_hz: u32) -> Option<Vec<Frame>> {
    let from = played(frames, count, near)?;
    let gap = count as i64 * 1000 / i64::from(rate_hz.max(1));
    let mut cut = frames.to_vec();
    cut.drain(from..from + count);
    for frame in cut.iter_mut().skip(from) {
        frame.time.0 -= gap;
    }
    Some(cut)
}

/// The index of the first of `count` frames that [`cut_out`] may remove.
fn played(frames: &[Frame], count: usize, near: usize) -> Option<usize> {
    let playing = |frame: &Frame| frame.session.game_status == GameStatus::Playing;
    let windows = frames.windows(count.checked_add(2)?).enumerate();
    windows
        .filter(|(_, window)| window.iter().all(playing))
        .map(|(before, _)| before + 1)
        .min_by_key(|at| at.abs_diff(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_seconds_of_play_are_found_in_any_match() {
        for seed in 0..20 {
            let options = MatchOptions {
                seed,
                rate_hz: 15,
                frames: Some(1350),
                ..MatchOptions::default()
            };
            let frames: Vec<Frame> = Match::new(options).collect();
            let at = played(&frames, 90, 600).unwrap();
            let (before, behind) = (&frames[at - 1].session, &frames[at + 90].session);
            let lost = before.game_clock - behind.game_clock;
            assert!((5.9..6.2).contains(&lost), "seed {seed}: {lost} s");

            let cut = cut_out(&frames, 90, 600, 15).unwrap();
            assert_eq!(cut[..at], frames[..at]);
            assert_eq!(cut[at].session, *behind);
            let gap = cut[at].time.0 - cut[at - 1].time.0;
            assert!((55..=80).contains(&gap), "seed {seed}: {gap} ms");
        }
    }
}
