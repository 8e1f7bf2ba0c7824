//! Archives of every kind, right and wrong.

use gametape_archive::{Archive, Cut, Fault, Limits};
use gametape_core::Input;
use gametape_testkit::archive::{KINDS, Zip, compress, gzip, pack, tar, zstd};
use proptest::prelude::*;

fn open(bytes: &[u8], name: &str) -> Result<Archive, Fault> {
    Archive::open(Input::from(bytes.to_vec()), name, Limits::default())
}

fn names(archive: &Archive) -> Vec<&str> {
    archive
        .files()
        .iter()
        .map(|file| file.name.as_str())
        .collect()
}

fn content(archive: &Archive, name: &str) -> Result<Vec<u8>, Fault> {
    let file = archive.find(name).unwrap();
    Ok(archive.unpack(file)?.bytes()?.into_owned())
}

/// Bytes that pack badly.
fn noise(size: usize) -> Vec<u8> {
    let mut state: u32 = 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..size).map(|_| next()).collect()
}

#[test]
fn each_kind_gives_back_its_files() {
    // The second is larger than what is held in memory.
    let large = noise(3 << 20);
    let files: [(&str, &[u8]); 4] = [
        ("2022/a.rmv", b"*rmv"),
        ("b", &large),
        ("empty", b""),
        ("c", b"c"),
    ];
    for kind in KINDS {
        let archive = open(&pack(kind, &files), kind).unwrap();
        assert_eq!(names(&archive), ["2022/a.rmv", "b", "empty", "c"], "{kind}");
        // In any order.
        for (name, bytes) in files.iter().rev() {
            assert!(content(&archive, name).unwrap() == *bytes, "{kind}: {name}");
        }
        assert!(archive.fault().is_none() && !archive.is_stream());
    }
    for (bytes, name) in [(gzip(&large), "b.rmv.gz"), (zstd(&large), "b.rmv.zst")] {
        let archive = open(&bytes, name).unwrap();
        assert_eq!(
            (names(&archive), archive.is_stream()),
            (vec!["b.rmv"], true)
        );
        assert!(content(&archive, "b.rmv").unwrap() == large);
    }
    // Several members, and several frames.
    for (pack, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "a.gz"), (zstd, "a.zst")] {
        let archive = open(&[pack(b"one "), pack(b"two")].concat(), name).unwrap();
        assert_eq!(content(&archive, "a").unwrap(), b"one two");
    }
}

