//! The index beside a recording: what it finds, and when it is refused.

use std::fs;

use snapbox::str;

use super::support::{expect, folder, gametape, header_size, outputs, record};

#[test]
fn an_index_finds_ticks_and_names_and_mends_a_flipped_bit() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    let plain = outputs(path, &["dump", "--at", "tick:6", "run.murk"], 0);
    expect(path, "index run.murk", 0)
        .stdout_eq("run.murk.index: 12 frames\n")
        .stderr_eq("");
    expect(path, "index --json run.murk", 0)
        .stdout_eq("{\"path\":\"run.murk\",\"index\":\"run.murk.index\",\"frames\":12}\n");
    assert_eq!(
        outputs(path, &["dump", "--at", "tick:6", "run.murk"], 0),
        plain
    );
    expect(path, "dump --at tick:0 run.murk", 2)
        .stderr_eq("gametape: run.murk: tick 0 is not recorded: the recording starts at tick 1\n");
    expect(path, "verify run.murk", 0)
        .stdout_eq("pass  run.murk  12 ticks, replayed: every hash is right\n");

    let index = fs::read(path.join("run.murk.index")).unwrap();
    // Bits of the magic, of the header, of frames; in the commands, in a tick, in a hash.
    let first = header_size(&bytes);
    for (at, bit) in [
        (0, 2),
        (4, 1),
        (20, 0),
        (first - 1, 3),
        (first + 1, 7),
        (first + 9, 7),
        (first + 30, 5),
        (bytes.len() - 1, 0),
    ] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << bit;
        fs::write(path.join("run.murk"), &flipped).unwrap();
        let text = outputs(path, &["verify", "run.murk"], 1);
        let named = format!("bit {bit} of byte {} is flipped", grouped(at));
        assert!(text.contains(&named), "{text}");
        let code = if at < first {
            "murk.header-changed"
        } else {
            "murk.frame-changed"
        };
        assert!(outputs(path, &["verify", "--json", "run.murk"], 1).contains(code));
        // An index of the damaged recording would replace the one that knows the bit.
        let refused = expect(path, "index run.murk", 2);
        let complaint = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(complaint.starts_with("gametape: run.murk: "), "{complaint}");
        assert_eq!(fs::read(path.join("run.murk.index")).unwrap(), index);

        expect(path, "repair --replace run.murk mended.murk", 0)
            .stdout_eq("")
            .stderr_eq(format!("[..]: turned back: {named}\n"));
        assert_eq!(fs::read(path.join("mended.murk")).unwrap(), bytes);
        assert_eq!(fs::read(path.join("run.murk")).unwrap(), flipped);
    }
    // Nothing was lost: the recording may be replaced by itself, mended.
    expect(path, "repair --replace run.murk run.murk", 0);
    assert_eq!(fs::read(path.join("run.murk")).unwrap(), bytes);
    expect(path, "verify run.murk", 0);
}

/// As offsets are shown: `1,093`.
fn grouped(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    }
}

