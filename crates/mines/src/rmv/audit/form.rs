//! Checks the form of the file: sizes, properties, names, tail and checksum.

use crate::Version;
use crate::game::{DeclaredSize, Encoding, Game};
use crate::rmv::release::is_vienna_sweeper;
use crate::rmv::{Finding, Findings, Rule};
use crate::{TextEncoding, TextRule};

/// The highest clone id that has a name in the specification.
const LAST_KNOWN_CLONE: u8 = 7;
/// The length of the checksum in every known file, in bytes.
const CHECKSUM_LEN: u64 = 18;
/// A checksum with at most this many different byte values cannot be a real one.
const FEW_BYTES: u32 = 10;

pub(super) fn check(game: &Game<'_>, real_size: u64, findings: &mut Findings) {
    if game.file_size == DeclaredSize::LessTwo {
        findings.push(Finding::new(Rule::FileSizeLessTwo {
            declared: real_size.saturating_sub(2) as u32,
            real: real_size,
        }));
    }
    texts(game, findings);
    if !matches!(game.player.len(), 1 | 4) {
        let count = game.player.len();
        findings.push(Finding::new(Rule::PlayerFieldCount { count }));
    }
    let known = match game.version() {
        Version::V1 => 5,
        Version::V2 => 7,
    };
    if let Some(extra) = game.properties.len().checked_sub(known).filter(|&n| n > 0) {
        let extra = extra as u16;
        findings.push(Finding::new(Rule::PropertyExtra { extra }));
    }
    clone(game, findings);
    mines(game, findings);
    tail(game, findings);
    checksum(game, findings);
}

fn texts(game: &Game<'_>, findings: &mut Findings) {
    if game.text_rule() != TextRule::Undefined {
        return;
    }
    let mut guess = |field, bytes| {
        let (_, encoding) = game.decode(bytes);
        if encoding != TextEncoding::Ascii {
            findings.push(Finding::new(Rule::TextGuessed { field, encoding }));
        }
    };
    for (name, field) in game.player.named() {
        guess(name, field);
    }
    guess("the version info", game.version_info.as_bytes());
    if let Encoding::V1 { result } = &game.encoding {
        guess("the result string", result.as_bytes());
    }
}

fn clone(game: &Game<'_>, findings: &mut Findings) {
    let Encoding::V2 {
        clone_id,
        extensions,
        ..
    } = &game.encoding
    else {
        return;
    };
    let id = *clone_id;
    if id > LAST_KNOWN_CLONE {
        findings.push(Finding::new(Rule::CloneUnknown { id }));
    }
    let present = extensions.get("clone_name").is_some();
    if present == (id != 0) {
        findings.push(Finding::new(Rule::CloneName { id, present }));
    }
    let mut names: Vec<&[u8]> = extensions.iter().map(|extension| extension.name).collect();
    for name in &names {
        if name.starts_with(b"rmv_") {
            let name = String::from_utf8_lossy(name).into_owned();
            findings.push(Finding::new(Rule::ExtensionReserved { name }));
        }
    }
    names.sort_unstable();
    for pair in names.windows(2) {
        if let [a, b] = pair
            && a == b
        {
            let name = String::from_utf8_lossy(a).into_owned();
            findings.push(Finding::new(Rule::ExtensionDuplicate { name }));
        }
    }
}

fn mines(game: &Game<'_>, findings: &mut Findings) {
    let mut before = None;
    for (index, cell) in (0u32..).zip(game.board.mines.iter()) {
        let key = (cell.row, cell.col);
        if before.is_some_and(|before| key < before) {
            findings.push(Finding::new(Rule::MineOrder { index, cell }));
        }
        before = Some(key);
    }
    let cells = usize::from(game.board.cols) * usize::from(game.board.rows);
    if cells > 0 && game.board.mines.len() >= cells {
        findings.push(Finding::new(Rule::NoSafeCell));
    }
}

fn tail(game: &Game<'_>, findings: &mut Findings) {
    let Some(ending) = game.ending else {
        return;
    };
    let offset = game.events.offset() + game.events.as_bytes().len() as u64 + 4;
    let expected = Game::canonical_tail(game.version(), ending.time_ms);
    match game.tail.len() {
        0 => findings.push(Finding::new(Rule::TailAbsent).at(offset)),
        5 if *game.tail != expected => findings.push(
            Finding::new(Rule::Tail {
                found: game.tail.to_vec(),
                expected,
            })
            .at(offset),
        ),
        // The reader reports any other size.
        _ => {}
    }
}

fn checksum(game: &Game<'_>, findings: &mut Findings) {
    let bytes = game.checksum.len() as u64;
    // A file that was cut off before its checksum already has a finding.
    if bytes == 0 && (game.ending.is_none() || findings.has("rmv.truncated")) {
        return;
    }
    let mixed = is_mixed(&game.checksum);
    findings.push(Finding::new(match bytes {
        0 if by_vienna_sweeper(game) => Rule::ChecksumAbsent,
        0 => Rule::ChecksumNone,
        CHECKSUM_LEN if mixed => Rule::Checksum { bytes },
        _ => Rule::ChecksumUnusual { bytes, mixed },
    }));
}

/// Whether these can be the bytes of a hash. In 18 random bytes, fewer than 11 different values
/// occur about once in a million million cases.
fn is_mixed(checksum: &[u8]) -> bool {
    let mut seen = [0u64; 4];
    for &byte in checksum {
        if let Some(word) = seen.get_mut(usize::from(byte / 64)) {
            *word |= 1 << (byte % 64);
        }
    }
    let different: u32 = seen.iter().map(|word| word.count_ones()).sum();
    different > FEW_BYTES
}

fn by_vienna_sweeper(game: &Game<'_>) -> bool {
    let by_clone_id = matches!(game.encoding, Encoding::V2 { clone_id: 1, .. });
    by_clone_id || is_vienna_sweeper(game.version_info.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_looks_like_a_hash() {
        let known = [
            0xbf, 0x5c, 0xa5, 0x6b, 0x1b, 0x99, 0xeb, 0x07, 0xe0, 0x7c, 0x0d, 0x2a, 0xa8, 0x61,
            0x2c, 0xd6, 0x72, 0xae,
        ];
        assert!(is_mixed(&known));
        let turns: Vec<u8> = (0..18).map(|at| [0xAB, 0xCD][at % 2]).collect();
        let mut nearly = [0; 18];
        nearly[7] = 1;
        for made in [&turns[..], &nearly, &[7; 18], &known[..10]] {
            assert!(!is_mixed(made), "{made:?}");
        }
    }
}
