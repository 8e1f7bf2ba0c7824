mod common;
use common::*;
use gametape_echo::butter::{self, *};
use std::io::Cursor;
#[test]
fn look() {
    for (seed, comp, mode) in [(2, Compression::Gzip, Mode::Correct)] {
    let frames = frames_of(match_options(seed, 20));
    let good = common::write(&frames, options(mode, 6, comp));
    let file = butter::read(&good).unwrap();
    println!("{seed} {:?}", file.chunks());
    let mut n = 0;
    for at in 360..380 { for b in [0u8, 1, 255] { 
        let mut bytes = good.clone(); bytes[at] = b;
        let lenient = read_all(&bytes, ReadOptions::lenient());
        let mut out = vec![];
        let Ok(done) = butter::salvage(&bytes, gametape_echo::Limits::DEFAULT, Cursor::new(vec![]), &mut out) else { continue };
        let r = read_all(&out, ReadOptions::default());
        if r.frames.len() < lenient.frames.len() || r.error.is_some() { n += 1; if n < 6 {println!("{at} {b} lenient {} salv {} {:?} {done:?} {:?}", lenient.frames.len(), r.frames.len(), r.error, lenient.findings);} }
    } }
    println!("{n} bad");
    }
}
