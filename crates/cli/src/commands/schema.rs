//! `gametape schema`.

use std::io;
use std::path::Path;

use gametape::delta::{Change, Codec, FixedPoint};
use serde_json::json;

use crate::args::{Schema, SchemaWhat};
use crate::exit::Exit;
use crate::ui::{STRONG, Ui, counted, read_schema, styled};

pub fn run(args: &Schema, ui: &mut Ui) -> io::Result<Exit> {
    match &args.what {
        SchemaWhat::Show(args) => show(&args.path, ui),
        SchemaWhat::Hash(args) => {
            let mut exit = Exit::Fine;
            for path in &args.paths {
                if !hash(path, args.paths.len() > 1, ui)? {
                    exit = Exit::Unusable;
                }
            }
            Ok(exit)
        }
        SchemaWhat::Compare(args) => compare(&args.first, &args.second, ui),
    }
}

fn show(path: &Path, ui: &mut Ui) -> io::Result<Exit> {
    let schema = match read_schema(path) {
        Ok(schema) => schema,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if ui.json {
        ui.object(&schema)?;
        return Ok(Exit::Fine);
    }
    let components = schema.components();
    ui.line(styled(
        STRONG,
        format_args!(
            "schema {:016x}, {}",
            schema.hash(),
            counted(components.len() as u64, "component")
        ),
    ))?;
    for component in components {
        let name = component.name.as_deref().unwrap_or_default();
        let line = format!("component {} {name}", component.id);
        ui.line(gametape::printable(line.trim_end()))?;
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
            ui.line(gametape::printable(&line))?;
        }
    }
    Ok(Exit::Fine)
}

/// A codec with the range of its values and the bits they take.
fn in_words(codec: Codec) -> String {
    match codec {
        Codec::Bool => "bool, 1 bit".into(),
        Codec::UInt { bits } => format!("unsigned, {}", counted(bits.into(), "bit")),
        Codec::SInt { bits } => format!("signed, {}", counted(bits.into(), "bit")),
        Codec::VarUInt => "unsigned, 1 to 5 bytes".into(),
        Codec::VarSInt => "signed, 1 to 5 bytes".into(),
        Codec::FixedPoint {
            min_q,
            max_q,
            scale,
        } => {
            let bits = 64 - max_q.abs_diff(min_q).leading_zeros();
            let bits = counted(bits.into(), "bit");
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

/// A threshold as people think of it.
fn in_units(codec: Codec, threshold_q: u32) -> String {
    match FixedPoint::of(codec) {
        Some(fixed) => fixed.value(threshold_q.into()).to_string(),
        None => threshold_q.to_string(),
    }
}

/// False if there is none.
fn hash(path: &Path, with_path: bool, ui: &mut Ui) -> io::Result<bool> {
    let schema = match read_schema(path) {
        Ok(schema) => schema,
        Err(error) => {
            ui.fail(&error);
            return Ok(false);
        }
    };
    let hash = format!("{:016x}", schema.hash());
    let path = path.display().to_string();
    if ui.json {
        ui.object(&json!({ "path": path, "schema_hash": hash }))?;
    } else if with_path {
        ui.line(format_args!("{hash}  {}", gametape::printable(&path)))?;
    } else {
        ui.line(hash)?;
    }
    Ok(true)
}

fn compare(first: &Path, second: &Path, ui: &mut Ui) -> io::Result<Exit> {
    let read = read_schema(first).and_then(|a| Ok((a, read_schema(second)?)));
    let (ours, theirs) = match read {
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
            ui.line(gametape::printable(&sentence))?;
        }
    }
    Ok(if same { Exit::Fine } else { Exit::Problems })
}
