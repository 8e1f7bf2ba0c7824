//! Every rule is raised by an input that breaks it, with its code, its severity and its place.

use crate::common::{Grid, recording, set};
use gametape_core::Rule as _;
use gametape_core::table::kit;
use gametape_murk::{
    AnyWorld, Auditor, Command, CommandBuf, CommandCheck, ConfigForm, Envelope, Error, Explanation,
    Finding, Findings, Hash, Header, Index, IndexBuilder, Limits, Payload, ReadOptions, Rejection,
    Rule, SLIP_TIME, Severity, Unused, Writer, audit, explain_slip, read, read_with, verify,
    write_header,
};

fn header() -> Header<'static> {
    Header {
        config_hash: 5,
        field_count: 1,
        cell_count: 4,
        ..Header::default()
    }
}

/// A command: its envelope, the payload's type and its bytes.
type Stored = (Envelope, u8, Vec<u8>);

/// Returns a recording of these ticks; each command is an envelope and the stored payload.
fn tape(frames: &[(u64, &[Stored])]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    for (tick, list) in frames {
        let commands = list
            .iter()
            .map(|(envelope, payload_type, payload)| Command {
                payload_type: *payload_type,
                payload,
                envelope: *envelope,
            });
        writer.push_each(*tick, commands, 9).unwrap();
    }
    writer.finish().unwrap()
}

fn stored(payload: &Payload<'_>) -> (u8, Vec<u8>) {
    let mut bytes = Vec::new();
    payload.encode(&mut bytes).unwrap();
    (payload.tag(), bytes)
}

/// Returns the explanation of a damaged last hash: a slip for one bit, none for several.
fn explained(damage: u8) -> Box<Explanation> {
    let mut bytes = recording(3, 1);
    let end = bytes.len();
    bytes[end - 8] ^= damage;
    let replay = read(&bytes).unwrap();
    let error = verify(&replay, &mut Grid::new()).unwrap_err();
    let divergence = error.divergence().unwrap();
    let found = explain_slip(&replay, &mut Grid::new(), divergence, SLIP_TIME).unwrap();
    assert_eq!(found.slips.len(), usize::from(damage == 1), "{found}");
    Box::new(found)
}

fn one(envelope: Envelope, payload: &Payload<'_>) -> Vec<u8> {
    let (tag, bytes) = stored(payload);
    tape(&[(1, &[(envelope, tag, bytes)])])
}

/// A world with cells 0 to 3 and three fields. A propagator writes the second field, and the last
/// one is static.
struct World;

impl CommandCheck for World {
    fn check(&self, command: &Command<'_>, tick: u64) -> Option<Rejection> {
        match command.payload() {
            Ok(Payload::SetField { coord, field, .. }) => {
                if !coord.iter().all(|x| (0..4).contains(&x)) {
                    return Some(Rejection::Outside);
                }
                match field {
                    0 => AnyWorld.check(command, tick),
                    1 => Some(Rejection::Overwritten),
                    2 => Some(Rejection::StaticField),
                    _ => Some(Rejection::UnknownField),
                }
            }
            _ => AnyWorld.check(command, tick),
        }
    }
}

fn audit_in_world(bytes: &[u8]) -> Findings {
    let replay = read(bytes).unwrap();
    let mut auditor = Auditor::new(replay.header());
    for frame in replay.frames() {
        auditor.push(&frame.unwrap(), &World);
    }
    auditor.finish(&Findings::new())
}

/// Returns the finding with this code.
fn find(findings: &Findings, code: &str) -> Finding {
    findings
        .iter()
        .find(|finding| finding.code() == code)
        .unwrap_or_else(|| panic!("{code} is not among {findings:?}"))
        .clone()
}

/// Returns the error of a broken recording as a finding.
fn of_broken(bytes: &[u8]) -> Findings {
    of_error(broken(bytes))
}

/// Returns the findings about one command.
fn of_command(envelope: Envelope, payload: &Payload<'_>) -> Findings {
    audit(&one(envelope, payload)).findings
}

/// Returns the findings about one tick that sets a field.
fn of_set(coord: i32, field: u32) -> Findings {
    audit_in_world(&one(Envelope::default(), &set(&[coord], field, 1.0)))
}

