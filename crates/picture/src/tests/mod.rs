//! Tests of pictures of invented tables.

mod drawn;
mod hostile;
mod made;

use gametape::{Kind, Value, Work};
use resvg::tiny_skia::Pixmap;
use roxmltree::Document;

use self::made::Made;
use super::compose::draw;
use super::page::Picture;
use super::png;
use super::subject::{Drawn, Fault};
use crate::scene::time::Stretch;
use crate::subject::Options;

/// A stretch from one moment to another, or to an end of the recording for an empty text.
pub fn stretch(from: &str, to: &str) -> Stretch {
    let end = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    let (from, to) = (end(from), end(to));
    Stretch { from, to }
}

/// The options that are chosen by default.
pub fn args() -> Options {
    Options::default()
}

/// Draws a picture; an error is a message.
pub fn picture(made: &Made, args: &Options) -> Result<Drawn, String> {
    draw(&made.recording(), args, &Work::default()).map_err(|fault| match fault {
        Fault::Error(error) => error.to_string(),
        Fault::Message(sentence) => sentence,
    })
}

/// Draws a picture of the whole recording.
pub fn over(made: &Made) -> Result<Drawn, String> {
    let args = Options {
        over: Some(stretch("", "")),
        ..args()
    };
    picture(made, &args)
}

/// The texts in a picture. Also checks that it is well-formed and has a description.
pub fn written(drawn: &Drawn) -> Vec<String> {
    let svg = &drawn.picture.svg;
    let xml = Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let known = [
        "svg", "title", "desc", "rect", "g", "path", "text", "circle", "clipPath",
    ];
    for node in xml.descendants().filter(roxmltree::Node::is_element) {
        assert!(
            known.contains(&node.tag_name().name()),
            "{:?}",
            node.tag_name()
        );
        for attribute in node.attributes() {
            let value = attribute.value();
            assert!(
                !value.contains("NaN") && !value.contains("inf"),
                "{value} in {svg}"
            );
            assert!(!attribute.name().starts_with("on"), "{svg}");
        }
    }
    let root = xml.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert_eq!(root.attribute("aria-labelledby"), Some("title desc"));
    let said = |id: &str| {
        let node = xml
            .descendants()
            .find(|node| node.attribute("id") == Some(id));
        node.and_then(|node| node.text())
            .unwrap_or_default()
            .to_owned()
    };
    assert!(!said("title").is_empty(), "{svg}");
    assert!(!said("desc").is_empty(), "{svg}");
    let texts = xml
        .descendants()
        .filter(|node| node.tag_name().name() == "text");
    texts
        .map(|node| node.text().unwrap_or_default().to_owned())
        .collect()
}

/// The pixels of a picture.
pub fn pixels(picture: &Picture) -> Pixmap {
    let bytes = png::encode(picture).unwrap();
    let pixels = Pixmap::decode_png(&bytes).unwrap();
    assert_eq!(
        (pixels.width(), pixels.height()),
        (picture.width, picture.height)
    );
    pixels
}

/// The number of dark pixels in an area: left, top, right, bottom.
pub fn dark(pixels: &Pixmap, [left, top, right, bottom]: [u32; 4]) -> usize {
    let places = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
    places
        .filter_map(|(x, y)| pixels.pixel(x, y))
        .filter(|pixel| u16::from(pixel.red()) + u16::from(pixel.green()) < 200)
        .count()
}

/// A board of this size; the column `rules` equals the column `recorded`.
pub fn board(across: u64, down: u64, text: impl Fn(u64, u64) -> String) -> Made {
    let mut made = Made::default().grid(
        "board",
        &[("col", across), ("row", down)],
        &[("recorded", Kind::Text), ("rules", Kind::Text)],
    );
    for row in 0..down {
        for col in 0..across {
            let text = text(col, row);
            let values = [
                Value::Uint(col),
                Value::Uint(row),
                Value::Text(&text),
                Value::Text(&text),
            ];
            made = made.row(0, &values);
        }
    }
    made
}
