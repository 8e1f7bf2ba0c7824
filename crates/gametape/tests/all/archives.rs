//! Recordings in archives are the recordings that lie in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use gametape::delta::{Encoder, Snapshot};
use gametape::{Dump, Error, Options, Recording, Secrets, find, formats};
use gametape_samples::delta::Arena;
use gametape_testkit::archive::{KINDS, Zip, compress, gzip, pack, zstd};

use crate::known::samples;

/// A recording of each format, with a name.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for (number, format) in formats().iter().enumerate() {
        let name = |extension: &&str| format!("{}/{number}.{extension}", format.name());
        let sample = samples(format.name()).into_iter().next();
        all.extend(format.extensions().first().map(name).zip(sample));
    }
    assert!(all.len() >= 4);
    all
}

/// What is told of a recording, without its path.
fn told(recording: &Recording) -> String {
    let mut out = Vec::new();
    let dumped = recording.dump(&Dump::default(), &mut out);
    let path = recording.path().display().to_string();
    let all = [
        format!("{:?}", recording.header(Secrets::Hide).unwrap().value),
        format!("{:?}", recording.info(Secrets::Hide).unwrap().value),
        format!("{:?}", recording.audit().unwrap().findings),
        format!(
            "{:?}",
            recording
                .stats(&Options::new())
                .map(|stats| stats.value.stats)
        ),
        format!(
            "{:?}",
            dumped
                .map_err(|error| error.message())
                .map(|partial| partial.value)
        ),
        String::from_utf8(out).unwrap(),
    ];
    all.join("\n").replace(&path, "PATH")
}

fn found(path: &Path) -> Vec<(PathBuf, PathBuf)> {
    let all = find(path).into_iter().map(Result::unwrap);
    all.map(|found| (found.path, found.below)).collect()
}

#[test]
fn every_archive_is_a_folder_for_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let all = recordings();
    let files: Vec<(&str, &[u8])> = all
        .iter()
        .map(|(name, bytes)| (&**name, &**bytes))
        .collect();
    let plain: Vec<String> = all
        .iter()
        .map(|(name, bytes)| told(&Recording::from_bytes(bytes.clone(), name).unwrap()))
        .collect();
    for kind in KINDS {
        let path = folder.path().join(kind);
        fs::write(&path, pack(kind, &files)).unwrap();
        let found = found(&path);
        for ((entry, below), (name, _)) in found.iter().zip(&all) {
            assert_eq!(
                (entry, below.as_path()),
                (&path.join(name), Path::new(name))
            );
        }
        assert_eq!(found.len(), all.len());
        for ((entry, _), plain) in found.iter().zip(&plain) {
            let recording = Recording::open(entry).unwrap();
            assert_eq!(recording.path(), entry);
            assert!(told(&recording) == *plain, "{}", entry.display());
        }
    }
}

