//! The frames of a recording of either format, one after another, in bounded memory.

use std::path::Path;

use gametape_echo::butter;
use gametape_echo::echoreplay;
use gametape_echo::{Error as EchoError, Findings, Frame, Severity, WriteError};

use super::EchoFormat;
use crate::Error;
use crate::source::{ReadSeek, Source};

pub(super) fn broken(path: &Path, error: EchoError) -> Error {
    match error {
        EchoError::Io { source, .. } => Error::Io {
            path: path.to_owned(),
            source,
        },
        error => Error::Broken {
            path: path.to_owned(),
            code: match error.finding() {
                Some(finding) => finding.code(),
                None => "io",
            },
            offset: error.offset(),
            message: error.to_string(),
        },
    }
}

pub(super) fn io(path: &Path, source: std::io::Error) -> Error {
    Error::Io {
        path: path.to_owned(),
        source,
    }
}

/// What could not be written, of which frame.
pub(super) fn unwritable(path: &Path, frame: &Frame, error: WriteError) -> Error {
    match error {
        WriteError::Io(source) => io(path, source),
        error => Error::Unwritable {
            path: path.to_owned(),
            message: format!("the frame of {}: {error}", frame.time),
        },
    }
}

/// The first of the worst things that a lenient reader met, if it kept frames from being read.
pub(super) fn problem(path: &Path, findings: &Findings) -> Option<Error> {
    let finding = findings
        .iter()
        .find(|finding| finding.severity() == Severity::Error)?;
    let place = finding.place();
    let colon = if place.is_empty() { "" } else { ": " };
    Some(Error::Broken {
        path: path.to_owned(),
        code: finding.code(),
        offset: finding.offset,
        message: format!("{place}{colon}{}", finding.message()),
    })
}

type Stream<'s> = Box<dyn ReadSeek + 's>;

/// Reads leniently: broken parts are findings.
pub(super) struct Frames<'s> {
    reader: Reader<'s>,
    /// Frames given so far.
    pub count: u64,
}

enum Reader<'s> {
    Butter(Box<butter::Reader<Stream<'s>>>),
    Echoreplay(Box<(echoreplay::Reader<Stream<'s>>, Frame)>),
}

impl<'s> Frames<'s> {
    pub fn open(format: EchoFormat, path: &Path, source: &'s Source) -> Result<Self, Error> {
        let stream = source.stream();
        let reader = match format {
            EchoFormat::Butter => Reader::Butter(Box::new(butter::Reader::with_options(
                stream,
                butter::ReadOptions::lenient(),
            ))),
            EchoFormat::Echoreplay => Reader::Echoreplay(Box::new((
                echoreplay::ReadOptions::lenient()
                    .open(stream)
                    .map_err(|error| broken(path, error))?,
                Frame::default(),
            ))),
        };
        Ok(Self { reader, count: 0 })
    }

    /// The next frame; `None` at the end.
    pub fn next(&mut self) -> Result<Option<&Frame>, EchoError> {
        let frame = match &mut self.reader {
            Reader::Butter(reader) => reader.next_frame()?,
            Reader::Echoreplay(inner) => {
                let (reader, frame) = &mut **inner;
                reader.next_frame(frame)?.is_some().then_some(&*frame)
            }
        };
        self.count += u64::from(frame.is_some());
        Ok(frame)
    }

    /// What was found so far.
    pub fn findings(&self) -> &Findings {
        match &self.reader {
            Reader::Butter(reader) => reader.decoder().findings(),
            Reader::Echoreplay(inner) => inner.0.findings(),
        }
    }

    /// The reader of a .butter.
    pub fn butter(&self) -> Option<&butter::Decoder> {
        match &self.reader {
            Reader::Butter(reader) => Some(reader.decoder()),
            Reader::Echoreplay(_) => None,
        }
    }
}

/// Goes through all frames; what is wrong with the recording, where it is not whole.
pub(super) fn each(
    format: EchoFormat,
    path: &Path,
    source: &Source,
    mut visit: impl FnMut(u64, &Frame),
) -> Result<Option<Error>, Error> {
    let mut frames = Frames::open(format, path, source)?;
    loop {
        let index = frames.count;
        match frames.next() {
            Ok(Some(frame)) => visit(index, frame),
            Ok(None) => return Ok(problem(path, frames.findings())),
            Err(error @ EchoError::Io { .. }) => return Err(broken(path, error)),
            // A header that can't be read, a limit: nothing can be had.
            Err(error) if index == 0 => return Err(broken(path, error)),
            Err(error) => return Ok(Some(broken(path, error))),
        }
    }
}
