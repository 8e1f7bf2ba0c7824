//! RMV as one of gametape's formats: its description, and opened recordings with their audit,
//! tables, playback, conversion and repair.

mod dump;
mod info;
mod tables;
mod traces;

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use gametape_core::table::{Lane, Playback, Scan, TableDef, Visit};
use gametape_core::tape::{
    Abilities, AnyFinding, Audit, Converted, Cut, Cutout, Depth, Dump, DumpSteps, Error, Estimate,
    Estimates, Format, FormatInfo, Info, Measured, OptionDef, OptionKind, Options, Partial,
    RelationDef, Repaired, RowCount, Secrets, Sink, Source, Tape, Target, Verb, Work,
};
use gametape_core::{Input, RuleInfo};

use serde_json::{Map, Value};

use crate::Version;
use crate::rmv::{self, Personal, ReadOptions, Reading, Rule, SalvageError};

/// The size of the largest readable recording: the sections before the events, and the checksum,
/// have 16-bit sizes. Input that is already in memory may have any size.
const MOST_BYTES: u64 = rmv::Limits::DEFAULT.max_video_bytes + (1 << 20);

const CONVERT: &[OptionDef] = &[
    OptionDef {
        more: "Of a game: the player's name, nickname, country and token, when the board was made, and \
               the extension properties; and the checksum, which covers them.",
        ..OptionDef::flag(
            "redact",
            "Remove what says who played: names, tokens, user ids, addresses",
        )
    },
    OptionDef {
        needs: Some("redact"),
        ..OptionDef::new(
            "keep",
            OptionKind::Choices(Personal::WORDS),
            "WORDS",
            "Of what --redact removes of a game, keep this: name, nick, country, token, date, extensions",
        )
    },
];
const WRITE: &[OptionDef] = &[OptionDef {
    default: "the version it has",
    ..OptionDef::new(
        "format-version",
        OptionKind::Count { min: 1, max: 2 },
        "N",
        "Version 1 or 2 of the format",
    )
}];

/// The format, for a registry.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_core::tape::{Format, Options, Source, Work};
/// let tape = gametape_mines::tape::Rmv.open(Source::new(bytes))?;
/// let audit = tape.audit(&Options::new(), &Work::default())?;
/// println!("{}: {}", audit.verdict(), audit.summary);
/// # Ok::<(), gametape_core::tape::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rmv;

/// The format's name.
const NAME: &str = "rmv";

/// The static description of the format.
const INFO: FormatInfo = FormatInfo {
    step: "event",
    extensions: &[NAME],
    options: &[(Verb::Convert, CONVERT), (Verb::Write, WRITE)],
    relations: traces::RELATIONS,
    policy: Some(RANKING),
    ranked: RANKED,
    ..FormatInfo::new(NAME, "Minesweeper games, ViennaSweeper's RMV v1 and v2")
};

impl Format for Rmv {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn sniff(&self, input: &Input) -> bool {
        let head = input.head(rmv::SIGNATURE.len() as u64);
        head.is_ok_and(|head| *head == rmv::SIGNATURE)
    }

    fn rules(&self) -> Vec<RuleInfo> {
        let relations = traces::RELATIONS.iter().map(RelationDef::rule);
        Rule::ALL.iter().copied().chain(relations).collect()
    }

    fn tables(&self) -> Vec<TableDef> {
        tables::defs()
    }

    fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
        let input = source.input;
        Ok(Arc::new(RmvTape { input }))
    }
}

/// A recording opened by [`Rmv`].
#[derive(Clone, Debug)]
pub struct RmvTape {
    input: Input,
}

impl RmvTape {
    /// The whole file; games are small.
    ///
    /// # Errors
    /// The file cannot be read, or is larger than any game.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, Error> {
        let size = self.input.size();
        if size > MOST_BYTES && self.input.in_memory().is_none() {
            let rule = Rule::Limit {
                what: "the file",
                claimed: size,
                limit: MOST_BYTES,
            };
            return Err(rmv::Error::at(rule, MOST_BYTES).into());
        }
        self.input.bytes().map_err(Error::Io)
    }

    /// Writes a game that was made from the whole recording.
    fn put(
        &self,
        game: &crate::Game<'_>,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<(), Error> {
        work.done(0)?;
        let bytes = rmv::write(game).map_err(Error::format)?;
        self.put_bytes(&bytes, out, work)
    }

    fn put_bytes(&self, bytes: &[u8], out: &mut dyn Sink, work: &Work<'_>) -> Result<(), Error> {
        out.write_all(bytes).map_err(Error::Output)?;
        work.done(self.input.size())
    }
}

