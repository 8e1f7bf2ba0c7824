//! `gametape cut`.

use std::io;
use std::path::Path;

use gametape::core::text::{Counted, Grouped};
use gametape::{Cut as Range, Cutout, Error, Kept, Made, Recording, When, Work};
use serde_json::json;

use super::convert::{Delivery, LESS, remark, target_folder};
use super::{Call, stamp};
use crate::advice::of_output;
use crate::args::Cut;
use crate::exit::Exit;
use crate::located::from_to;
use crate::ui::{Ui, byte_bar};

pub fn run(args: &Cut, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let cut = call.open(&args.input).and_then(|recording| {
        let made = make(args, &recording, call)?;
        Ok((made, recording))
    });
    let (made, recording) = match cut {
        Ok(made) => made,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let (input, output, format) = (&args.input, &args.output, recording.format());
    let (cutout, bytes) = (made.outcome, made.content.size());
    let less = cutout.is_less().then_some(LESS);
    let Cutout { kept, converted } = cutout;
    let delivery = Delivery {
        input,
        output,
        format,
        beside: &converted.beside,
        less,
        existing: args.replace.existing(),
    };
    let lossy = match delivery.deliver(made.content, ui)? {
        Ok(whole) => converted.is_lossy() || !whole,
        Err(exit) => return Ok(exit),
    };
    if ui.json && output != "-" {
        ui.object(&from_to(
            input,
            output,
            json!({
                "format": format.name(),
                "bytes": bytes,
                "steps": kept.steps.end - kept.steps.start,
                "from": stamp(kept.first),
                "to": stamp(kept.last),
                "losses": converted.losses,
                "notes": converted.notes,
                "report": converted.report.map(|report| report.data),
            }),
        ))?;
    } else {
        ui.remark(&in_words(&kept, format.step()));
        remark(&converted, ui);
    }
    Ok(if lossy { Exit::Loss } else { Exit::Fine })
}

fn make(args: &Cut, recording: &Recording, call: &Call<'_>) -> Result<Made<Cutout>, Error> {
    if args.output != "-" {
        let output = Path::new(&args.output);
        call.formats.check_name(recording.format(), output)?;
    }
    let folder = target_folder(&args.output)?;
    let range = if let Some(event) = &args.around {
        recording.around(event, args.before, args.after)?
    } else {
        let moment = |when: &Option<When>| when.as_ref().map(|when| recording.at(when));
        Range::new(
            moment(&args.from).transpose()?,
            moment(&args.to).transpose()?,
        )
    };
    let bar = byte_bar(recording.input().size());
    let work = Work {
        folder: folder.as_deref(),
        progress: Some(&|done| bar.set_position(done)),
        ..Work::default()
    };
    let made = recording.cut_with(&range, &call.verb_options(), &work);
    bar.finish_and_clear();
    made.map_err(|error| of_output(error, &args.output))
}

/// `kept 361 frames: steps 120 to 480, 4.000 s to 16.000 s`
fn in_words(kept: &Kept, step: &str) -> String {
    let Kept { first, last, .. } = kept;
    let count = kept.steps.end - kept.steps.start;
    let steps = format!(
        "kept {}: steps {} to {}",
        Counted(count, step),
        Grouped(first.step),
        Grouped(last.step)
    );
    let ticks = first.tick.zip(last.tick);
    let ticks = ticks.map(|(a, b)| format!("ticks {} to {}", Grouped(a), Grouped(b)));
    let times = first.time.zip(last.time);
    let times = times.map(|(a, b)| format!("{a} to {b}"));
    let all: Vec<String> = [Some(steps), ticks, times].into_iter().flatten().collect();
    all.join(", ")
}
