//! From one moment to another.

use std::str::FromStr;

use gametape::At;

/// A stretch of a recording; an end that is not said is the recording's.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stretch {
    pub from: Option<At>,
    pub to: Option<At>,
}

impl FromStr for Stretch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((from, to)) = text.split_once("..") else {
            return Err(
                "a stretch is FROM..TO, such as 1:23.4..2:00, tick:1..tick:90, step:0..".into(),
            );
        };
        let end = |end: &str| {
            if end.is_empty() {
                return Ok(None);
            }
            end.parse().map(Some).map_err(|error| format!("{error}"))
        };
        Ok(Self {
            from: end(from)?,
            to: end(to)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use gametape::Time;

    use super::*;

    #[test]
    fn an_end_that_is_not_said_is_the_recordings() {
        let stretch: Stretch = "1:23.4..step:9".parse().unwrap();
        assert_eq!(stretch.from, Some(At::Time(Time::from_ms(83_400))));
        assert_eq!(stretch.to, Some(At::Step(9)));
        assert_eq!("..".parse(), Ok(Stretch::default()));
        assert_eq!(
            "tick:1..".parse(),
            Ok(Stretch {
                from: Some(At::Tick(1)),
                to: None
            })
        );
        for wrong in ["", "1:23", "a..b", "1...2", "1..2..3", "-1..2"] {
            assert!(wrong.parse::<Stretch>().is_err(), "{wrong}");
        }
    }
}