/// Returns the findings about ticks without commands.
fn of_ticks(ticks: &[u64]) -> Findings {
    let ticks: Vec<(u64, &[Stored])> = ticks.iter().map(|tick| (*tick, &[][..])).collect();
    audit(&tape(&ticks)).findings
}

/// Returns the findings about one stored payload.
fn of_stored(payload_type: u8, payload: Vec<u8>) -> Findings {
    audit(&tape(&[(
        1,
        &[(Envelope::default(), payload_type, payload)],
    )]))
    .findings
}

fn broken(bytes: &[u8]) -> Error {
    match read(bytes) {
        Err(error) => error,
        Ok(replay) => replay.frames().find_map(Result::err).expect("an error"),
    }
}

/// A code and an input that raises it.
type Raise = (&'static str, fn() -> Findings);

fn of_error(error: Error) -> Findings {
    let mut findings = Findings::default();
    let code = error.code();
    let finding = error.into_finding().unwrap();
    assert_eq!(finding.code(), code);
    findings.push(finding);
    findings
}

fn plain() -> Payload<'static> {
    set(&[1], 0, 2.0)
}

/// Returns the finding about a recording of one plain command without its last bytes.
fn of_cut(bytes: usize) -> Findings {
    let whole = one(Envelope::default(), &plain());
    of_broken(&whole[..whole.len() - bytes])
}

fn of_damage(flip: impl Fn(&mut Vec<u8>)) -> Findings {
    let whole = recording(9, 1);
    let index = IndexBuilder::of(&read(&whole).unwrap()).unwrap();
    let index = Index::open(&index).unwrap();
    let mut bytes = whole.clone();
    flip(&mut bytes);
    let mut findings = Findings::default();
    for damage in index.damages(&bytes) {
        findings.push(damage.unwrap().finding());
    }
    findings
}