#[test]
fn paths_and_patterns_lead_into_archives_in_archives() {
    let folder = tempfile::tempdir().unwrap();
    let game = &samples("rmv")[0];
    let inner = pack(
        "deflate.zip",
        &[
            ("2022/a.rmv", game),
            ("b.rmv", game),
            ("notes.txt", b"hello"),
        ],
    );
    let tar = pack("packed.tgz", &[("c.rmv", game), ("inner.zip", &inner)]);
    let packed = gzip(game);
    let path = folder.path().join("games.zip");
    let files: [(&str, &[u8]); 3] = [
        ("more/x.tgz", &tar),
        ("d.rmv.gz", &packed),
        ("__MACOSX/._e.rmv", b"\0\x05\x16\x07"),
    ];
    fs::write(&path, pack("stored.zip", &files)).unwrap();
    let all = [
        "games.zip/more/x.tgz/c.rmv",
        "games.zip/more/x.tgz/inner.zip/2022/a.rmv",
        "games.zip/more/x.tgz/inner.zip/b.rmv",
        "games.zip/more/x.tgz/inner.zip/notes.txt",
        "games.zip/d.rmv.gz/d.rmv",
        "games.zip/__MACOSX/._e.rmv",
    ];
    let names = |pattern: &str| -> Vec<String> {
        let found = found(&folder.path().join(pattern)).into_iter();
        let below = found.map(|(path, _)| path.strip_prefix(folder.path()).unwrap().to_owned());
        below
            .map(|path| path.to_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("."), all);
    assert_eq!(names("games.zip"), all);
    assert_eq!(names("games.zip/more"), all[..4]);
    assert_eq!(names("games.zip/more/x.tgz/inner.zip/2022"), all[1..2]);
    assert_eq!(
        names("games.zip/**/*.rmv"),
        [all[0], all[1], all[2], all[4], all[5]]
    );
    assert_eq!(names("games.zip/more/*/c.*"), all[..1]);
    assert_eq!(names("*.zip/**/b.rmv"), all[2..3]);
    assert_eq!(names("games.zip/d.rmv.gz"), all[4..5]);
    for recording in [all[0], all[1], all[2], all[4]] {
        let path = folder.path().join(recording);
        assert!(Recording::open(&path).unwrap().input().bytes().unwrap() == *game);
    }
    // What a Mac adds is no recording, whatever its extension.
    let added = Recording::open(folder.path().join(all[5])).unwrap_err();
    assert_eq!(added.code(), "unknown-format");
    for missing in [
        "games.zip/no",
        "games.zip/*.butter",
        "games.zip/more/x.tgz/c.rmv/d",
        "no.zip/a",
    ] {
        let path = folder.path().join(missing);
        assert!(
            matches!(find(&path).as_slice(), [Err(Error::NotFound { .. })]),
            "{missing}"
        );
        let opened = Recording::open(&path).unwrap_err();
        assert!(
            matches!(opened, Error::NotFound { .. } | Error::Io { .. }),
            "{opened}"
        );
    }
}

#[test]
fn the_only_recording_in_an_archive_is_opened_by_the_name_of_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    let game = &samples("rmv")[0];
    let path = folder.path().join("game.zip");
    let open = |bytes: Vec<u8>| {
        fs::write(&path, bytes).unwrap();
        Recording::open(&path)
    };
    let one = open(pack(
        "deflate.zip",
        &[("game.rmv", game), ("notes.txt", b"a note")],
    ))
    .unwrap();
    assert_eq!(one.path(), path.join("game.rmv"));
    // Without an extension it is known by its content.
    let one = open(pack(
        "deflate.zip",
        &[("game", game), ("notes.txt", b"a note")],
    ))
    .unwrap();
    assert_eq!(one.path(), path.join("game"));
    let two = open(pack("deflate.zip", &[("a.rmv", game), ("b.rmv", game)])).unwrap_err();
    let first = path.join("a.rmv");
    assert_eq!(
        two.message(),
        format!(
            "holds 2 recordings: name one of them, such as {}",
            first.display()
        )
    );
    let none = open(pack("deflate.zip", &[("notes.txt", b"a note")])).unwrap_err();
    assert_eq!(
        none.message(),
        "not a recording of a known format (an archive without a recording in it)"
    );
    // From memory, too.
    let packed = Recording::from_bytes(gzip(game), "game.rmv.gz").unwrap();
    assert_eq!(packed.path(), Path::new("game.rmv.gz/game.rmv"));
    assert!(packed.input().bytes().unwrap() == *game);
}

