//! `gametape serve --as-game`: answers as the game did.

use std::io;
use std::net::SocketAddr;
use std::time::Instant;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, Parser};
use gametape::{At, Formats, Verb};
use gametape_live::server::{ApiAnswer, ApiServer};
use gametape_record::echo::{AsGame, AsGameOptions};
use serde_json::json;

use super::inputs::parsed;
use crate::args::Serve;
use crate::call::{Call, open};
use crate::commands::publish::fail;
use crate::commands::serve::{unmapped, until_stopped};
use crate::ui::{Ui, secrets};
use crate::{Exit, Tool, options};

/// The address at which Echo VR answers.
const GAME: SocketAddr = SocketAddr::V4(std::net::SocketAddrV4::new(
    std::net::Ipv4Addr::LOCALHOST,
    6721,
));

/// `gametape serve --as-game`.
#[derive(Clone, Copy, Debug)]
pub struct Game;

impl Tool for Game {
    fn instead_of(&self) -> Option<(&'static str, &'static str)> {
        Some(("serve", "as_game"))
    }

    fn command(&self) -> Command {
        Args::command()
    }

    fn run(&self, matches: &ArgMatches, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
        let mut serve: Serve = parsed(matches);
        if matches.value_source("listen") == Some(ValueSource::DefaultValue) {
            serve.listen = GAME;
        }
        let options = match options::read(matches, &formats.options(&[Verb::Open])) {
            Ok(options) => options,
            Err(error) => return Ok(ui.fail(&error)),
        };
        let call = Call {
            formats,
            version: env!("CARGO_PKG_VERSION"),
            options,
            own: Vec::new(),
        };
        if let Err(error) = call.check_opening(&serve.paths) {
            return Ok(ui.fail(&error));
        }
        match bind(&serve, &parsed(matches), &call) {
            Ok(server) => {
                let address = format!("http://{}/session", server.address());
                if ui.json {
                    ui.object(&json!({ "address": address }))?;
                } else {
                    ui.line(format_args!("{address}  (Ctrl-C ends it)"))?;
                }
                ui.flush()?;
                let stop = server.stop();
                Ok(until_stopped(stop, || server.run(), ui))
            }
            Err(error) => Ok(fail(&error, ui)),
        }
    }
}

#[derive(Parser, Debug)]
#[command(next_help_heading = "In the place of a game")]
struct Args {
    /// Answer as Echo VR did, about one match and in the recorded times
    ///
    /// Listens at the game's own address, 127.0.0.1:6721, unless --listen is given. The clock starts with
    /// the first request; after the end no match is on. Names and user ids are replaced, and addresses
    /// left out, unless --show-secrets is given.
    #[arg(long, conflicts_with_all = ["cache", "cache_mb", "page"])]
    as_game: bool,
    /// The speed, relative to the recording
    #[arg(long, value_name = "TIMES", default_value_t = 1.0, value_parser = speed, requires = "as_game")]
    speed: f64,
    /// Begin at this moment: a time such as 1:23.4 or 83.4, or step:600
    #[arg(long, value_name = "AT", requires = "as_game")]
    from: Option<At>,
    /// Begin again after the end
    #[arg(long = "loop", requires = "as_game")]
    again: bool,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.01..=1000.0).contains(&speed) {
        Ok(speed)
    } else {
        Err("from 0.01 to 1000".to_owned())
    }
}

fn bind(serve: &Serve, args: &Args, call: &Call<'_>) -> Result<ApiServer, gametape_live::Error> {
    let [path] = &*serve.paths else {
        return Err(gametape_live::Error::NotOne);
    };
    let recording = open(call.formats, path, &unmapped(call))?;
    let first = match args.from {
        None => 0,
        Some(at) => recording.playback()?.seek(at)?.step,
    };
    let options = AsGameOptions {
        speed: args.speed,
        again: args.again,
        first,
        secrets: secrets(serve.show_secrets),
    };
    let game = AsGame::new(recording, options)?;
    ApiServer::bind(
        serve.listen,
        serve.token.as_deref(),
        &serve.host,
        move |path| {
            let said = game.answer(path, Instant::now())?;
            Some(ApiAnswer {
                status: said.status,
                json: said.json,
            })
        },
    )
}
