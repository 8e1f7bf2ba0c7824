//! Games like those of people, in files like those of the known releases.
//!
//! Nobody played these games, but the mouse moves as in real ones: from pixel to pixel, in curves
//! that begin and end slowly, with a correction close to the cell. Buttons are held as long as
//! fingers hold them, and events have the times that the release's clock gives. An audit finds
//! nothing wrong with them; so a forgery made from one differs only in its forged part.
//!
//! ```
//! use gametape_samples::mines::person::{Hand, Release};
//! use gametape_samples::mines::{play, scenarios};
//!
//! let hand = Hand::of(Release::R5_0, 7);
//! let game = play(&scenarios()[0], Release::R5_0, &[hand], 7)?;
//! assert!(game.events.len() > 100);
//! # Ok::<(), gametape_mines::rmv::WriteError>(())
//! ```

use gametape_mines::Version;

/// The release that wrote the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// 2.2, Home Edition.
    R2_2,
    /// 3.0.
    R3_0,
    /// 3.0.2, whose games use one clock or the other.
    R3_0_2,
    /// 4.0.0.
    R4_0,
    /// 5.0.0.
    R5_0,
}

impl Release {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::R2_2, Self::R3_0, Self::R3_0_2, Self::R4_0, Self::R5_0];

    /// The version of the format that the release writes.
    #[must_use]
    pub const fn version(self) -> Version {
        match self {
            Self::R5_0 => Version::V2,
            _ => Version::V1,
        }
    }

    pub(super) const fn version_info(self) -> &'static str {
        match self {
            Self::R2_2 => "Vienna Minesweeper - Home Edition - Release 2.2",
            Self::R3_0 => "Vienna Minesweeper - Home Edition - Release 3.0",
            Self::R3_0_2 => "Vienna Minesweeper - Home Edition - Release 3.0.2",
            Self::R4_0 => "Vienna Minesweeper - Release 4.0.0",
            Self::R5_0 => "Vienna Minesweeper - Release 5.0.0b4",
        }
    }

    /// A Unix time at which the release was in use.
    pub(super) const fn day(self) -> u32 {
        match self {
            Self::R2_2 => 1_330_000_000,
            Self::R3_0 => 1_370_000_000,
            Self::R3_0_2 => 1_590_000_000,
            Self::R4_0 => 1_715_000_000,
            Self::R5_0 => 1_750_000_000,
        }
    }

    /// Whether its files have the encoding property and four player fields.
    pub(super) const fn is_new(self) -> bool {
        matches!(self, Self::R4_0 | Self::R5_0)
    }
}

/// The source of the events' times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// A clock with millisecond resolution.
    Millisecond,
    /// The tick of Windows, every 15.625 ms. The number is its phase: the time of a tick after the
    /// start of the game, in eighths of a millisecond.
    Tick(u8),
}

impl Clock {
    /// The time that the clock shows at this millisecond of the game.
    #[must_use]
    pub fn show(self, ms: u32) -> u32 {
        match self {
            Self::Millisecond => ms,
            Self::Tick(phase) => (ms * 8 / 125 * 125 + u32::from(phase)) / 8,
        }
    }
}

/// A hand, its mouse, and its machine's clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hand {
    /// The clock.
    pub clock: Clock,
    /// The interval of the mouse's reports in milliseconds: 8 at 125 Hz, 1 at 1,000 Hz.
    pub report_ms: u32,
    /// The mean time for which a button is held, in milliseconds; never below 26 ms.
    pub hold_ms: u32,
    /// The duration of a movement, as a multiple of the usual one.
    pub ease: f64,
    /// The curvature of paths, as a share of their length.
    pub bow: f64,
}

