//! Captures, and packets in files and folders, as two of gametape's formats.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_core::table::{Playback, Scan, TableDef, Visit};
use gametape_core::tape::{
    Abilities, Audit, Companions, Compare, Converted, Cut, Cutout, Depth, Diff, Dump, DumpSteps,
    Error, Estimate, Estimates, Files, Folders, Follow, Format, FormatInfo, Info, Maker, Measured,
    OptionDef, OptionKind, Options, Partial, Repaired, RowCount, Secrets, Sink, Source, Tape,
    Target, Verb, Verdict, Work,
};
use gametape_core::{Input, RuleInfo};
use gametape_delta::wire;
use opened::{Form, made_of};

use self::info::stats as stats_of;
use self::opened::{CAPTURE, DELTA, KIND, STEP, name_of};
use self::tables::packets::{PACKETS, head};
use self::tables::pass::follow as follow_packets;
use self::tables::{defs, of as tables_of};
use crate::container::starts_as_mcap;
use crate::error::CaptureError;
use crate::layout::Role;
use crate::made;
use crate::packets::Packets;
use crate::rule::Rule;

mod convert;
mod cut;
mod diff;
mod dump;
mod folder;
mod info;
mod measure;
mod opened;
mod schema;
mod tables;

pub use crate::made::{Growing, Moment, Piece, RecordKind, Segment, Segmented, push_record};
pub use convert::{facts, segments};
pub use opened::PacketsTape;
pub use schema::{SchemaError, schema_of_json};

/// The largest file, in bytes, from which a schema is taken: it may be a recording that contains
/// one.
const MOST_SCHEMA: u64 = 1 << 30;

const SCHEMA: OptionDef = OptionDef {
    more: "JSON, or a recording that has one",
    ..OptionDef::new(
        "schema",
        OptionKind::File { most: MOST_SCHEMA },
        "FILE",
        "The schema of packets that have none beside them",
    )
};
const OPEN: &[OptionDef] = &[SCHEMA];
const CONVERT: &[OptionDef] = &[OptionDef {
    name: "to-schema",
    default: "the schema it has",
    help: "Carry the recording over to this schema",
    ..SCHEMA
}];
const WRITE: &[OptionDef] = &[
    OptionDef {
        default: "what is known",
        ..OptionDef::new(
            "tick-rate",
            OptionKind::Number {
                min: 0.001,
                max: 1e9,
            },
            "HZ",
            "Ticks a second",
        )
    },
    OptionDef {
        default: "nothing added; of other recordings what seeking needs",
        ..OptionDef::new(
            "keyframe-every",
            OptionKind::Count {
                min: 1,
                max: u32::MAX as u64,
            },
            "TICKS",
            "Add full snapshots to seek by, where states are built over more ticks",
        )
    },
    OptionDef {
        more: "Of recordings that are made into captures; captures themselves keep what they have.",
        ..OptionDef::flag(
            "show-secrets",
            "Keep what is secret: ids, addresses and tokens",
        )
    },
];

/// The rules of recordings, and the codes of errors that a caller can cause.
fn rules() -> Vec<RuleInfo> {
    [&Rule::all(), CaptureError::CODES].concat()
}

/// The format of captures, for a registry.
#[derive(Clone, Copy, Debug)]
pub struct Mcap;

/// The format of files and folders of packets, for a registry.
#[derive(Clone, Copy, Debug)]
pub struct Delta;

const MCAP_INFO: FormatInfo = FormatInfo {
    kind: KIND,
    step: STEP,
    extensions: &["mcap"],
    options: &[(Verb::Convert, CONVERT), (Verb::Write, WRITE)],
    ..FormatInfo::new(
        CAPTURE,
        "Captures of snapshot/delta packets, seekable, in MCAP files",
    )
};

const DELTA_INFO: FormatInfo = FormatInfo {
    kind: KIND,
    step: STEP,
    extensions: &["delta"],
    options: &[(Verb::Open, OPEN), (Verb::Convert, CONVERT)],
    ..FormatInfo::new(
        DELTA,
        "Snapshot/delta packets, one after the other or a file each, their schema beside them",
    )
};

