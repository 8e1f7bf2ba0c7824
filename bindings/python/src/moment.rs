//! Moments as callers in Python write them.

use gametape::core::tape;
use gametape::{At, Recording, Time, When, Work};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::errors::Failure;

/// A moment as a caller gives it: a text as for the command's `--from`, or seconds.
pub struct Moment(When);

impl Moment {
    /// Returns it as the library takes it.
    pub fn when(self) -> When {
        self.0
    }

    /// Returns the moment if it is the same in every recording.
    pub const fn fixed(&self) -> Option<At> {
        match self.0 {
            When::At(at) => Some(at),
            _ => None,
        }
    }

    /// Like [`Moment::within`]; `None` for so many seconds before the end of a recording that is shorter.
    pub fn if_long_enough(
        &self,
        recording: &Recording,
        work: &Work<'_>,
    ) -> Result<Option<At>, Failure> {
        match recording.at_with(&self.0, work) {
            Ok(at) => Ok(Some(at)),
            Err(error)
                if matches!(self.0, When::BeforeEnd(_))
                    && matches!(error.tape_error(), Some(tape::Error::NotRecorded { .. })) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the moment in a recording.
    pub fn within(&self, recording: &Recording, work: &Work<'_>) -> Result<At, Failure> {
        recording.at_with(&self.0, work).map_err(Failure::from)
    }

    /// Returns the moments of a range.
    pub fn range(
        recording: &Recording,
        start: Option<&Self>,
        end: Option<&Self>,
        work: &Work<'_>,
    ) -> Result<[Option<At>; 2], Failure> {
        let at = |moment: Option<&Self>| {
            let at = moment.map(|moment| moment.within(recording, work));
            at.transpose()
        };
        Ok([at(start)?, at(end)?])
    }
}

impl<'py> FromPyObject<'_, 'py> for Moment {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let wrong = |text: String| PyErr::from(Failure::usage(text));
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_string();
            let parsed = text.parse().map(Self);
            return parsed.map_err(|error| wrong(format!("{text:?}: {error}")));
        }
        let seconds = object.extract::<f64>().ok();
        match seconds.filter(|_| !object.is_instance_of::<PyBool>()) {
            Some(seconds) if seconds < 0.0 => Ok(Self(When::BeforeEnd(time(-seconds)?))),
            Some(seconds) => Ok(Self(At::Time(time(seconds)?).into())),
            None => Err(wrong(format!(
                "a moment is a text such as \"1:23.4\" or \"tick:137\", or a number of seconds, not {}",
                object.repr()?
            ))),
        }
    }
}

/// A number of seconds.
pub fn time(seconds: f64) -> Result<Time, Failure> {
    let ns = (seconds * 1e9).round();
    if ns.abs() < i64::MAX as f64 {
        Ok(Time(ns as i64))
    } else {
        let text = format!("{seconds} seconds are no moment of a recording");
        Err(Failure::usage(text))
    }
}
