//! From one form to another: packets byte for byte.

use std::fs;
use std::path::Path;

use gametape::capture::{Options, Packets, Role, Writer};
use gametape_samples::delta::Arena;
use serde_json::Value;

use super::support::{
    capture, expect, fine, folder, gametape, names, outputs, packets, refused, schema_json, words,
};

/// The packets of the stream that a capture holds.
fn state_rows(path: &Path) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    let packets = Packets::Capture(Box::new(gametape::capture::read(&bytes).unwrap()));
    let mut cursor = packets.cursor();
    let mut held = Vec::new();
    while let Some(packet) = cursor.next_packet().unwrap() {
        if packet.role != Role::Added {
            held.push(packet.bytes.to_vec());
        }
    }
    held
}

#[test]
fn from_a_folder_round_through_every_form() {
    let folder = folder();
    let path = folder.path();
    let packets = packets();
    assert_eq!(fine(path, "convert packets a.mcap"), "");
    assert_eq!(state_rows(&path.join("a.mcap")), packets);
    assert_eq!(fine(path, "convert a.mcap b.delta"), "");
    assert_eq!(fs::read(path.join("b.delta")).unwrap(), packets.concat());
    assert_eq!(fine(path, "convert b.delta c.mcap"), "");
    assert_eq!(
        fs::read(path.join("c.mcap")).unwrap(),
        fs::read(path.join("a.mcap")).unwrap()
    );
    // Its schema lies beside it: the same one, names included.
    let schema = fs::read_to_string(path.join("b.schema.json")).unwrap();
    let value = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap();
    assert_eq!(value(schema.as_bytes()), value(&schema_json()));
    assert!(schema.ends_with("}\n"), "{schema}");
    // Straight from a folder, and from one .delta to another.
    fine(path, "convert packets d.delta");
    fine(path, "convert d.delta e.delta");
    for name in ["d", "e"] {
        assert_eq!(
            fs::read(path.join(format!("{name}.delta"))).unwrap(),
            packets.concat()
        );
        assert_eq!(
            fs::read_to_string(path.join(format!("{name}.schema.json"))).unwrap(),
            schema
        );
    }
    for name in ["a.mcap", "b.delta", "c.mcap", "d.delta", "e.delta"] {
        assert_eq!(
            fine(path, &format!("diff packets {name}")),
            "the recordings are the same\n"
        );
        assert!(
            fine(path, &format!("verify {name}")).starts_with("pass "),
            "{name}"
        );
    }
    // A capture as it is.
    fine(path, "convert run.mcap same.mcap");
    assert_eq!(
        fs::read(path.join("same.mcap")).unwrap(),
        fs::read(path.join("run.mcap")).unwrap()
    );
}

#[test]
fn losses_of_bare_packets_are_reported() {
    let folder = folder();
    let path = folder.path();
    let (out, err) = outputs(path, "convert run.mcap out.delta", 3);
    assert_eq!(out, "");
    assert_eq!(err, "not carried over: the length of a tick, 50000000 ns\n");
    assert_eq!(
        fs::read(path.join("out.delta")).unwrap(),
        packets().concat()
    );
    let (out, err) = outputs(path, "convert --json run.mcap out.delta", 3);
    let bytes = packets().concat().len();
    assert_eq!(
        out,
        format!(
            "{{\"path\":\"run.mcap\",\"out\":\"out.delta\",\"format\":\"capture\",\"to\":\"delta\",\"bytes\":{bytes},\"losses\":[\"the length of a tick, 50000000 ns\"],\"notes\":[],\"report\":null}}\n"
        )
    );
    assert_eq!(err, "");
    // When packets came is lost, too.
    let mut writer = Writer::new(Vec::new(), &Arena::schema(), Options::default()).unwrap();
    for (packet, second) in packets().iter().zip(1_700_000_000_u64..) {
        writer.push_at(packet, second * 1_000_000_000).unwrap();
    }
    fs::write(path.join("timed.mcap"), writer.finish().unwrap()).unwrap();
    let (_, err) = outputs(path, "convert timed.mcap out.delta", 3);
    assert_eq!(
        err,
        "not carried over: when packets were recorded (40 times)\n"
    );
    // From capture to capture the times stay, keyframes or not.
    fine(path, "convert timed.mcap more.mcap --keyframe-every 10");
    let (_, err) = outputs(path, "convert more.mcap out.delta", 3);
    assert_eq!(
        err,
        "not carried over: when packets were recorded (40 times)\n"
    );
}

