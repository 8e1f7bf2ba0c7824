//! Pictures as PNG, drawn by resvg with fonts that the command carries.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::{Database, ID, Source};
use resvg::usvg::{FontResolver, Options, Tree};

use super::page::Picture;

const REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold.ttf");
/// The least weight of bold text.
const HEAVY: u16 = 600;

/// Encodes a picture as PNG, the same on every machine. Characters that the command's fonts lack are looked
/// up in the machine's fonts.
pub fn encode(picture: &Picture) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    let mut load = |bytes: &'static [u8]| -> Option<ID> {
        let source = Source::Binary(Arc::new(bytes));
        fonts.load_font_source(source).first().copied()
    };
    let (regular, bold) = (load(REGULAR), load(BOLD));
    let options = Options {
        fontdb: Arc::new(fonts),
        font_resolver: FontResolver {
            select_font: Box::new(move |font, _| {
                if font.weight() >= HEAVY {
                    bold
                } else {
                    regular
                }
            }),
            select_fallback: fallback(),
        },
        ..Options::default()
    };
    let tree = Tree::from_str(&picture.svg, &options).map_err(|error| error.to_string())?;
    let mut pixels = Pixmap::new(picture.width, picture.height)
        .ok_or_else(|| format!("{} x {} pixels", picture.width, picture.height))?;
    pixels.fill(Color::WHITE);
    let size = tree.size();
    let scale = Transform::from_scale(
        picture.width as f32 / size.width(),
        picture.height as f32 / size.height(),
    );
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

fn fallback() -> resvg::usvg::FallbackSelectionFn<'static> {
    let among = FontResolver::default_fallback_selector();
    let looked = AtomicBool::new(false);
    Box::new(move |letter, used, fonts| {
        if let Some(found) = among(letter, used, fonts) {
            return Some(found);
        }
        if !looked.swap(true, Ordering::Relaxed) {
            Arc::make_mut(fonts).load_system_fonts();
            return among(letter, used, fonts);
        }
        None
    })
}
