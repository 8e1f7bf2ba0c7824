//! The colours of the terminal. Signs carry the same meaning for terminals without colours.

use gametape::Severity;
use ratatui::style::{Color, Modifier, Style};

use gametape::core::surface::MarkerKind;
use gametape_picture::scene::symbols::{Face, Tint, face, tint};

/// The number of colours of the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    None,
    Sixteen,
    Many,
}

/// A scale of values for terminals without colours.
const SIGNS: [char; 10] = ['.', ':', '-', '=', '+', 'o', '*', '%', '#', '@'];
/// The same scale in the palette of 256 colours: dark blue to yellow.
const HEAT: [u8; 13] = [17, 18, 24, 30, 36, 35, 71, 107, 143, 149, 185, 220, 226];
const HEAT_16: [Color; 4] = [Color::Blue, Color::Cyan, Color::Green, Color::Yellow];
/// Colours that are told apart, on dark and on light.
const APART: [u8; 10] = [33, 208, 70, 170, 37, 178, 99, 166, 29, 132];
const APART_16: [Color; 6] = [
    Color::Blue,
    Color::Yellow,
    Color::Green,
    Color::Magenta,
    Color::Cyan,
    Color::Red,
];
/// The colours that players know numbers by, on a light square.
const DIGITS: [u8; 9] = [250, 21, 28, 196, 18, 88, 30, 16, 240];
const DIGITS_16: [Color; 9] = [
    Color::Reset,
    Color::LightBlue,
    Color::Green,
    Color::LightRed,
    Color::Blue,
    Color::Red,
    Color::Cyan,
    Color::White,
    Color::DarkGray,
];
const OPEN: Color = Color::Indexed(254);
const CLOSED: Color = Color::Indexed(246);

impl Paint {
    /// What the environment says.
    pub fn from_env() -> Self {
        let var = |name| std::env::var(name).unwrap_or_default();
        Self::of(&var("NO_COLOR"), &var("TERM"), &var("COLORTERM"))
    }

    fn of(no_color: &str, term: &str, colorterm: &str) -> Self {
        let many = ["256", "kitty", "alacritty", "ghostty", "direct"];
        if !no_color.is_empty() || term == "dumb" || term.starts_with("vt") {
            Self::None
        } else if !colorterm.is_empty() || many.iter().any(|name| term.contains(name)) {
            Self::Many
        } else {
            Self::Sixteen
        }
    }

    fn pick(self, many: u8, sixteen: Color) -> Style {
        match self {
            Self::None => Style::new(),
            Self::Sixteen => Style::new().fg(sixteen),
            Self::Many => Style::new().fg(Color::Indexed(many)),
        }
    }