#[test]
fn options_of_captures() {
    let folder = folder();
    let path = folder.path();
    fine(
        path,
        "convert run.delta out.mcap --tick-rate 20 --keyframe-every 15",
    );
    assert_eq!(
        fs::read(path.join("out.mcap")).unwrap(),
        fs::read(path.join("run.mcap")).unwrap()
    );
    let info = |name: &str| -> Value {
        serde_json::from_str(&fine(path, &format!("inspect --json {name}"))).unwrap()
    };
    assert_eq!(info("out.mcap")["duration_ms"], 39 * 50);
    fine(
        path,
        "convert out.mcap other.mcap --tick-rate 12.5 --keyframe-every 1",
    );
    let other = info("other.mcap");
    assert_eq!(other["duration_ms"], 39 * 80);
    assert_eq!(other["details"]["added_keyframes"], 39);
    assert_eq!(state_rows(&path.join("other.mcap")), packets());
    // Options that would do nothing are not passed over.
    for args in [
        "convert run.mcap out2.delta --tick-rate 20",
        "convert run.delta out2.delta --keyframe-every 20",
    ] {
        let [_, name, _, option, _] = words(args)[..] else {
            unreachable!()
        };
        let from = if name == "run.mcap" {
            "capture"
        } else {
            "delta"
        };
        let option = option.trim_start_matches("--");
        let none = format!("{name}: there is no option {option} to convert {from} to delta");
        refused(path, args, &none);
    }
    // There is one version of the wire.
    refused(
        path,
        "convert run.mcap out2.mcap --format-version 0",
        "run.mcap: there is no option format-version to convert capture to capture",
    );
    for args in [
        "--tick-rate 0",
        "--tick-rate nan",
        "--tick-rate 1e-9",
        "--tick-rate x",
        "--keyframe-every 0",
        "--keyframe-every 4294967296",
    ] {
        let (out, err) = outputs(path, &format!("convert run.delta out3.mcap {args}"), 2);
        assert_eq!(out, "");
        assert!(err.starts_with("error: invalid value "), "{err}");
    }
    assert!(!path.join("out3.mcap").exists());
}

#[test]
fn other_formats_and_names() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("pond.toml"), "").unwrap();
    for (args, complaint) in [
        (
            "convert run.delta out.rmv",
            "run.delta: delta can't be converted to rmv; it can be converted to .delta or .mcap",
        ),
        (
            "convert run.mcap out.murk",
            "run.mcap: capture can't be converted to murk; it can be converted to .mcap or .delta",
        ),
        (
            "convert packets out",
            "packets: delta can't be converted to out: its extension is of no known format; it can be converted to .delta or .mcap",
        ),
        (
            "convert run.mcap packets",
            "run.mcap: capture can't be converted to packets: its extension is of no known format; it can be converted to .mcap or .delta",
        ),
        (
            "inspect --world run.mcap",
            "run.mcap: the recording carries no world",
        ),
        (
            "index run.mcap",
            "run.mcap: capture recordings have no index; murk recordings do",
        ),
        (
            "sync-test packets",
            "packets: delta recordings have no commands to run; murk recordings do",
        ),
    ] {
        refused(path, args, complaint);
    }
}

#[test]
fn through_pipes() {
    let folder = folder();
    let path = folder.path();
    let mcap = fs::read(path.join("run.mcap")).unwrap();
    let run =
        |args: &str, input: &[u8]| gametape(path, &words(args)).stdin(input.to_vec()).assert();
    let copy = run("convert - -", &mcap).code(0).stderr_eq("");
    assert_eq!(copy.get_output().stdout, mcap);
    run("convert - piped.delta", &mcap).code(3);
    assert_eq!(
        fs::read(path.join("piped.delta")).unwrap(),
        packets().concat()
    );
    assert!(path.join("piped.schema.json").exists());
    run("diff - run.delta", &mcap)
        .code(0)
        .stdout_eq("the recordings are the same\n");
    run("schema hash -", &mcap)
        .code(0)
        .stdout_eq("8bd8c1dbe8794429\n");
    run("repair - -", &mcap).code(0);
    // Bare packets come without their schema: a loss.
    let bare = expect(path, "convert run.delta -", 3);
    bare.stderr_eq("not written: the .schema.json beside it\n");
    let delta = fs::read(path.join("run.delta")).unwrap();
    for args in [
        "inspect -",
        "stats -",
        "dump -",
        "dump --state -",
        "verify -",
        "convert - a.mcap",
        "repair - a.delta",
        "diff - run.mcap",
        "schema show -",
    ] {
        run(args, &delta).code(2).stdout_eq("").stderr_eq(
            "gametape: -: packets from standard input have no schema beside them; name the file, or convert it to .mcap, which holds its schema\n",
        );
    }
}

/// A recording that can't be read to its end is not converted in part.
#[test]
fn a_cut_recording_is_left_to_repair() {
    let folder = folder();
    let path = folder.path();
    let whole = fs::read(path.join("run.delta")).unwrap();
    fs::write(path.join("cut.delta"), &whole[..whole.len() - 5]).unwrap();
    fs::write(path.join("cut.schema.json"), schema_json()).unwrap();
    let mcap = capture(&packets(), Options::default());
    fs::write(path.join("cut.mcap"), &mcap[..mcap.len() / 2]).unwrap();
    for input in ["cut.delta", "cut.mcap"] {
        for output in ["out.mcap", "out.delta", "-"] {
            let before = names(path);
            let (out, err) = outputs(path, &format!("convert {input} {output}"), 2);
            assert_eq!(out, "");
            assert!(err.starts_with(&format!("gametape: {input}: ")), "{err}");
            assert!(
                err.ends_with("(gametape repair may save the intact parts)\n"),
                "{err}"
            );
            assert_eq!(err.lines().count(), 1, "{err}");
            assert_eq!(names(path), before);
        }
    }
}