impl Hand {
    /// A typical hand for games of this release. The same seed gives the same hand.
    #[must_use]
    pub fn of(release: Release, seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x6861_6e64);
        let tick = Clock::Tick(rng.u8(0..8));
        let clock = match release {
            Release::R2_2 | Release::R3_0 => tick,
            Release::R3_0_2 if rng.bool() => tick,
            _ => Clock::Millisecond,
        };
        Self {
            clock,
            report_ms: *rng.choice(&[1, 1, 2, 4, 8]).unwrap_or(&1),
            hold_ms: rng.u32(45..110),
            ease: 0.6 + 0.8 * rng.f64(),
            bow: 0.1 + 0.2 * rng.f64(),
        }
    }

    /// How long a button is held this time, in milliseconds.
    pub(super) fn hold(&self, rng: &mut fastrand::Rng) -> u32 {
        let spread = f64::from(self.hold_ms) * (rng.f64() + rng.f64() - 1.0) * 0.5;
        let slow = if rng.u8(..) < 8 { 150 } else { 0 };
        (f64::from(self.hold_ms) + spread).max(26.0) as u32 + slow
    }

    /// How long the player looks before the hand moves on, in milliseconds.
    pub(super) fn look(&self, rng: &mut fastrand::Rng) -> u32 {
        let usual = -(1.0 - rng.f64()).ln() * 70.0 * self.ease;
        usual.min(1_200.0) as u32 + 4
    }

    /// The path to a target that is `size` pixels wide: a fast movement that nearly reaches it, and
    /// a correction.
    pub(super) fn path(
        &self,
        from: (i32, i32),
        to: (i32, i32),
        size: f64,
        rng: &mut fastrand::Rng,
    ) -> Vec<Sample> {
        let mut samples = Vec::new();
        let near = |rng: &mut fastrand::Rng, a: i32, b: i32| {
            let whole = f64::from(b - a);
            // Version 1 cannot store positions further outside of the board.
            (a + (whole * (0.86 + 0.2 * rng.f64())).round() as i32).max(-12)
        };
        let far = (to.0 - from.0).abs().max((to.1 - from.1).abs()) > 24;
        let mut at = from;
        if far {
            let between = (near(rng, from.0, to.0), near(rng, from.1, to.1));
            self.sweep(at, between, size, rng, &mut samples);
            at = between;
        }
        self.sweep(at, to, size, rng, &mut samples);
        samples
    }

    /// A single movement: minimum jerk, in a curve, with a slow tremor.
    fn sweep(
        &self,
        from: (i32, i32),
        to: (i32, i32),
        size: f64,
        rng: &mut fastrand::Rng,
        samples: &mut Vec<Sample>,
    ) {
        let (x0, y0) = (f64::from(from.0), f64::from(from.1));
        let (dx, dy) = (f64::from(to.0) - x0, f64::from(to.1) - y0);
        let distance = dx.hypot(dy);
        let fitts = 40.0 + 75.0 * (1.0 + distance / size.max(1.0)).log2();
        // The peak speed of a movement is 1.875 times its mean speed: at most 1.1 pixels per ms.
        let total = (fitts * self.ease * (0.8 + 0.4 * rng.f64())).max(distance * 1.7);
        let bow = self.bow * (rng.f64() - 0.5) * 2.0;
        let (hertz, start) = (5.0 + 6.0 * rng.f64(), rng.f64());
        let (mut elapsed, mut since) = (0, 0);
        let mut last = from;
        while f64::from(elapsed) < total {
            // Sometimes the program is late, so that several reports become one event.
            let reports = if rng.u8(..) < 2 {
                rng.u32(1..=8).div_ceil(self.report_ms)
            } else {
                1
            };
            elapsed += self.report_ms * reports;
            since += self.report_ms * reports;
            let t = (f64::from(elapsed) / total).min(1.0);
            let s = t.powi(3) * (10.0 + t * (6.0 * t - 15.0));
            let round = std::f64::consts::PI;
            let aside = bow * (round * s).sin();
            let wave = 2.0 * round * (start + f64::from(elapsed) / 1000.0 * hertz);
            let tremor = 0.7 * (round * t).sin();
            let x = x0 + dx * s - dy * aside + tremor * wave.sin();
            let y = y0 + dy * s + dx * aside + tremor * wave.cos();
            let point = if t >= 1.0 {
                to
            } else {
                ((x.round() as i32).max(-12), (y.round() as i32).max(-56))
            };
            if point != last {
                samples.push(Sample {
                    after_ms: since,
                    x: point.0,
                    y: point.1,
                });
                (last, since) = (point, 0);
            }
        }
    }
}

/// A sample of the path: the milliseconds since the previous one, and the position.
pub(super) struct Sample {
    pub after_ms: u32,
    pub x: i32,
    pub y: i32,
}

/// The path from one point to another; the target is `size` pixels wide.
///
/// Fitts' law gives the duration, and a minimum-jerk profile the speed.
pub(super) fn path(
    from: (i32, i32),
    to: (i32, i32),
    size: f64,
    rng: &mut fastrand::Rng,
) -> Vec<Sample> {
    let (x0, y0) = (f64::from(from.0), f64::from(from.1));
    let (dx, dy) = (f64::from(to.0) - x0, f64::from(to.1) - y0);
    let distance = dx.hypot(dy);
    let total = 40.0 + 70.0 * (1.0 + distance / size.max(1.0)).log2() * (0.8 + 0.4 * rng.f64());
    // At most 12 pixels off the straight line, however long the path is.
    let bow = (rng.f64() - 0.5) * (24.0 / distance.max(1.0)).min(0.25);
    let mut samples = Vec::new();
    let mut elapsed = 0.0;
    let mut last = from;
    let mut since = 0u32;
    while elapsed < total {
        let step = rng.u32(1..=12);
        elapsed += f64::from(step);
        since += step;
        let t = (elapsed / total).min(1.0);
        let s = t.powi(3) * (10.0 + t * (6.0 * t - 15.0));
        let aside = bow * (std::f64::consts::PI * s).sin();
        let tremor = |rng: &mut fastrand::Rng| (rng.f64() - 0.5) * 0.8;
        let x = x0 + dx * s - dy * aside + tremor(rng);
        let y = y0 + dy * s + dx * aside + tremor(rng);
        let point = if t >= 1.0 {
            to
        } else {
            (x.round() as i32, y.round() as i32)
        };
        if point != last {
            samples.push(Sample {
                after_ms: since,
                x: point.0,
                y: point.1,
            });
            (last, since) = (point, 0);
        }
    }
    samples
}
