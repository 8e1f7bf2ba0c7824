//! An opened recording of packets.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use gametape_core::Input;
use gametape_core::tape::{Audit, Error, Files, Options, Source, Work};
use gametape_delta::{Schema, wire};

use super::schema::wrong;
use super::tables::packets::packets as packets_table;
use super::{folder, schema};
use crate::audit::audit_telling;
use crate::cursor::DeltaFile;
use crate::made::{self, Made};
use crate::packets::Packets;
use crate::ranges::Ranges;
use crate::read::{Capture, Known, read};
use crate::rule::{CaptureRule, fault};

/// The form in which packets are recorded.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Capture,
    Delta,
}

/// A recording opened by [`Mcap`](super::Mcap) or [`Delta`](super::Delta).
#[derive(Debug)]
pub struct PacketsTape {
    form: Form,
    pub(super) input: Input,
    path: Option<PathBuf>,
    files: Arc<dyn Files>,
    /// It is a folder of packets.
    is_folder: bool,
    options: Options,
    /// The schema of a file of packets.
    schema: OnceLock<Schema>,
    /// The summary of a capture, once it was read.
    known: OnceLock<Arc<Known>>,
}

impl PacketsTape {
    pub(super) fn new(form: Form, source: Source) -> Self {
        let (path, files) = (source.path, source.files);
        let is_recording = |path: &PathBuf| folder::is_folder(path, &*files);
        let is_packets = matches!(form, Form::Delta);
        Self {
            form,
            input: source.input,
            is_folder: is_packets && path.as_ref().is_some_and(is_recording),
            path,
            files,
            options: source.options,
            schema: OnceLock::new(),
            known: OnceLock::new(),
        }
    }

    /// The same recording with its current bytes.
    pub(super) fn again(&self, input: Input) -> Result<Self, Error> {
        let schema = OnceLock::new();
        if let Form::Delta = self.form {
            let _ = schema.set(self.of_packets()?);
        }
        Ok(Self {
            form: self.form,
            input,
            path: self.path.clone(),
            files: self.files.clone(),
            is_folder: self.is_folder,
            options: self.options.clone(),
            schema,
            known: OnceLock::new(),
        })
    }

    /// Its packets.
    ///
    /// # Errors
    /// It is not a capture, or the schema of its packets is missing.
    pub fn packets(&self) -> Result<Packets<'_>, Error> {
        self.packets_in((&self.input).into())
    }

    /// Like [`PacketsTape::packets`], read only while the work is wanted.
    pub(super) fn packets_for<'r>(&'r self, work: &'r Work<'r>) -> Result<Packets<'r>, Error> {
        self.packets_in(Ranges::watched(&self.input, work))
    }

    /// Like [`PacketsTape::packets`], read from `ranges`.
    pub(super) fn packets_in<'r>(&self, ranges: Ranges<'r>) -> Result<Packets<'r>, Error> {
        if let Form::Delta = self.form {
            let schema = self.of_packets()?;
            return Ok(Packets::Delta(DeltaFile::new(ranges, schema)));
        }
        if let Some(known) = self.known.get() {
            let capture = Capture::of(ranges, known.clone());
            return Ok(Packets::Capture(Box::new(capture)));
        }
        let magic = wire::MAGIC.to_le_bytes();
        if *ranges.up_to(0, magic.len() as u64)? == magic {
            return Err(CaptureRule::BarePackets.at(0).into());
        }
        let capture = read(ranges)?;
        let _ = self.known.set(capture.known());
        Ok(Packets::Capture(Box::new(capture)))
    }

    pub(super) fn audit_of(&self, packets: &Packets<'_>, work: &Work<'_>) -> Result<Audit, Error> {
        let tell = |offset| {
            if let Some(progress) = work.progress {
                progress(offset);
            }
        };
        let mut audit = audit_telling(packets, &tell)?;
        let folder = self.path.as_deref().filter(|_| self.is_folder);
        if let Some(folder) = folder {
            folder::names(folder, &*self.files, &self.input, &mut audit.findings)?;
        }
        if let Packets::Capture(capture) = packets {
            let wrong = match made_of(packets) {
                Ok(Some((_, made))) => made::problem(capture, &made)?,
                Ok(None) => None,
                Err(error) => Some(error),
            };
            if let Some(wrong) = wrong {
                audit.findings.push(fault(wrong)?);
            }
        }
        let mut told = Audit::new(&audit.findings, audit.to_string());
        if folder.is_some() {
            for finding in &mut told.findings {
                let place = &mut finding.place;
                place.within = place.offset.map(|_| "the folder".into());
            }
        }
        Ok(told)
    }

    /// The schema of its packets.
    ///
    /// # Errors
    /// As [`PacketsTape::packets`].
    pub fn schema(&self) -> Result<Schema, Error> {
        match self.form {
            Form::Capture => Ok(self.packets()?.schema().clone()),
            Form::Delta => self.of_packets(),
        }
    }

    /// The schema that was given, or that is next to the packets.
    fn of_packets(&self) -> Result<Schema, Error> {
        if let Some(schema) = self.schema.get() {
            return Ok(schema.clone());
        }
        let packets = Ranges::from(&self.input);
        let path = self.path.as_deref().filter(|path| *path != Path::new("-"));
        let schema = match (schema::given(&self.options, "schema")?, path) {
            (Some(schema), _) => schema::checked(schema, packets)?,
            (None, Some(path)) => {
                let places = schema::places(path, self.is_folder);
                schema::beside(&places, &*self.files, packets)?
            }
            (None, None) => {
                return Err(wrong(
                    "packets from standard input have no schema beside them; name the file, or convert it to .mcap, which holds its schema",
                ));
            }
        };
        Ok(self.schema.get_or_init(|| schema).clone())
    }
}

/// The tables from which a capture was made.
pub(super) fn made_of<'p, 'a>(
    packets: &'p Packets<'a>,
) -> Result<Option<(&'p Capture<'a>, Made)>, crate::rule::Error> {
    let Packets::Capture(capture) = packets else {
        return Ok(None);
    };
    let made = capture
        .tables()
        .map(|json| Made::read(json, capture.schema(), packets_table()));
    Ok(made.transpose()?.map(|made| (&**capture, made)))
}

/// The format name of captures.
pub(super) const CAPTURE: &str = "capture";
/// The format name of packets in files and folders.
pub(super) const DELTA: &str = "delta";
/// The kind of both formats: their recordings can be compared with each other, and converted into
/// each other.
pub(super) const KIND: &str = "capture";
/// The name of a step.
pub(super) const STEP: &str = "packet";

/// The name of the format in which packets are recorded.
pub(super) const fn name_of(packets: &Packets<'_>) -> &'static str {
    match packets {
        Packets::Capture(_) => CAPTURE,
        Packets::Delta(_) => DELTA,
    }
}
