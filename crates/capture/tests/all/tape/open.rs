//! Schemas next to packets, and folders of packets.

use std::fs;
use std::path::Path;

use gametape_capture::tape::{Delta, Mcap, PacketsTape, SchemaError, schema_of_json};
use gametape_core::tape::{Disk, Folders, Format, OptionValue, Options, Source, Verdict, Work};
use gametape_delta::wire::Header;
use gametape_delta::{Codec, Component, Field, Schema};

use super::{Recording, codes};
use crate::common::{assert_seeks, capture_of, schema, small, stream};

#[test]
fn a_schema_that_is_missing_or_another_is_explained() {
    let (packets, _) = stream(3, 2, 8, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.delta");
    fs::write(&path, packets.concat()).unwrap();
    let message = |path: &Path| {
        let error = Recording::open(path).info().unwrap_err();
        assert!(error.of_format::<SchemaError>().is_some(), "{error:?}");
        let message = error.to_string();
        message.replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        message(&path),
        "the schema of its packets is missing: neither run.schema.json nor schema.json is there"
    );
    let other = Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap();
    fs::write(
        folder.path().join("run.schema.json"),
        serde_json::to_vec(&other).unwrap(),
    )
    .unwrap();
    assert_eq!(
        message(&path),
        format!(
            "its packets are of schema {:016x}, run.schema.json is schema 32f5a224657bee15",
            schema().hash()
        )
    );
    fs::write(
        folder.path().join("schema.json"),
        serde_json::to_vec(&schema()).unwrap(),
    )
    .unwrap();
    let explained = message(&path);
    assert!(explained.contains("schema.json is the right one. Between the first and the second: component 1, field 1 (x) is Bool here and FixedPoint -5000 to 5000 at scale 100 there; component 1, field 2 (yaw) is added"), "{explained}");
    fs::remove_file(folder.path().join("run.schema.json")).unwrap();
    assert_eq!(Recording::open(&path).info().unwrap().steps, Some(3));
    fs::write(folder.path().join("run.schema.json"), b"{").unwrap();
    assert!(message(&path).starts_with("not a schema: EOF while parsing"));
}

#[test]
fn a_folder_of_packets_is_one_recording_wherever_it_is_found() {
    let (packets, states) = stream(12, 3, 6, 2);
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("runs/first");
    fs::create_dir_all(&folder).unwrap();
    fs::write(root.path().join("runs/other.delta"), b"").unwrap();
    for (packet, state) in packets.iter().zip(&states) {
        let header = Header::read(packet).unwrap().0;
        let name = match header.baseline() {
            None => format!("full_{:06}.bin", state.tick()),
            Some(baseline) => format!("delta_{:06}_base_{baseline:06}.bin", state.tick()),
        };
        fs::write(folder.join(name), packet).unwrap();
    }
    // Without a schema, the folder is still one recording, with a single fault.
    let error = Recording::open(&folder).info().unwrap_err();
    assert_eq!(error.code(), "schema");
    assert!(
        error.to_string().ends_with("schema.json is not there"),
        "{error}"
    );
    fs::write(
        folder.join("schema.json"),
        serde_json::to_vec(&schema()).unwrap(),
    )
    .unwrap();
    assert!(Delta.is_recording(&folder, &Disk) && !Delta.is_recording(root.path(), &Disk));
    let recording = Recording::open(&folder);
    assert_eq!(*recording.tape.input().bytes().unwrap(), packets.concat());
    assert_seeks(&recording.packets().packets().unwrap(), &states);
    assert_eq!(recording.audit().verdict(), Verdict::Pass);
    fs::rename(
        folder.join("delta_000012_base_000010.bin"),
        folder.join("delta_000012_base_000011.bin"),
    )
    .unwrap();
    let audit = Recording::open(&folder).audit();
    assert_eq!(codes(&audit), ["delta.file-name"]);
    assert_eq!(
        audit.findings[0].message(),
        "delta_000012_base_000011.bin holds a delta of tick 12 on tick 10, its name says a delta of tick 12 on tick 11"
    );
}

/// Every place from which a schema may come.
#[test]
fn a_schema_is_given_as_json_as_a_capture_or_as_packets_with_theirs_beside_them() {
    let (packets, _) = stream(3, 2, 8, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.delta");
    let beside = serde_json::to_vec(&schema()).unwrap();
    fs::write(folder.path().join("run.schema.json"), &beside).unwrap();
    let capture = capture_of(&packets, small());
    for bytes in [beside, capture.clone(), packets.concat()] {
        let given = OptionValue::File {
            path: path.clone(),
            bytes,
        };
        let source = Source {
            options: Options::new().with("schema", given),
            ..Source::new(packets.concat())
        };
        let tape = Delta.open(source).unwrap();
        let tape = tape.of_type::<PacketsTape>().unwrap();
        assert_eq!(tape.schema().unwrap().hash(), schema().hash());
    }
    assert_eq!(schema_of_json(&capture).unwrap().hash(), schema().hash());
    let nowhere = Delta.open(Source::new(packets.concat())).unwrap();
    let error = nowhere
        .audit(&Options::new(), &Work::default())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "packets from standard input have no schema beside them; name the file, or convert it to .mcap, which holds its schema"
    );
    let bare = Mcap.open(Source::new(packets.concat())).unwrap();
    let audit = bare.audit(&Options::new(), &Work::default()).unwrap();
    assert!(audit.findings[0].message().contains("bare packets"));
}
