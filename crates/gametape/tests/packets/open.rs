//! Schemas beside packets, and folders of packets.

use std::fs;
use std::path::Path;

use gametape::{Error, Recording, Verdict};
use gametape_delta::wire::Header;
use gametape_delta::{Codec, Component, Field, Schema};

use crate::codes;
use crate::common::{assert_seeks, schema, stream};

#[test]
fn a_schema_that_is_missing_or_another_is_explained() {
    let (packets, _) = stream(3, 2, 8, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.delta");
    fs::write(&path, packets.concat()).unwrap();
    let message = |path: &Path| match Recording::open(path).unwrap().info() {
        Err(error @ Error::Schema { .. }) => error
            .to_string()
            .replace(&format!("{}/", folder.path().display()), ""),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        message(&path),
        "run.delta: the schema of its packets is missing: neither run.schema.json nor schema.json is there"
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
            "run.delta: its packets are of schema {:016x}, run.schema.json is schema 32f5a224657bee15",
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
    assert_eq!(
        Recording::open(&path).unwrap().info().unwrap().frames,
        Some(3)
    );
    fs::write(folder.path().join("run.schema.json"), b"{").unwrap();
    assert!(message(&path).starts_with("run.schema.json: not a schema: EOF while parsing"));
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
    // Without a schema it is one recording all the same, and that is its one fault.
    let error = Recording::open(&folder).unwrap().info().unwrap_err();
    assert!(matches!(error, Error::Schema { .. }), "{error}");
    assert!(
        error.to_string().ends_with("schema.json is not there"),
        "{error}"
    );
    fs::write(
        folder.join("schema.json"),
        serde_json::to_vec(&schema()).unwrap(),
    )
    .unwrap();
    let found: Vec<_> = gametape::find(root.path())
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let paths: Vec<_> = found.iter().map(|found| found.path.clone()).collect();
    assert_eq!(
        paths,
        [folder.clone(), root.path().join("runs/other.delta")]
    );
    assert!(gametape::find(&folder)[0].as_ref().unwrap().named);

    let recording = Recording::open(&folder).unwrap();
    assert_eq!(recording.bytes(), packets.concat());
    assert_seeks(&recording.packets().unwrap(), &states);
    assert_eq!(recording.audit().unwrap().verdict(), Verdict::Pass);
    fs::rename(
        folder.join("delta_000012_base_000010.bin"),
        folder.join("delta_000012_base_000011.bin"),
    )
    .unwrap();
    let audit = Recording::open(&folder).unwrap().audit().unwrap();
    assert_eq!(codes(&audit), ["delta.file-name"]);
    assert_eq!(
        audit.findings[0].message,
        "delta_000012_base_000011.bin holds a delta of tick 12 on tick 10, its name says a delta of tick 12 on tick 11"
    );
}
