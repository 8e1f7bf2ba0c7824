//! Checksums of chunks. Writers add them, all readers verify them, and a salvaged chunk with a wrong
//! checksum is reported with the frames that may be altered.

use std::io::Read;

use crate::common::{
    agree, altered_steps, by_chunks, frames_of, journal, match_options, options, read_strictly,
    salvaged, write,
};
use gametape_echo::butter::{self, ChunkEntry, Compression, Journal, Salvaged};
use gametape_echo::{Frame, ReadOptions, Rule, Severity};
use gametape_samples::echo::MatchOptions;
use ruzstd::decoding::StreamingDecoder;

/// The number of frames in each of the three chunks.
const INTERVAL: u16 = 12;

fn frames() -> Vec<Frame> {
    frames_of(MatchOptions {
        players_per_team: 2,
        bones: true,
        joins: false,
        ..match_options(2, 3 * u64::from(INTERVAL))
    })
}

fn file(compression: Compression) -> Vec<u8> {
    write(&frames(), options(INTERVAL, compression))
}

fn chunks(bytes: &[u8]) -> Vec<ChunkEntry> {
    butter::read(bytes).unwrap().chunks().to_vec()
}

fn stored<'b>(bytes: &'b [u8], chunk: &ChunkEntry) -> &'b [u8] {
    &bytes[chunk.offset as usize..][..chunk.size as usize]
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// Makes a file of these chunks, with the header of another file.
fn with_chunks(like: &[u8], chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = butter::read(like).unwrap();
    read.header().unwrap().write(&mut bytes);
    bytes.extend_from_slice(&(chunks.len() as u32).to_le_bytes());
    for chunk in chunks {
        bytes.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
    }
    bytes.extend(chunks.concat());
    bytes
}

/// Removes the checksums, as in files from before zstd's checksum was written.
fn without_checksums(bytes: &[u8]) -> Vec<u8> {
    let chunks: Vec<Vec<u8>> = chunks(bytes)
        .iter()
        .map(|chunk| {
            let mut stored = stored(bytes, chunk).to_vec();
            stored[4] &= !4;
            stored.truncate(stored.len() - 4);
            stored
        })
        .collect();
    with_chunks(bytes, &chunks)
}

const ZSTD: [Compression; 4] = [
    Compression::Zstd3,
    Compression::Zstd7,
    Compression::Zstd15,
    Compression::Zstd22,
];

/// RFC 8878: a bit of the descriptor says that four bytes of XXH64 follow. Any decoder verifies them; this
/// one is an independent one in Rust.
#[test]
fn another_decoder_accepts_the_checksums_of_zstd_chunks() {
    for (stored, calculated) in checksums_of_another_decoder() {
        assert!(stored.is_some());
        assert_eq!(stored, calculated);
    }
}

/// Decodes each zstd chunk with the other decoder. Returns the stored and the calculated checksums.
fn checksums_of_another_decoder() -> Vec<(Option<u32>, Option<u32>)> {
    let raw = file(Compression::None);
    let mut checksums = Vec::new();
    for compression in ZSTD {
        let bytes = file(compression);
        for (chunk, raw_chunk) in chunks(&bytes).iter().zip(chunks(&raw)) {
            let mut decoder = StreamingDecoder::new(stored(&bytes, chunk)).unwrap();
            let mut content = Vec::new();
            decoder.read_to_end(&mut content).unwrap();
            assert!(content == stored(&raw, &raw_chunk), "{compression}");
            // The reference's reader needs the content size.
            assert_eq!(decoder.decoder.content_size(), raw_chunk.size);
            checksums.push((
                decoder.decoder.get_checksum_from_data(),
                decoder.decoder.get_calculated_checksum(),
            ));
        }
    }
    checksums
}

#[test]
fn a_finished_journal_has_checksums() {
    let options = options(INTERVAL, Compression::Zstd3);
    let (open, _) = journal(&frames(), options);
    let (journal, _) = Journal::resume(std::io::Cursor::new(open), options).unwrap();
    let mut bytes = Vec::new();
    let spool = std::io::Cursor::new(Vec::new());
    journal.finish(spool, &mut bytes).unwrap();
    assert!(!butter::audit(&bytes).findings.has("butter.no-checksum"));
}