impl Format for Mcap {
    fn info(&self) -> &'static FormatInfo {
        &MCAP_INFO
    }

    fn sniff(&self, input: &Input) -> bool {
        input.head(8).is_ok_and(|head| starts_as_mcap(&head))
    }

    fn rules(&self) -> Vec<RuleInfo> {
        rules()
    }

    fn tables(&self) -> Vec<TableDef> {
        defs()
    }

    fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
        Ok(Arc::new(PacketsTape::new(Form::Capture, source)))
    }

    fn maker(&self) -> Option<&dyn Maker> {
        Some(self)
    }
}

impl Maker for Mcap {
    fn make(
        &self,
        of: &Arc<dyn Tape>,
        options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Converted, Error> {
        let secrets = made::secrets(options);
        made::make(
            of,
            convert::options_of(options, None, false),
            secrets,
            out,
            work,
        )
    }
}

impl Format for Delta {
    fn info(&self) -> &'static FormatInfo {
        &DELTA_INFO
    }

    fn sniff(&self, input: &Input) -> bool {
        let magic = wire::MAGIC.to_le_bytes();
        input.head(4).is_ok_and(|head| *head == magic)
    }

    fn rules(&self) -> Vec<RuleInfo> {
        rules()
    }

    fn tables(&self) -> Vec<TableDef> {
        defs()
    }

    fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
        Ok(Arc::new(PacketsTape::new(Form::Delta, source)))
    }

    fn folders(&self) -> Option<&dyn Folders> {
        Some(self)
    }

    fn companions(&self) -> Option<&dyn Companions> {
        Some(self)
    }
}

impl Folders for Delta {
    fn is_recording(&self, folder: &Path, files: &dyn Files) -> bool {
        folder::is_folder(folder, files)
    }

    fn read(&self, folder: &Path, files: &dyn Files, limit: u64) -> Result<Input, Error> {
        folder::read(folder, files, limit)
    }
}

impl Companions for Delta {
    fn read_with(&self, path: &Path, files: &dyn Files) -> Vec<PathBuf> {
        schema::places(path, folder::is_folder(path, files))
    }

    fn replaced(&self, _: &Path, _: &Input) {}
}

impl Tape for PacketsTape {
    fn input(&self) -> &Input {
        &self.input
    }

    fn describe(
        &self,
        depth: Depth,
        _secrets: Secrets,
        work: &Work<'_>,
    ) -> Result<Partial<Info>, Error> {
        let packets = self.packets_for(work)?;
        let format = match packets {
            Packets::Capture(_) => &MCAP_INFO,
            Packets::Delta(_) => &DELTA_INFO,
        };
        // The version of the wire format; captures have no version of their own.
        let version = u32::from(wire::VERSION);
        let known = Info::new(format, version, self.input.size());
        if depth == Depth::Header {
            let problem = packets.problem().map(Error::from);
            return Ok(Partial::new(info::header(known, &packets), problem));
        }
        let measured = measure::measure(&packets, work)?;
        let info = info::info(known, &packets, &measured);
        Ok(Partial::new(info, measured.problem.map(Error::from)))
    }

    fn audit(&self, _options: &Options, work: &Work<'_>) -> Result<Audit, Error> {
        match self.packets_for(work) {
            Ok(packets) => self.audit_of(&packets, work),
            // A recording that cannot be opened at all gives a single finding.
            Err(Error::Broken(finding)) => Ok(Audit {
                findings: vec![*finding],
                ..Audit::default()
            }),
            Err(error) => Err(error),
        }
    }

    fn stats(&self, _options: &Options, work: &Work<'_>) -> Result<Partial<Measured>, Error> {
        let packets = self.packets_for(work)?;
        let measured = measure::measure(&packets, work)?;
        let stats = stats_of(&packets, &measured);
        Ok(Partial::new(
            stats.into(),
            measured.problem.map(Error::from),
        ))
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        let packets = self.packets()?;
        match made_of(&packets)? {
            Some((_, made)) => Ok(made.tables),
            None => Ok(tables_of(packets.schema())),
        }
    }

