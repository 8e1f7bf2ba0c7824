//! `gametape verify`: audits recordings, then compares them with one another, and prints the verdicts.

mod check;
mod lines;
mod related;
mod report;
mod spool;
mod summary;

use std::fs;
use std::io;
use std::time::Instant;

use gametape::core::Spell as _;
use gametape::core::text::nearest;
use gametape::{Error, Formats, Policy};

use super::Call;
use crate::args::Verify;
use crate::exit::{self, Exit};
use crate::many::{self, Item, Progress};
use crate::options::open_file;
use crate::sheet::Sheet;
use crate::ui::Ui;

pub use lines::print_finding;
#[cfg(feature = "tools")]
pub use lines::{audited, print_audit};

/// The name of the default policy.
const DEFAULT: &str = "default";

pub fn run(args: &Verify, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if args.print_policy {
        ui.line(Policy::text(call.formats).trim_end())?;
        return Ok(Exit::Fine);
    }
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    if args.csv.is_some() && ui.json {
        return Ok(ui.refuse("either --json or --csv"));
    }
    ui.sheet = args.csv.map(Sheet::new);
    let policy = match args.policy.as_ref().map(|name| policy(name, call.formats)) {
        None => None,
        Some(Ok(policy)) => Some(policy),
        Some(Err(complaint)) => {
            return Ok(ui.refuse(&complaint));
        }
    };
    let started = Instant::now();
    let items = many::items(call.formats, &args.paths);
    let progress = Progress::new(items.len(), || items.iter().map(Item::size).sum());
    let mut report = report::Report::new(args, policy.as_ref(), items.len());
    let say = |what: &str| progress.say(what);
    let checker = check::Checker {
        call,
        options: &call.open_options(),
        policy: policy.as_ref(),
        lists: args.csv.is_some(),
        say: &say,
    };
    many::each(
        items,
        many::cores(),
        |item| {
            let _begun = progress.begin(|| item.size());
            checker.check(item)
        },
        |all| {
            progress.aside(all, ui, |all, ui| {
                all.into_iter()
                    .try_for_each(|checked| report.take(checked, ui))
            })?;
            if exit::is_stop_asked() {
                progress.end();
                report.stop(started, ui);
            }
            Ok(())
        },
    )?;
    drop(progress);
    report.finish(started, ui)
}

/// Reads a policy, or returns a message.
fn policy(name: &std::ffi::OsStr, formats: &Formats) -> Result<Policy, String> {
    const MOST: u64 = 1 << 20;
    if name == DEFAULT {
        return Policy::of(formats).map_err(|error| format!("the default policy: {error}"));
    }
    let path = std::path::Path::new(name);
    let read = || {
        let size = open_file(path)?.metadata().map_or(0, |meta| meta.len());
        if size > MOST {
            return Err(Error::TooLarge {
                path: path.to_owned(),
                size,
                limit: MOST,
            });
        }
        fs::read_to_string(path).map_err(|source| crate::ui::short_error(path, source))
    };
    let text = read().map_err(|error| {
        let meant = match error {
            Error::NotFound { .. } if nearest(&name.to_string_lossy(), [DEFAULT]).is_some() => {
                format!("; {DEFAULT} may be meant")
            }
            Error::NotFound { .. } | Error::IsFolder { .. } => {
                format!("; a policy is a file, or {DEFAULT}, which --print-policy prints")
            }
            _ => String::new(),
        };
        format!("{error}{meant}")
    })?;
    let policy = Policy::parse(&text, formats);
    policy.map_err(|error| format!("{}: {error}", path.spelled()))
}
