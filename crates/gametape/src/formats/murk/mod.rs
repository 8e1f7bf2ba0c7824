//! Murk: the commands of each tick of a deterministic simulation.

mod audit;
mod diff;
mod index;
mod json;
mod jsonl;
mod minimise;
mod record;
mod sync;
mod world;

use std::io::{self, Read, Write};
use std::path::Path;

use gametape_murk::{self as format, Frame, Header, Payload, ReadOptions, Reader, Stats};
use serde_json::{Map, Value, json};

use crate::format::{Adapter, Check, Convert, Converted, Dump, Partial, Repaired, Secrets};
use crate::source::Source;
use crate::{Audit, Diff, Error, Format, Info, Work};

pub(crate) use index::remove_stale_index;
pub use index::{index, index_path};
pub use minimise::{Minimise, Minimised, minimise};
pub use record::{Commands, RecordOptions, Recorded, record};
pub use sync::{Subject, SyncTest, Synced, sync_test};

pub(crate) struct Murk;

fn broken(path: &Path, error: format::Error) -> Error {
    match error {
        format::Error::Io { source, .. } => Error::Io {
            path: path.to_owned(),
            source,
        },
        error => Error::Broken {
            path: path.to_owned(),
            code: error.code(),
            offset: error.offset(),
            message: error.to_string(),
        },
    }
}

/// What stopped a lenient reader.
fn problem(path: &Path, finding: Option<&format::Finding>) -> Option<Error> {
    let finding = finding?.clone();
    let message = format!("{}: {}", finding.place(), finding.message());
    Some(Error::Broken {
        path: path.to_owned(),
        code: finding.code(),
        offset: finding.offset,
        message,
    })
}

/// A reader of a whole source that is lenient about its tail.
fn reader<'s>(path: &Path, source: &'s Source) -> Result<Reader<impl Read + 's>, Error> {
    Reader::with_options(source.stream(), ReadOptions::lenient())
        .map_err(|error| broken(path, error))
}