    fn scan(
        &self,
        scans: &[Scan],
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        work.wanted()?;
        let packets = self.packets()?;
        match made_of(&packets)? {
            Some((capture, made)) => made::scan(capture, &made, scans, &head, work, visit),
            None => tables::scan(&packets, scans, work, visit),
        }
    }

    fn follow(&self, scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
        follow_packets(self, scans)
    }

    fn own_playback(&self, work: &Work<'_>) -> Result<Option<Box<dyn Playback>>, Error> {
        let packets = self.packets_in(self.input.clone().into())?;
        let made = made_of(&packets)?.map(|(_, made)| made);
        match (packets, made) {
            (Packets::Capture(capture), Some(made)) => {
                made::play(*capture, made, head, work).map(Some)
            }
            (packets, _) => Ok(Some(Box::new(tables::PacketPlayback::play(packets, work)?))),
        }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            steps: Some(self),
            compare: Some(self),
            pieces: Some(self),
            estimates: Some(self),
            ..Abilities::default()
        }
    }

    fn convert(
        &self,
        to: Target<'_>,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Converted, Error> {
        let packets = self.packets_for(work)?;
        if ![CAPTURE, DELTA].contains(&to.format) {
            return Err(Error::no_conversion(
                name_of(&packets),
                to.format.to_owned(),
            ));
        }
        if let Some(converted) = convert::convert(&packets, &to, out, work)? {
            work.done(self.input.size())?;
            return Ok(converted);
        }
        work.copy(&self.input, out)?;
        Ok(Converted {
            beside: convert::beside_of(&packets),
            ..Converted::default()
        })
    }

    fn repair(
        &self,
        _options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Repaired, Error> {
        let packets = self.packets_for(work)?;
        // The writing tells how far it is.
        let audit = self.audit_of(&packets, &Work::default())?;
        if audit.verdict() != Verdict::Pass {
            let repaired = convert::repair(packets, &self.input, out, work)?;
            work.done(self.input.size())?;
            return Ok(repaired);
        }
        work.copy(&self.input, out)?;
        Ok(Repaired {
            beside: convert::beside_of(&packets),
            ..Repaired::default()
        })
    }

    fn cut(
        &self,
        cut: &Cut,
        _options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Cutout, Error> {
        let packets = self.packets_for(work)?;
        let (kept, converted) = cut::cut(&packets, cut, out, work)?;
        let converted = if let Some(converted) = converted {
            converted
        } else {
            work.copy(&self.input, out)?;
            Converted {
                beside: convert::beside_of(&packets),
                ..Converted::default()
            }
        };
        work.done(self.input.size())?;
        Ok(Cutout { kept, converted })
    }
}

impl Estimates for PacketsTape {
    fn estimate(&self, table: &TableDef) -> Result<Estimate, Error> {
        let packets = self.packets()?;
        let mut estimate = Estimate::of_bytes(self.input.size());
        if let Packets::Capture(capture) = &packets {
            let count = |role| capture.counted(role);
            let counted = count(Role::Keyframe).zip(count(Role::Delta));
            let is_of_packets = table.name == PACKETS.name && capture.tables().is_none();
            if let Some((full, deltas)) = counted.filter(|_| is_of_packets) {
                estimate.rows = RowCount::Exact(full + deltas);
            }
            estimate.rises = capture.rises();
        }
        Ok(estimate)
    }
}

impl DumpSteps for PacketsTape {
    fn dump_steps(&self, wanted: &Dump, out: &mut dyn Write) -> Result<Partial<()>, Error> {
        dump::dump(&self.packets()?, wanted, out)
    }
}

impl Compare for PacketsTape {
    fn compare(&self, other: &dyn Tape, work: &Work<'_>) -> Result<Option<Diff>, Error> {
        let Some(other) = other.of_type::<Self>() else {
            return Ok(None);
        };
        let ours = self.packets_for(work)?;
        let theirs = other.packets_for(work);
        let theirs = theirs.map_err(Error::of_other)?;
        diff::diff(&ours, &theirs, work).map(Some)
    }
}