    /// Headings and names.
    pub fn head(self) -> Style {
        self.pick(75, Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// Less important text.
    pub fn faint(self) -> Style {
        self.pick(245, Color::Reset)
            .add_modifier(if self == Self::Many {
                Modifier::empty()
            } else {
                Modifier::DIM
            })
    }

    /// Values that changed since the last moment.
    pub fn changed(self) -> Style {
        self.pick(220, Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub fn bad(self) -> Style {
        self.pick(203, Color::Red).add_modifier(Modifier::BOLD)
    }

    /// The sign and the style of a marker.
    pub fn mark(self, kind: MarkerKind) -> (char, Style) {
        match kind {
            MarkerKind::Event => ('◆', self.pick(75, Color::Cyan)),
            MarkerKind::Finding(Severity::Info) => ('i', self.faint()),
            MarkerKind::Finding(Severity::Warning) => ('!', self.changed()),
            MarkerKind::Finding(Severity::Error) => ('X', self.bad()),
        }
    }

    /// The sign and the style of a part of a range, from 0 to 1.
    pub fn heat(self, part: f64) -> (char, Style) {
        let of = |count: usize| (part.clamp(0.0, 1.0) * (count - 1) as f64).round() as usize;
        let sign = SIGNS.get(of(SIGNS.len())).copied().unwrap_or('?');
        match self {
            Self::None => (sign, Style::new()),
            Self::Sixteen => {
                let colour = HEAT_16.get(of(HEAT_16.len())).copied().unwrap_or_default();
                (sign, Style::new().fg(colour))
            }
            Self::Many => {
                let colour = HEAT.get(of(HEAT.len())).copied().unwrap_or_default();
                let dark = part < 0.5;
                let ink = Color::Indexed(if dark { 255 } else { 16 });
                (' ', Style::new().bg(Color::Indexed(colour)).fg(ink))
            }
        }
    }

    /// The style of a name.
    pub fn named(self, name: &str) -> Style {
        self.tint(tint(name))
    }

    pub fn tint(self, tint: Tint) -> Style {
        match tint {
            Tint::Blue => self.pick(33, Color::Blue),
            Tint::Orange => self.pick(208, Color::Yellow),
            Tint::Red => self.pick(203, Color::Red),
            Tint::Green => self.pick(70, Color::Green),
            Tint::Grey => self.pick(245, Color::DarkGray),
            Tint::Other(number) => {
                let many = APART.get(number % APART.len()).copied().unwrap_or(33);
                let sixteen = APART_16.get(number % APART_16.len()).copied();
                self.pick(many, sixteen.unwrap_or_default())
            }
        }
    }

    /// The style of a cell that holds a text.
    pub fn cell(self, text: &str) -> Style {
        let on = |ink: u8, ground| Style::new().fg(Color::Indexed(ink)).bg(ground);
        let bold = |style: Style| style.add_modifier(Modifier::BOLD);
        match (self, face(text)) {
            (Self::None, Face::Flag | Face::Mine | Face::Blast) => bold(Style::new()),
            (Self::None, Face::Closed) => self.faint(),
            (Self::None, _) | (Self::Sixteen, Face::Blank) => Style::new(),
            (Self::Many, Face::Number(digit)) => {
                let ink = DIGITS.get(digit as usize).copied().unwrap_or(16);
                bold(on(ink, OPEN))
            }
            (Self::Sixteen, Face::Number(digit)) => {
                let ink = DIGITS_16.get(digit as usize).copied();
                Style::new().fg(ink.unwrap_or_default())
            }
            (Self::Many, Face::Closed) => on(248, CLOSED),
            (Self::Many, Face::Flag) => bold(on(124, CLOSED)),
            (Self::Many, Face::Question) => bold(on(16, CLOSED)),
            (Self::Many, Face::Pressed | Face::Blank) => on(248, OPEN),
            (Self::Many, Face::Mine) => bold(on(16, OPEN)),
            (Self::Many, Face::Blast) => bold(on(16, Color::Indexed(196))),
            (Self::Sixteen, Face::Closed | Face::Pressed) => Style::new().fg(Color::DarkGray),
            (Self::Sixteen, Face::Flag | Face::Blast) => bold(Style::new().fg(Color::Red)),
            _ => bold(self.named(text)),
        }
    }

    /// The style of a cell whose compared columns differ.
    pub fn differs(self) -> Style {
        match self {
            Self::None => Style::new().add_modifier(Modifier::BOLD),
            Self::Sixteen => Style::new().fg(Color::White).bg(Color::Red),
            Self::Many => Style::new().fg(Color::Indexed(231)).bg(Color::Indexed(160)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_how_many_colours_there_are() {
        assert_eq!(Paint::of("1", "xterm-256color", "truecolor"), Paint::None);
        assert_eq!(Paint::of("", "dumb", ""), Paint::None);
        assert_eq!(Paint::of("", "vt100", ""), Paint::None);
        assert_eq!(Paint::of("", "linux", ""), Paint::Sixteen);
        assert_eq!(Paint::of("", "xterm-256color", ""), Paint::Many);
        assert_eq!(Paint::of("", "xterm", "truecolor"), Paint::Many);
    }

    #[test]
    fn without_colours_signs_say_how_much() {
        let signs: Vec<char> = [0.0, 0.5, 1.0]
            .map(|part| Paint::None.heat(part).0)
            .to_vec();
        assert_eq!(signs, ['.', 'o', '@']);
        assert_eq!(Paint::None.heat(0.5).1, Style::new());
        assert_eq!(Paint::None.named("blue"), Style::new());
    }
}
