//! Recordings that are damaged: what verify says, and what repair keeps.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gametape::delta::{Codec, Encoder, Schema, Value as FieldValue};
use gametape_samples::delta::Arena;
use serde_json::Value;
use snapbox::{IntoData, str};

use super::support::{
    TICKS, body, capture, chunked, fine, folder, gametape, held, packets, refused, said,
    schema_json, starts, states, with_keyframes,
};

/// Writes packets as `bad.delta`, with the arena's schema beside them.
fn write(folder: &Path, bytes: &[u8]) {
    fs::write(folder.join("bad.delta"), bytes).unwrap();
    fs::write(folder.join("bad.schema.json"), schema_json()).unwrap();
}

fn verified(folder: &Path, name: &str, code: i32, said: impl IntoData) {
    gametape(folder, &["verify", name])
        .assert()
        .code(code)
        .stderr_eq("")
        .stdout_eq(said);
}

/// Codes of the findings as JSON has them.
fn codes(folder: &Path, name: &str) -> Vec<String> {
    let run = gametape(folder, &["verify", "--json", name]).assert();
    let out: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let findings = out["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| finding["code"].as_str().unwrap().to_owned())
        .collect()
}

/// Repairs with loss or without; what comes out is sound.
fn repaired(folder: &Path, name: &str, code: i32, said: impl IntoData) {
    let out = name.replace("bad", "good");
    gametape(folder, &["repair", name, &out])
        .assert()
        .code(code)
        .stdout_eq("")
        .stderr_eq(said);
    assert!(fine(folder, &format!("verify {out}")).starts_with("pass "));
    // There is nothing left to do.
    let (_, again) = super::support::said(folder, &format!("repair {out} again-{out}"), 0);
    assert!(again.starts_with("nothing to repair"), "{again}");
}

#[test]
fn a_packet_whose_header_is_damaged() {
    let folder = folder();
    let path = folder.path();
    let packets = packets();
    let whole = packets.concat();
    let at = starts(&packets)[9];
    let with = |offset: usize, what: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at + offset..at + offset + what.len()].copy_from_slice(what);
        bytes
    };
    // The magic.
    write(path, &with(0, b"X"));
    verified(
        path,
        "bad.delta",
        1,
        str![[r#"
fail  bad.delta  39 packets, 9 applied
      error delta.lost-sync, byte 925: 103 bytes are no packet: the next one starts at byte 1,028
      error delta.baseline-missing, packet 9 (tick 11, byte 1,028): it builds on tick 10, which is not recorded before it
      error delta.not-applied: 29 packets, the last of tick 40, build on packets that could not be applied

"#]],
    );
    repaired(
        path,
        "bad.delta",
        3,
        str![[r#"
byte 925: dropped unreadable data: 103 bytes are no packet: the next one starts at byte 1,028
packet 9 (tick 11): dropped: it builds on tick 10, which is not recorded before it
dropped 29 more packets that build on dropped packets
kept 9 of 39 packets, up to tick 9

"#]],
    );
    // The baseline: a tick that there is not.
    write(path, &with(20, &[200]));
    verified(
        path,
        "bad.delta",
        1,
        str![[r#"
fail  bad.delta  40 packets, 9 applied
      error delta.baseline-missing, packet 9 (tick 10, byte 925): it builds on tick 200, which is not recorded before it
      error delta.not-applied: 30 packets, the last of tick 40, build on packets that could not be applied

"#]],
    );
    repaired(
        path,
        "bad.delta",
        3,
        str![[r#"
packet 9 (tick 10): dropped: it builds on tick 200, which is not recorded before it
dropped 30 more packets that build on dropped packets
kept 9 of 40 packets, up to tick 9

"#]],
    );
    // Its tick; the schema's hash; the version; reserved flags; its length, 4 GiB.
    for (offset, what, code, repair) in [
        (16, &[3_u8][..], "capture.tick-order", 3),
        (8, &[0], "delta.schema-hash", 3),
        (4, &[1], "delta.version", 3),
        (6, &[0x82], "delta.flags", 3),
        (24, &[0xFF; 4], "delta.payload-length", 3),
    ] {
        write(path, &with(offset, what));
        let codes = codes(path, "bad.delta");
        assert!(
            codes.iter().any(|other| other == code),
            "{offset}: {codes:?}"
        );
        let (_, err) = said(path, "repair bad.delta good.delta", repair);
        assert!(err.lines().last().unwrap().starts_with("kept "), "{err}");
        assert!(fine(path, "verify good.delta").starts_with("pass "));
    }
}

#[test]
fn a_packet_whose_values_are_damaged() {
    let folder = folder();
    let path = folder.path();
    let packets = packets();
    let whole = packets.concat();
    let start = starts(&packets)[39];
    // The padding at the end of the last packet: nothing is lost.
    let last = whole.len() - 1;
    let padding = whole[last].trailing_zeros();
    assert!(padding > 0, "the last value ends with the byte");
    let mut bytes = whole.clone();
    bytes[last] |= 1;
    write(path, &bytes);
    verified(
        path,
        "bad.delta",
        0,
        str![[r#"
warn  bad.delta  40 packets, all applied, 4 entities at tick 40
      warning delta.padding, packet 39 (tick 40, byte 4,031): byte 103 of the packet: padding bits are 0b1, not zero

"#]],
    );
    repaired(
        path,
        "bad.delta",
        0,
        str![[r#"
packet 39 (tick 40): rewritten, nothing lost: byte 103 of the packet: padding bits are 0b1, not zero
kept 40 packets, up to tick 40

"#]],
    );
    assert_eq!(fs::read(path.join("good.delta")).unwrap(), whole);
    // The count of entities; an id that there is not.
    let at = start + body(&packets[39]);
    for (offset, value, code) in [(0, 0x7F, "delta.count"), (1, 0xEE, "delta.entity-")] {
        let mut bytes = whole.clone();
        bytes[at + offset] = value;
        write(path, &bytes);
        let codes = codes(path, "bad.delta");
        assert!(codes.len() == 1 && codes[0].starts_with(code), "{codes:?}");
        let (_, err) = said(path, "repair bad.delta good.delta", 3);
        let lines: Vec<&str> = err.lines().collect();
        assert!(
            lines[0].starts_with("packet 39 (tick 40): dropped: "),
            "{err}"
        );
        assert_eq!(lines[1], "kept 39 of 40 packets, up to tick 39");
        assert_eq!(fs::read(path.join("good.delta")).unwrap(), whole[..start]);
    }
}

/// Any bit of a capture: nothing that is wrong passes, and nothing is lost in silence.
#[test]
fn a_flipped_bit_is_found() {
    let folder = folder();
    let path = folder.path();
    let capture = capture(&packets(), with_keyframes());
    let mut random = 9_u64;
    for _ in 0..40 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let at = (random >> 33) as usize % capture.len();
        let bit = random >> 30 & 7;
        let mut bytes = capture.clone();
        bytes[at] ^= 1 << bit;
        fs::write(path.join("bad.mcap"), &bytes).unwrap();
        let run = gametape(path, &["verify", "bad.mcap"]).assert();
        let code = run.get_output().status.code().unwrap();
        assert!([1, 2].contains(&code), "byte {at}, bit {bit} passes");
        let run = gametape(path, &["repair", "bad.mcap", "good.mcap"]).assert();
        let output = run.get_output();
        let code = output.status.code().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if code == 2 {
            assert_eq!(said.lines().count(), 1, "{said}");
            continue;
        }
        let verified = fine(path, "verify good.mcap");
        assert!(verified.starts_with("pass "), "byte {at}: {said}");
        let diff = gametape(path, &["diff", "run.mcap", "good.mcap"]).assert();
        let same = diff.get_output().status.code() == Some(0);
        // Such as the names of a schema, which no state depends on.
        let doubtful = said.starts_with("kept, but may be altered: ");
        assert_eq!(
            code,
            if same && !doubtful { 0 } else { 3 },
            "byte {at}, bit {bit}: {said}"
        );
    }
}

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
    // With keyframes the stream goes on behind the gap.
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
        held(&fine(path, "dump --state good.mcap")),
        held(&fine(path, "dump --state run.mcap"))
    );
    // What can't be read is said by whoever reads on.
    for (args, code) in [
        ("inspect", 1),
        ("stats", 1),
        ("dump", 1),
        ("diff run.mcap", 2),
    ] {
        let (out, err) = said(path, &format!("{args} bad.mcap"), code);
        assert_eq!(out.is_empty(), code == 2, "{args}");
        assert!(err.starts_with("gametape: bad.mcap: "), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

/// What only the checksum of all data is over may be altered where that is wrong; a damaged index explains
/// it, and is written anew.
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
        let (_, err) = said(path, &format!("convert bad.mcap {to}"), 2);
        let said = "gametape: bad.mcap: byte 0: the checksum of the data section is ";
        assert!(err.starts_with(said), "{err}");
    }
    let (_, err) = said(path, "repair bad.mcap good.mcap", 3);
    let begins = "kept, but may be altered: what stands beside the packets, such as the length of a tick (byte 0): the checksum of the data section is ";
    assert!(err.starts_with(begins), "{err}");
    assert_eq!(err.lines().count(), 3, "{err}");
    let (told, _) = said(path, "repair --json bad.mcap good.mcap", 3);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["altered_count"], 1);
    let one = &told["altered"][0];
    assert!(one["first_step"].is_null(), "{one}");
    assert_eq!(one["code"], "capture.crc");
    assert!(
        one["beside"].as_str().unwrap().starts_with("what stands"),
        "{one}"
    );

    // Of a chunk without a checksum, packets, too.
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let chunk = &summary.chunk_indexes[2];
    let mut bad = bytes.clone();
    let crc = chunk.chunk_start_offset as usize + 9 + 24;
    bad[crc..crc + 4].fill(0);
    fs::write(path.join("bad.mcap"), &bad).unwrap();
    let (told, _) = said(path, "repair --json bad.mcap good.mcap", 3);
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
    let (_, err) = said(path, "repair bad.mcap good.mcap", 0);
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
    // In the middle of a chunk; behind the data, where the index would begin.
    let middle = chunk.chunk_start_offset + chunk.chunk_length / 2;
    fs::write(path.join("bad.mcap"), &bytes[..middle as usize]).unwrap();
    verified(
        path,
        "bad.mcap",
        1,
        str![[r#"
fail  bad.mcap  20 packets, all applied, 4 entities at tick 20
      error capture.truncated, byte 3,931: the file ends inside a record, or is damaged here: 259 bytes are not of a whole chunk

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
    let (out, err) = said(path, "repair --json bad.mcap good.mcap", 3);
    assert_eq!(err, "");
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["lossy"], true);
    assert_eq!(out["format"], "capture");
    assert_eq!(
        out["bytes"],
        fs::metadata(path.join("good.mcap")).unwrap().len()
    );
    assert!(!out["actions"].as_array().unwrap().is_empty());
    // Of what is there, everything is shown.
    let (out, err) = said(path, "dump bad.mcap", 1);
    assert!(err.ends_with("(dumped what could be read)\n"), "{err}");
    let count = out.lines().count();
    assert!(count > 5 && count < TICKS as usize);
    let (out, err) = said(path, "tables bad.mcap", 1);
    assert!(out.starts_with("packets (events)\n"), "{out}");
    assert!(err.ends_with("(they have what could be read)\n"), "{err}");
    let state = held(&fine(path, "dump --state --at tick:3 bad.mcap"));
    let whole = fine(path, "dump --state --at tick:3 run.mcap");
    assert_eq!(state, held(&whole));
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

/// A recorder that adds a snapshot of a state that never was.
#[test]
fn a_keyframe_that_lies() {
    let folder = folder();
    let path = folder.path();
    let (packets, states) = (packets(), states());
    let mut writer = mcap::WriteOptions::new()
        .profile("gametape")
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let id = writer
        .add_schema("gametape.Snapshot", "gametape.schema+json", &schema_json())
        .unwrap();
    let channels = ["keyframes", "deltas", "keyframes/added"].map(|topic| {
        writer
            .add_channel(id, topic, "snapshot-delta-v0", &BTreeMap::new())
            .unwrap()
    });
    let mut push = |role: usize, tick: u32, data: &[u8]| {
        let time = u64::from(tick) * 1_000_000;
        let header = mcap::records::MessageHeader {
            channel_id: channels[role],
            sequence: tick,
            log_time: time,
            publish_time: time,
        };
        writer.write_to_known_channel(&header, data).unwrap();
    };
    let mut lie = states[19].clone();
    lie.entity_mut(2)
        .unwrap()
        .set_value(1, 8, FieldValue::UInt(99))
        .unwrap();
    let mut full = Vec::new();
    Encoder::new(&Arena::schema())
        .full(&lie, &mut full)
        .unwrap();
    for (packet, tick) in packets.iter().zip(1..) {
        push(usize::from(tick > 1), tick, packet);
        if tick == 20 {
            push(2, tick, &full);
        }
    }
    writer.finish().unwrap();
    fs::write(path.join("bad.mcap"), writer.into_inner().into_inner()).unwrap();
    verified(
        path,
        "bad.mcap",
        1,
        str![[r#"
fail  bad.mcap  40 packets, all applied, 4 entities at tick 40
      error capture.keyframe, packet 19 (tick 20, byte 49): the full snapshot that the recorder added is not the state that the stream has
      warning capture.metadata: the metadata of the capture is missing: the length of a tick is not known

"#]],
    );
    repaired(
        path,
        "bad.mcap",
        3,
        str![[r#"
the length of a tick is lost, if it was recorded
left out a full snapshot that was added after packet 19: the stream does not have its state
wrote a new index
kept 40 packets, up to tick 40

"#]],
    );
    // No packet of the stream is touched.
    assert_eq!(
        fine(path, "diff run.delta good.mcap"),
        "the recordings are the same\n"
    );
}

#[test]
fn a_schema_that_is_missing_or_another() {
    let folder = folder();
    let path = folder.path();
    let bytes = packets().concat();
    fs::write(path.join("lone.delta"), &bytes).unwrap();
    let missing = "lone.delta: the schema of its packets is missing: neither lone.schema.json nor schema.json is there";
    for args in [
        "inspect",
        "verify",
        "stats",
        "dump",
        "dump --state",
        "schema show",
    ] {
        refused(path, &format!("{args} lone.delta"), missing);
    }
    for args in [
        "convert lone.delta out.mcap",
        "repair lone.delta out.delta",
        "diff lone.delta run.mcap",
    ] {
        refused(path, args, missing);
    }
    gametape(path, &["verify", "--json", "lone.delta"])
        .assert()
        .code(2)
        .stderr_eq("")
        .stdout_eq(str![[r#"
{"path":"lone.delta","format":null,"verdict":"fail","facts":{},"findings":[{"code":"schema","severity":"error","step":null,"tick":null,"time_ms":null,"line":null,"offset":null,"offset_in":null,"repeats":0,"message":"the schema of its packets is missing: neither lone.schema.json nor schema.json is there","data":{}}]}

"#]]);
    // Another one is beside them.
    let mut components = Arena::schema().components().to_vec();
    components[0].fields[6].codec = Codec::UInt { bits: 11 };
    let other = serde_json::to_vec(&Schema::new(components).unwrap()).unwrap();
    fs::write(path.join("lone.schema.json"), &other).unwrap();
    gametape(path, &["verify", "lone.delta"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
gametape: lone.delta: its packets are of schema 8bd8c1dbe8794429, lone.schema.json is schema c60920b9d8b35e25

"#]]);
    // And the right one in the folder: it is explained.
    fs::write(path.join("schema.json"), schema_json()).unwrap();
    gametape(path, &["verify", "lone.delta"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
gametape: lone.delta: its packets are of schema 8bd8c1dbe8794429, lone.schema.json is schema c60920b9d8b35e25; schema.json is the right one. Between the first and the second: component 1, field 7 (yaw) is UInt of 11 bits here and UInt of 12 bits there

"#]]);
    fs::remove_file(path.join("lone.schema.json")).unwrap();
    assert!(fine(path, "verify lone.delta").starts_with("pass "));
    fs::remove_file(path.join("schema.json")).unwrap();
    // One that is none; a folder of packets with another.
    fs::write(path.join("lone.schema.json"), "{").unwrap();
    let (_, err) = said(path, "verify lone.delta", 2);
    assert!(
        err.starts_with("gametape: lone.schema.json: not a schema: "),
        "{err}"
    );
    fs::write(path.join("packets/schema.json"), &other).unwrap();
    gametape(path, &["inspect", "packets"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
gametape: packets: its packets are of schema 8bd8c1dbe8794429, packets/schema.json is schema c60920b9d8b35e25

"#]]);
    fs::remove_file(path.join("packets/schema.json")).unwrap();
    // One fault, and not one of each file.
    for args in [
        "inspect packets",
        "verify packets",
        "dump packets",
        "convert packets a.mcap",
    ] {
        refused(
            path,
            args,
            "packets: the schema of its packets is missing: packets/schema.json is not there",
        );
    }
}

#[test]
fn a_folder_whose_files_were_mixed_up() {
    let folder = folder();
    let path = folder.path();
    let packets_folder = path.join("packets");
    let [a, b] = [
        "delta_000007_base_000006.bin",
        "delta_000008_base_000007.bin",
    ]
    .map(|name| packets_folder.join(name));
    let (first, second) = (fs::read(&a).unwrap(), fs::read(&b).unwrap());
    // One holds two packets, the other is empty.
    fs::write(&a, [first.clone(), second.clone()].concat()).unwrap();
    fs::write(&b, "").unwrap();
    verified(
        path,
        "packets",
        0,
        str![[r#"
warn  packets  40 packets, all applied, 4 entities at tick 40
      warning delta.file-size, byte 616 of the folder: delta_000007_base_000006.bin has 206 bytes, its packet 103 (and once more)

"#]],
    );
    // Exchanged.
    fs::write(&a, &second).unwrap();
    fs::write(&b, &first).unwrap();
    verified(
        path,
        "packets",
        1,
        str![[r#"
fail  packets  40 packets, 7 applied
      error delta.baseline-missing, packet 6 (tick 8, byte 616 of the folder): it builds on tick 7, which is not recorded before it
      error capture.tick-order, packet 7 (tick 7, byte 719 of the folder): a packet of tick 7 comes after tick 8
      error delta.not-applied: 32 packets, the last of tick 40, build on packets that could not be applied
      warning delta.file-name, byte 616 of the folder: delta_000007_base_000006.bin holds a delta of tick 8 on tick 7, its name says a delta of tick 7 on tick 6 (and once more)

"#]],
    );
    // One is missing.
    fs::write(&a, &first).unwrap();
    fs::remove_file(&b).unwrap();
    verified(
        path,
        "packets",
        1,
        str![[r#"
fail  packets  39 packets, 7 applied
      error delta.baseline-missing, packet 7 (tick 9, byte 719 of the folder): it builds on tick 8, which is not recorded before it
      error delta.not-applied: 31 packets, the last of tick 40, build on packets that could not be applied

"#]],
    );
    let (_, err) = said(path, "repair packets out.delta", 3);
    assert!(
        err.ends_with("kept 7 of 39 packets, up to tick 7\n"),
        "{err}"
    );
}