/// Packets have no schema in themselves. It is found beside them, in an archive as on the disk, and a folder of them is
/// one recording.
#[test]
fn packets_find_their_schema_in_archives() {
    let (mut arena, schema) = (Arena::new(3, 7), Arena::schema());
    let mut encoder = Encoder::new(&schema);
    let mut packets = Vec::new();
    for tick in 1..4 {
        let mut state = Snapshot::new(&schema, tick);
        arena.step();
        arena.state(&mut state).unwrap();
        let mut packet = Vec::new();
        encoder.full(&state, &mut packet).unwrap();
        packets.push((format!("full_00000{tick}.bin"), packet));
    }
    let json = serde_json::to_vec(&schema).unwrap();
    let all: Vec<u8> = packets
        .iter()
        .flat_map(|(_, packet)| packet.clone())
        .collect();
    let folder_of = |folder: &str| -> Vec<(String, Vec<u8>)> {
        let packets = packets.iter().cloned();
        packets
            .chain([("schema.json".to_owned(), json.clone())])
            .map(|(name, bytes)| (format!("{folder}{name}"), bytes))
            .collect()
    };
    let packed = |kind: &str, files: &[(String, Vec<u8>)]| {
        let files = files.iter().map(|(name, bytes)| (&**name, &**bytes));
        pack(kind, &files.collect::<Vec<(&str, &[u8])>>())
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.zip");
    let ticks = |path: &Path| {
        Recording::open(path)
            .unwrap()
            .info(Secrets::Hide)
            .unwrap()
            .value
            .steps
    };
    for kind in KINDS {
        // All of it is one recording.
        fs::write(&path, packed(kind, &folder_of(""))).unwrap();
        let named = Path::new("runs.zip").to_owned();
        assert_eq!(found(&path), [(path.clone(), named.clone())]);
        assert_eq!(found(folder.path()), [(path.clone(), named)]);
        assert_eq!(ticks(&path), Some(3), "{kind}");
        assert_eq!(ticks(&path.join("full_000002.bin")), Some(1));
        // A folder in it, and a file of packets.
        let mut files = folder_of("2022/run/");
        files.push(("2022/run/deeper/a.txt".into(), b"a note".to_vec()));
        files.push(("stream.delta".into(), all.clone()));
        files.push(("stream.schema.json".into(), json.clone()));
        fs::write(&path, packed(kind, &files)).unwrap();
        let names = |path: &Path| -> Vec<String> {
            let found = found(path).into_iter();
            found
                .map(|(_, below)| below.to_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(
            names(&path),
            ["2022/run", "stream.delta", "stream.schema.json"]
        );
        assert_eq!(names(&path.join("2022")), ["run"]);
        assert_eq!(names(&path.join("2022/run")), ["run"]);
        assert_eq!(names(&path.join("2022/*")), ["2022/run"]);
        assert_eq!(ticks(&path.join("2022/run")), Some(3));
        assert_eq!(ticks(&path.join("stream.delta")), Some(3));
        let format = formats().format_of(&path.join("2022/run")).unwrap();
        assert_eq!(format.name(), "delta");
    }
    // An archive in an archive; the schema of a file that is compressed by itself lies beside it.
    let inner = packed("deflate.zip", &folder_of("run/"));
    let files = [
        ("inner.zip".to_owned(), inner),
        ("stream.delta.gz".to_owned(), gzip(&all)),
        ("schema.json".to_owned(), json.clone()),
    ];
    let outer = packed("stored.zip", &files);
    fs::write(&path, &outer).unwrap();
    assert_eq!(ticks(&path.join("inner.zip/run")), Some(3));
    assert_eq!(ticks(&path.join("inner.zip")), Some(3));
    assert_eq!(ticks(&path.join("stream.delta.gz")), Some(3));
    fs::write(folder.path().join("alone.delta.zst"), zstd(&all)).unwrap();
    fs::write(folder.path().join("schema.json"), &json).unwrap();
    assert_eq!(ticks(&folder.path().join("alone.delta.zst")), Some(3));
    // In memory, too; without a schema it is missing by its place in the archive.
    let run = packed("packed.tgz", &folder_of("run/"));
    let run = Recording::from_bytes(run, "run.tgz").unwrap();
    assert_eq!(run.path(), Path::new("run.tgz/run"));
    assert_eq!(run.info(Secrets::Hide).unwrap().value.steps, Some(3));
    let mut files = folder_of("");
    files.pop();
    let lost = Recording::from_bytes(packed("deflate.zip", &files), "run.zip").unwrap();
    assert_eq!(
        lost.audit().unwrap_err().message(),
        "the schema of its packets is missing: run.zip/schema.json is not there"
    );
}

#[test]
fn an_archive_that_changes_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.zip");
    let games = samples("rmv");
    for game in &games[..2] {
        // Written anew and renamed, as programs do.
        let new = folder.path().join("new");
        fs::write(&new, pack("stored.zip", &[("a.rmv", game)])).unwrap();
        fs::rename(&new, &path).unwrap();
        let read = Recording::open(path.join("a.rmv")).unwrap();
        assert!(read.input().bytes().unwrap() == *game);
    }
}

#[test]
fn bytes_in_memory_are_not_taken_for_the_file_of_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.zip");
    let games = samples("rmv");
    fs::write(&path, pack("stored.zip", &[("a.rmv", &games[0])])).unwrap();
    let other = pack("stored.zip", &[("a.rmv", &games[1])]);
    let read = Recording::from_bytes(other, path.to_str().unwrap()).unwrap();
    assert!(read.input().bytes().unwrap() == games[1]);
    let read = Recording::open(path.join("a.rmv")).unwrap();
    assert!(read.input().bytes().unwrap() == games[0]);
}

#[test]
fn no_more_than_four_archives_in_each_other_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.zip");
    let mut packed = samples("rmv").swap_remove(0);
    let mut name = "a.rmv";
    for depth in 1..=5 {
        packed = pack("deflate.zip", &[(name, &packed)]);
        name = "inner.zip";
        fs::write(&path, &packed).unwrap();
        assert_eq!(Recording::open(&path).is_ok(), depth < 5, "{depth}");
    }
    let deepest = path.join("inner.zip/inner.zip/inner.zip/inner.zip");
    assert_eq!(found(&path)[0].0, deepest);
    assert_eq!(
        Recording::open(deepest).unwrap_err().code(),
        "unknown-format"
    );
}

