//! `gametape play`: plays a recording in the terminal. The scene follows from the tables
//! (`gametape_picture::scene`); this module paints it and reads keys.

mod background;
mod clock;
mod draw;
mod keys;
mod messages;
mod player;
mod reader;
mod terminal;
#[cfg(test)]
mod tests;
mod view_state;

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use gametape::core::Spell as _;
use gametape::{Error, Secrets};
use ratatui::crossterm::event::{self, Event};

use self::draw::paint::Paint;
use self::messages::{Inbox, Update};
use self::player::Player;
use self::player::actions::Then;
use self::terminal::Screen;
use super::Call;
use crate::args::Play;
use crate::exit::Exit;
use crate::ui::{Ui, secrets};
use gametape_picture::scene::views::View;

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(1000 / clock::FRAMES);

/// How the player ended.
enum PlayEnd {
    Quit,
    Signal,
    Failed(Box<Error>),
    /// There is nothing to show; the message says why.
    Nothing(String),
    /// A bug in the command.
    Panic(String),
}

/// The view to start with.
struct Start {
    path: String,
    secrets: Secrets,
    view: Option<String>,
}

pub fn run(args: &Play, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if ui.json {
        ui.complain("play draws on a terminal and has no JSON; use dump");
        return Ok(Exit::Unusable);
    }
    if !io::stdout().is_terminal() {
        ui.complain("play draws on a terminal; standard output is not one");
        return Ok(Exit::Unusable);
    }
    let (tell, updates) = mpsc::channel();
    let inbox = Arc::new(Inbox::default());
    let secrets = secrets(args.show_secrets);
    let (formats, options) = (call.formats.clone(), call.open_options());
    let (path, at, reading) = (args.path.clone(), args.at.clone(), Arc::clone(&inbox));
    let start = Start {
        path: gametape::core::text::printable(&path.spelled()),
        secrets,
        view: args.view.clone(),
    };
    let mut screen = match Screen::enter() {
        Ok(screen) => screen,
        Err(error) => {
            return Ok(ui.refuse(&format!("the terminal can't be drawn on: {error}")));
        }
    };
    // The thread ends with the process, since a read may take long.
    let reader = std::thread::Builder::new().name("reader".to_owned());
    reader.spawn(move || {
        let open = || crate::call::open(&formats, &path, &options);
        reader::serve(open, at.as_ref(), secrets, &reading, &tell);
    })?;
    let ended = show(&mut screen, &start, &inbox, &updates);
    drop(screen);
    Ok(match ended? {
        PlayEnd::Quit => Exit::Fine,
        PlayEnd::Signal => std::process::exit(130),
        PlayEnd::Failed(error) => ui.fail(&error),
        PlayEnd::Nothing(sentence) => ui.refuse(&sentence),
        PlayEnd::Panic(what) => ui.refuse(&format!("a bug in {}: {what}", ui.name)),
    })
}

/// Plays until the user quits.
fn show(
    screen: &mut Screen,
    start: &Start,
    inbox: &Inbox,
    updates: &Receiver<Update>,
) -> io::Result<PlayEnd> {
    let paint = Paint::from_env();
    let began = Instant::now();
    let (mut player, mut last, mut stale) = (None, began, true);
    // The keys pressed while the recording was being opened.
    let mut early = Vec::new();
    loop {
        if terminal::is_over() {
            return Ok(PlayEnd::Signal);
        }
        if let Some(what) = terminal::panicked() {
            return Ok(PlayEnd::Panic(what));
        }
        for update in updates.try_iter() {
            stale = true;
            if let Some(ended) = receive(&mut player, update, start) {
                return Ok(ended);
            }
        }
        let now = Instant::now();
        // After the machine slept, nothing is skipped.
        let by = (now - last).min(Duration::from_secs(1));
        last = now;
        if let Some(player) = &mut player {
            for key in early.drain(..) {
                if press(player, key) == Then::End {
                    return Ok(PlayEnd::Quit);
                }
            }
            stale |= player.tick(by);
            if let Some(request) = player.request() {
                inbox.request(request);
            }
            if stale {
                screen
                    .terminal
                    .draw(|frame| draw::draw(frame, paint, player))?;
            }
        } else {
            let tenths = began.elapsed().as_millis() / 100;
            screen
                .terminal
                .draw(|frame| draw::opening(frame, paint, &start.path, tenths))?;
        }
        stale = false;
        while event::poll((now + FRAME).saturating_duration_since(Instant::now()))? {
            stale = true;
            let Event::Key(key) = event::read()? else {
                continue;
            };
            let then = match &mut player {
                Some(player) => press(player, key),
                None if keys::act(key, false) == Some(player::actions::Action::Quit) => Then::End,
                None => {
                    early.push(key);
                    Then::On
                }
            };
            if then == Then::End {
                return Ok(PlayEnd::Quit);
            }
        }
    }
}

fn press(player: &mut Player, key: event::KeyEvent) -> Then {
    match keys::act(key, player.typing.is_some()) {
        Some(act) => player.act(act),
        None => Then::On,
    }
}

/// Takes an update; returns how the player ended, if it did.
fn receive(player: &mut Option<Player>, update: Update, start: &Start) -> Option<PlayEnd> {
    match (update, &mut *player) {
        (Update::Opened(opened), _) => {
            let mut new = Player::new(*opened, start.secrets);
            if let Some(view) = start.view.as_ref().filter(|view| !new.choose(view)) {
                let known: Vec<&str> = new.views.iter().map(View::name).collect();
                let known = known.join(", ");
                let path = &start.path;
                return Some(PlayEnd::Nothing(format!(
                    "{path}: there is no view {view:?}; there are {known}"
                )));
            }
            if let Some(at) = new.opened.at {
                new.go(at);
            }
            *player = Some(new);
        }
        (Update::Failed(error), _) => return Some(PlayEnd::Failed(error)),
        (Update::Nothing(sentence), _) => return Some(PlayEnd::Nothing(sentence)),
        (Update::Response(response), Some(player)) => player.show(*response),
        (Update::Refused(number, why), Some(player)) => player.refuse(number, why),
        (Update::Events(table, rows), Some(player)) => {
            player.whole.insert(table, rows);
        }
        (Update::Marks(marks), Some(player)) => player.mark(marks),
        (Update::Findings(marks), Some(player)) => {
            player.mark(marks);
            player.searched = true;
        }
        (Update::Bounds(table, bounds), Some(player)) => player.bound(&table, &bounds),
        (Update::Damage(damage), Some(player)) => player.damage = Some(damage),
        // Other updates come only after the recording is open.
        (_, None) => {}
    }
    None
}
