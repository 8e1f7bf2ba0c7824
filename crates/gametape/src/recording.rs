//! Any recording.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use gametape_capture::Packets;
use gametape_delta::Schema;
use serde_json::{Map, Value};

use crate::formats::packets;
use crate::source::{Limits, Source};
use crate::{
    Audit, Check, Convert, Converted, Diff, Dump, Error, Format, Info, Partial, Repaired, Secrets,
    Work,
};

/// A recording of any known format.
///
/// Opening looks at the first bytes only; each method reads as much as it needs.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    source: Source,
    format: Format,
}

impl Recording {
    /// Opens a file: known by its content, then by its extension. A folder of packets with their
    /// `schema.json` is one recording.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::IsFolder`], [`Error::UnknownFormat`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, &Limits::default())
    }

    /// [`Recording::open`] within other limits.
    pub fn open_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Self, Error> {
        let path = path.as_ref();
        if packets::is_folder(path) {
            return Ok(Self {
                path: path.to_owned(),
                source: packets::open_folder(path, limits)?,
                format: Format::Delta,
            });
        }
        Self::of(path, Source::open(path, limits)?)
    }

    /// Reads a recording from a stream to its end; `name` stands for the path in messages, and
    /// its extension counts where the content says nothing.
    pub fn from_reader(source: impl Read, name: &str, limits: &Limits) -> Result<Self, Error> {
        let path = Path::new(name);
        Self::of(path, Source::take(source, 0, path, limits)?)
    }

    /// A recording that is in memory; `name` as in [`Recording::from_reader`].
    ///
    /// ```
    /// let error = gametape::Recording::from_bytes(b"%PDF-1.7".to_vec(), "a").unwrap_err();
    /// assert_eq!(error.code(), "unknown-format");
    /// ```
    pub fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Self, Error> {
        Self::of(Path::new(name), Source::held(bytes))
    }

    fn of(path: &Path, source: Source) -> Result<Self, Error> {
        let format = Format::sniff(&source)
            .or_else(|| Format::from_extension(path))
            .ok_or_else(|| Error::UnknownFormat {
                path: path.to_owned(),
                what: match source.get(..8.min(source.len())) {
                    None | Some([]) => "it is empty".into(),
                    Some([b'P', b'K', 3 | 5, ..]) => "a zip without an .echoreplay in it".into(),
                    Some(head) => format!("it starts with \"{}\"", head.escape_ascii()),
                },
            })?;
        Ok(Self {
            path: path.to_owned(),
            source,
            format,
        })
    }

    /// With the schema of its packets, where none lies beside them; it counts before one that
    /// does. Recordings that carry their schema, or need none, do not heed it.
    #[must_use]
    pub fn with_schema(mut self, schema: Schema) -> Self {
        self.source.schema = Some(schema);
        self
    }

    /// The packets of a recording of a snapshot/delta stream, to be gone through or to be asked
    /// for the state at a tick.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for other recordings; [`Error::Schema`] where the schema is not there
    /// or does not fit; [`Error::Broken`].
    pub fn packets(&self) -> Result<Packets<'_>, Error> {
        if !self.format.is_packets() {
            return Err(Error::Unsupported {
                path: self.path.clone(),
                message: format!("{} recordings hold no snapshot/delta packets", self.format),
            });
        }
        packets::open(&self.path, &self.source)
    }

    /// The path it was opened with.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The whole file, for the format's own crate.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.source
    }

    pub(crate) const fn source(&self) -> &Source {
        &self.source
    }

    /// What the header says; events are not decoded.
    pub fn header(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
        self.format
            .adapter()
            .header(&self.path, &self.source, secrets)
    }

    /// What the recording says of itself, secrets hidden; of a broken one as much as can be read.
    pub fn info(&self) -> Result<Info, Error> {
        Ok(self.info_with(Secrets::Hide)?.value)
    }

    /// What the recording says of itself, and what is wrong with it where it is not whole.
    pub fn info_with(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
        self.format
            .adapter()
            .info(&self.path, &self.source, secrets)
    }

    /// Checks the recording as thoroughly as its bytes allow. What can't be read is a finding.
    ///
    /// # Errors
    /// [`Error::Io`] where the file can't be read to its end.
    pub fn audit(&self) -> Result<Audit, Error> {
        self.audit_with(&Check::default())
    }

    /// [`Recording::audit`], with what the recording itself does not carry.
    ///
    /// # Errors
    /// Also [`Error::World`] where the given world can't be built.
    pub fn audit_with(&self, check: &Check) -> Result<Audit, Error> {
        self.format.adapter().audit(&self.path, &self.source, check)
    }

    /// What differs between two recordings of one format.
    ///
    /// # Errors
    /// [`Error::FormatsDiffer`]; [`Error::Broken`] where one of the
    /// recordings can't be read to its end.
    pub fn diff(&self, other: &Self, check: &Check) -> Result<Diff, Error> {
        if !self.format.is_kin_to(other.format) {
            return Err(Error::FormatsDiffer {
                path: other.path.clone(),
                format: other.format,
                other: self.format,
            });
        }
        self.format.adapter().diff(
            [&self.path, &other.path],
            [&self.source, &other.source],
            check,
        )
    }

    /// The statistics that the recording's people compare. Keys are stable, and documented in
    /// the book.
    pub fn stats(&self) -> Result<Partial<Map<String, Value>>, Error> {
        self.format.adapter().stats(&self.path, &self.source)
    }

    /// The world that a recording of a simulation carries, as the text of a TOML file: recorded
    /// with it again, the same commands give the same recording.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where it carries none, [`Error::Broken`] where its header can't be
    /// read, [`Error::World`] where the world is damaged.
    pub fn world(&self) -> Result<String, Error> {
        self.format.adapter().world(&self.path, &self.source)
    }

    /// Writes one JSON object a line for each event or frame.
    ///
    /// # Errors
    /// The outer error is `out`'s, the inner one the recording's.
    pub fn dump(&self, out: &mut dyn Write) -> io::Result<Result<Partial<()>, Error>> {
        self.dump_with(&Dump::default(), out)
    }

    /// [`Recording::dump`] of one tick alone (in event logs: of one millisecond). Where an index
    /// lies beside the recording, nothing else is read.
    pub fn dump_tick(
        &self,
        tick: Option<u64>,
        out: &mut dyn Write,
    ) -> io::Result<Result<Partial<()>, Error>> {
        let dump = Dump {
            tick,
            ..Dump::default()
        };
        self.dump_with(&dump, out)
    }

    /// [`Recording::dump`] of a part, or of the state at a tick.
    pub fn dump_with(
        &self,
        dump: &Dump,
        out: &mut dyn Write,
    ) -> io::Result<Result<Partial<()>, Error>> {
        if dump.state && !self.format.is_packets() {
            return Ok(Err(Error::Unsupported {
                path: self.path.clone(),
                message: format!(
                    "{} recordings hold no states that can be dumped",
                    self.format
                ),
            }));
        }
        self.format
            .adapter()
            .dump(&self.path, &self.source, dump, out)
    }

    /// The recording in another form. Without any wish it is byte for byte the same.
    pub fn convert(&self, to: Format, convert: &Convert) -> Result<Converted<'_>, Error> {
        self.convert_with(to, convert, &Work::default())
    }

    /// [`Recording::convert`] of what may be large: done in a folder, and watched.
    pub fn convert_with(
        &self,
        to: Format,
        convert: &Convert,
        work: &Work<'_>,
    ) -> Result<Converted<'_>, Error> {
        if !self.format.converts_to(to) {
            return Err(Error::NoConversion {
                path: self.path.clone(),
                from: self.format,
                to: to.to_string(),
            });
        }
        self.format
            .adapter()
            .convert(&self.path, &self.source, to, convert, work)
    }

    /// Keeps what is whole of a broken recording.
    pub fn repair(&self) -> Result<Repaired<'_>, Error> {
        self.repair_with(&Work::default())
    }

    /// [`Recording::repair`] of what may be large: done in a folder, and watched.
    pub fn repair_with(&self, work: &Work<'_>) -> Result<Repaired<'_>, Error> {
        self.format.adapter().repair(&self.path, &self.source, work)
    }
}