/// Goes through all frames, whatever the recording's size.
fn each(
    path: &Path,
    source: &Source,
    mut visit: impl FnMut(&Frame<'_>),
) -> Result<Option<Error>, Error> {
    let mut reader = reader(path, source)?;
    while let Some(frame) = reader.next_frame().map_err(|error| broken(path, error))? {
        visit(&frame);
    }
    Ok(problem(path, reader.problem()))
}

impl Adapter for Murk {
    fn extensions(&self) -> &'static [&'static str] {
        &["murk", "replay"]
    }

    fn sniff(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(&format::MAGIC)
    }

    fn header(&self, path: &Path, bytes: &Source, _: Secrets) -> Result<Partial<Info>, Error> {
        let replay = ReadOptions::lenient()
            .read(bytes)
            .map_err(|error| broken(path, error))?;
        Ok(Partial {
            value: info(path, bytes.len() as u64, replay.header(), None),
            problem: None,
        })
    }

    fn info(&self, path: &Path, source: &Source, _: Secrets) -> Result<Partial<Info>, Error> {
        let header = reader(path, source)?.header().clone();
        let mut stats = Stats::default();
        let problem = each(path, source, |frame| stats.push(frame))?;
        Ok(Partial {
            value: info(path, source.len() as u64, &header, Some(&stats)),
            problem,
        })
    }

    fn audit(&self, path: &Path, source: &Source, check: &Check) -> Result<Audit, Error> {
        audit::audit(path, source, check)
    }

    fn stats(&self, path: &Path, source: &Source) -> Result<Partial<Map<String, Value>>, Error> {
        let header = reader(path, source)?.header().clone();
        let mut stats = Stats::default();
        let problem = each(path, source, |frame| stats.push(frame))?;
        Ok(Partial {
            value: measured(&header, &stats),
            problem,
        })
    }

    fn dump(
        &self,
        path: &Path,
        source: &Source,
        wanted: &Dump,
        out: &mut dyn Write,
    ) -> io::Result<Result<Partial<()>, Error>> {
        if let Some(tick) = wanted.tick {
            return index::dump_tick(path, source, tick, out);
        }
        let mut result = Ok(());
        let problem = each(path, source, |frame| {
            if result.is_ok() {
                result = json::write_frame(frame, out);
            }
        });
        result?;
        Ok(problem.map(|problem| Partial { value: (), problem }))
    }

    fn world(&self, path: &Path, bytes: &[u8]) -> Result<String, Error> {
        let replay = format::read(bytes).map_err(|error| broken(path, error))?;
        match world::carried(replay.header()) {
            Some(Ok(world)) => Ok(String::from_utf8_lossy(&world.canonical()).into_owned()),
            Some(Err(message)) => Err(Error::World {
                path: path.to_owned(),
                message,
            }),
            None => Err(Error::Unsupported {
                path: path.to_owned(),
                message: "the recording carries no world".into(),
            }),
        }
    }

    fn convert<'a>(
        &self,
        path: &Path,
        bytes: &'a Source,
        _to: Format,
        convert: &Convert,
        _work: &Work<'_>,
    ) -> Result<Converted<'a>, Error> {
        if let Some(version) = convert.version
            && version != u32::from(format::VERSION)
        {
            return Err(Error::NoConversion {
                path: path.to_owned(),
                from: Format::Murk,
                to: format!("murk v{version}: only version 3 is in use"),
            });
        }
        // There is nothing to redact: a recording knows sources by number only.
        let replay = format::read(bytes).map_err(|error| broken(path, error))?;
        for frame in replay.frames() {
            frame.map_err(|error| broken(path, error))?;
        }
        Ok(Converted {
            notes: Vec::new(),
            content: (&**bytes).into(),
            losses: Vec::new(),
            report: None,
            beside: Vec::new(),
        })
    }

    fn repair<'a>(
        &self,
        path: &Path,
        bytes: &'a Source,
        _work: &Work<'_>,
    ) -> Result<Repaired<'a>, Error> {
        index::repair(path, bytes)
    }

    fn diff(&self, paths: [&Path; 2], sources: [&Source; 2], check: &Check) -> Result<Diff, Error> {
        diff::diff(paths, sources, check)
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn info(path: &Path, bytes: u64, header: &Header<'_>, stats: Option<&Stats>) -> Info {
    let build = &header.build;
    let mut details = object(json!({
        "build": {
            "toolchain": build.toolchain,
            "target_triple": build.target_triple,
            "murk_version": build.murk_version,
            "compile_flags": build.compile_flags,
        },
        "seed": header.seed,
        "config_hash": (header.config_hash != 0).then(|| format!("{:016x}", header.config_hash)),
        "fields": header.field_count,
        "cells": header.cell_count,
        "space_descriptor": world::describe(header),
    }));
    if let Some(stats) = stats {
        details.insert("first_tick".into(), json!(stats.first_tick));
        details.insert("last_tick".into(), json!(stats.last_tick));
        details.insert("commands".into(), json!(stats.commands));
    }
    let dt = world::carried(header)
        .and_then(Result::ok)
        .map(|world| world.dt);
    Info {
        path: path.display().to_string(),
        format: Format::Murk,
        format_version: u32::from(format::VERSION),
        bytes,
        duration_ms: dt
            .zip(stats)
            .map(|(dt, stats)| (dt * 1000.0 * stats.frames as f64) as u64),
        frames: stats.map(|stats| stats.frames),
        details,
    }
}

fn measured(header: &Header<'_>, stats: &Stats) -> Map<String, Value> {
    let dt = world::carried(header)
        .and_then(Result::ok)
        .map(|world| world.dt);
    let seconds = dt.map(|dt| dt * stats.frames as f64);
    let kinds: Map<String, Value> = Payload::NAMES
        .iter()
        .zip(stats.kinds)
        .map(|(name, count)| ((*name).to_owned(), count.into()))
        .collect();
    let sources: Map<String, Value> = stats
        .sources
        .iter()
        .map(|(source, count)| (source.to_string(), (*count).into()))
        .collect();
    object(json!({
        "ticks": stats.frames,
        "first_tick": stats.first_tick,
        "last_tick": stats.last_tick,
        "seconds": seconds,
        "commands": stats.commands,
        "commands_per_tick": stats.commands_per_frame(),
        "commands_per_second": seconds.filter(|s| *s > 0.0).map(|s| stats.commands as f64 / s),
        "max_commands_in_a_tick": stats.max_commands,
        "idle_ticks": stats.idle_frames,
        "kinds": kinds,
        "unreadable": stats.unreadable,
        "sources": sources,
        "anonymous": stats.anonymous,
        "other_sources": stats.other_sources,
        "expiring": stats.expiring,
        "expired": stats.expired,
        "payload_bytes": stats.payload_bytes,
    }))
}