#[test]
fn files_without_checksums_are_readable_and_reported() {
    for compression in ZSTD {
        let bytes = file(compression);
        assert!(!butter::audit(&bytes).findings.has("butter.no-checksum"));
        let old = without_checksums(&bytes);
        assert_eq!(old.len(), bytes.len() - 3 * 4);
        assert!(read_strictly(&old).frames == read_strictly(&bytes).frames);
        let audit = butter::audit(&old);
        let finding = audit.findings.get("butter.no-checksum").unwrap();
        assert_eq!(finding.severity(), Severity::Info);
        assert_eq!(
            finding.message(),
            "3 chunks without a checksum: a flipped bit in them may show nowhere"
        );
        assert_eq!(audit.findings.worst(), Some(Severity::Info));
        let (done, out) = salvaged(&old).unwrap();
        assert!(done.nothing_to_do() && out == old);
    }
    let audit = |compression| butter::audit(&file(compression));
    assert!(audit(Compression::None).findings.has("butter.no-checksum"));
    assert!(!audit(Compression::Gzip).findings.has("butter.no-checksum"));
}

/// The kept parts, and the frames among them that may be altered.
fn kept(bytes: &[u8]) -> (Salvaged, Vec<u8>, Vec<(u64, u64)>) {
    let (done, out) = salvaged(bytes).unwrap();
    let altered = altered_steps(done.altered.iter());
    (done, out, altered)
}

/// Bits of the chunks: all bits of each chunk's first and last bytes, and some in between.
fn bits(bytes: &[u8]) -> Vec<usize> {
    let mut bits = Vec::new();
    for chunk in chunks(bytes) {
        let (start, end) = (chunk.offset as usize, (chunk.offset + chunk.size) as usize);
        bits.extend(start * 8..(start + 16) * 8);
        bits.extend(((start + 16) * 8..(end - 8) * 8).step_by(499));
        bits.extend((end - 8) * 8..end * 8);
    }
    bits
}

/// Every flipped bit of a chunk is an error or changes nothing. Frames that are kept and not reported as
/// altered are unchanged.
#[test]
fn no_flipped_bit_of_a_chunk_passes() {
    for compression in [Compression::Gzip, Compression::Zstd3, Compression::Zstd22] {
        let bytes = file(compression);
        let whole = read_strictly(&bytes).frames;
        let starts: Vec<usize> = chunks(&bytes).iter().map(|c| c.offset as usize).collect();
        let (mut passed, mut checksums) = (Vec::new(), 0);
        for bit in bits(&bytes) {
            let broken = flipped(&bytes, bit);
            let findings = butter::audit(&broken).findings;
            let [_, lenient] = agree(&broken, 4096);
            checksums += usize::from(findings.has("butter.checksum"));
            if findings.worst() < Some(Severity::Error) {
                assert!(lenient.frames == whole, "{compression}: bit {bit}");
                let start = starts.iter().rfind(|start| **start <= bit / 8).unwrap();
                passed.push((bit / 8 - start, bit % 8));
            }
            let (done, out, altered) = kept(&broken);
            let kept = read_strictly(&out).frames;
            let mut before = whole.iter();
            for (at, frame) in (0..).zip(&kept) {
                let said = altered.iter().any(|&(from, to)| (from..to).contains(&at));
                assert!(
                    said || before.any(|whole| whole == frame),
                    "{compression}: bit {bit}, frame {at} is altered: {done:?}"
                );
            }
            assert!(kept.len() == whole.len() || done.is_lossy(), "bit {bit}");
        }
        // These bits do not concern the content. gzip: the text flag, the time, the level and the system.
        // zstd: an unused bit.
        let idle = |&(byte, bit): &(usize, usize)| match compression {
            Compression::Gzip => byte == 3 && bit == 0 || (4..10).contains(&byte),
            _ => byte == 4 && bit == 4,
        };
        let found: Vec<_> = passed.iter().filter(|place| !idle(place)).collect();
        assert_eq!(found, Vec::<&(usize, usize)>::new(), "{compression}");
        assert!(checksums > 20, "{compression}: {checksums}");
    }
}

/// Makes a file whose second chunk has a wrong checksum, and no other fault.
fn another_checksum(compression: Compression) -> Vec<u8> {
    let mut bytes = file(compression);
    let chunk = chunks(&bytes)[1];
    let end = (chunk.offset + chunk.size) as usize;
    let at = match compression {
        Compression::Gzip => end - 7,
        _ => end - 3,
    };
    bytes[at] ^= 1;
    bytes
}

