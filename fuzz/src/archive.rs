//! The check of archives.

use std::collections::HashSet;
use std::io::Cursor;

use gametape::archive::{Archive, File, Filled, Limits, Member, Unzip, is_zip};
use gametape_core::Input;
use gametape_testkit::archive::{KINDS, Zip, gzip, pack, zstd};

use crate::Check;

/// The check of archives, with its seeds.
pub const CHECKS: &[Check] = &[Check::new("archive", archive, seeds)];

const LIMITS: Limits = Limits {
    max_bytes: 64 << 10,
    max_ratio: 300,
    free_bytes: 64 << 10,
    max_files: 100,
    max_of_one_name: 10,
    max_archives: 10,
    max_depth: 4,
};

/// Opens any bytes as an archive: nothing panics, names are different and lead nowhere else, no file is larger than
/// the limit, and opening it again gives the same. A zip that is read from its start to its end has the same
/// files with the same content.
fn archive(data: &[u8]) {
    let open = || Archive::open(Input::from(data.to_vec()), "a.zip", LIMITS);
    let Ok(archive) = open() else {
        return;
    };
    let again = open().expect("the same bytes");
    let mut names = HashSet::new();
    let mut unpacked = Vec::new();
    for file in archive.files() {
        assert!(
            names.insert(&file.name),
            "two files are called {}",
            file.name
        );
        let leads =
            |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', ':', '\0']);
        assert!(
            !file.name.split('/').any(leads),
            "{:?} leads elsewhere",
            file.name
        );
        let content = content(&archive, file);
        let other = again
            .find(&file.name)
            .map(|file| self::content(&again, file));
        assert_eq!(Some(&content), other.as_ref(), "{}", file.name);
        unpacked.push(content);
    }
    assert_eq!(archive.files().len(), again.files().len());
    if is_zip(data) && archive.fault().is_none() {
        in_turn(data, &unpacked);
    }
}

fn content(archive: &Archive, file: &File) -> Result<Vec<u8>, String> {
    let input = archive.unpack(file).map_err(|fault| fault.to_string())?;
    assert!(input.size() <= LIMITS.max_bytes || file.packed > LIMITS.max_bytes);
    Ok(input.bytes().expect("memory").into_owned())
}

/// Compares the files with those that are read one after another, which knows fewer methods and passes over what a
/// system adds.
fn in_turn(data: &[u8], unpacked: &[Result<Vec<u8>, String>]) {
    let (mut zip, fault) = Unzip::open(Cursor::new(data)).expect("memory");
    assert!(fault.is_none(), "{fault:?}");
    let all: HashSet<&Vec<u8>> = unpacked
        .iter()
        .filter_map(|content| content.as_ref().ok())
        .collect();
    loop {
        let is_open = match zip.next_file().expect("memory") {
            Member::None => return,
            Member::Open(_) => true,
            Member::Closed(..) => false,
        };
        let mut content = Vec::new();
        let mut piece = [0; 4096];
        let fault = loop {
            match zip.fill(&mut piece).expect("memory") {
                Filled::Bytes(count) => content.extend_from_slice(&piece[..count]),
                Filled::End(fault) => break fault,
            }
            if content.len() as u64 > LIMITS.max_bytes {
                return;
            }
        };
        if is_open && fault.is_none() {
            assert!(all.contains(&content), "a file is read in turn alone");
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let files: [(&str, &[u8]); 4] = [
        ("a/b.rmv", b"*rmv"),
        ("c", &[7; 300]),
        ("c", b""),
        ("__MACOSX/x", b"x"),
    ];
    let mut seeds: Vec<Vec<u8>> = KINDS.iter().map(|kind| pack(kind, &files)).collect();
    seeds.extend([
        gzip(b"text"),
        zstd(b"text"),
        [gzip(b"a"), gzip(b"b")].concat(),
    ]);
    let inner = pack("deflate.zip", &files);
    seeds.push(pack("stored.zip", &[("inner.zip", &inner)]));
    let mut zip = Zip::default();
    zip.flags = 8;
    zip.file(b"..\\a", 0, b"stored");
    zip.file(b"b", 8, b"deflated");
    zip.flags = 1;
    zip.file(b"secret", 0, b"a");
    let odd = zip.finish();
    seeds.push([b"before", &odd[..]].concat());
    let table = odd
        .windows(4)
        .position(|at| at == b"PK\x01\x02")
        .unwrap_or(0);
    seeds.push(odd[..table].to_vec());
    seeds.push(odd);
    seeds
}
