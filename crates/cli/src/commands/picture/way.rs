//! Draws ways.

use std::fmt::Write;

use super::ink::Rgb;
use super::svg::{N, Svg};

/// What is nearer is not seen.
const NEAR: f64 = 0.6;

/// A way through some places.
pub fn line(
    svg: &mut Svg,
    places: impl Iterator<Item = (f64, f64)>,
    ink: Rgb,
    wide: f64,
    opacity: f64,
) {
    let (mut path, mut last) = (String::new(), None);
    let mut left = None;
    for (x, y) in places {
        let is_near = |(a, b): &(f64, f64)| (x - a).abs() < NEAR && (y - b).abs() < NEAR;
        if last.as_ref().is_some_and(is_near) {
            left = Some((x, y));
            continue;
        }
        let sign = if last.is_none() { 'M' } else { 'L' };
        let _ = write!(path, "{sign}{} {}", N(x), N(y));
        (last, left) = (Some((x, y)), None);
    }
    // It ends where it ended.
    if let Some((x, y)) = left {
        let _ = write!(path, "L{} {}", N(x), N(y));
    }
    if path.contains('L') {
        svg.put(format_args!(
            r#"<path fill="none" stroke="{ink}" stroke-width="{}" stroke-opacity="{}" stroke-linejoin="round" stroke-linecap="round" d="{path}"/>"#,
            N(wide),
            N(opacity)
        ));
    }
}
