//! One match recorded by two clients: their frames side by side, by the game clock.

use gametape_core::tape::{Error, Precision, Rounded};

use crate::{Frame, Time};

/// Frames whose game clocks are apart by less than this many seconds are of one moment.
const ONE_MOMENT: f32 = 0.01;
/// Frames of two clients are compared if they are apart by at most so many milliseconds.
const APART_MS: i64 = 16;

/// The clients of two recordings.
pub(super) struct Clients {
    /// The milliseconds by which the clock of the second client is ahead.
    ahead: i64,
    /// The frames of each that the other has no frame for.
    alone: [u64; 2],
}

/// The number of frames of a recording in which a common moment is looked for.
pub(super) const MOST: usize = 200_000;
/// The number of moments of the second recording that are looked for in the first.
const TRIES: usize = 32;

/// A moment at which the game clock runs.
pub(super) struct Moment {
    time: Time,
    clock: f32,
    points: [f32; 2],
    rounds: [i32; 2],
}

/// Finds the moments of a recording.
#[derive(Default)]
pub(super) struct Moments {
    before: Option<f32>,
    pub all: Vec<Moment>,
}

impl Moments {
    pub fn push(&mut self, frame: &Frame) {
        let session = &frame.session;
        let Some(clock) = session.clock() else {
            return;
        };
        if self
            .before
            .replace(clock)
            .is_some_and(|before| clock < before)
        {
            self.all.push(Moment {
                time: frame.time,
                clock,
                points: [session.blue_points, session.orange_points],
                rounds: [session.blue_round_score, session.orange_round_score],
            });
        }
    }
}

impl Moment {
    /// How far the clock of another client is ahead, if it shows the same moment of the game.
    fn ahead(&self, other: &Self) -> Option<i64> {
        let same = (self.clock - other.clock).abs() < ONE_MOMENT
            && self.points.map(f32::to_bits) == other.points.map(f32::to_bits)
            && self.rounds == other.rounds;
        same.then(|| other.time.0.saturating_sub(self.time.0))
    }
}

/// Which recording goes on.
enum Next {
    Both,
    First,
    Second,
}

impl Clients {
    /// Returns whether two recordings begin in one session, as two clients see it.
    pub fn are_two(a: &Frame, b: &Frame) -> bool {
        let [a, b] = [&a.session, &b.session];
        let same = a.sessionid == b.sessionid && !a.sessionid.is_empty();
        same && a.client_name != b.client_name
    }

    /// Aligns two recordings; `None` without a moment that both have.
    pub fn of(first: &[Moment], second: &[Moment]) -> Option<Self> {
        // Rounds have the same clock: clients' clocks are seldom far apart.
        let nearest = |moment: &Moment| {
            let ahead = first.iter().filter_map(|first| first.ahead(moment));
            ahead.min_by_key(|ahead| ahead.unsigned_abs())
        };
        let ahead = second.iter().take(TRIES).find_map(nearest)?;
        Some(Self {
            ahead,
            alone: [0; 2],
        })
    }

    /// Passes pairs of frames, the second as the first client would have recorded it. `next` reads the next
    /// frame of the first recording (0) or the second.
    pub fn pair(
        &mut self,
        mut next: impl FnMut(usize, &mut Frame) -> Result<bool, Error>,
        mut take: impl FnMut(&Frame, &Frame),
    ) -> Result<(), Error> {
        let (mut a, mut b) = (Frame::default(), Frame::default());
        let (mut has_a, mut has_b) = (next(0, &mut a)?, next(1, &mut b)?);
        while has_a && has_b {
            match self.next(&a, &b) {
                Next::Both => {
                    b.time = a.time;
                    b.session.client_name.clone_from(&a.session.client_name);
                    take(&a, &b);
                    (has_a, has_b) = (next(0, &mut a)?, next(1, &mut b)?);
                }
                Next::First => {
                    self.alone[0] += 1;
                    has_a = next(0, &mut a)?;
                }
                Next::Second => {
                    self.alone[1] += 1;
                    has_b = next(1, &mut b)?;
                }
            }
        }
        while has_a {
            self.alone[0] += 1;
            has_a = next(0, &mut a)?;
        }
        while has_b {
            self.alone[1] += 1;
            has_b = next(1, &mut b)?;
        }
        Ok(())
    }

    fn next(&self, a: &Frame, b: &Frame) -> Next {
        let apart = b.time.0.saturating_sub(a.time.0);
        match apart.saturating_sub(self.ahead) {
            APART_MS.. => Next::First,
            off if off <= -APART_MS => Next::Second,
            _ => Next::Both,
        }
    }

    /// What the comparison allowed for.
    pub fn precision(&self) -> Precision {
        let ahead = self.ahead.unsigned_abs();
        let mut not_compared = vec!["the name of the client".to_owned()];
        let [a, b] = self.alone;
        for (alone, which) in [(a, "first"), (b, "second")] {
            if alone > 0 {
                not_compared.push(format!("{alone} frames that only the {which} has"));
            }
        }
        Precision {
            of: "two clients, by the game clock".to_owned(),
            rounded: vec![Rounded {
                field: "time".to_owned(),
                max_error: ahead as f64,
                unit: "ms".to_owned(),
            }],
            not_compared,
        }
    }
}
