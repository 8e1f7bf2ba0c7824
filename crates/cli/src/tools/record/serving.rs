//! `--serve`: lets browsers watch a recording while it is made.

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use clap::Args;
use gametape::{Error as RecordingError, Formats, Secrets};
use gametape_live::server::{Growth, ServeOptions, Server, Stop};
use gametape_live::{Error, Page};
use serde_json::json;

use crate::Exit;
use crate::args::listening;
use crate::commands::publish;
use crate::ui::Ui;

/// The options of `--serve`.
#[derive(Args, Debug)]
#[command(next_help_heading = "For browsers that watch while it is recorded")]
pub struct ForBrowsers {
    /// Let browsers watch
    ///
    /// The link is printed. After the recording ends, it can still be watched until Ctrl-C; if Ctrl-C
    /// ended the recording, until it is pressed again. Without a terminal, Ctrl-C ends both at once.
    #[arg(id = "serve", long)]
    is_asked: bool,
    /// Where to listen: 0.0.0.0:8420 can be reached from other machines, a port alone only from this one
    #[arg(
        long,
        value_name = "[ADDRESS:]PORT",
        default_value = "127.0.0.1:8420",
        value_parser = listening,
        requires = "serve"
    )]
    listen: SocketAddr,
    /// The token that requests need: in a link as ?token=…
    ///
    /// Better set it in the environment, where other users of the machine can't see it.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "GAMETAPE_TOKEN",
        hide_env_values = true
    )]
    token: Option<String>,
    /// A name of the server; may be given several times
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// A built page to use instead of the command's own
    #[arg(long, value_name = "DIR", requires = "serve")]
    page: Option<PathBuf>,
    /// Show tokens, IP addresses and user ids
    #[arg(long, requires = "serve")]
    show_secrets: bool,
}

/// Ends a recording, and then its server.
#[derive(Clone, Default)]
pub struct Ending {
    /// True when the recording has to end.
    pub stop: Arc<AtomicBool>,
    server: Option<Stop>,
}

/// A server of a growing recording.
pub struct Serving {
    growth: Growth,
    server: JoinHandle<Result<(), Error>>,
    ending: Ending,
    link: String,
    /// The file of the recording.
    path: Option<PathBuf>,
}

/// The link from a recorder to its server, if there is one.
#[derive(Default)]
pub struct Watched(Option<Serving>);

impl Ending {
    /// From now on Ctrl-C ends the recording, and the second Ctrl-C the server. Without a terminal, the first
    /// one ends both.
    ///
    /// # Errors
    /// [`RecordingError::Unwritable`], of this output.
    pub fn listen(&self, output: &Path) -> Result<(), RecordingError> {
        let Self { stop, server } = self.clone();
        let once = !io::stdin().is_terminal();
        let heard = move || {
            let again = stop.swap(true, Ordering::Relaxed);
            if let Some(server) = server.as_ref().filter(|_| again || once) {
                server.stop();
            }
        };
        ctrlc::set_handler(heard).map_err(|error| RecordingError::Unwritable {
            path: output.to_owned(),
            message: format!("can't listen to Ctrl-C: {error}"),
        })
    }
}

impl ForBrowsers {
    /// Whether the recording is served.
    pub const fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// Starts the server if it is asked for, and prints its address. An error is reported before anything is
    /// recorded.
    pub fn begin(&self, formats: &Formats, ui: &mut Ui) -> Result<Watched, Exit> {
        if !self.is_asked {
            if self.host.is_empty() {
                return Ok(Watched::default());
            }
            return Err(ui.refuse(
                "--host is a name under which browsers reach --serve, which is missing; the address of a game is --url",
            ));
        }
        let begun = self.bind(formats);
        let server = begun.map_err(|error| publish::fail(&error, ui))?;
        let link = format!("http://{}/", server.address());
        let asks = self.token.as_ref().map_or("", |_| "?token=…");
        let said = if ui.json {
            ui.object(&json!({ "address": link }))
        } else {
            ui.line(format_args!("{link}{asks}"))
        };
        // If this cannot be printed, the recording is still made.
        let _ = said.and_then(|()| ui.flush());
        let ending = Ending {
            server: Some(server.stop()),
            ..Ending::default()
        };
        Ok(Watched(Some(Serving {
            growth: server.growth(),
            server: std::thread::spawn(move || server.run()),
            ending,
            link,
            path: None,
        })))
    }

    fn bind(&self, formats: &Formats) -> Result<Server, Error> {
        let built = || Ok(Page::built());
        let page = self.page.as_deref().map_or_else(built, Page::read)?;
        let options = ServeOptions {
            listen: self.listen,
            token: self.token.clone(),
            hosts: self.host.clone(),
            secrets: if self.show_secrets {
                Secrets::Show
            } else {
                Secrets::Hide
            },
            ..ServeOptions::default()
        };
        Server::bind(&[], formats.clone(), page, options)
    }
}

impl Watched {
    /// The signal that ends the recording.
    pub fn ending(&self) -> Ending {
        let serving = self.0.as_ref();
        serving.map_or_else(Ending::default, |serving| serving.ending.clone())
    }

    /// Tells the server that the recording goes into this file from now on.
    pub fn goes_into(&mut self, path: &Path) {
        if let Some(serving) = &mut self.0 {
            serving.done();
            // If the file is gone already, there is nothing to watch.
            if serving.growth.begin(path).is_ok() {
                serving.path = Some(path.to_owned());
            }
        }
    }

    /// Tells the server that the file grew.
    pub fn grew(&self) {
        if let Some(serving) = &self.0 {
            serving.growth.grew();
        }
    }

    /// After the recording ends, keeps the server until Ctrl-C, unless the recording is empty.
    pub fn stay(self, exit: Exit, ui: &mut Ui) -> io::Result<Exit> {
        let Some(mut serving) = self.0 else {
            return Ok(exit);
        };
        let recorded = serving.path.is_some();
        serving.done();
        if !recorded || exit == Exit::Unusable {
            serving.ending.end();
        } else if !serving.ending.is_over() {
            ui.flush()?;
            ui.remark(&format!(
                "it can still be watched at {}; Ctrl-C ends that",
                serving.link
            ));
        }
        // From now on one Ctrl-C ends the server.
        serving.ending.stop.store(true, Ordering::Relaxed);
        Ok(match serving.server.join() {
            Ok(Err(error)) => exit.max(publish::fail(&error, ui)),
            _ => exit,
        })
    }
}

impl Serving {
    fn done(&mut self) {
        if let Some(path) = self.path.take() {
            // An empty file was removed.
            let _ = self.growth.end(&path);
        }
    }
}

impl Ending {
    fn end(&self) {
        if let Some(server) = &self.server {
            server.stop();
        }
    }

    fn is_over(&self) -> bool {
        self.server.as_ref().is_none_or(Stop::is_stopped)
    }
}
