//! The formats .butter and .echoreplay, with the traits that all formats share.

mod answers;
mod chunks;
mod convert;
mod cut;
mod diff;
mod dump;
mod error;
mod frames;
mod index;
mod info;
mod lines;
mod opened;
mod options;
mod repair;
mod tables;

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_core::table::{Playback, Scan, TableDef, Visit};
use gametape_core::tape::{
    Abilities, Audit, Companions, Compare, Converted, Cut, Cutout, Depth, Diff, Dump, DumpSteps,
    Error, Estimate, Estimates, Files, Follow, Format, FormatInfo, Info, Measured, Options,
    Partial, Pieces, RelationDef, Repaired, Secrets, Sink, Source, Tape, Target, Work,
};
use gametape_core::{Input, RuleInfo};

use crate::trace::RELATIONS;
use crate::{ReadOptions, Rule, butter, echoreplay};
use chunks::ChunkPlaces;
use frames::EchoFormat;
use lines::FrameLines;

pub use answers::{Answer, Answers};
pub use error::EchoError;
pub use opened::EchoTape;

/// The number of bytes that are enough to recognise a recording: far more than a compressed line or the
/// header of a .butter takes.
const START: u64 = 256 << 10;
/// The number of bytes that are enough for the header and the table of nearly all .butter.
const FEW: u64 = 16 << 10;
/// The number of bytes that are enough for the time of a line.
const LINE: u64 = 256;

/// Returns whether the first file of a zip starts with a line of a recording. Other zips are of other
/// formats.
fn is_zipped(start: &[u8]) -> bool {
    // The start of a zip has no directory: its files are searched for.
    let Ok(mut reader) = echoreplay::open_with(Cursor::new(start), ReadOptions::lenient()) else {
        return false;
    };
    let found = matches!(reader.next_line(), Ok(Some(_)));
    let findings = reader.findings();
    found && !findings.has("echoreplay.columns") && !findings.has("echoreplay.time")
}

/// Returns whether a recording starts with a zip of lines, or with a time, a tab and an object.
fn starts_as_echoreplay(input: &Input) -> bool {
    input.head(LINE).is_ok_and(|start| {
        if echoreplay::is_packed(&start) {
            return input.head(START).is_ok_and(|start| is_zipped(&start));
        }
        is_line(&start)
    })
}

fn is_line(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let start = text.get(..192.min(text.len())).unwrap_or_default();
    let Some(tab) = start.iter().position(|byte| *byte == b'\t') else {
        return false;
    };
    let Some((time, answer)) = start.split_at_checked(tab) else {
        return false;
    };
    // A byte order mark or zeros may stand before the answer.
    let is_mark = |byte: &u8| matches!(byte, b'\t' | b' ' | 0 | 0xEF | 0xBB | 0xBF);
    crate::model::read_time(time).is_some()
        && answer.iter().find(|byte| !is_mark(byte)) == Some(&b'{')
}

/// Returns whether a recording starts with a header that can be read, and whether the first chunk starts as
/// its compression requires.
fn starts_as_butter(input: &Input) -> bool {
    let is_version = input
        .head(1)
        .is_ok_and(|first| matches!(first.first(), Some(1..=3)));
    let table = |most| {
        let start = input.head(most).ok()?;
        let table = butter::Table::read(&Input::from(start.to_vec()), ReadOptions::lenient());
        let fits = first_chunk_fits(table.as_ref().ok()?, &start);
        Some((fits, table.ok()?))
    };
    if !is_version {
        return false;
    }
    if let Some((Some(fits), _)) = table(FEW) {
        return fits;
    }
    // A recording in progress has no chunk. A finished one without chunks can't be recognised.
    let whole = |(fits, table): (Option<bool>, butter::Table)| {
        fits.unwrap_or(table.chunks().is_empty() && table.is_unfinished())
    };
    table(START).is_some_and(whole)
}

/// Returns whether the first chunk starts as it should; `None` if it is not in these bytes.
fn first_chunk_fits(table: &butter::Table, start: &[u8]) -> Option<bool> {
    const KEYFRAME: &[u8] = &[0xFC, 0xFE];
    let first: &[u8] = match table.header()?.compression {
        butter::Compression::None => KEYFRAME,
        butter::Compression::Gzip => &[0x1F, 0x8B],
        _ => &[0x28, 0xB5, 0x2F, 0xFD],
    };
    let at = usize::try_from(table.chunks().first()?.offset).ok()?;
    let chunk = start.get(at..).filter(|chunk| !chunk.is_empty())?;
    Some(chunk.starts_with(first))
}