#[test]
fn a_wrong_checksum_is_reported_before_its_frames() {
    for compression in [Compression::Gzip, Compression::Zstd3] {
        let whole = read_strictly(&file(compression)).frames;
        let bytes = another_checksum(compression);
        let chunk = chunks(&bytes)[1];
        let [strict, lenient] = agree(&bytes, 777);
        // It is unknown which frame is altered, so a strict reader returns none of them.
        assert!(strict.frames == whole[..12], "{compression}");
        assert!(
            strict
                .error
                .unwrap()
                .contains("chunk 1, of 12 frames, has checksum")
        );
        assert!(lenient.frames == whole, "{compression}");
        let finding = lenient.findings.get("butter.checksum").unwrap();
        assert_eq!(finding.place.step, Some(12));
        assert_eq!(finding.place.offset, Some(chunk.offset));
        let Rule::Checksum {
            chunk: 1,
            frames: 12,
            found,
            stored,
        } = finding.rule
        else {
            panic!("{finding}");
        };
        assert_eq!(found.0 ^ stored.0, 1 << 8, "{finding}");
        assert_eq!(
            finding.message(),
            format!("chunk 1, of 12 frames, has checksum {found}; {stored} is stored")
        );
        // Reading one chunk.
        let read = butter::read(&bytes).unwrap();
        let mut alone = read.chunk(1).unwrap();
        let error = alone.next_frame().unwrap_err();
        assert_eq!(error.code(), "butter.checksum");
        assert!(alone.next_frame().unwrap().is_none());
        let errors: Vec<_> = read.index().into_iter().map(|info| info.error).collect();
        assert!(errors[0].is_none() && errors[2].is_none());
        assert_eq!(errors[1].as_ref(), Some(&finding.rule));
        let alone = by_chunks(&bytes, ReadOptions::lenient());
        assert!(alone.concat() == whole);
    }
}

#[test]
fn a_chunk_with_a_wrong_checksum_is_kept_and_reported_as_altered() {
    for compression in [Compression::Gzip, Compression::Zstd3] {
        let sound = file(compression);
        let whole = read_strictly(&sound).frames;
        let bytes = another_checksum(compression);
        let (done, out, altered) = kept(&bytes);
        // The other two chunks are kept byte for byte; this one is packed anew.
        assert!(out == sound, "{compression}");
        assert_eq!(altered, [(12, 24)]);
        assert_eq!((done.whole_chunks, done.altered_chunks), (2, 1));
        assert!(!done.nothing_to_do() && !done.is_lossy());
        assert_eq!((done.cut_chunks, done.found_chunks), (0, 0));
        let first = done.altered.iter().next().unwrap();
        assert!(
            first.to_string().starts_with("frames 12 to 23 (byte "),
            "{first}"
        );
        // All chunks.
        let mut all = bytes.clone();
        for chunk in [0, 2].map(|at| chunks(&bytes)[at]) {
            all[(chunk.offset + chunk.size) as usize - 6
                + 4 * usize::from(compression != Compression::Gzip)] ^= 16;
        }
        let (done, out, altered) = kept(&all);
        assert_eq!(altered, [(0, 12), (12, 24), (24, 36)]);
        assert_eq!((done.altered.count(), done.altered.steps()), (3, 36));
        assert!(read_strictly(&out).frames == whole);
    }
    // gzip stores the size, too.
    let mut bytes = file(Compression::Gzip);
    let end = bytes.len();
    bytes[end - 4] ^= 1;
    let [strict, _] = agree(&bytes, 99);
    let error = strict.error.unwrap();
    assert!(error.contains("bytes, and says that it has"), "{error}");
    assert_eq!(kept(&bytes).2, [(24, 36)]);
}

/// A chunk that is followed by other bytes, and one in which the file ends, were not altered.
#[test]
fn a_cut_or_followed_chunk_is_not_reported_as_altered() {
    for compression in [Compression::Gzip, Compression::Zstd3] {
        let bytes = file(compression);
        let cut = &bytes[..bytes.len() - 3];
        let (done, _, altered) = kept(cut);
        assert_eq!(altered, Vec::<(u64, u64)>::new(), "{done:?}");
        let stored: Vec<Vec<u8>> = chunks(&bytes)
            .iter()
            .map(|chunk| [stored(&bytes, chunk), b"after it"].concat())
            .collect();
        let (done, _, altered) = kept(&with_chunks(&bytes, &stored));
        assert_eq!((done.lost_bytes, altered), (24, Vec::new()));
    }
}
