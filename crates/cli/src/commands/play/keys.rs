//! Which key means what.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::player::Act;

/// What a key means, while a moment is typed or not.
pub fn act(key: KeyEvent, typing: bool) -> Option<Act> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return (key.code == KeyCode::Char('c')).then_some(Act::Quit);
    }
    if typing {
        return match key.code {
            KeyCode::Enter => Some(Act::Enter),
            KeyCode::Esc => Some(Act::Cancel),
            KeyCode::Backspace => Some(Act::Erase),
            KeyCode::Char(letter) => Some(Act::Letter(letter)),
            _ => None,
        };
    }
    Some(match key.code {
        KeyCode::Char('q') => Act::Quit,
        KeyCode::Char(' ') => Act::Toggle,
        KeyCode::Char('+' | '=') => Act::Faster(1),
        KeyCode::Char('-') => Act::Faster(-1),
        KeyCode::Char('.') => Act::Step(1),
        KeyCode::Char(',') => Act::Step(-1),
        KeyCode::Char('l') => Act::Jump(5),
        KeyCode::Char('h') => Act::Jump(-5),
        KeyCode::Home | KeyCode::Char('0') => Act::Start,
        KeyCode::End | KeyCode::Char('$') => Act::End,
        KeyCode::Char('n') => Act::Mark(1),
        KeyCode::Char('p') => Act::Mark(-1),
        KeyCode::Char('g' | ':') => Act::Ask,
        KeyCode::Char(digit @ '1'..='9') => Act::View(digit as usize - '1' as usize),
        KeyCode::Tab => Act::NextView(1),
        KeyCode::BackTab => Act::NextView(-1),
        KeyCode::Left => Act::Move(-1, 0),
        KeyCode::Right => Act::Move(1, 0),
        KeyCode::Up => Act::Move(0, -1),
        KeyCode::Down => Act::Move(0, 1),
        KeyCode::PageUp => Act::Move(0, -10),
        KeyCode::PageDown => Act::Move(0, 10),
        KeyCode::Enter => Act::Enter,
        KeyCode::Esc => Act::Cancel,
        KeyCode::Char('c') => Act::Value,
        KeyCode::Char('[') => Act::Slice(-1),
        KeyCode::Char(']') => Act::Slice(1),
        KeyCode::Char('v') => Act::Plane,
        KeyCode::Char('z') => Act::Close,
        KeyCode::Char('?') => Act::Help,
        _ => return None,
    })
}
