//! The keys: their actions, and their descriptions on the screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::player::actions::Action;

/// Returns the action of a key; `typing` is true while a moment is typed.
pub fn act(key: KeyEvent, typing: bool) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return (key.code == KeyCode::Char('c')).then_some(Action::Quit);
    }
    if typing {
        return match key.code {
            KeyCode::Enter => Some(Action::Enter),
            KeyCode::Esc => Some(Action::Cancel),
            KeyCode::Backspace => Some(Action::Erase),
            KeyCode::Char(letter) => Some(Action::Letter(letter)),
            _ => None,
        };
    }
    Some(match key.code {
        KeyCode::Char('q') => Action::Quit,
        KeyCode::Char(' ') => Action::Toggle,
        KeyCode::Char('+' | '=') => Action::Faster(1),
        KeyCode::Char('-') => Action::Faster(-1),
        KeyCode::Char('.') => Action::Step(1),
        KeyCode::Char(',') => Action::Step(-1),
        KeyCode::Char('l') => Action::Jump(5),
        KeyCode::Char('h') => Action::Jump(-5),
        KeyCode::Home | KeyCode::Char('0') => Action::Start,
        KeyCode::End | KeyCode::Char('$') => Action::End,
        KeyCode::Char('n') => Action::Mark(1),
        KeyCode::Char('p') => Action::Mark(-1),
        KeyCode::Char('g' | ':') => Action::Ask,
        KeyCode::Char(digit @ '1'..='9') => Action::View(digit as usize - '1' as usize),
        KeyCode::Tab => Action::NextView(1),
        KeyCode::BackTab => Action::NextView(-1),
        KeyCode::Left => Action::Move(-1, 0),
        KeyCode::Right => Action::Move(1, 0),
        KeyCode::Up => Action::Move(0, -1),
        KeyCode::Down => Action::Move(0, 1),
        KeyCode::PageUp => Action::Move(0, -10),
        KeyCode::PageDown => Action::Move(0, 10),
        KeyCode::Enter => Action::Enter,
        KeyCode::Esc => Action::Cancel,
        KeyCode::Char('c') => Action::Value,
        KeyCode::Char('[') => Action::Slice(-1),
        KeyCode::Char(']') => Action::Slice(1),
        KeyCode::Char('v') => Action::Plane,
        KeyCode::Char('z') => Action::Close,
        KeyCode::Char('?') => Action::Help,
        _ => return None,
    })
}

/// The keys in the last line of the screen; they fit into 80 columns.
pub const LINE: [(&str, &str); 9] = [
    ("space", "play"),
    (", .", "step"),
    ("h l", "5 s"),
    ("- +", "speed"),
    ("n p", "marker"),
    ("g", "go to"),
    ("tab", "view"),
    ("?", "keys"),
    ("q", "quit"),
];
/// The keys in the last line while a moment is typed.
pub const TYPING: [(&str, &str); 3] = [
    ("1:23.4 83.4 tick:137 step:600 50%", "a moment"),
    ("enter", "go"),
    ("esc", "stay"),
];
/// All keys, as the help shows them.
pub const ALL: [(&str, &str); 16] = [
    ("space", "play, pause; from the end it starts again"),
    ("+ -", "twice as fast, half as fast: 1/8x to 64x"),
    (". ,", "a step on, a step back"),
    (
        "l h",
        "5 seconds on, back; 5 % of a recording without times",
    ),
    ("home end", "to the start, to the end (also 0 and $)"),
    ("n p", "to the next marker, the one before"),
    ("g", "to a moment: 1:23.4, 83.4, tick:137, step:600, 50%"),
    ("tab 1-9", "another view"),
    (
        "arrows",
        "scroll a table; move the probe of a grid; choose in a list",
    ),
    ("page up/down", "the same, ten at once"),
    ("enter", "to the event or the marker that is chosen"),
    ("c", "another value of the cells of a grid"),
    ("z", "each cell by itself, or all of a large grid at once"),
    ("[ ]", "another slice of a grid of three keys"),
    ("v", "positions from another side"),
    ("? q", "these keys; quit (also ctrl-c)"),
];