fn read(bytes: &[u8]) -> Result<Reading<'_>, Error> {
    Ok(rmv::read_with(bytes, ReadOptions::lenient())?)
}

impl Estimates for RmvTape {
    fn estimate(&self, table: &TableDef) -> Result<Estimate, Error> {
        /// Bytes of an event, to an order of magnitude.
        const EVENT: u64 = 5;
        let events = self.input.size() / EVENT;
        let rows = match table.lane {
            Lane::Events | Lane::State => RowCount::About(events),
            Lane::Facts | Lane::Grid => RowCount::Unknown,
        };
        Ok(Estimate {
            rows,
            ..Estimate::of_bytes(self.input.size())
        })
    }
}

impl DumpSteps for RmvTape {
    fn dump_steps(&self, wanted: &Dump, out: &mut dyn Write) -> Result<Partial<()>, Error> {
        let bytes = self.bytes()?;
        let reading = read(&bytes)?;
        let found = dump::dump(&reading.game, wanted.at, out)?;
        match (wanted.at, reading.findings.problem()) {
            // The requested moment may have been in the lost part.
            (Some(_), Some(problem)) if !found => Err(problem),
            (Some(at), None) if !found => Err(Error::not_recorded(at)),
            (_, problem) => Ok(Partial::new((), problem)),
        }
    }
}

impl Tape for RmvTape {
    fn input(&self) -> &Input {
        &self.input
    }

    fn describe(
        &self,
        depth: Depth,
        secrets: Secrets,
        work: &Work<'_>,
    ) -> Result<Partial<Info>, Error> {
        work.wanted()?;
        let bytes = self.bytes()?;
        let (reading, events) = match depth {
            Depth::Header => (rmv::read_header(&bytes, ReadOptions::lenient())?, None),
            Depth::Whole => {
                let reading = read(&bytes)?;
                // The termination event counts as an event, as in the specification.
                let game = &reading.game;
                let events = u64::from(game.events.len()) + u64::from(game.ending.is_some());
                (reading, Some(events))
            }
        };
        let version = u32::from(reading.game.version().number());
        let known = Info::new(&INFO, version, bytes.len() as u64);
        let info = info::info(known, &reading.game, events, secrets);
        Ok(Partial::new(info, reading.findings.problem()))
    }

    fn audit(&self, _options: &Options, work: &Work<'_>) -> Result<Audit, Error> {
        work.wanted()?;
        let broken = |finding: Box<AnyFinding>| Audit {
            findings: vec![*finding],
            ..Audit::default()
        };
        let bytes = match self.bytes() {
            Err(Error::Broken(finding)) => return Ok(broken(finding)),
            bytes => bytes?,
        };
        match read(&bytes) {
            Ok(reading) => {
                let size = bytes.len() as u64;
                let audit = check(reading, size).0;
                work.done(size)?;
                Ok(audit)
            }
            Err(Error::Broken(finding)) => Ok(broken(finding)),
            Err(error) => Err(error),
        }
    }

