//! Captures with damaged chunks, checksums, ends and keyframes.

use std::fs;

use serde_json::Value;
use snapbox::str;

use super::damage::{codes, repaired, verified};
use super::support::{
    TICKS, capture, chunked, fine, folder, outputs, packets, refused, state_rows, with_keyframes,
};

#[test]
fn a_chunk_whose_checksum_is_wrong() {
    let folder = folder();
    let path = folder.path();
    let bytes = chunked(&packets());
    fs::write(path.join("bad.mcap"), &bytes).unwrap();
    assert!(fine(path, "verify bad.mcap").starts_with("pass "));
    // The chunk in the middle: opcode, length, two times, uncompressed size, then its checksum.
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let chunks = &summary.chunk_indexes;
    assert!(chunks.len() > 8);
    let chunk = &chunks[chunks.len() / 2];
    let mut bad = bytes.clone();
    bad[chunk.chunk_start_offset as usize + 9 + 24] ^= 1;
    fs::write(path.join("bad.mcap"), &bad).unwrap();
    verified(
        path,
        "bad.mcap",
        1,
        str![[r#"
fail  bad.mcap  35 packets, 15 applied
      error capture.crc, byte 0: the checksum of the data section is fb8d9aa6, 41b4039b is recorded
      error capture.crc, byte 3,333: the checksum of the chunk is 52ff4da7, 52ff4da6 is recorded
      error delta.baseline-missing, packet 15 (tick 21, 1.000 s, byte 3,931): it builds on tick 20, which is not recorded before it
      error delta.not-applied: 19 packets, the last of tick 40, build on packets that could not be applied
      advice: repair was tried: byte 3,333: dropped unreadable data: the checksum of the chunk is 52ff4da7, 52ff4da6 is recorded; packet 15 (tick 21): dropped: it builds on tick 20, which is not recorded before it; 5 more packets that the summary counts are missing; and 3 more

"#]],
    );
    repaired(
        path,
        "bad.mcap",
        3,
        str![[r#"
byte 3,333: dropped unreadable data: the checksum of the chunk is 52ff4da7, 52ff4da6 is recorded
packet 15 (tick 21): dropped: it builds on tick 20, which is not recorded before it
5 more packets that the summary counts are missing
wrote a new index
dropped 19 more packets that build on dropped packets
kept 15 of 40 packets, up to tick 15

"#]],
    );
    // With keyframes the stream continues after the gap.
    let packets = packets();
    let options = gametape::capture::Options {
        chunk_bytes: 600,
        ..with_keyframes()
    };
    let bytes = capture(&packets, options);
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let chunk = &summary.chunk_indexes[1];
    let mut bad = bytes.clone();
    bad[chunk.chunk_start_offset as usize + 9 + 24] ^= 1;
    fs::write(path.join("bad.mcap"), &bad).unwrap();
    repaired(
        path,
        "bad.mcap",
        3,
        str![[r#"
byte 1,484: dropped unreadable data: the checksum of the chunk is 94a43632, 94a43633 is recorded
packet 0 (tick 6): dropped: it builds on tick 5, which is not recorded before it
took an added full snapshot, of tick 16, into the stream, because the packets that lead to it are lost
5 more packets that the summary counts are missing
wrote a new index
dropped 10 more packets that build on dropped packets
kept 25 of 41 packets, up to tick 40

"#]],
    );
    assert_eq!(
        state_rows(&fine(path, "dump --state good.mcap")),
        state_rows(&fine(path, "dump --state run.mcap"))
    );
    // Commands that read the body report the unreadable part.
    for (args, code) in [
        ("inspect", 1),
        ("stats", 1),
        ("dump", 1),
        ("diff run.mcap", 2),
    ] {
        let (out, err) = outputs(path, &format!("{args} bad.mcap"), code);
        assert_eq!(out.is_empty(), code == 2, "{args}");
        assert!(err.starts_with("gametape: bad.mcap: "), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

/// If the checksum of all data is wrong, the bytes that no other checksum covers may be altered. A damaged index
/// explains a wrong checksum, and is written anew.
#[test]
fn a_capture_whose_data_has_another_checksum() {
    let folder = folder();
    let path = folder.path();
    let bytes = chunked(&packets());
    // The length of a tick, as text: 50,000,000 ns.
    let find = |bytes: &[u8], what: &[u8]| {
        let mut windows = bytes.windows(what.len());
        windows.position(|window| window == what).unwrap()
    };
    let at = find(&bytes, b"\x07\0\0\0tick_ns") + 11 + 4;
    assert!(bytes[at..].starts_with(b"50000000"));
    let mut bad = bytes.clone();
    bad[at] ^= 2;
    fs::write(path.join("bad.mcap"), &bad).unwrap();
    assert!(codes(path, "bad.mcap").contains(&"capture.crc".to_owned()));
    for to in ["new.mcap", "new.delta"] {
        let (_, err) = outputs(path, &format!("convert bad.mcap {to}"), 2);
        let printed = "gametape: bad.mcap: byte 0: the checksum of the data section is ";
        assert!(err.starts_with(printed), "{err}");
    }
    let (_, err) = outputs(path, "repair --replace bad.mcap good.mcap", 3);
    let begins = "kept, but may be altered: what stands beside the packets, such as the length of a tick (byte 0): the checksum of the data section is ";
    assert!(err.starts_with(begins), "{err}");
    assert_eq!(err.lines().count(), 3, "{err}");
    let (told, _) = outputs(path, "repair --json --replace bad.mcap good.mcap", 3);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["altered_count"], 1);
    let one = &told["altered"][0];
    assert!(one["first_step"].is_null(), "{one}");
    assert_eq!(one["code"], "capture.crc");
    assert!(
        one["beside"].as_str().unwrap().starts_with("what stands"),
        "{one}"
    );

    // In a chunk without a checksum, packets may be altered as well.
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let chunk = &summary.chunk_indexes[2];
    let mut bad = bytes.clone();
    let crc = chunk.chunk_start_offset as usize + 9 + 24;
    bad[crc..crc + 4].fill(0);
    fs::write(path.join("bad.mcap"), &bad).unwrap();
    let (told, _) = outputs(path, "repair --json --replace bad.mcap good.mcap", 3);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["altered_count"], 2, "{told}");
    let packets = &told["altered"][1];
    let [first, last] = ["first_step", "last_step"].map(|key| packets[key].as_u64().unwrap());
    assert!(0 < first && first < last && last < 39, "{packets}");
    assert!(fine(path, "verify good.mcap").starts_with("pass "));

    // An index that is damaged is no packet that is.
    let index = chunk.message_index_offsets.values().min().unwrap();
    let mut bad = bytes;
    bad[*index as usize + 9 + 2 + 4] ^= 1;
    fs::write(path.join("bad.mcap"), &bad).unwrap();
    assert!(codes(path, "bad.mcap").contains(&"capture.crc".to_owned()));
    let (_, err) = outputs(path, "repair --replace bad.mcap good.mcap", 0);
    assert!(err.starts_with("wrote a new index\n"), "{err}");
}

#[test]
fn a_capture_that_was_cut() {
    let folder = folder();
    let path = folder.path();
    let packets = packets();
    let bytes = chunked(&packets);
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let chunk = &summary.chunk_indexes[5];
    // In the middle of a chunk; after the data, at the place of the index.
    let middle = chunk.chunk_start_offset + chunk.chunk_length / 2;
    fs::write(path.join("bad.mcap"), &bytes[..middle as usize]).unwrap();
    verified(
        path,
        "bad.mcap",
        1,
        str![[r#"
fail  bad.mcap  20 packets, all applied, 4 entities at tick 20
      error capture.truncated, byte 3,931: the file ends inside a record, or is damaged here: 259 bytes are not of a whole chunk
      advice: repair was tried: 259 bytes from byte 3,931 on are not a whole record: dropped; wrote a new index; kept 20 packets, up to tick 20

"#]],
    );
    repaired(
        path,
        "bad.mcap",
        3,
        str![[r#"
259 bytes from byte 3,931 on are not a whole record: dropped
wrote a new index
kept 20 packets, up to tick 20

"#]],
    );
    let last = summary.chunk_indexes.last().unwrap();
    let end = last.chunk_start_offset + last.chunk_length + last.message_index_length;
    fs::write(path.join("bad.mcap"), &bytes[..end as usize]).unwrap();
    verified(
        path,
        "bad.mcap",
        0,
        str![[r#"
warn  bad.mcap  40 packets, all applied, 4 entities at tick 40
      warning capture.no-summary: the capture has no index: its recorder was stopped. All packets can be read; gametape repair writes an index
      advice: repair was tried: wrote a new index; kept 40 packets, up to tick 40

"#]],
    );
    repaired(
        path,
        "bad.mcap",
        0,
        str![[r#"
wrote a new index
kept 40 packets, up to tick 40

"#]],
    );
    assert_eq!(
        fine(path, "diff run.mcap good.mcap"),
        "the recordings are the same\n"
    );
    // As JSON.
    fs::write(path.join("bad.mcap"), &bytes[..middle as usize]).unwrap();
    let (out, err) = outputs(path, "repair --json --replace bad.mcap good.mcap", 3);
    assert_eq!(err, "");
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["lossy"], true);
    assert_eq!(out["format"], "capture");
    assert_eq!(
        out["bytes"],
        fs::metadata(path.join("good.mcap")).unwrap().len()
    );
    assert!(!out["actions"].as_array().unwrap().is_empty());
    // Everything that is left is shown.
    let (out, err) = outputs(path, "dump bad.mcap", 1);
    assert!(err.ends_with("(dumped the readable part)\n"), "{err}");
    let count = out.lines().count();
    assert!(count > 5 && count < TICKS as usize);
    let (out, err) = outputs(path, "tables bad.mcap", 1);
    assert!(out.starts_with("packets (events)\n"), "{out}");
    assert!(
        err.ends_with("(the tables have the readable part)\n"),
        "{err}"
    );
    let state = state_rows(&fine(path, "dump --state --at tick:3 bad.mcap"));
    let whole = fine(path, "dump --state --at tick:3 run.mcap");
    assert_eq!(state, state_rows(&whole));
    // Cut before its first packet it is nothing.
    let first = &summary.chunk_indexes[0];
    let cut = first.chunk_start_offset + first.chunk_length / 2;
    fs::write(path.join("none.mcap"), &bytes[..cut as usize]).unwrap();
    refused(
        path,
        "repair none.mcap out.mcap",
        "none.mcap: no packet of it can be applied: there is nothing to keep",
    );
    assert!(!path.join("out.mcap").exists());
    // The input itself is not replaced by less.
    refused(
        path,
        "repair bad.mcap bad.mcap",
        "bad.mcap: would be replaced by a file that holds less; name another output",
    );
}
