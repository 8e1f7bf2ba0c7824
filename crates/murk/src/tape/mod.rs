//! The format Murk replay, with the traits that all formats share.

mod audit;
pub(crate) mod beside;
mod diff;
mod error;
mod explain;
mod info;
mod json;
mod opened;
mod repair;
mod steps;
mod tables;
mod world;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_core::table::{Playback, Scan, TableDef, Visit};
use gametape_core::tape::{
    Abilities, Attachments, Audit, Companions, Compare, Converted, Cut, Cutout, Depth, Diff, Dump,
    DumpSteps, Error, Estimate, Estimates, Files, Follow, Format, FormatInfo, Info, Measured,
    OptionDef, OptionKind, Options, Partial, Repaired, Secrets, Sink, Source, Tape, Target, Verb,
    Work,
};
use gametape_core::{Input, RuleInfo};

use crate::engine::own::Kinds;
use crate::{MAGIC, ReadOptions, Reader, Rule, VERSION};

pub use beside::index_path;
pub(crate) use diff::of_both;
pub use error::MurkError;
pub(crate) use error::{damaged, stopped, unwritable};
pub(crate) use explain::{Diverged, judged, other_carried, replayed};
pub(crate) use json::{PARTS, PayloadPart};
pub use opened::MurkTape;

pub use tables::MurkPlayback;
pub use world::{WorldFile, time_of};
pub(crate) use world::{build, needed};

/// The maximum size of a world's file in bytes: far more than any world has.
const MOST_WORLD: u64 = 16 << 20;

const INSPECT: &[OptionDef] = &[OptionDef::flag(
    "print-world",
    "Print the world that a recording of a simulation carries, as TOML, and nothing else",
)];
const OPEN: &[OptionDef] = &[OptionDef {
    more: "It replaces the world in the recording, if there is one",
    ..OptionDef::new(
        "world",
        OptionKind::File { most: MOST_WORLD },
        "TOML",
        "Replay in this world: for simulations whose recordings carry none",
    )
}];
const VERIFY: &[OptionDef] = &[OptionDef {
    default: "10",
    more: "Slips are: one command lost, late, repeated or elsewhere; one parameter; one bit. Each that explains the hashes is named. 0 turns the search off",
    ..OptionDef::new(
        "explain",
        OptionKind::Number {
            min: 0.0,
            max: 86_400.0,
        },
        "SECONDS",
        "Search this long for the one slip that explains a divergence",
    )
}];
const CONVERT: &[OptionDef] = &[OptionDef::flag(
    "redact",
    "Removes nothing: a recording knows sources by number only",
)];
const WRITE: &[OptionDef] = &[OptionDef {
    default: "3",
    ..OptionDef::new(
        "format-version",
        OptionKind::Count {
            min: 0,
            max: u32::MAX as u64,
        },
        "N",
        "Version 3 of the format: no other is in use",
    )
}];

/// The format, for a registry.
///
/// ```
/// use gametape_murk::engine::own::Kinds;
/// use gametape_murk::tape::Murk;
/// # fn rain(
/// #     _: &mut gametape_murk::engine::own::Parameters<'_>,
/// # ) -> Result<Box<dyn gametape_murk::engine::own::Propagator>, gametape_murk::engine::own::ParameterError> {
/// #     Err(gametape_murk::engine::own::ParameterError::new("", "no"))
/// # }
/// // Recordings of worlds with the propagator `rain` are replayed, too.
/// let murk = Murk::with_kinds(Kinds::new().with("rain", rain));
/// assert!(murk.kinds().names().eq(["rain"]));
/// ```
#[derive(Clone, Default, Debug)]
pub struct Murk {
    kinds: Kinds,
}

impl Murk {
    /// Creates the format for worlds of stock propagators.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the format for worlds whose propagators may also be of these kinds: every verb then replays
    /// them.
    #[must_use]
    pub const fn with_kinds(kinds: Kinds) -> Self {
        Self { kinds }
    }

    /// Returns the additional kinds of propagators.
    #[must_use]
    pub const fn kinds(&self) -> &Kinds {
        &self.kinds
    }
}

/// The format's name.
const NAME: &str = "murk";

/// The static description of the format.
const INFO: FormatInfo = FormatInfo {
    step: "frame",
    extensions: &[NAME, "replay"],
    options: &[
        (Verb::Inspect, INSPECT),
        (Verb::Open, OPEN),
        (Verb::Verify, VERIFY),
        (Verb::Convert, CONVERT),
        (Verb::Write, WRITE),
    ],
    ..FormatInfo::new(NAME, "Deterministic simulations, Murk's replays v3")
};

