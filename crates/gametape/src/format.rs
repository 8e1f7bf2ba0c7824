//! The formats, and what each of them can do.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gametape_delta::Schema;
use gametape_echo::loss::LossReport;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::content::{Content, Work};
use crate::diff::{Diff, diff_lines};
use crate::formats::echo::{self, EchoFormat};
use crate::formats::murk::Murk;
use crate::formats::packets::PacketFormat;
use crate::formats::rmv::Rmv;
use crate::source::Source;
use crate::{Audit, Error, Info};

/// A format of recordings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// Murk replay v3: the commands of each tick of a deterministic simulation.
    Murk,
    /// A recorded snapshot/delta stream: an MCAP file of profile `gametape`.
    Capture,
    /// Snapshot/delta packets one behind the other, or in a folder; their schema beside them.
    Delta,
    /// Minesweeper, ViennaSweeper's RMV v1 and v2.
    Rmv,
    /// Echo VR, the game's API line by line: an .echoreplay, as text or in a zip.
    Echoreplay,
    /// Echo VR, quantised and differenced: a .butter.
    Butter,
}

impl Format {
    /// Every format. The first byte of a .butter says little: it is looked for last.
    pub const ALL: [Self; 6] = [
        Self::Murk,
        Self::Capture,
        Self::Delta,
        Self::Rmv,
        Self::Echoreplay,
        Self::Butter,
    ];

    pub(crate) fn adapter(self) -> &'static dyn Adapter {
        match self {
            Self::Murk => &Murk,
            Self::Capture => &PacketFormat::Capture,
            Self::Delta => &PacketFormat::Delta,
            Self::Rmv => &Rmv,
            Self::Echoreplay => &EchoFormat::Echoreplay,
            Self::Butter => &EchoFormat::Butter,
        }
    }

    /// Its name, as in JSON output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Murk => "murk",
            Self::Capture => "capture",
            Self::Delta => "delta",
            Self::Rmv => "rmv",
            Self::Echoreplay => "echoreplay",
            Self::Butter => "butter",
        }
    }

    /// What one entry of it is called, in the plural.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Murk | Self::Echoreplay | Self::Butter => "frames",
            Self::Capture | Self::Delta => "packets",
            Self::Rmv => "events",
        }
    }

    /// True for recordings of snapshot/delta packets: they compare with each other, and each
    /// converts to the other.
    #[must_use]
    pub const fn is_packets(self) -> bool {
        matches!(self, Self::Capture | Self::Delta)
    }

    /// True for recordings of Echo VR: they compare with each other, and each converts to the other.
    #[must_use]
    pub const fn is_echo(self) -> bool {
        matches!(self, Self::Echoreplay | Self::Butter)
    }

    /// True where recordings of the two compare with each other, and convert to each other.
    #[must_use]
    pub fn is_kin_to(self, other: Self) -> bool {
        self == other
            || (self.is_packets() && other.is_packets())
            || (self.is_echo() && other.is_echo())
    }

    /// The format with this file name extension.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|format| format.adapter().extensions().contains(&extension.as_str()))
    }

    /// Refuses a file name that says another format than this: whoever met the file would be misled.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub fn check_name(self, path: &Path) -> Result<(), Error> {
        match Self::from_extension(path) {
            Some(other) if other != self => Err(Error::Unsupported {
                path: path.to_owned(),
                message: format!(
                    "is the name of a recording of {other}; {self} recordings end in .{}",
                    self.adapter().extensions().join(" or .")
                ),
            }),
            _ => Ok(()),
        }
    }

    /// Whether recordings of this format can be converted to another.
    #[must_use]
    pub fn converts_to(self, other: Self) -> bool {
        self.is_kin_to(other)
    }

    /// The format whose signature `bytes` start with.
    #[must_use]
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.adapter().sniff(bytes))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether tokens, IP addresses and user ids may be shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Secrets {
    /// They are replaced.
    #[default]
    Hide,
    /// They are shown.
    Show,
}

/// Something taken from a file that may be broken.
#[derive(Debug)]
pub struct Partial<T> {
    /// What could be taken.
    pub value: T,
    /// What is wrong with the file, where it is not whole.
    pub problem: Option<Error>,
}

/// What a conversion is to give.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Convert {
    /// Another version of the same format.
    pub version: Option<u32>,
    /// Without secrets.
    pub redact: bool,
    /// Of recordings of Echo VR.
    pub echo: echo::Wish,
    /// Of packets: to this schema, which has to be one that all states can be carried to.
    pub schema: Option<Schema>,
    /// Of packets, to a capture: the length of a tick in nanoseconds, where it is not recorded.
    pub tick_ns: Option<u64>,
    /// Of packets, to a capture: full snapshots to seek by are added, so that no state is built
    /// over more ticks than this.
    pub keyframe_every: Option<u32>,
}

