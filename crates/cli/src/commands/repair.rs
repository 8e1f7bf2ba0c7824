//! `gametape repair`.

use std::io;
use std::path::Path;

use gametape::core::AllAltered;
use gametape::{Existing, Made, Repaired, Told, Verb, Work};
use serde_json::{Value, json};

use super::convert::{Delivery, LESS, target_folder};
use super::{Call, Pair};
use crate::advice::of_output;
use crate::args::Repair;
use crate::exit::Exit;
use crate::located::from_to;
use crate::many::{self, Making, Outcome};
use crate::ui::{Ui, byte_bar};

pub fn run(args: &Repair, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if args.below.out.is_some() {
        let making = Making {
            verb: "repair",
            converts: false,
            make: &|recording, _, options, work| Ok(outcome(recording.repair_with(options, work)?)),
            options: &|from, _| from.options(Verb::Repair).to_vec(),
            existing: args.replace.existing(),
        };
        return many::run(&args.paths, &args.below, None, &making, call, ui);
    }
    match Pair::of(&args.paths) {
        Ok(pair) => one(&pair, args.replace.existing(), call, ui),
        Err(message) => Ok(ui.refuse(&format!("repair: {message}"))),
    }
}

fn outcome(made: Made<Repaired>) -> Outcome {
    let repaired = made.outcome;
    Outcome {
        content: made.content,
        lossy: repaired.lossy,
        losses: Vec::new(),
        notes: Vec::new(),
        actions: repaired.actions,
        altered: altered(&repaired.altered),
        report: None,
        beside: repaired.beside,
    }
}

/// The parts that were kept and may be altered: some of them, and the number of all.
fn altered(altered: &AllAltered<Told>) -> (Vec<Value>, u64) {
    let each = altered.iter().map(serde_json::to_value);
    (
        each.map(Result::unwrap_or_default).collect(),
        altered.count(),
    )
}

fn one(args: &Pair<'_>, existing: Existing, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let repaired = call.open(args.input).and_then(|recording| {
        let folder = target_folder(args.output)?;
        let bar = byte_bar(recording.input().size());
        let made = recording.repair_with(
            &call.verb_options(),
            &Work {
                folder: folder.as_deref(),
                progress: Some(&|done| bar.set_position(done)),
                ..Work::default()
            },
        );
        bar.finish_and_clear();
        let made = made.map_err(|error| of_output(error, args.output))?;
        if args.output != "-" {
            // A repaired recording keeps its format, so that its name has to fit. A failed repair is reported
            // first.
            let output = Path::new(args.output);
            call.formats.check_name(recording.format(), output)?;
        }
        Ok((made, recording))
    });
    let (made, recording) = match repaired {
        Ok(made) => made,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let (input, output) = (args.input, args.output);
    let repaired = made.outcome;
    let bytes = made.content.size();
    let format = recording.format();
    let less = match (repaired.lossy, repaired.altered.is_empty()) {
        (false, _) => None,
        (true, true) => Some(LESS),
        (true, false) => Some("no longer shows that it may be altered"),
    };
    let delivery = Delivery {
        input,
        output,
        format,
        beside: &repaired.beside,
        less,
        existing,
    };
    let (altered, altered_count) = altered(&repaired.altered);
    let lossy = match delivery.deliver(made.content, ui)? {
        Ok(whole) => repaired.lossy || !whole,
        Err(exit) => return Ok(exit),
    };
    if ui.json && args.output != "-" {
        ui.object(&from_to(
            args.input,
            args.output,
            json!({
                "format": format.name(),
                "bytes": bytes,
                "actions": repaired.actions,
                "altered": altered,
                "altered_count": altered_count,
                "lossy": lossy,
            }),
        ))?;
    } else {
        for action in &repaired.actions {
            ui.remark(action);
        }
        if repaired.actions.is_empty() {
            ui.remark("nothing to repair: the form is intact; verify checks the content");
        }
    }
    Ok(if lossy { Exit::Loss } else { Exit::Fine })
}
