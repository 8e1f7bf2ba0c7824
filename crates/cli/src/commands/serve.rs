//! `gametape watch` and `gametape serve`: show recordings in a browser.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use gametape::{Formats, OpenOptions, Secrets};
use gametape_live::server::{ServeOptions, Server, Stop};
use gametape_live::{Error, Page};
use serde_json::json;

use super::Call;
use super::publish::fail;
use crate::args::{Serve, Watch};
use crate::exit::Exit;
use crate::ui::{Ui, secrets};

/// The options for opening without memory-mapping: a truncated file would end the server.
pub fn unmapped(call: &Call<'_>) -> OpenOptions {
    OpenOptions {
        map: false,
        ..call.open_options()
    }
}

fn page(folder: Option<&PathBuf>) -> Result<Page, Error> {
    folder.map_or_else(|| Ok(Page::built()), |folder| Page::read(folder))
}

pub fn watch(args: &Watch, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    let options = ServeOptions {
        listen: args.listen,
        secrets: secrets(args.show_secrets),
        open: unmapped(call),
        ..ServeOptions::default()
    };
    let server = match named(&args.paths, call.formats, args.page.as_ref(), options) {
        Ok(server) => server,
        Err(error) => return Ok(fail(&error, ui)),
    };
    if server.ids().is_empty() {
        return Ok(ui.found_nothing(&args.paths));
    }
    let address = format!("http://{}/", server.address());
    if ui.json {
        ui.object(&json!({ "address": address }))?;
    } else {
        ui.line(format_args!("{address}  (Ctrl-C ends it)"))?;
    }
    ui.flush()?;
    if !args.no_open && open::that_detached(&address).is_err() {
        ui.remark("no browser could be opened: open the address in one");
    }
    Ok(until_stopped(server.stop(), || server.run(), ui))
}

pub fn serve(args: &Serve, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    let options = ServeOptions {
        listen: args.listen,
        token: args.token.clone(),
        hosts: args.host.clone(),
        secrets: secrets(args.show_secrets),
        open: unmapped(call),
        cache: args.cache.clone(),
        cache_bytes: args.cache_mb.saturating_mul(1_000_000),
    };
    let server = match named(&args.paths, call.formats, args.page.as_ref(), options) {
        Ok(server) => server,
        Err(error) => return Ok(fail(&error, ui)),
    };
    let address = format!("http://{}/", server.address());
    let asks = if args.token.is_some() {
        "?token=…"
    } else {
        ""
    };
    if ui.json {
        ui.object(&json!({ "address": address }))?;
    } else {
        ui.line(format_args!("{address}{asks}  (Ctrl-C ends it)"))?;
    }
    ui.flush()?;
    Ok(until_stopped(server.stop(), || server.run(), ui))
}

/// Starts a server of these paths. Patterns are resolved once; folders are searched again and again.
fn named(
    paths: &[OsString],
    formats: &Formats,
    page_folder: Option<&PathBuf>,
    options: ServeOptions,
) -> Result<Server, Error> {
    let page = page(page_folder)?;
    let mut roots = Vec::new();
    for path in paths {
        let path = PathBuf::from(path);
        if path.is_dir() {
            roots.push(path);
            continue;
        }
        for found in formats.find(&path) {
            let found = found?;
            // A file that can't be opened is reported now, not on the page.
            match formats.open_with(&found.path, &options.open) {
                Ok(recording) => {
                    if found.named {
                        recording.header(Secrets::Hide)?.readable();
                    }
                    roots.push(found.path);
                }
                Err(gametape::Error::UnknownFormat { .. }) if !found.named => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Server::bind(&roots, formats.clone(), page, options)
}

/// Serves until Ctrl-C.
pub fn until_stopped(stop: Stop, run: impl FnOnce() -> Result<(), Error>, ui: &mut Ui) -> Exit {
    // Without a handler, Ctrl-C ends the process at once.
    let _ = ctrlc::set_handler(move || stop.stop());
    match run() {
        Ok(()) => Exit::Fine,
        Err(error) => fail(&error, ui),
    }
}