const RAISED: &[Raise] = &[
    ("murk.magic", || of_broken(b"MURQ\x03 and so on")),
    ("murk.version", || of_broken(b"MURK\x02 and so on")),
    ("murk.truncated", || of_cut(3)),
    ("murk.payload-truncated", || of_cut(8 + 19 + 4)),
    ("murk.command-truncated", || of_cut(8 + 5)),
    ("murk.limit", || {
        let bytes = one(Envelope::default(), &plain());
        let limits = Limits {
            max_blob_bytes: 3,
            ..Limits::DEFAULT
        };
        let options = ReadOptions::strict().limits(limits);
        let error = read_with(&bytes, options)
            .unwrap()
            .frames()
            .find_map(Result::err)
            .unwrap();
        assert!(error.is_limit() && !error.is_truncated());
        of_error(error)
    }),
    ("murk.utf8", || {
        let mut bytes = write_header(&Header {
            build: gametape_murk::Build {
                toolchain: "abc".into(),
                ..gametape_murk::Build::default()
            },
            ..header()
        })
        .unwrap();
        bytes[10] = 0xff;
        let error = broken(&bytes);
        assert_eq!(error.offset(), Some(10));
        of_error(error)
    }),
    // After the flags: two of them, expiry, arrival, hash.
    ("murk.presence-flag", || {
        let mut bytes = one(Envelope::default(), &plain());
        let flag = bytes.len() - 8 - 16 - 1;
        bytes[flag] = 2;
        of_broken(&bytes)
    }),
    ("murk.unknown-payload", || of_stored(7, vec![1, 2])),
    // A batch that claims four billion parameters.
    ("murk.short-payload", || of_stored(6, vec![0xff; 16])),
    ("murk.snapshot-mismatch", || {
        let mut bytes = recording(3, 1);
        let end = bytes.len();
        bytes[end - 1] ^= 1;
        let error = verify(&read(&bytes).unwrap(), &mut Grid::new()).unwrap_err();
        let divergence = Box::new(error.divergence().unwrap().clone());
        rule(Rule::SnapshotMismatch { divergence })
    }),
    ("murk.not-deterministic", || {
        let bytes = recording(3, 1);
        let replay = read(&bytes).unwrap();
        // A value differs in the first replay, and in no other one.
        let mut once = Grid {
            fault: Some((2, 5, 1)),
            ..Grid::new()
        };
        let error = verify(&replay, &mut once).unwrap_err();
        let divergence = error.divergence().unwrap();
        let found = explain_slip(&replay, &mut Grid::new(), divergence, SLIP_TIME).unwrap();
        let parted = Box::new(found.parted.unwrap());
        rule(Rule::NotDeterministic { parted })
    }),
    ("murk.one-slip", || {
        rule(Rule::OneSlip {
            found: explained(1),
        })
    }),
    ("murk.no-slip", || {
        rule(Rule::NoSlip {
            found: explained(3),
        })
    }),
    ("murk.config-mismatch", || {
        rule(Rule::ConfigMismatch {
            recorded: Hash(1),
            expected: Hash(2),
        })
    }),
    ("murk.world-shape", || {
        rule(Rule::WorldShape {
            what: "cells",
            recorded: 1,
            expected: 2,
        })
    }),
    ("murk.world", || {
        rule(Rule::World {
            line: Some(3),
            part: "[space]".into(),
            key: "rows".into(),
            fault: "missing".into(),
        })
    }),
    ("murk.unknown-kind", || {
        rule(Rule::UnknownKind {
            propagator: 1,
            kind: "rain".into(),
        })
    }),
    ("murk.simulation", || {
        rule(Rule::Simulation { reason: "x".into() })
    }),
    ("murk.tick-failed", || {
        rule(Rule::TickFailed { reason: "x".into() })
    }),
    ("murk.not-simulated", || audit(&recording(3, 1)).findings),
    ("murk.header-changed", || of_damage(|bytes| bytes[30] ^= 16)),
    ("murk.frame-changed", || of_damage(|bytes| bytes[60] ^= 16)),
    ("murk.index-stale", || {
        rule(Rule::IndexStale {
            reason: Unused::Damaged,
        })
    }),
    ("murk.zeros", || {
        let bytes = [tape(&[(5, &[])]), vec![0; 60]].concat();
        audit(&bytes).findings
    }),
    ("murk.tick-order", || of_ticks(&[5, 5, 3, 0])),
    ("murk.tick-gap", || of_ticks(&[5, 8])),
    ("murk.no-frames", || of_ticks(&[])),
    ("murk.config-unset", || {
        audit(&write_header(&Header::default()).unwrap()).findings
    }),
    ("murk.config-partial", || {
        rule(Rule::ConfigPartial {
            form: ConfigForm::Counts,
        })
    }),
    ("murk.other-toolchain", || of_ticks(&[])),
    ("murk.other-target", || of_ticks(&[])),
    ("murk.trailing-payload", || {
        let (tag, mut bytes) = stored(&plain());
        bytes.push(0);
        of_stored(tag, bytes)
    }),
    ("murk.command-expired", || {
        let expired = Envelope {
            expires_after_tick: 0,
            ..Envelope::default()
        };
        of_command(expired, &plain())
    }),
    ("murk.command-unsupported", || {
        of_command(Envelope::default(), &Payload::Despawn { entity_id: 1 })
    }),
    ("murk.command-outside", || of_set(4, 0)),
    ("murk.command-unknown-field", || of_set(1, 9)),
    ("murk.command-static-field", || of_set(1, 2)),
    ("murk.command-overwritten", || of_set(1, 1)),
    ("murk.queue-full", || {
        let (tag, bytes) = stored(&plain());
        let list = vec![(Envelope::default(), tag, bytes); 1025];
        audit(&tape(&[(1, &list)])).findings
    }),
    ("murk.priority-lost", || {
        let class = |priority_class| Envelope {
            priority_class,
            ..Envelope::default()
        };
        let (tag, low) = stored(&set(&[1], 0, 2.0));
        let (_, high) = stored(&set(&[1], 0, 3.0));
        audit(&tape(&[(
            1,
            &[(class(2), tag, low), (class(0), tag, high)],
        )]))
        .findings
    }),
    ("murk.source-seq-unused", || {
        let envelope = Envelope {
            source_seq: Some(1),
            ..Envelope::default()
        };
        of_command(envelope, &plain())
    }),
];

/// Rules that only a replay or the library above raises. The tests of `gametape` raise them as
/// users see them; here their sentences are tested.
fn rule(rule: Rule) -> Findings {
    let mut findings = Findings::default();
    findings.push(Finding::new(rule));
    findings
}