#[test]
fn what_is_lost_in_an_archive_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.zip");
    let game = &samples("rmv")[0];
    let problems = |bytes: &[u8]| -> Vec<String> {
        fs::write(&path, bytes).unwrap();
        let opened = find(&path)
            .into_iter()
            .map(|found| Recording::open(found?.path));
        let failed = opened.filter_map(Result::err);
        failed
            .map(|error| {
                error
                    .to_string()
                    .replace(&path.display().to_string(), "games.zip")
            })
            .collect()
    };
    let mut zip = Zip::default();
    zip.file(b"a.rmv", 8, game);
    zip.packed(b"b.rmv", 0, game, b"another");
    zip.flags = 1;
    zip.file(b"c.rmv", 0, game);
    let whole = zip.finish();
    let said = problems(&whole);
    assert!(
        said[0].starts_with("games.zip/b.rmv: its checksum is "),
        "{said:?}"
    );
    assert_eq!(
        said[1..],
        ["games.zip/c.rmv: it is encrypted; unpack it first"]
    );
    let table = whole.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    let said = problems(&whole[..table]);
    assert_eq!(
        said[0],
        "games.zip: the archive ends early: it was not finished, or the table at its end is broken"
    );

    // A bomb in a bomb: archives are counted, and nothing of this size is unpacked.
    let zeros = compress(8, &vec![0; 64 << 20]);
    let mut zip = Zip::default();
    zip.packed(b"a.zip", 8, &zeros, b"");
    zip.packed(b"b.rmv", 8, &zeros, b"");
    for line in problems(&zip.finish()) {
        assert!(
            line.contains("it is unpacked to more than 33,554,432 bytes"),
            "{line}"
        );
    }
    // Files that are compressed by themselves declare their sizes: only the first four are opened.
    let packed = gzip(&vec![0; 8 << 20]);
    let names: Vec<String> = (0..20).map(|number| format!("{number}.gz")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &*packed)).collect();
    let said = problems(&pack("deflate.zip", &files));
    assert_eq!(said.len(), 5, "{said:?}");
    assert_eq!(
        said[4],
        "games.zip/4.gz/4: it is unpacked to more than 33,554,432 bytes"
    );
    // Twenty archives that are large only together.
    let large = pack("stored.zip", &[("a.rmv", &vec![7; 8 << 20])]);
    let names: Vec<String> = (0..20).map(|number| format!("{number}.zip")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &*large)).collect();
    let said = problems(&pack("zstd.zip", &files));
    assert!(
        said.iter()
            .any(|line| line.ends_with("it is unpacked to more than 33,554,432 bytes")),
        "{said:?}"
    );
    let mut bomb = pack("stored.zip", &[("a.rmv", game)]);
    for _ in 0..3 {
        let names: Vec<String> = (0..40).map(|number| format!("{number}.zip")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &*bomb)).collect();
        bomb = pack("deflate.zip", &files);
    }
    let said = problems(&bomb);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].ends_with("it holds more than 1,000 archives"),
        "{}",
        said[0]
    );
}

/// The tapes of the machine, if it has them.
#[test]
fn variants_in_archives_are_read_to_their_end() {
    let variants =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes/echo/variants");
    for name in [
        "gzip-members.echoreplay.gz",
        "zip-in-zip.echoreplay",
        "entry-twice.echoreplay",
        "mac.echoreplay",
    ] {
        let path = variants.join(name);
        if !path.is_file() {
            println!("skipped: there is no {name}");
            continue;
        }
        let recording = Recording::open(&path).unwrap();
        assert_eq!(
            recording.info(Secrets::Hide).unwrap().value.steps,
            Some(12),
            "{name}"
        );
        let found = find(&path).into_iter().map(|found| found.unwrap().path);
        assert_eq!(found.collect::<Vec<PathBuf>>(), [recording.path()]);
    }
}
