//! Recordings that are damaged: what verify says, and what repair keeps.

use std::fs;
use std::path::Path;

use gametape::delta::{Codec, Schema};
use gametape_samples::delta::Arena;
use serde_json::Value;
use snapbox::{IntoData, str};

use super::support::{
    capture, expect, fine, folder, gametape, outputs, packets, refused, schema_json, starts,
    with_keyframes,
};

/// Writes packets as `bad.delta`, with the arena's schema beside them.
fn write(folder: &Path, bytes: &[u8]) {
    fs::write(folder.join("bad.delta"), bytes).unwrap();
    fs::write(folder.join("bad.schema.json"), schema_json()).unwrap();
}

pub(super) fn verified(folder: &Path, name: &str, code: i32, printed: impl IntoData) {
    gametape(folder, &["verify", name])
        .assert()
        .code(code)
        .stderr_eq("")
        .stdout_eq(printed);
}

/// Codes of the findings as JSON has them.
pub(super) fn codes(folder: &Path, name: &str) -> Vec<String> {
    let run = gametape(folder, &["verify", "--json", name]).assert();
    let out: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let findings = out["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| finding["code"].as_str().unwrap().to_owned())
        .collect()
}

/// Repairs with loss or without; what comes out is sound.
pub(super) fn repaired(folder: &Path, name: &str, code: i32, printed: impl IntoData) {
    let out = name.replace("bad", "good");
    gametape(folder, &["repair", "--replace", name, &out])
        .assert()
        .code(code)
        .stdout_eq("")
        .stderr_eq(printed);
    assert!(fine(folder, &format!("verify {out}")).starts_with("pass "));
    // There is nothing left to do.
    let (_, again) = outputs(folder, &format!("repair --replace {out} again-{out}"), 0);
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
      advice: repair was tried: byte 925: dropped unreadable data: 103 bytes are no packet: the next one starts at byte 1,028; packet 9 (tick 11): dropped: it builds on tick 10, which is not recorded before it; dropped 29 more packets that build on dropped packets; and 1 more

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
      advice: repair was tried: packet 9 (tick 10): dropped: it builds on tick 200, which is not recorded before it; dropped 30 more packets that build on dropped packets; kept 9 of 40 packets, up to tick 9

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
        let (_, err) = outputs(path, "repair --replace bad.delta good.delta", repair);
        assert!(err.lines().last().unwrap().starts_with("kept "), "{err}");
        assert!(fine(path, "verify good.delta").starts_with("pass "));
    }
}

/// Any bit of a capture: nothing that is wrong passes, and nothing is lost in silence.
#[test]
fn a_flipped_bit_is_found() {
    let folder = folder();
    let path = folder.path();
    let capture = capture(&packets(), with_keyframes());
    let mut random = 9_u64;
    for _ in 0..16 {
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
        let run = gametape(path, &["repair", "--replace", "bad.mcap", "good.mcap"]).assert();
        let output = run.get_output();
        let code = output.status.code().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        if code == 2 {
            assert_eq!(printed.lines().count(), 1, "{printed}");
            continue;
        }
        let verified = fine(path, "verify good.mcap");
        assert!(verified.starts_with("pass "), "byte {at}: {printed}");
        let diff = gametape(path, &["diff", "run.mcap", "good.mcap"]).assert();
        let same = diff.get_output().status.code() == Some(0);
        // Such as the names of a schema, which no state depends on.
        let doubtful = printed.starts_with("kept, but may be altered: ");
        assert_eq!(
            code,
            if same && !doubtful { 0 } else { 3 },
            "byte {at}, bit {bit}: {printed}"
        );
    }
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
    expect(path, "verify --json lone.delta", 2)
        .stderr_eq("")
        .stdout_eq(str![[r#"
{"path":"lone.delta","format":null,"verdict":"fail","facts":{},"findings":[{"code":"schema","severity":"error","step":null,"tick":null,"time_ms":null,"line":null,"offset":null,"offset_in":null,"repeats":0,"message":"the schema of its packets is missing: neither lone.schema.json nor schema.json is there","data":{}}]}

"#]]);
    // Another one is beside them.
    let mut components = Arena::schema().components().to_vec();
    components[0].fields[6].codec = Codec::UInt { bits: 11 };
    let other = serde_json::to_vec(&Schema::new(components).unwrap()).unwrap();
    fs::write(path.join("lone.schema.json"), &other).unwrap();
    expect(path, "verify lone.delta", 2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
gametape: lone.delta: its packets are of schema 8bd8c1dbe8794429, lone.schema.json is schema c60920b9d8b35e25

"#]]);
    // And the right one in the folder: it is explained.
    fs::write(path.join("schema.json"), schema_json()).unwrap();
    expect(path, "verify lone.delta", 2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
gametape: lone.delta: its packets are of schema 8bd8c1dbe8794429, lone.schema.json is schema c60920b9d8b35e25; schema.json is the right one. Between the first and the second: component 1, field 7 (yaw) is UInt of 11 bits here and UInt of 12 bits there

"#]]);
    fs::remove_file(path.join("lone.schema.json")).unwrap();
    assert!(fine(path, "verify lone.delta").starts_with("pass "));
    fs::remove_file(path.join("schema.json")).unwrap();
    // One that is none; a folder of packets with another.
    fs::write(path.join("lone.schema.json"), "{").unwrap();
    let (_, err) = outputs(path, "verify lone.delta", 2);
    assert!(
        err.starts_with("gametape: lone.schema.json: not a schema: "),
        "{err}"
    );
    fs::write(path.join("packets/schema.json"), &other).unwrap();
    expect(path, "inspect packets", 2)
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
      advice: repair was tried: kept 40 packets, up to tick 40

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
      advice: repair was tried: packet 6 (tick 8): dropped: its tick is out of order; dropped 32 more packets that build on dropped packets; kept 7 of 40 packets, up to tick 7

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
      advice: repair was tried: packet 7 (tick 9): dropped: it builds on tick 8, which is not recorded before it; dropped 31 more packets that build on dropped packets; kept 7 of 39 packets, up to tick 7

"#]],
    );
    let (_, err) = outputs(path, "repair packets out.delta", 3);
    assert!(
        err.ends_with("kept 7 of 39 packets, up to tick 7\n"),
        "{err}"
    );
}
