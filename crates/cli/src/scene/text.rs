//! Moments and numbers as they are shown.

use gametape::Stamp;

/// As many digits as numbers of this size are read with.
#[cfg(feature = "picture")]
pub fn digits(most: f64) -> usize {
    match most.abs() {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        0.01.. => 4,
        _ => 5,
    }
}

/// `12.345 s  tick 7  step 6`
pub fn moment(stamp: Stamp) -> String {
    let time = stamp
        .time
        .map(|time| gametape::Time::from_ms(time.whole_ms()).to_string());
    let tick = stamp.tick.map(|tick| format!("tick {tick}"));
    let step = Some(format!("step {}", stamp.step));
    let parts: Vec<String> = [time, tick, step].into_iter().flatten().collect();
    parts.join("  ")
}

/// `12.345 s, tick 7, step 6`: within a sentence.
#[cfg(feature = "picture")]
pub fn told(stamp: Stamp) -> String {
    moment(stamp).replace("  ", ", ")
}

#[cfg(test)]
mod tests {
    use gametape::Time;

    use super::*;

    #[test]
    fn a_moment_says_what_is_known_of_it() {
        let stamp = Stamp {
            step: 6,
            tick: Some(7),
            time: Some(Time(12_345_678_901)),
        };
        assert_eq!(moment(stamp), "12.345 s  tick 7  step 6");
    }
}