#[test]
fn an_index_does_not_give_out_a_damaged_tick() {
    let folder = folder();
    let path = folder.path();
    expect(path, "index run.murk", 0);
    let mut bytes = fs::read(path.join("run.murk")).unwrap();
    let at = header_size(&bytes) + 2;
    bytes[at] ^= 1;
    fs::write(path.join("run.murk"), &bytes).unwrap();
    expect(path, "dump --at tick:1 run.murk", 2)
        .stdout_eq("")
        .stderr_eq(format!(
            "gametape: run.murk: frame 0 (tick 1, byte [..]): the frame is not what it was when the index was made: bit 0 of byte {} is flipped (gametape repair may save the intact parts)\n",
            grouped(at)
        ));
    // The others are as they were.
    expect(path, "dump --at tick:2 run.murk", 0);
    // In two frames, each bit is turned back; two in one frame can't be.
    let mut twice = bytes.clone();
    let last = twice.len() - 1;
    twice[last] ^= 8;
    fs::write(path.join("run.murk"), &twice).unwrap();
    expect(path, "repair --replace run.murk mended.murk", 0).stderr_eq(str![[r#"
frame 0 (tick 1): turned back: bit 0 of byte [..] is flipped
frame 11 (tick 12): turned back: bit 3 of byte [..] is flipped

"#]]);
    expect(path, "verify mended.murk", 0);
    // Two bits of a hash can't be: the frame is kept, and said to be.
    let replay = gametape::murk::read(&bytes).unwrap();
    let offsets: Vec<u64> = replay.frames().map(|frame| frame.unwrap().offset).collect();
    let mut twice = bytes.clone();
    for byte in [1, 2] {
        twice[offsets[6] as usize - byte] ^= 1;
    }
    fs::write(path.join("run.murk"), &twice).unwrap();
    expect(path, "repair --replace run.murk mended.murk", 3)
        .stderr_eq(str![[r#"
frame 0 (tick 1): turned back: bit 0 of byte [..] is flipped
kept, but may be altered: frame 5 (tick 6, byte [..]): the frame is not what it was when the index was made: more than one bit of it differs

"#]]);
    let told = outputs(
        path,
        &["repair", "--json", "--replace", "run.murk", "mended.murk"],
        3,
    );
    let altered =
        r#""altered":[{"first_step":5,"last_step":5,"beside":null,"code":"murk.frame-changed","#;
    assert!(told.contains(altered), "{told}");
}

#[test]
fn an_index_of_something_else_is_refused_and_in_nobodys_way() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    let plain = outputs(path, &["dump", "--at", "tick:6", "run.murk"], 0);
    expect(path, "index run.murk", 0);
    let index = fs::read(path.join("run.murk.index")).unwrap();
    fs::write(path.join("none.jsonl"), "").unwrap();
    record(path, "pond.toml", "none.jsonl", "other.murk").code(0);
    expect(path, "index other.murk", 0);
    let mut flipped = index.clone();
    flipped[60] ^= 1;
    let mut head = index.clone();
    head[10] ^= 1;
    for (what, wrong) in [
        (
            "of another recording",
            fs::read(path.join("other.murk.index")).unwrap(),
        ),
        ("empty", Vec::new()),
        ("cut in its head", index[..20].to_vec()),
        ("cut", index[..index.len() - 1].to_vec()),
        ("too long", [&index[..], &[0]].concat()),
        ("garbage", vec![0xA5; 300]),
        ("with a flipped head", head),
        ("a recording", bytes.clone()),
    ] {
        fs::write(path.join("run.murk.index"), wrong).unwrap();
        let text = outputs(path, &["verify", "run.murk"], 0);
        assert!(
            text.starts_with("warn  run.murk  12 ticks, replayed: every hash is right\n      warning murk.index-stale: the index beside the recording is not used: "),
            "{what}: {text}"
        );
        assert_eq!(
            outputs(path, &["dump", "--at", "tick:6", "run.murk"], 0),
            plain,
            "{what}"
        );
        expect(path, "repair --replace run.murk mended.murk", 0)
            .stderr_eq("the index beside the recording is not used: [..]\n");
        assert_eq!(fs::read(path.join("mended.murk")).unwrap(), bytes, "{what}");
        // Such an index is replaced.
        expect(path, "index run.murk", 0);
        assert_eq!(
            fs::read(path.join("run.murk.index")).unwrap(),
            index,
            "{what}"
        );
    }
    // One flipped entry: whatever is said of it, no tick is given out wrongly.
    fs::write(path.join("run.murk.index"), flipped).unwrap();
    for tick in 1..=12 {
        let tick = tick.to_string();
        let args = ["dump", "--at", &format!("tick:{tick}"), "run.murk"];
        let run = gametape(path, &args).assert();
        let output = run.get_output();
        let prefix = format!("\"tick\":{tick},");
        assert!(
            String::from_utf8_lossy(&output.stdout).contains(&prefix)
                || output.status.code() == Some(2),
            "{output:?}"
        );
    }
    // A recording that has grown: by us, who take the index away, and by others, who don't.
    fs::write(path.join("run.murk.index"), &index).unwrap();
    let args = "record murk --world pond.toml --commands drops.jsonl --ticks 13 --resume run.murk";
    gametape(path, &args.split(' ').collect::<Vec<_>>())
        .assert()
        .code(0);
    assert!(!path.join("run.murk.index").exists());
    fs::write(path.join("run.murk.index"), &index).unwrap();
    expect(path, "verify run.murk", 0).stdout_eq(str![[r#"
warn  run.murk  13 ticks, replayed: every hash is right
      warning murk.index-stale: the index beside the recording is not used: the index is stale: the recording has [..] bytes, it had [..] when the index was made
      advice: repair was tried: the index beside the recording is not used: the index is stale: the recording has 1,114 bytes, it had 1,094 when the index was made

"#]]);
    // A folder in the place of the index.
    fs::remove_file(path.join("run.murk.index")).unwrap();
    fs::create_dir(path.join("run.murk.index")).unwrap();
    expect(path, "verify run.murk", 0).stdout_eq(str![[r#"
warn  run.murk  13 ticks, replayed: every hash is right
      warning murk.index-stale: the index beside the recording is not used: is a folder
      advice: repair was tried: the index beside the recording is not used: is a folder

"#]]);
    expect(path, "index run.murk", 2).stderr_eq("gametape: run.murk.index: is a folder\n");
}

/// A recording from standard input has no place for an index.
#[test]
fn standard_input_has_no_index() {
    let folder = folder();
    let path = folder.path();
    gametape(path, &["index", "-"])
        .stdin(fs::read(path.join("run.murk")).unwrap())
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq("gametape: -: an index lies beside a file\n");
    assert!(!path.join("-.index").exists());
    fs::write(path.join("-.index"), "of nothing").unwrap();
    gametape(path, &["verify", "-"])
        .stdin(fs::read(path.join("run.murk")).unwrap())
        .assert()
        .code(0)
        .stdout_eq("pass  -  12 ticks, replayed: every hash is right\n");
}
