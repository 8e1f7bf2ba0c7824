//! Recordings of any format that are being written: the stream that is made as they grow is the one that
//! is made of the whole.

use gametape::Recording;
use gametape::capture::tape::{Growing, Piece, Segment, Segmented, segments};
use gametape::core::Input;
use gametape::core::tape::{Error, Secrets, Work};
use proptest::prelude::*;

use crate::samples::{long_match, samples};

/// What comes of a recording, and the records of the segment in the making.
#[derive(Default)]
struct Kept {
    segments: Vec<Segment>,
    records: Vec<u8>,
}

impl Kept {
    fn piece(&mut self, piece: Piece<'_>) -> Result<(), Error> {
        match piece {
            Piece::Record { bytes, .. } => self.records.extend_from_slice(bytes),
            Piece::Segment(segment) => {
                assert_eq!(std::mem::take(&mut self.records), segment.records);
                self.segments.push(segment);
            }
        }
        Ok(())
    }
}

fn whole(bytes: &[u8]) -> (Vec<Segment>, Segmented) {
    let tape = Recording::from_bytes(bytes.to_vec(), "a").unwrap();
    let mut all = Vec::new();
    let mut keep = |segment| {
        all.push(segment);
        Ok(())
    };
    let work = Work::default();
    let made = segments(tape.tape(), Secrets::Hide, true, &mut keep, &work).unwrap();
    (all, made)
}

/// Begins with the first piece that is a recording and can be begun with.
fn begun(bytes: &[u8], cuts: &[usize]) -> Option<(Growing, usize)> {
    let begin = |(at, cut): (usize, &usize)| {
        let tape = Recording::from_bytes(bytes[..*cut].to_vec(), "a").ok()?;
        let growing = Growing::begin(tape.tape(), Secrets::Hide, &Work::default());
        Some((growing.ok()??, at))
    };
    cuts.iter().enumerate().find_map(begin)
}

/// Makes a recording as it grows; false where it can't be followed.
fn grows(bytes: &[u8], cuts: &[usize]) -> bool {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let Some((mut growing, first)) = begun(bytes, &cuts) else {
        return false;
    };
    let schema = growing.schema().hash();
    let mut kept = Kept::default();
    for cut in &cuts[first..] {
        let now = Input::from(bytes[..*cut].to_vec());
        growing.more(&now, &mut |piece| kept.piece(piece)).unwrap();
    }
    let all = Input::from(bytes.to_vec());
    let made = growing.end(&all, &mut |piece| kept.piece(piece)).unwrap();
    let (segments, wanted) = whole(bytes);
    assert_eq!(kept.segments.len(), segments.len());
    for (at, (found, wanted)) in kept.segments.iter().zip(&segments).enumerate() {
        assert!(found == wanted, "segment {at} of {}", segments.len());
    }
    assert_eq!((made.schema.hash(), schema), (wanted.schema.hash(), schema));
    assert_eq!(made.description, wanted.description);
    assert!(made.labels == wanted.labels);
    assert_eq!(made.outcome.losses, wanted.outcome.losses);
    assert_eq!(made.outcome.notes, wanted.outcome.notes);
    true
}

fn recordings() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for format in ["echoreplay", "butter"] {
        let of = samples(format).into_iter();
        all.extend(of.map(|bytes| (format.to_owned(), bytes)));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn what_is_made_as_it_grows_is_what_is_made_of_the_whole(
        cuts in proptest::collection::vec(any::<usize>(), 0..24),
        torn in any::<usize>(),
    ) {
        for (name, bytes) in recordings() {
            println!("{name}");
            prop_assert!(grows(&bytes, &cuts), "{} is followed", name);
            // Its writer was killed.
            let torn = bytes.len() - torn % (bytes.len() / 4);
            prop_assert!(grows(&bytes[..torn], &cuts), "{} is followed", name);
        }
    }
}

#[test]
fn a_long_match_is_cut_into_the_same_segments() {
    let bytes = long_match();
    let cuts: Vec<usize> = (1..200).map(|at| at * 7919 * 13).collect();
    assert!(grows(&bytes, &cuts));
}

#[test]
fn what_was_cut_or_replaced_has_to_be_opened_anew() {
    let bytes = samples("echoreplay").remove(0);
    let half = bytes.len() / 2;
    let (mut growing, _) = begun(&bytes, &[half]).unwrap();
    let mut nobody = |_: Piece<'_>| Ok(());
    let first = Input::from(bytes[..half].to_vec());
    growing.more(&first, &mut nobody).unwrap();
    let cut = Input::from(bytes[..half - 10].to_vec());
    let error = growing.more(&cut, &mut nobody).unwrap_err();
    assert_eq!(error.code(), "changed");
    let (mut growing, _) = begun(&bytes, &[half]).unwrap();
    growing.more(&first, &mut nobody).unwrap();
    let mut other = bytes.clone();
    other[half - 3] ^= 1;
    let error = growing.more(&Input::from(other), &mut nobody).unwrap_err();
    assert_eq!(error.code(), "changed");
}