/// Echo VR, the game's API line by line: an .echoreplay, as text or in a zip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Echoreplay;

/// Echo VR, quantised and differenced: a .butter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Butter;

/// Implements the formats, which differ only in these values.
macro_rules! formats {
    ($($format:ident {
        extension: $extension:literal,
        starts: $starts:ident,
        places: $places:ty,
    })*) => {$(
        impl Format for $format {
            fn info(&self) -> &'static FormatInfo {
                EchoFormat::$format.info()
            }

            fn sniff(&self, input: &Input) -> bool {
                $starts(input)
            }

            fn rules(&self) -> Vec<RuleInfo> {
                rules_of(&[concat!($extension, "."), "echo."])
            }

            fn tables(&self) -> Vec<TableDef> {
                tables::defs()
            }

            fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
                let keeps_index = source.options.has(options::KEEP_INDEX);
                let tape = EchoTape::new(EchoFormat::$format, source);
                if keeps_index {
                    tape.keep_index()?;
                }
                Ok(Arc::new(tape))
            }

            fn companions(&self) -> Option<&dyn Companions> {
                Some(self)
            }
        }

        impl Companions for $format {
            fn read_with(&self, _: &Path, _: &dyn Files) -> Vec<PathBuf> {
                Vec::new()
            }

            fn replaced(&self, path: &Path, input: &Input) {
                index::remove_stale::<$places>(path, input);
            }
        }
    )*};
}

formats! {
    Echoreplay {
        extension: "echoreplay",
        starts: starts_as_echoreplay,
        places: FrameLines,
    }
    Butter {
        extension: "butter",
        starts: starts_as_butter,
        places: ChunkPlaces,
    }
}

fn rules_of(starts: &[&str]) -> Vec<RuleInfo> {
    let of = |rule: &&RuleInfo| starts.iter().any(|start| rule.code.starts_with(start));
    let relations = RELATIONS.iter().map(RelationDef::rule);
    let rules = Rule::ALL.iter().filter(of).copied();
    rules.chain(relations).collect()
}

impl Tape for EchoTape {
    fn input(&self) -> &Input {
        &self.input
    }

    fn describe(
        &self,
        depth: Depth,
        secrets: Secrets,
        work: &Work<'_>,
    ) -> Result<Partial<Info>, Error> {
        match depth {
            Depth::Header => info::header(self, secrets),
            Depth::Whole => info::whole(self, secrets, work),
        }
    }

    fn audit(&self, _options: &Options, work: &Work<'_>) -> Result<Audit, Error> {
        info::audit(self, work)
    }

    fn stats(&self, _options: &Options, work: &Work<'_>) -> Result<Partial<Measured>, Error> {
        info::stats(self, work)
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        // A recording that can't be read at all has no tables.
        info::header(self, Secrets::Hide)?.readable();
        Ok(tables::tables(self.format))
    }

    fn scan(
        &self,
        scans: &[Scan],
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        tables::scan(self, scans, work, visit)
    }

    fn follow(&self, scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
        tables::follow(self, scans)
    }

    fn own_playback(&self, work: &Work<'_>) -> Result<Option<Box<dyn Playback>>, Error> {
        Ok(Some(Box::new(tables::Seeking::play(self, work)?)))
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
        convert::convert(self, &to, out, work)
    }

    fn repair(
        &self,
        _options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Repaired, Error> {
        match self.format {
            EchoFormat::Butter => repair::butter(self, out, work),
            EchoFormat::Echoreplay => repair::echoreplay(self, out, work),
        }
    }

    fn cut(
        &self,
        cut: &Cut,
        options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Cutout, Error> {
        cut::cut(self, cut, options, out, work)
    }
}

impl DumpSteps for EchoTape {
    fn dump_steps(&self, wanted: &Dump, out: &mut dyn Write) -> Result<Partial<()>, Error> {
        dump::dump(self, wanted, out)
    }
}

impl Compare for EchoTape {
    fn compare(&self, other: &dyn Tape, work: &Work<'_>) -> Result<Option<Diff>, Error> {
        let other = other.of_type::<Self>();
        other.map(|other| diff::diff(self, other, work)).transpose()
    }
}

impl Pieces for EchoTape {
    fn pieces(&self, table: &str, at_most: usize) -> Result<Vec<u64>, Error> {
        if !tables::is_state(table) {
            return Ok(vec![0]);
        }
        Ok(self.parts(at_most))
    }
}

impl Estimates for EchoTape {
    fn estimate(&self, table: &TableDef) -> Result<Estimate, Error> {
        tables::estimate(self, table)
    }
}