#[test]
fn every_rule_is_raised_by_what_breaks_it() {
    for (code, raise) in RAISED {
        let findings = raise();
        let finding = find(&findings, code);
        let known = Rule::ALL.iter().find(|known| known.code == *code).unwrap();
        assert_eq!(known.severity, finding.severity());
        let figures: Vec<&str> = finding.rule.data().iter().map(|(name, _)| *name).collect();
        assert_eq!(known.data, figures, "{code}");
        let text = finding.to_string();
        assert!(
            text.starts_with(&format!("{} {code}", finding.severity())),
            "{text}"
        );
        assert!(!finding.message().is_empty());
    }
}

#[test]
fn no_rule_is_without_something_that_raises_it() {
    let mut raised: Vec<&str> = RAISED.iter().map(|(code, _)| *code).collect();
    let mut codes: Vec<&str> = Rule::ALL.iter().map(|rule| rule.code).collect();
    raised.sort_unstable();
    codes.sort_unstable();
    assert_eq!(raised, codes);
}

#[test]
fn a_sound_recording_of_this_build_has_nothing_to_be_said() {
    let header = Header {
        build: gametape_murk::Build {
            toolchain: gametape_murk::build::TOOLCHAIN.into(),
            target_triple: gametape_murk::build::TARGET.into(),
            ..gametape_murk::Build::default()
        },
        ..Grid::header()
    };
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    let mut commands = CommandBuf::new();
    commands.push(&Envelope::default(), &plain()).unwrap();
    for tick in 1..=5 {
        writer.push(tick, commands.as_commands(), 1).unwrap();
    }
    let audit = audit(&writer.finish().unwrap());
    assert_eq!(audit.findings.len(), 1, "{:?}", audit.findings);
    assert!(audit.findings.has("murk.not-simulated"));
    assert_eq!(audit.findings.worst(), Some(Severity::Info));
}

#[test]
fn errors_say_where_and_with_which_numbers() {
    // In frame 2 of three, the second command claims 4 GiB.
    let (tag, payload) = stored(&plain());
    let list = [
        (Envelope::default(), tag, payload.clone()),
        (Envelope::default(), tag, payload),
    ];
    let bytes = tape(&[(7, &[]), (8, &[]), (9001, &list)]);
    let start = bytes.len() - 20 - 2 * (24 + 16);
    let mut claim = bytes.clone();
    let second = start + 12 + 40;
    claim[second + 1..second + 5].copy_from_slice(&(60_000_000_u32).to_le_bytes());
    let error = broken(&claim);
    assert_eq!(
        error.to_string(),
        format!(
            "frame 2 (tick 9,001, byte {}): command 1 claims 60,000,000 bytes, 43 are left",
            second + 5
        )
    );
    assert_eq!((error.step(), error.tick()), (Some(2), Some(9001)));
    claim[second + 1..second + 5].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        broken(&claim).to_string(),
        format!(
            "frame 2 (tick 9,001, byte {}): the payload of command 1 claims 4,294,967,295 bytes, the limit is 67,108,864",
            second + 1
        )
    );
    assert_eq!(
        broken(b"MUR").to_string(),
        "byte 0: the file ends in the magic: 4 bytes needed, 3 are left"
    );
    assert_eq!(
        broken(b"MURK\x01").to_string(),
        "byte 4: format version 1; only version 3 can be read (1 and 2 are superseded and lose what replaying needs)"
    );
}

#[test]
fn of_two_writers_of_a_cell_equal_values_and_equal_classes_are_no_finding() {
    let class = |priority_class| Envelope {
        priority_class,
        ..Envelope::default()
    };
    let (tag, two) = stored(&set(&[1], 0, 2.0));
    let (_, three) = stored(&set(&[1], 0, 3.0));
    let (_, elsewhere) = stored(&set(&[2], 0, 3.0));
    for list in [
        [(class(0), tag, two.clone()), (class(2), tag, two.clone())],
        [(class(1), tag, two.clone()), (class(1), tag, three)],
        [(class(0), tag, two), (class(2), tag, elsewhere)],
    ] {
        assert!(
            !audit(&tape(&[(1, &list)]))
                .findings
                .has("murk.priority-lost")
        );
    }
}

#[test]
fn the_books_page_of_findings_is_made_of_the_rules() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/murk/findings.md"
    );
    kit::findings(path, Rule::ALL);
}