/// What to dump.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dump {
    /// This tick alone (of event logs: this millisecond; of matches: this frame, from 0).
    pub tick: Option<u64>,
    /// Of packets: the state at that tick, or the last state, one object an entity.
    pub state: bool,
    /// Whether user ids and addresses are shown. Of recordings that have them: Echo VR's.
    pub secrets: Secrets,
}

/// A file that belongs beside a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beside {
    /// What stands in the place of the recording's extension: `schema.json`.
    pub extension: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Beside {
    /// Where it lies beside a recording: `run.schema.json` for `run.delta`.
    #[must_use]
    pub fn path(&self, recording: &Path) -> PathBuf {
        recording.with_extension(self.extension)
    }

    /// Writes it beside a recording.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, recording: &Path) -> Result<(), Error> {
        crate::write_file(&self.path(recording), &self.bytes)
    }
}

/// How thoroughly to check, and with what.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Check {
    /// The world that the recording was made in, as the text of a TOML file: for recordings of
    /// simulations that carry none. It stands above the one that a recording carries.
    pub world: Option<String>,
}

/// A converted recording.
#[derive(Debug)]
pub struct Converted<'a> {
    /// The file.
    pub content: Content<'a>,
    /// What could not be carried, a sentence each.
    pub losses: Vec<String>,
    /// What is odd about the recording, a sentence each: nothing is lost by it.
    pub notes: Vec<String>,
    /// How far numbers are off, where they were rounded on the way.
    pub report: Option<LossReport>,
    /// What has to lie beside the file.
    pub beside: Vec<Beside>,
}

impl Converted<'_> {
    /// True where the file holds less than the recording did.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        !self.losses.is_empty() || self.report.as_ref().is_some_and(|r| !r.is_lossless())
    }
}

/// A repaired recording.
#[derive(Debug)]
pub struct Repaired<'a> {
    /// The file.
    pub content: Content<'a>,
    /// What was done, a sentence each; empty for a file that was whole.
    pub actions: Vec<String>,
    /// True where the repaired file holds less than the broken one.
    pub lossy: bool,
    /// What has to lie beside the file.
    pub beside: Vec<Beside>,
}

/// What the library needs of a format.
pub(crate) trait Adapter: Sync {
    /// Extensions in lower case.
    fn extensions(&self) -> &'static [&'static str];
    /// Whether the content starts as this format does.
    fn sniff(&self, bytes: &[u8]) -> bool;
    /// Describes from the header alone.
    fn header(
        &self,
        path: &Path,
        source: &Source,
        secrets: Secrets,
    ) -> Result<Partial<Info>, Error>;
    /// Describes from the whole file.
    fn info(&self, path: &Path, source: &Source, secrets: Secrets) -> Result<Partial<Info>, Error>;
    /// Checks; what can't be read is a finding.
    fn audit(&self, path: &Path, source: &Source, check: &Check) -> Result<Audit, Error>;
    /// Measures.
    fn stats(&self, path: &Path, source: &Source) -> Result<Partial<Map<String, Value>>, Error>;
    /// Writes one JSON object an event or frame. The inner error is the recording's, the outer
    /// `out`'s.
    fn dump(
        &self,
        path: &Path,
        source: &Source,
        dump: &Dump,
        out: &mut dyn Write,
    ) -> io::Result<Result<Partial<()>, Error>>;
    /// The world that the recording carries.
    fn world(&self, path: &Path, _bytes: &[u8]) -> Result<String, Error> {
        Err(Error::Unsupported {
            path: path.to_owned(),
            message: "the recording carries no world".into(),
        })
    }
    /// Converts to a format that [`Format::converts_to`] says it can be converted to.
    fn convert<'a>(
        &self,
        path: &Path,
        source: &'a Source,
        to: Format,
        convert: &Convert,
        work: &Work<'_>,
    ) -> Result<Converted<'a>, Error>;
    /// Keeps what is whole.
    fn repair<'a>(
        &self,
        path: &Path,
        source: &'a Source,
        work: &Work<'_>,
    ) -> Result<Repaired<'a>, Error>;
    /// Compares two recordings of the format: by the lines of their dumps, where the format has
    /// nothing better.
    fn diff(
        &self,
        paths: [&Path; 2],
        sources: [&Source; 2],
        _check: &Check,
    ) -> Result<Diff, Error> {
        diff_lines(self, paths, sources)
    }
}