#[test]
fn what_is_odd_is_read() {
    let mut zip = Zip::default();
    zip.file(b"2022\\a.rmv", 8, b"a");
    zip.file(b"2022/a.rmv", 8, b"second");
    zip.file(b"../../etc/b", 0, b"b");
    zip.file(b"folder/", 0, b"");
    // The sizes of a stored file come after it.
    zip.flags = 8;
    zip.file(b"c.rmv", 0, b"c");
    let bytes = zip.finish();
    for before in [&b""[..], b"#!/bin/sh\nexit 0\n"] {
        let bytes = [before, &bytes].concat();
        let archive = open(&bytes, "a.zip").unwrap();
        assert_eq!(
            names(&archive),
            ["2022/a.rmv", "2022/a (2).rmv", "__/__/etc/b", "c.rmv"]
        );
        assert_eq!(content(&archive, "2022/a (2).rmv").unwrap(), b"second");
        assert_eq!(content(&archive, "c.rmv").unwrap(), b"c");
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let mut zip = Zip::default();
    zip.flags = 1;
    zip.file(b"secret", 0, b"a");
    zip.flags = 0;
    zip.file(b"imploded", 6, b"a");
    zip.packed(b"broken", 8, b"\xFF\xFF", b"a");
    zip.packed(b"changed", 0, b"a", b"b");
    zip.entry(b"nowhere", 0, (1, 1, 0), 1 << 20);
    let bytes = zip.finish();
    let archive = open(&bytes, "a.zip").unwrap();
    let fault = |name| content(&archive, name).unwrap_err();
    assert!(matches!(fault("secret"), Fault::Encrypted));
    assert!(matches!(fault("imploded"), Fault::Method(6)));
    assert!(matches!(fault("broken"), Fault::Broken));
    assert!(matches!(fault("changed"), Fault::Checksum { .. }));
    assert!(matches!(fault("nowhere"), Fault::Cut(Cut::File)));
    assert_eq!(
        fault("imploded").to_string(),
        "it is compressed by method 6 of zip, which is not read; compress it again"
    );

    for bytes in [&b""[..], b"PK", b"*rmv", &[0; 2000]] {
        assert!(matches!(
            open(bytes, "a.zip").unwrap_err(),
            Fault::NoArchive
        ));
    }
    // A tar that ends within a file, and one with a broken header.
    let whole = tar(&[("a", &[7; 2000]), ("b", &[8; 2000])]);
    let cut = open(&whole[..4000], "a.tar").unwrap();
    assert!(content(&cut, "a").is_ok());
    assert!(matches!(content(&cut, "b"), Err(Fault::Cut(Cut::Data))));
    let mut broken = whole.clone();
    broken[512 + 2048 + 150] = b'7';
    assert!(matches!(
        open(&broken, "a.tar").unwrap().fault(),
        Some(Fault::Tar)
    ));
    let cut = open(&gzip(b"text that is cut")[..20], "a.gz").unwrap();
    assert!(matches!(content(&cut, "a"), Err(Fault::Broken)));
}

#[test]
fn links_in_a_tar_are_the_files_that_they_lead_to() {
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    tar.append_data(&mut header, "games/a.rmv", &b"a"[..])
        .unwrap();
    for (name, target, kind) in [
        ("b.rmv", "games/a.rmv", tar::EntryType::Link),
        ("games/c.rmv", "a.rmv", tar::EntryType::Symlink),
        ("games/d.rmv", "../../games/a.rmv", tar::EntryType::Symlink),
        ("last/e.rmv", "../games/./a.rmv", tar::EntryType::Symlink),
        ("f.rmv", "g.rmv", tar::EntryType::Symlink),
        ("g.rmv", "b.rmv", tar::EntryType::Symlink),
        ("h.rmv", "i.rmv", tar::EntryType::Symlink),
        ("i.rmv", "h.rmv", tar::EntryType::Symlink),
        ("games/k.rmv", "/b.rmv", tar::EntryType::Symlink),
        ("pipe.rmv", "b.rmv", tar::EntryType::Fifo),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        tar.append_link(&mut header, name, target).unwrap();
    }
    let archive = open(&tar.into_inner().unwrap(), "a.tar").unwrap();
    assert_eq!(
        names(&archive),
        [
            "games/a.rmv",
            "b.rmv",
            "games/c.rmv",
            "games/d.rmv",
            "last/e.rmv",
            "f.rmv",
            "g.rmv",
            "h.rmv",
            "i.rmv",
            "games/k.rmv"
        ]
    );
    for name in [
        "games/a.rmv",
        "b.rmv",
        "games/c.rmv",
        "last/e.rmv",
        "f.rmv",
        "g.rmv",
    ] {
        assert_eq!(content(&archive, name).unwrap(), b"a", "{name}");
    }
    for name in ["games/d.rmv", "h.rmv", "i.rmv", "games/k.rmv"] {
        assert!(
            matches!(content(&archive, name), Err(Fault::Link)),
            "{name}"
        );
    }
}

#[test]
fn a_zip_without_a_table_is_read_as_far_as_it_goes() {
    let (a, b) = (noise(5000), noise(7000));
    for method in [0, 8] {
        let mut zip = Zip::default();
        zip.file(b"a", method, &a);
        zip.file(b"b", method, &b);
        let whole = zip.finish();
        let table = whole.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
        let archive = open(&whole[..table], "a.zip").unwrap();
        assert!(matches!(archive.fault(), Some(Fault::Cut(Cut::Table))));
        assert!(content(&archive, "a").unwrap() == a && content(&archive, "b").unwrap() == b);
        let archive = open(&whole[..6000], "a.zip").unwrap();
        assert!(archive.fault().is_some());
        assert!(content(&archive, "a").unwrap() == a);
    }
}

#[test]
fn bombs_are_refused_at_once() {
    let packed = compress(8, &vec![0; 64 << 20]);
    let mut zip = Zip::default();
    zip.packed(b"zeros", 8, &packed, b"");
    let archive = open(&zip.finish(), "a.zip").unwrap();
    assert!(matches!(
        content(&archive, "zeros"),
        Err(Fault::TooLarge { .. })
    ));

    // Many entries for the same data.
    let mut zip = Zip::default();
    zip.file(b"a0", 0, b"a");
    for number in 1..10_000 {
        zip.entry(format!("a{number}").as_bytes(), 0, (1, 1, 0), 0);
    }
    assert!(matches!(
        open(&zip.finish(), "a.zip").unwrap_err(),
        Fault::Overlap
    ));

    let mut zip = Zip::default();
    for _ in 0..65_534 {
        zip.file(b"a", 0, b"a");
    }
    let refused = open(&zip.finish(), "a.zip").unwrap_err();
    assert!(matches!(refused, Fault::TooManyOfOneName { files: 65_534 }));

    let small = Limits {
        max_files: 2,
        ..Limits::default()
    };
    for kind in KINDS {
        let bytes = pack(kind, &[("a", b"a"), ("b", b"b"), ("c", b"c")]);
        let refused = Archive::open(bytes.into(), kind, small).unwrap_err();
        assert!(matches!(refused, Fault::TooMany { limit: 2 }), "{kind}");
    }
}

fn files() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let name = "[a-c/\\\\.]{0,4}|__MACOSX/a|.{0,3}";
    prop::collection::vec((name, prop::collection::vec(any::<u8>(), 0..300)), 0..8)
}

