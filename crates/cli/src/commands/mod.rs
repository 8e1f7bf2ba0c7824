//! The verbs: their output and their exit codes. None of them knows a format.

pub mod convert;
pub mod cut;
pub mod diff;
pub mod dump;
pub mod formats;
pub mod generate;
pub mod inspect;
#[cfg(feature = "picture")]
pub mod picture;
#[cfg(feature = "play")]
pub mod play;
#[cfg(feature = "live")]
pub mod publish;
pub mod repair;
#[cfg(feature = "live")]
pub mod serve;
pub mod stats;
pub mod tables;
pub mod verify;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use gametape::{Error, Recording, Stamp, Time};
use serde_json::{Value, json};

pub use crate::call::Call;
use crate::located::located;
use crate::many::{self, Item, Progress};
use crate::ui::Ui;

/// The input and the output of a verb.
pub struct Pair<'a> {
    pub input: &'a OsStr,
    pub output: &'a OsStr,
}

impl<'a> Pair<'a> {
    /// Takes two paths; an error is the end of a message.
    pub fn of(paths: &'a [OsString]) -> Result<Self, &'static str> {
        match paths {
            [input, output] => Ok(Self { input, output }),
            [_] => Err("an output is missing: IN OUT, or PATH... --out DIR"),
            _ => Err("several files are made below a folder: PATH... --out DIR"),
        }
    }
}

/// Reads recordings on all cores. `read` gets each recording, and whether it was named itself. `take` gets the
/// path and the result, or the error, in the order of the paths. Files of other kinds that were only found
/// are left out; JSON output has a line for them.
pub fn many_of<R: Send>(
    paths: &[OsString],
    call: &Call<'_>,
    ui: &mut Ui,
    read: &(impl Fn(&Recording, bool) -> R + Sync),
    mut take: impl FnMut(&Path, Result<R, Error>, &mut Ui) -> io::Result<()>,
) -> io::Result<()> {
    let options = call.open_options();
    let items = many::items(call.formats, paths);
    let progress = Progress::new(items.len(), || items.iter().map(Item::size).sum());
    let one = |item: Item| {
        let _begun = progress.begin(|| item.size());
        let (opened, named) = match item {
            Item::Input => (call.open("-".as_ref()), true),
            Item::Nothing(error) => (Err(error), true),
            Item::Found(found) => {
                let opened = call.formats.open_with(&found.path, &options);
                (opened, found.named)
            }
        };
        let path = match &opened {
            Ok(recording) => recording.path().to_owned(),
            Err(error) => error.path().to_owned(),
        };
        match opened {
            Err(error @ Error::UnknownFormat { .. }) if !named => (path, Err(error.message())),
            opened => (path, Ok(opened.map(|recording| read(&recording, named)))),
        }
    };
    many::each(items, many::cores(), one, |all| {
        progress.aside(all, ui, |all, ui| {
            for (path, read) in all {
                match read {
                    Ok(read) => take(&path, read, ui)?,
                    Err(what) if ui.json => {
                        let rest = json!({ "format": null, "skipped": what });
                        ui.object(&located([("path", &path)], rest))?;
                    }
                    Err(_) => {}
                }
            }
            Ok(())
        })
    })
}

/// A stamp in JSON.
pub fn stamp(stamp: Stamp) -> Value {
    json!({
        "step": stamp.step,
        "tick": stamp.tick,
        "time_ms": stamp.time.map(Time::ms),
    })
}
