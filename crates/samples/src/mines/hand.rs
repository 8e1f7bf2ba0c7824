//! The movement of a hand with a mouse: in a curve, slow at both ends, with a tremor.

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