proptest! {
    #[test]
    fn files_of_any_name_come_back(files in files(), kind in 0..7_usize) {
        let packed: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
        let archive = open(&pack(KINDS[kind], &packed), "a.zip").unwrap();
        let is_folder = |(name, bytes): &&(&str, &[u8])| {
            name.ends_with('/') || (name.ends_with('\\') && bytes.is_empty())
        };
        let wanted: Vec<&[u8]> = packed.iter().filter(|file| !is_folder(file)).map(|file| file.1).collect();
        prop_assert_eq!(archive.files().len(), wanted.len());
        let mut seen = std::collections::HashSet::new();
        for (file, bytes) in archive.files().iter().zip(wanted) {
            prop_assert!(seen.insert(&file.name), "{} twice", file.name);
            prop_assert!(file.name.split('/').all(|part| !matches!(part, "" | "." | "..")));
            let unpacked = archive.unpack(file).unwrap();
            prop_assert_eq!(&*unpacked.bytes().unwrap(), bytes);
        }
    }

    #[test]
    fn spoilt_archives_do_no_harm(kind in 0..KINDS.len(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = pack(KINDS[kind], &[("a", &noise(600)), ("b", b"bbbb")]);
        let at = at.index(bytes.len());
        bytes[at] ^= byte;
        if cut {
            bytes.truncate(at);
        }
        if let Ok(archive) = open(&bytes, KINDS[kind]) {
            for file in archive.files() {
                let _ = archive.unpack(file);
            }
        }
    }
}

#[test]
fn a_stream_declares_its_size() {
    let text = vec![7; 100_000];
    let declared = |packed: Vec<u8>| {
        let archive = Archive::open(packed.into(), "a.gz", Limits::default()).unwrap();
        archive.files()[0].declared()
    };
    assert_eq!(declared(gzip(&text)), Some(100_000));
    assert_eq!(
        declared(zstd::bulk::compress(&text, 1).unwrap()),
        Some(100_000)
    );
    assert_eq!(declared(zstd(&text)), None);
    // Other bytes at the end declare no more than Deflate can make.
    let mut longer = gzip(&text);
    longer.extend([255; 4]);
    let most = 1032 * longer.len() as u64;
    assert_eq!(declared(longer), Some(most));
    // A large one that is cut ends with any bytes.
    let mut state = 1_u32;
    let noise = (0..200_000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    let mut cut = gzip(&noise.collect::<Vec<u8>>());
    cut.truncate(100_000);
    cut.extend([255; 4]);
    assert_eq!(declared(cut), None);
    assert_eq!(declared(vec![0x1f, 0x8b, 8]), None);
}
