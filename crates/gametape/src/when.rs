//! Moments as users write them.

use std::str::FromStr;

use gametape_core::table::Span;
use gametape_core::tape::{self, Work};
use gametape_core::text::Many;
use gametape_core::{At, Clocks, NoClock, ParseAtError, Time};

use crate::{Error, Recording};

/// A moment as a user writes it: an [`At`], or one that depends on the recording. Everything that
/// messages say of a moment can be given.
///
/// ```
/// use gametape::{At, Time, When};
/// # let bytes = gametape_samples::mines::example();
/// let tape = gametape::Recording::from_bytes(bytes, "game.rmv")?;
/// for (text, at) in [
///     ("0.2 s", At::Time(Time::from_ms(200))),
///     ("event:126", At::Step(126)),
///     ("event 126", At::Step(126)),
/// ] {
///     let when: When = text.parse().unwrap();
///     assert_eq!(tape.at(&when)?, at);
/// }
/// let error = tape.at(&"frame:3".parse().unwrap()).unwrap_err();
/// assert_eq!(error.message(), "frame 3: the recording has events: write event:3");
/// # Ok::<(), gametape::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum When {
    /// A moment that means the same in every recording: `1:23.4`, `200ms`, `tick:137`, `step:600`.
    At(At),
    /// A step under the format's name for it: `event:126`, `frame 600`.
    Named {
        /// The name of a step.
        step: String,
        /// Its ordinal, from 0.
        number: u64,
    },
    /// The last moment: `end`.
    End,
    /// So much time before the last moment: `-5s`, `-1:30`.
    BeforeEnd(Time),
}

impl From<At> for When {
    fn from(at: At) -> Self {
        Self::At(at)
    }
}

/// The text does not name a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a moment is a time such as 1:23.4, 83.4 or 200ms, end or -5s (before the end), tick:137, \
     step:600, or a step by its name such as event:126"
)]
pub struct ParseWhenError;

impl FromStr for When {
    type Err = ParseWhenError;

    fn from_str(text: &str) -> Result<Self, ParseWhenError> {
        let wrong = |_: ParseAtError| ParseWhenError;
        if text == "end" {
            return Ok(Self::End);
        }
        if let Some(before) = text.strip_prefix('-') {
            return before.parse().map(Self::BeforeEnd).map_err(wrong);
        }
        match text.split_once([':', ' ']) {
            Some((step, number))
                if !matches!(step, "step" | "tick")
                    && !step.is_empty()
                    && step.bytes().all(|letter| letter.is_ascii_lowercase()) =>
            {
                let number = number
                    .bytes()
                    .all(|digit| digit.is_ascii_digit())
                    .then_some(number);
                let number = number.and_then(|number| number.parse().ok());
                let step = step.to_owned();
                number
                    .map(|number| Self::Named { step, number })
                    .ok_or(ParseWhenError)
            }
            _ => text.parse().map(Self::At).map_err(wrong),
        }
    }
}

impl When {
    /// Returns the moment that is meant in a recording of this span, whose steps have this name.
    ///
    /// # Errors
    /// [`tape::Error::Unsupported`] if steps have another name; [`tape::Error::NoClock`] or
    /// [`tape::Error::NotRecorded`] for a time before the end.
    pub fn within(&self, span: Span, step: &str) -> Result<At, tape::Error> {
        match self {
            Self::At(at) => Ok(*at),
            Self::End => Ok(At::Step(span.last.step)),
            Self::Named {
                step: given,
                number,
            } if given == step => Ok(At::Step(*number)),
            Self::Named {
                step: given,
                number,
            } => Err(tape::Error::Unsupported(format!(
                "{given} {number}: the recording has {}: write {step}:{number}",
                Many(step)
            ))),
            Self::BeforeEnd(before) => {
                let times = span.first.time.zip(span.last.time);
                let (first, last) = times.ok_or(NoClock {
                    at: At::Time(*before),
                    clocks: Clocks {
                        ticks: span.last.tick.is_some(),
                        times: false,
                    },
                })?;
                let time = Time(last.0.saturating_sub(before.0));
                let recorded = Some(Box::new(span));
                let at = At::Time(time);
                (time >= first)
                    .then_some(at)
                    .ok_or(tape::Error::NotRecorded { at, recorded })
            }
        }
    }
}

impl Recording {
    /// Returns the moment of this recording that a user means.
    ///
    /// # Errors
    /// Same as [`When::within`]; an error if the end is needed and nothing can be read.
    pub fn at(&self, when: &When) -> Result<At, Error> {
        self.at_with(when, &Work::default())
    }

    /// Like [`Recording::at`], with cancellation: the end may be known only after reading all of it.
    ///
    /// # Errors
    /// Same as [`Recording::at`]; [`tape::Error::Cancelled`].
    pub fn at_with(&self, when: &When, work: &Work<'_>) -> Result<At, Error> {
        let span = match when {
            When::End | When::BeforeEnd(_) => self.playback_with(work)?.span(),
            When::At(_) | When::Named { .. } => Span::default(),
        };
        self.explain(when.within(span, self.format().step()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_no_moment_are_refused() {
        for text in [
            "", "-", "--5s", "event:", "event:x", "event:-1", "Event:1", "even t:1", "-end",
            "-tick:3",
        ] {
            assert_eq!(text.parse::<When>(), Err(ParseWhenError), "{text:?}");
        }
    }
}