    fn stats(&self, _options: &Options, work: &Work<'_>) -> Result<Partial<Measured>, Error> {
        work.wanted()?;
        let bytes = self.bytes()?;
        let reading = read(&bytes)?;
        let problem = reading.findings.problem();
        // A single pass serves both.
        let (audit, stats) = check(reading, bytes.len() as u64);
        let (stats, audit) = (stats(), Some(audit));
        work.done(bytes.len() as u64)?;
        Ok(Partial::new(Measured { stats, audit }, problem))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            steps: Some(self),
            estimates: Some(self),
            ..Abilities::default()
        }
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        let bytes = self.bytes()?;
        let reading = rmv::read_header(&bytes, ReadOptions::lenient())?;
        Ok(tables::of(&reading.game))
    }

    fn scan(
        &self,
        scans: &[Scan],
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let bytes = self.bytes()?;
        let reading = read(&bytes)?;
        let game = &reading.game;
        let problem = || reading.findings.problem();
        tables::scan(game, &tables::of(game), scans, problem, work, visit)
    }

    fn own_playback(&self, work: &Work<'_>) -> Result<Option<Box<dyn Playback>>, Error> {
        work.wanted()?;
        let bytes = self.bytes()?;
        let game = read(&bytes)?.game.into_owned();
        Ok(Some(Box::new(tables::Seeking::new(game)?)))
    }

    fn convert(
        &self,
        to: Target<'_>,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Converted, Error> {
        if to.format != NAME {
            return Err(Error::no_conversion(NAME, to.format.to_owned()));
        }
        let bytes = self.bytes()?;
        let mut game = rmv::read(&bytes)?;
        let mut losses = Vec::new();
        let mut notes = Vec::new();
        if to.options.has("redact") {
            let keep = to.options.words("keep").filter_map(Personal::from_word);
            let (redacted, lost) = rmv::redact(&game, &keep.collect::<Vec<_>>());
            if lost.is_empty() {
                notes.push("there was nothing to redact".to_owned());
            }
            game = redacted;
            losses.extend(lost.iter().map(ToString::to_string));
        }
        let version = match to.options.count("format-version") {
            None => game.version(),
            Some(1) => Version::V1,
            Some(_) => Version::V2,
        };
        if version != game.version() {
            let (converted, lost) = rmv::convert(&game, version).map_err(Error::format)?;
            game = converted;
            losses.extend(lost.iter().map(ToString::to_string));
        }
        self.put(&game, out, work)?;
        Ok(Converted {
            losses,
            notes,
            ..Converted::default()
        })
    }

    fn repair(
        &self,
        _options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Repaired, Error> {
        let bytes = self.bytes()?;
        work.done(0)?;
        let (whole, salvaged) = rmv::salvage(&bytes).map_err(|error| match error {
            SalvageError::Read(error) => error.into(),
            hopeless @ SalvageError::Hopeless(_) => Error::format(hopeless),
        })?;
        self.put_bytes(&whole, out, work)?;
        Ok(Repaired {
            lossy: salvaged.repairs.iter().any(rmv::Repair::is_loss),
            actions: salvaged.repairs.iter().map(ToString::to_string).collect(),
            ..Repaired::default()
        })
    }

    fn cut(
        &self,
        _cut: &Cut,
        _options: &Options,
        _out: &mut dyn Sink,
        _work: &Work<'_>,
    ) -> Result<Cutout, Error> {
        Err(Error::Uncut {
            at_start: false,
            why: "a game is one whole, whose result and checksum are those of all its events",
            instead: None,
        })
    }
}

/// Audits a game. Also returns a closure that computes the statistics that players compare. `bytes`
/// is the size of the game's file.
fn check(reading: Reading<'_>, bytes: u64) -> (Audit, impl FnOnce() -> Map<String, Value>) {
    let Reading { game, mut findings } = reading;
    let tracer = traces::Tracer::new(&game);
    let (played, tracer) = rmv::audit_watched(&game, bytes, &mut findings, tracer);
    let audit = Audit::new(&findings, info::summary(&played, game.mode()))
        .facts(info::facts(&game, &played))
        .traces(tracer.finish());
    (audit, move || tables::stats(&game, played.metrics()))
}

/// Accepts won games in normal mode on the three standard boards, from a minimal 3BV on, without
/// findings against them.
///
/// The audit, too, reports modes that rankings do not accept and boards that are too easy. Here
/// these are conditions, so that a user changes them in a single place.
const RANKING: &str = r#"[rmv]
# A finding of these severities, or of these codes, rejects.
reject = ["error", "warning"]
# Findings that reject nothing: the conditions below decide.
admit = ["rmv.rank-mode", "rmv.rank-3bv"]

# Conditions on every game: a column of `gametape tables`, and the value that it has to have.
[rmv.require]
outcome = "win"
mode = "normal"

# A game belongs to the first class that it fits, and has to meet the conditions of this class. A game that
# fits none is rejected.
[[rmv.class]]
name = "beginner"
when = { board_cols = 8, board_rows = 8, board_mines = 10 }
require = { bbbv = { min = 2 } }

[[rmv.class]]
name = "intermediate"
when = { board_cols = 16, board_rows = 16, board_mines = 40 }
require = { bbbv = { min = 30 } }

[[rmv.class]]
name = "expert"
when = { board_cols = 30, board_rows = 16, board_mines = 99 }
require = { bbbv = { min = 100 } }
"#;

/// The facts by which a ranking lists a game.
const RANKED: &[&str] = &["player_name", "level", "total_time_ms"];
