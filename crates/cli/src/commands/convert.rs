//! `gametape convert`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gametape::core::Spell as _;
use gametape::core::tape;
use gametape::{
    Beside, Content, Converted, Error, Existing, Format, Made, OptionDef, Recording, Verb, Work,
};
use serde_json::json;

use super::{Call, Pair};
use crate::advice::of_output;
use crate::args::Convert;
use crate::exit::Exit;
use crate::located::from_to;
use crate::many::{self, Making, Outcome};
use crate::ui::{Ui, byte_bar};

pub fn run(args: &Convert, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if args.below.out.is_some() {
        let making = Making {
            verb: "convert",
            converts: true,
            make: &|recording, to, options, work| {
                let made = recording.convert_with(to.name(), options, work)?;
                Ok(outcome(made))
            },
            options: &known,
            existing: args.replace.existing(),
        };
        let to = args.to.as_deref();
        return many::run(&args.paths, &args.below, to, &making, call, ui);
    }
    match Pair::of(&args.paths) {
        Ok(pair) => one(&pair, args.replace.existing(), call, ui),
        Err(message) => Ok(ui.refuse(&format!("convert: {message}"))),
    }
}

/// The options of a conversion between two formats.
fn known(from: &dyn Format, to: &dyn Format) -> Vec<OptionDef> {
    let mut defs = to.options(Verb::Write).to_vec();
    if from.kind() == to.kind() {
        defs.extend(from.options(Verb::Convert));
    }
    defs
}

fn outcome(made: Made<Converted>) -> Outcome {
    let converted = made.outcome;
    Outcome {
        content: made.content,
        lossy: converted.is_lossy(),
        losses: converted.losses,
        notes: converted.notes,
        actions: Vec::new(),
        altered: Default::default(),
        report: converted.report,
        beside: converted.beside,
    }
}

fn one(args: &Pair<'_>, existing: Existing, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let recording = match call.open(args.input) {
        Ok(recording) => recording,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let format = recording.format();
    let to = match call.target(&recording, args.output) {
        Ok(to) => to,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let made = match make(&recording, to, call, args.output) {
        Ok(made) => made,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let converted = made.outcome;
    let lossy = converted.is_lossy();
    let bytes = made.content.size();
    let delivery = Delivery {
        input: args.input,
        output: args.output,
        format: to,
        beside: &converted.beside,
        less: lossy.then_some(LESS),
        existing,
    };
    let lossy = match delivery.deliver(made.content, ui)? {
        Ok(whole) => lossy || !whole,
        Err(exit) => return Ok(exit),
    };
    if ui.json && args.output != "-" {
        ui.object(&from_to(
            args.input,
            args.output,
            json!({
                "format": format.name(),
                "to": to.name(),
                "bytes": bytes,
                "losses": converted.losses,
                "notes": converted.notes,
                "report": converted.report.map(|report| report.data),
            }),
        ))?;
    } else {
        remark(&converted, ui);
    }
    Ok(if lossy { Exit::Loss } else { Exit::Fine })
}

/// Prints the losses, the notes and the report of a conversion as remarks.
pub fn remark(converted: &Converted, ui: &mut Ui) {
    for loss in &converted.losses {
        ui.remark(&format!("not carried over: {loss}"));
    }
    for note in &converted.notes {
        ui.remark(&format!("note: {note}"));
    }
    if let Some(report) = &converted.report {
        ui.remarks(&report.text);
    }
}

impl Call<'_> {
    /// Returns the format of the output by its extension; standard output has the input's format.
    fn target<'r>(
        &'r self,
        recording: &'r Recording,
        output: &OsStr,
    ) -> Result<&'r dyn Format, Error> {
        if output == "-" {
            return Ok(recording.format());
        }
        self.formats
            .from_extension(Path::new(output))
            .ok_or_else(|| Error::Tape {
                path: recording.path().to_owned(),
                source: tape::Error::NoConversion {
                    from: recording.format().name(),
                    to: format!("{}: its extension is of no known format", output.spelled()),
                    known: recording.targets(),
                },
            })
    }
}

fn make(
    recording: &Recording,
    to: &dyn Format,
    call: &Call<'_>,
    output: &OsStr,
) -> Result<Made<Converted>, Error> {
    let folder = target_folder(output)?;
    let bar = byte_bar(recording.input().size());
    let made = recording.convert_with(
        to.name(),
        &call.verb_options(),
        &Work {
            folder: folder.as_deref(),
            progress: Some(&|done| bar.set_position(done)),
            ..Work::default()
        },
    );
    bar.finish_and_clear();
    made.map_err(|error| of_output(error, output))
}

/// Returns the folder for a new file; `None` for standard output and devices.
pub fn target_folder(output: &OsStr) -> Result<Option<PathBuf>, Error> {
    if output == "-" {
        return Ok(None);
    }
    gametape::folder_for(Path::new(output))
}

/// Whether two paths lead to the same file.
pub fn is_same_file(input: &OsStr, output: &OsStr) -> bool {
    matches!(
        (fs::canonicalize(input), fs::canonicalize(output)),
        (Ok(input), Ok(output)) if input == output
    )
}

/// The end of a message about a file with less content than its input.
pub const LESS: &str = "holds less";

/// A file to write.
pub struct Delivery<'d> {
    pub input: &'d OsStr,
    /// A path, or `-` for standard output.
    pub output: &'d OsStr,
    pub format: &'d dyn Format,
    /// The files beside it.
    pub beside: &'d [Beside],
    /// In which way the file is less than its input, if it is: then it does not replace the input.
    pub less: Option<&'d str>,
    pub existing: Existing,
}

impl Delivery<'_> {
    /// Writes the file. Returns false if files beside it are lost, since there is no place beside standard output.
    pub fn deliver(&self, content: Content, ui: &mut Ui) -> io::Result<Result<bool, Exit>> {
        let Self { input, output, .. } = *self;
        if output == "-" {
            // The bytes of a file must not pass through the colour filter.
            ui.flush()?;
            let mut stdout = io::stdout().lock();
            content.write_to(&mut stdout)?;
            stdout.flush()?;
            for file in self.beside {
                ui.remark(&format!("not written: the .{} beside it", file.extension));
            }
            return Ok(Ok(self.beside.is_empty()));
        }
        let less = self
            .less
            .filter(|_| input != "-" && is_same_file(input, output));
        if let Some(less) = less {
            ui.complain(&format!(
                "{}: would be replaced by a file that {less}; name another output",
                input.spelled()
            ));
            return Ok(Err(Exit::Unusable));
        }
        let saved = content.save(Path::new(output), self.format, self.beside, self.existing);
        Ok(saved.map(|()| true).map_err(|error| ui.fail(&error)))
    }
}
