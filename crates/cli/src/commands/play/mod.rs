//! `gametape play`: a recording in the terminal. It knows no format: what there is to see follows from
//! the tables.

mod clock;
mod desk;
mod draw;
mod keys;
mod marks;
mod news;
mod player;
mod sight;
mod terminal;
#[cfg(test)]
mod tests;
mod worker;

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use gametape::{At, Error, Secrets};
use ratatui::crossterm::event::{self, Event};

use self::desk::Desk;
use self::draw::paint::Paint;
use self::news::News;
use self::player::{Player, Then};
use self::terminal::Screen;
use super::Call;
use crate::args::Play;
use crate::exit::Exit;
use crate::scene::views::View;
use crate::ui::{Ui, secrets};

/// As often as the screen is drawn, at most.
const FRAME: Duration = Duration::from_millis(1000 / clock::FRAMES);

/// How the show ended.
enum Ended {
    Quit,
    Signal,
    /// It can't be shown: why.
    Failed(Box<Error>),
    Nothing(String),
    /// A fault of ours.
    Panic(String),
}

/// How it begins.
struct Begin {
    path: String,
    secrets: Secrets,
    at: Option<At>,
    view: Option<String>,
}

pub fn run(args: &Play, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if ui.json {
        ui.complain("play draws on a terminal: it has no JSON; dump has");
        return Ok(Exit::Unusable);
    }
    if !io::stdout().is_terminal() {
        ui.complain("play draws on a terminal, and standard output is none");
        return Ok(Exit::Unusable);
    }
    let (tell, news) = mpsc::channel();
    let desk = Arc::new(Desk::default());
    let secrets = secrets(args.show_secrets);
    let (formats, options) = (call.formats.clone(), call.open_options());
    let (path, reading) = (args.path.clone(), Arc::clone(&desk));
    let begin = Begin {
        path: gametape::core::text::printable(&path.display().to_string()),
        secrets,
        at: args.at,
        view: args.view.clone(),
    };
    let mut screen = match Screen::enter() {
        Ok(screen) => screen,
        Err(error) => {
            ui.complain(&format!("the terminal can't be drawn on: {error}"));
            return Ok(Exit::Unusable);
        }
    };
    // It ends with the process: what it reads may take long.
    let reader = std::thread::Builder::new().name("reader".to_owned());
    reader.spawn(move || {
        let open = || crate::call::open(&formats, &path, &options);
        worker::serve(open, secrets, &reading, &tell);
    })?;
    let ended = show(&mut screen, &begin, &desk, &news);
    drop(screen);
    Ok(match ended? {
        Ended::Quit => Exit::Fine,
        Ended::Signal => std::process::exit(130),
        Ended::Failed(error) => ui.fail(&error),
        Ended::Nothing(sentence) => {
            ui.complain(&sentence);
            Exit::Unusable
        }
        Ended::Panic(what) => {
            ui.complain(&format!("a fault of {}'s own: {what}", ui.name));
            Exit::Unusable
        }
    })
}

/// Plays until somebody has seen enough.
fn show(
    screen: &mut Screen,
    begin: &Begin,
    desk: &Desk,
    news: &Receiver<News>,
) -> io::Result<Ended> {
    let paint = Paint::from_env();
    let began = Instant::now();
    let (mut player, mut last, mut stale) = (None, began, true);
    // Keys that were pressed while it opened.
    let mut early = Vec::new();
    loop {
        if terminal::is_over() {
            return Ok(Ended::Signal);
        }
        if let Some(what) = terminal::panicked() {
            return Ok(Ended::Panic(what));
        }
        for told in news.try_iter() {
            stale = true;
            if let Some(ended) = hear(&mut player, told, begin) {
                return Ok(ended);
            }
        }
        let now = Instant::now();
        // A machine that slept does not skip what was not seen.
        let by = (now - last).min(Duration::from_secs(1));
        last = now;
        if let Some(player) = &mut player {
            for key in early.drain(..) {
                if press(player, key) == Then::End {
                    return Ok(Ended::Quit);
                }
            }
            stale |= player.tick(by);
            if let Some(wish) = player.wish() {
                desk.wish(wish);
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
                .draw(|frame| draw::opening(frame, paint, &begin.path, tenths))?;
        }
        stale = false;
        while event::poll((now + FRAME).saturating_duration_since(Instant::now()))? {
            stale = true;
            let Event::Key(key) = event::read()? else {
                continue;
            };
            let then = match &mut player {
                Some(player) => press(player, key),
                None if keys::act(key, false) == Some(player::Act::Quit) => Then::End,
                None => {
                    early.push(key);
                    Then::On
                }
            };
            if then == Then::End {
                return Ok(Ended::Quit);
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

/// What is told to the show; how it ended by that, if it did.
fn hear(player: &mut Option<Player>, told: News, begin: &Begin) -> Option<Ended> {
    match (told, &mut *player) {
        (News::Opened(opened), _) => {
            let mut new = Player::new(*opened, begin.secrets);
            if let Some(view) = begin.view.as_ref().filter(|view| !new.choose(view)) {
                let known: Vec<&str> = new.views.iter().map(View::name).collect();
                let known = known.join(", ");
                let path = &begin.path;
                return Some(Ended::Nothing(format!(
                    "{path}: there is no view {view:?}; there are {known}"
                )));
            }
            if let Some(at) = begin.at {
                new.go(at);
            }
            *player = Some(new);
        }
        (News::Failed(error), _) => return Some(Ended::Failed(error)),
        (News::Nothing(sentence), _) => return Some(Ended::Nothing(sentence)),
        (News::Shot(shot), Some(player)) => player.show(*shot),
        (News::Refused(number, why), Some(player)) => player.refuse(number, why),
        (News::Events(table, rows), Some(player)) => {
            player.whole.insert(table, rows);
        }
        (News::Marks(marks), Some(player)) => player.mark(marks),
        (News::Findings(marks), Some(player)) => {
            player.mark(marks);
            player.searched = true;
        }
        (News::Bounds(table, bounds), Some(player)) => player.bound(&table, &bounds),
        (News::Damage(damage), Some(player)) => player.damage = Some(damage),
        // Nobody tells them before it is open.
        (_, None) => {}
    }
    None
}
