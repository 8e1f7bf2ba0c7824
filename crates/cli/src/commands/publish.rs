//! `gametape publish`: publishes recordings as a folder for any web host, or as one HTML file.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use gametape::core::Spell as _;
use gametape::core::text::{Counted, printable};
use gametape::{Recording, Work};
use gametape_live::{Entry, Error, Index, Page, PublishOptions, Site, Store, names, single};
use serde_json::json;

use super::Call;
use crate::advice::of_output;
use crate::args::Publish;
use crate::exit::Exit;
use crate::located::located;
use crate::many::{Item, items, recordings};
use crate::ui::{STRONG, Ui, byte_bar, secrets, styled};

pub fn run(args: &Publish, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    match begin(args) {
        Ok((page, site)) => publish(args, &page, site, call, ui),
        Err(error) => Ok(fail(&error, ui)),
    }
}

/// Checks the outputs before anything is read.
fn begin(args: &Publish) -> Result<(Page, Site), Error> {
    let page = match &args.page {
        Some(folder) => Page::read(folder)?,
        None => Page::built(),
    };
    let store = match (&args.out, &args.single) {
        (Some(folder), _) => Store::folder(folder)?,
        (None, path) => {
            page.single()?;
            gametape::folder_for(path.as_deref().unwrap_or(Path::new("")))?;
            Store::memory()
        }
    };
    Ok((page, Site::new(store)?))
}

pub fn fail(error: &Error, ui: &mut Ui) -> Exit {
    if let Error::Recording(error) = error {
        return ui.fail(error);
    }
    ui.refuse(&error.to_string())
}

fn publish(
    args: &Publish,
    page: &Page,
    mut site: Site,
    call: &Call<'_>,
    ui: &mut Ui,
) -> io::Result<Exit> {
    let (mut exit, mut seen, mut published) = (Exit::Fine, false, 0_u64);
    let options = call.open_options();
    let standard_input = |path: &_| call.open(path);
    let items = items(call.formats, &args.paths);
    let named = named(&items);
    for opened in recordings(call.formats, items, &options, standard_input) {
        seen = true;
        let added = opened.map_err(Error::from).and_then(|(recording, _)| {
            let path = recording.path();
            let name = named.get(path).map_or(path, PathBuf::as_path);
            let entry = add(&recording, name, &mut site, args)?;
            Ok((recording, entry))
        });
        match added {
            Ok((recording, (entry, notes))) => {
                published += 1;
                exit = exit.max(say(&recording, &entry, &notes, ui)?);
            }
            Err(Error::Recording(error)) => {
                let target = args.out.as_ref().or(args.single.as_ref());
                let target = target.map_or(OsStr::new("-"), |target| target.as_os_str());
                exit = exit.max(ui.fail(&of_output(error, target)));
            }
            Err(error) => exit = exit.max(fail(&error, ui)),
        }
    }
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    if published == 0 {
        return Ok(exit);
    }
    Ok(match finish(args, page, site, published, ui) {
        Ok(done) => exit.max(done?),
        Err(error) => fail(&error, ui),
    })
}

/// The names by which recordings are published, by their paths.
fn named(items: &[Item]) -> BTreeMap<PathBuf, PathBuf> {
    let found = items.iter().filter_map(|item| match item {
        Item::Found(found) => Some((&*found.path, &*found.below)),
        _ => None,
    });
    let found: Vec<(&Path, &Path)> = found.collect();
    let paths = found.iter().map(|(path, _)| path.to_path_buf());
    paths.zip(names(&found)).collect()
}

/// The entry of a recording, and a sentence for each loss.
type Added = (Entry, Vec<String>);

fn add(
    recording: &Recording,
    name: &Path,
    site: &mut Site,
    args: &Publish,
) -> Result<Added, Error> {
    let options = PublishOptions {
        secrets: secrets(args.show_secrets),
        existing: args.replace.existing(),
        ..PublishOptions::default()
    };
    let bar = byte_bar(recording.input().size());
    let work = Work {
        progress: Some(&|done| bar.set_position(done)),
        ..Work::default()
    };
    let added = site.add(recording, name, options, &work);
    bar.finish_and_clear();
    added.map(|Index { entry, lost, .. }| {
        let sentences = lost.into_iter().map(|one| one.text);
        (entry, sentences.collect())
    })
}

/// Prints a line for a recording, and its losses.
fn say(recording: &Recording, entry: &Entry, lost: &[String], ui: &mut Ui) -> io::Result<Exit> {
    let path = recording.path();
    if ui.json {
        let rest = json!({
            "id": entry.id,
            "format": entry.format,
            "verdict": entry.verdict,
            "lost": lost,
        });
        ui.object(&located([("path", path)], rest))?;
    } else {
        let path = styled(STRONG, printable(&path.spelled()));
        ui.line(format_args!("{path}  as {}", entry.id))?;
        for sentence in lost {
            ui.remark(&format!("not all of it: {sentence}"));
        }
    }
    Ok(if lost.is_empty() {
        Exit::Fine
    } else {
        Exit::Loss
    })
}

fn finish(
    args: &Publish,
    page: &Page,
    mut site: Site,
    published: u64,
    ui: &mut Ui,
) -> Result<io::Result<Exit>, Error> {
    let paged = match &args.out {
        Some(_) => site.with_page(page),
        None => Ok(()),
    };
    let (store, _) = site.finish()?;
    let what = Counted(published, "recording");
    if let Some(path) = &args.single {
        gametape::write_file(path, &single(page, &store)?, args.replace.existing())?;
        if !ui.json {
            let path = path.spelled();
            return Ok(ui
                .line(format_args!("{what} in {path}: open it in a browser"))
                .map(|()| Exit::Fine));
        }
    }
    if let Some(folder) = &args.out {
        match paged {
            Err(Error::NoPage) => {
                ui.complain(&format!(
                    "{}: without the page: {}",
                    folder.spelled(),
                    Error::NoPage
                ));
                return Ok(Ok(Exit::Loss));
            }
            Err(error) => return Err(error),
            Ok(()) if !ui.json => {
                let folder = folder.spelled();
                let serves =
                    "any web server serves it, such as: python3 -m http.server --directory";
                return Ok(ui
                    .line(format_args!("{what} in {folder}; {serves} {folder}"))
                    .map(|()| Exit::Fine));
            }
            Ok(()) => {}
        }
    }
    Ok(Ok(Exit::Fine))
}