impl Format for Murk {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn sniff(&self, input: &Input) -> bool {
        let head = input.head(MAGIC.len() as u64);
        head.is_ok_and(|head| *head == MAGIC)
    }

    fn rules(&self) -> Vec<RuleInfo> {
        Rule::ALL.to_vec()
    }

    fn tables(&self) -> Vec<TableDef> {
        tables::known()
    }

    fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
        Ok(Arc::new(MurkTape::with_kinds(source, &self.kinds)))
    }

    fn companions(&self) -> Option<&dyn Companions> {
        Some(self)
    }
}

impl Companions for Murk {
    /// Repair needs the index to restore flipped bits.
    fn read_with(&self, path: &Path, _: &dyn Files) -> Vec<PathBuf> {
        vec![index_path(path)]
    }

    fn replaced(&self, path: &Path, input: &Input) {
        beside::remove_stale(path, input);
    }
}

impl Tape for MurkTape {
    fn input(&self) -> &Input {
        &self.input
    }

    fn describe(
        &self,
        depth: Depth,
        _secrets: Secrets,
        work: &Work<'_>,
    ) -> Result<Partial<Info>, Error> {
        let known = Info::new(&INFO, u32::from(VERSION), self.input.size());
        let (mut info, problem) = match depth {
            Depth::Header => {
                let mut reader = self.reader();
                let header = reader.header()?;
                (info::info(known, header, self.kinds(), None, None), None)
            }
            Depth::Whole => {
                let (stats, read) = self.counted(work)?;
                let dt = self.tick_length(&read.value)?;
                let info = info::info(known, &read.value, self.kinds(), dt, Some(&stats));
                (info, read.problem)
            }
        };
        info.needs = self.needs();
        Ok(Partial::new(info, problem))
    }

    fn audit(&self, options: &Options, work: &Work<'_>) -> Result<Audit, Error> {
        audit::audit(self, options, work)
    }

    fn stats(&self, _options: &Options, work: &Work<'_>) -> Result<Partial<Measured>, Error> {
        let (stats, read) = self.counted(work)?;
        let measured = info::measured(self.tick_length(&read.value)?, &stats);
        Ok(Partial::new(measured.into(), read.problem))
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        let world = self.replayed_in(self.reader().header()?)?;
        Ok(tables::of(world.as_ref()))
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
        Ok(Some(Box::new(MurkPlayback::of(self, work)?)))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            attachments: Some(self),
            steps: Some(self),
            compare: Some(self),
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
        let refused = |to: String| Err(Error::no_conversion(NAME, to));
        if to.format != NAME {
            return refused(to.format.to_owned());
        }
        if let Some(version) = to.options.count("format-version")
            && version != u64::from(VERSION)
        {
            return refused(format!("murk v{version}: only version 3 is in use"));
        }
        // There is nothing to redact: a recording knows sources by number only.
        let mut reader = Reader::with_options(work.watched(&self.input), ReadOptions::lenient());
        while reader.next_frame()?.is_some() {}
        if let Some(problem) = reader.findings().problem() {
            return Err(problem);
        }
        work.copy(&self.input, out)?;
        Ok(Converted::default())
    }

    fn repair(
        &self,
        _options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Repaired, Error> {
        repair::repair(self, out, work)
    }

    fn cut(
        &self,
        cut: &Cut,
        _options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Cutout, Error> {
        steps::cut(self, cut, out, work)
    }
}

impl Attachments for MurkTape {
    fn attachment(&self, name: &str) -> Option<Result<String, Error>> {
        (name == "world").then(|| self.world())
    }
}

impl DumpSteps for MurkTape {
    fn dump_steps(&self, wanted: &Dump, out: &mut dyn Write) -> Result<Partial<()>, Error> {
        steps::dump(self, wanted.at, out)
    }
}

impl Compare for MurkTape {
    fn compare(&self, other: &dyn Tape, work: &Work<'_>) -> Result<Option<Diff>, Error> {
        let other = other.of_type::<Self>();
        other.map(|other| diff::diff(self, other, work)).transpose()
    }
}

impl Estimates for MurkTape {
    fn estimate(&self, table: &TableDef) -> Result<Estimate, Error> {
        tables::estimate(self, table)
    }
}
