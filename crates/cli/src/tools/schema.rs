//! `gametape schema`.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use gametape::Formats;
use gametape::core::Spell as _;
use gametape::core::text::{Counted, printable};
use gametape::delta::{Change, Codec, FixedPoint};
use serde_json::json;

use super::inputs::schema as read;
use crate::Exit;
use crate::located::located;
use crate::ui::{STRONG, Ui, styled};

tool!(
    /// `gametape schema`.
    Schema
);

/// Show, name and compare the schemas of snapshot/delta streams
#[derive(Parser, Debug)]
#[command(name = "schema")]
struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Print a schema: its components, and the encoding of each field
    ///
    /// With --json, in the form of a schema file beside packets.
    Show(ShowSchema),
    /// Print the hash by which packets name their schema
    Hash(Hash),
    /// Show the differences between two schemas, names aside
    ///
    /// Exits with 0 if packets of one are packets of the other, with 1 if not.
    Compare(Compare),
}

#[derive(clap::Args, Debug)]
struct ShowSchema {
    /// A schema as JSON, or a recording that has one
    #[arg(value_name = "FILE")]
    path: PathBuf,
}

#[derive(clap::Args, Debug)]
struct Hash {
    /// Schemas as JSON, or recordings that have them
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
}

#[derive(clap::Args, Debug)]
struct Compare {
    /// A schema as JSON, or a recording that has one
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The other schema
    #[arg(value_name = "B")]
    second: PathBuf,
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    match &args.what {
        What::Show(args) => show(&args.path, formats, ui),
        What::Hash(args) => {
            let mut exit = Exit::Fine;
            for path in &args.paths {
                if !hash(path, args.paths.len() > 1, formats, ui)? {
                    exit = Exit::Unusable;
                }
            }
            Ok(exit)
        }
        What::Compare(args) => compare([&args.first, &args.second], formats, ui),
    }
}

fn show(path: &Path, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let schema = match read(formats, path) {
        Ok(schema) => schema,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if ui.json {
        // A file that all commands read, so that its numbers are numbers.
        serde_json::to_writer(ui.out(), &schema)?;
        ui.line("")?;
        return Ok(Exit::Fine);
    }
    let components = schema.components();
    ui.line(styled(
        STRONG,
        format_args!(
            "schema {:016x}, {}",
            schema.hash(),
            Counted(components.len() as u64, "component")
        ),
    ))?;
    for component in components {
        let name = component.name.as_deref().unwrap_or_default();
        let line = format!("component {} {name}", component.id);
        ui.line(printable(line.trim_end()))?;
        let width = component
            .fields
            .iter()
            .filter_map(|field| Some(field.name.as_ref()?.chars().count()))
            .max();
        for field in &component.fields {
            let name = field.name.as_deref().unwrap_or_default();
            let mut line = format!("  {:>5}  ", field.id);
            if let Some(width) = width {
                line = format!("{line}{name:width$}  ");
            }
            line.push_str(&in_words(field.codec));
            if let Change::Threshold { threshold_q } = field.change
                && field.codec != Codec::Bool
            {
                line = format!("{line}, sent beyond {}", in_units(field.codec, threshold_q));
            }
            ui.line(printable(&line))?;
        }
    }
    Ok(Exit::Fine)
}

/// A codec in words: the range of its values, and their bits.
fn in_words(codec: Codec) -> String {
    match codec {
        Codec::Bool => "bool, 1 bit".into(),
        Codec::UInt { bits } => format!("unsigned, {}", Counted(bits.into(), "bit")),
        Codec::SInt { bits } => format!("signed, {}", Counted(bits.into(), "bit")),
        Codec::VarUInt => "unsigned, 1 to 5 bytes".into(),
        Codec::VarSInt => "signed, 1 to 5 bytes".into(),
        Codec::FixedPoint {
            min_q,
            max_q,
            scale,
        } => {
            let bits = 64 - max_q.abs_diff(min_q).leading_zeros();
            let bits = Counted(bits.into(), "bit");
            match FixedPoint::of(codec) {
                Some(fixed) => format!(
                    "fixed point, {} to {} in steps of 1/{scale}, {bits}",
                    fixed.value(min_q),
                    fixed.value(max_q)
                ),
                None => format!("fixed point, {bits}"),
            }
        }
    }
}

/// A threshold in the unit of the field.
fn in_units(codec: Codec, threshold_q: u32) -> String {
    match FixedPoint::of(codec) {
        Some(fixed) => fixed.value(threshold_q.into()).to_string(),
        None => threshold_q.to_string(),
    }
}

/// Prints the hash of a schema; false if there is no schema.
fn hash(path: &Path, with_path: bool, formats: &Formats, ui: &mut Ui) -> io::Result<bool> {
    let schema = match read(formats, path) {
        Ok(schema) => schema,
        Err(error) => {
            ui.fail(&error);
            return Ok(false);
        }
    };
    let hash = format!("{:016x}", schema.hash());
    if ui.json {
        ui.object(&located([("path", path)], json!({ "schema_hash": hash })))?;
    } else if with_path {
        ui.line(format_args!("{hash}  {}", printable(&path.spelled())))?;
    } else {
        ui.line(hash)?;
    }
    Ok(true)
}

fn compare([first, second]: [&Path; 2], formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    if [first, second].iter().all(|path| path.as_os_str() == "-") {
        return Ok(ui.refuse("one of the two schemas can come from standard input, not both"));
    }
    let schemas = read(formats, first).and_then(|a| Ok((a, read(formats, second)?)));
    let (ours, theirs) = match schemas {
        Ok(schemas) => schemas,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let differences = ours.differences(&theirs);
    let sentences: Vec<String> = differences.iter().map(ToString::to_string).collect();
    let same = ours.hash() == theirs.hash();
    if ui.json {
        ui.object(&json!({
            "same": same,
            "first": format!("{:016x}", ours.hash()),
            "second": format!("{:016x}", theirs.hash()),
            "differences": sentences,
        }))?;
    } else if same {
        ui.line(format_args!("both are schema {:016x}", ours.hash()))?;
    } else {
        ui.line(format_args!(
            "the first is schema {:016x}, the second {:016x}",
            ours.hash(),
            theirs.hash()
        ))?;
        for sentence in sentences {
            ui.line(printable(&sentence))?;
        }
    }
    Ok(if same { Exit::Fine } else { Exit::Problems })
}
