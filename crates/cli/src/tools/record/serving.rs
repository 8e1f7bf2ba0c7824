//! `--serve`: what is recorded is watched meanwhile.

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
use crate::commands::publish;
use crate::ui::Ui;

/// How the recording is served.
#[derive(Args, Debug)]
pub struct Serve {
    /// Let browsers watch while it is recorded; =ADDRESS:PORT where 127.0.0.1:8420 is not the place
    ///
    /// The link is printed. When the recording is done, it can still be watched until Ctrl-C; where
    /// Ctrl-C ended the recording, until it is pressed again. Outside of a terminal, once ends both.
    #[arg(
        id = "serve",
        long = "serve",
        value_name = "ADDRESS:PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "127.0.0.1:8420"
    )]
    pub listen: Option<SocketAddr>,
    /// With --serve, what whoever asks has to know: in a link as ?token=…
    ///
    /// Better in the environment, where other users of the machine can't see it.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "GAMETAPE_TOKEN",
        hide_env_values = true
    )]
    pub token: Option<String>,
    /// With --serve, a name that the server goes by; may be given several times
    #[arg(long, value_name = "HOST", requires = "serve")]
    pub host: Vec<String>,
    /// With --serve, a built page to use instead of the one that this command carries
    #[arg(long, value_name = "DIR", requires = "serve")]
    pub page: Option<PathBuf>,
    /// With --serve, show tokens, IP addresses and user ids
    #[arg(long, requires = "serve")]
    pub show_secrets: bool,
}

/// Ends a recording, and then what serves it.
#[derive(Clone, Default)]
pub struct Ending {
    /// The recording is to end.
    pub stop: Arc<AtomicBool>,
    server: Option<Stop>,
}

/// A server of what is recorded.
pub struct Serving {
    growth: Growth,
    server: JoinHandle<Result<(), Error>>,
    ending: Ending,
    link: String,
    /// What is recorded into.
    path: Option<PathBuf>,
}

/// What a recorder tells, whether it is served or not.
#[derive(Default)]
pub struct Watched(Option<Serving>);

impl Ending {
    /// From now on Ctrl-C ends the recording; again, or where nobody could press it again, the server.
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

impl Serve {
    /// Whether somebody may watch.
    pub const fn is_asked(&self) -> bool {
        self.listen.is_some()
    }

    /// Serves, if that is asked for, and says where. What can't be served is said before anything is
    /// recorded.
    pub fn begin(&self, formats: &Formats, ui: &mut Ui) -> Result<Watched, Exit> {
        let Some(listen) = self.listen else {
            return Ok(Watched::default());
        };
        let begun = self.bind(listen, formats);
        let server = begun.map_err(|error| publish::fail(&error, ui))?;
        let link = format!("http://{}/", server.address());
        let asks = self.token.as_ref().map_or("", |_| "?token=…");
        let said = if ui.json {
            ui.object(&json!({ "address": link }))
        } else {
            ui.line(format_args!("{link}{asks}"))
        };
        // Who does not hear that may still want the recording.
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

    fn bind(&self, listen: SocketAddr, formats: &Formats) -> Result<Server, Error> {
        let built = || Ok(Page::built());
        let page = self.page.as_deref().map_or_else(built, Page::read)?;
        let options = ServeOptions {
            listen,
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
    /// What ends the recording.
    pub fn ending(&self) -> Ending {
        let serving = self.0.as_ref();
        serving.map_or_else(Ending::default, |serving| serving.ending.clone())
    }

    /// It is recorded into this file from now on.
    pub fn goes_into(&mut self, path: &Path) {
        if let Some(serving) = &mut self.0 {
            serving.done();
            // Where it is gone already, there is nothing to watch.
            if serving.growth.begin(path).is_ok() {
                serving.path = Some(path.to_owned());
            }
        }
    }

    /// Something was recorded.
    pub fn grew(&self) {
        if let Some(serving) = &self.0 {
            serving.growth.grew();
        }
    }

    /// The recording is done: it can be watched until Ctrl-C, if there is something in it.
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
        // From now on once is enough.
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
            // An empty one was removed.
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
