//! Writes into a part of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::paint::Paint;

/// A part of the screen, and the colours to write with.
pub struct Pen<'b> {
    pub buffer: &'b mut Buffer,
    pub area: Rect,
    pub paint: Paint,
}

/// The number of columns of a text.
pub fn width(text: &str) -> usize {
    Span::raw(text).width()
}

impl Pen<'_> {
    pub const fn width(&self) -> usize {
        self.area.width as usize
    }

    pub const fn height(&self) -> usize {
        self.area.height as usize
    }

    /// Returns some of the lines; lines outside are left out.
    pub fn part(&mut self, from: usize, lines: usize) -> Pen<'_> {
        let from = from.min(self.height());
        let lines = lines.min(self.height() - from);
        let area = Rect {
            y: self.area.y + from as u16,
            height: lines as u16,
            ..self.area
        };
        Pen {
            buffer: self.buffer,
            area,
            paint: self.paint,
        }
    }

    /// Writes at a place and returns the column after the text.
    pub fn put(&mut self, x: usize, y: usize, text: &str, style: Style) -> usize {
        if x >= self.width() || y >= self.height() {
            return x + width(text);
        }
        let left = self.width() - x;
        let place = (self.area.x + x as u16, self.area.y + y as u16);
        self.buffer.set_stringn(place.0, place.1, text, left, style);
        x + width(text)
    }

    /// Writes a text that ends before a column.
    pub fn put_before(&mut self, end: usize, y: usize, text: &str, style: Style) {
        self.put(end.saturating_sub(width(text)), y, text, style);
    }

    /// Adds a modifier to a line.
    pub fn mark_line(&mut self, y: usize, modifier: Modifier) {
        if y < self.height() {
            let line = Rect {
                y: self.area.y + y as u16,
                height: 1,
                ..self.area
            };
            self.buffer
                .set_style(line, Style::new().add_modifier(modifier));
        }
    }
}

/// Returns the first of `count` items to show so that the chosen one is visible.
pub fn scrolled(chosen: usize, count: usize, room: usize) -> usize {
    let most = count.saturating_sub(room);
    chosen.saturating_sub(room / 2).min(most)
}

/// Breaks a text between words into at most `most` lines; a text that was cut ends in `…`.
pub fn wrapped(text: &str, room: usize, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let (count, last) = (lines.len(), lines.last_mut());
        let Some(line) = last else { break };
        if line.is_empty() || width(line) + 1 + width(word) <= room {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        } else if count < most {
            lines.push(word.to_owned());
        } else {
            // The `…` needs room.
            while width(line) + 2 > room && line.pop().is_some() {}
            line.push_str(" …");
            break;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_broken_between_words() {
        assert_eq!(
            wrapped("one two three four", 9, 3),
            ["one two", "three", "four"]
        );
        assert_eq!(wrapped("one two three four", 9, 2), ["one two", "three …"]);
        assert_eq!(wrapped("longerthanthat", 9, 2), ["longerthanthat"]);
        assert_eq!(wrapped("", 9, 2), [""]);
    }

    #[test]
    fn the_chosen_item_is_visible() {
        assert_eq!(scrolled(0, 100, 10), 0);
        assert_eq!(scrolled(50, 100, 10), 45);
        assert_eq!(scrolled(99, 100, 10), 90);
        assert_eq!(scrolled(3, 5, 10), 0);
    }
}
