"""Worlds: run, recorded, branched and checked."""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gametape
import numpy
import pytest
from conftest import WORLDS, command

NAMES = ["crystal", "foraging", "heat", "torus", "weather"]


def load(name: str) -> gametape.World:
    return gametape.World.from_toml((WORLDS / f"{name}.toml").read_text())


def stove(tick: int, value: float = 1.0) -> dict[str, Any]:
    return {"tick": tick, "kind": "set_field", "field": "stove", "coord": [tick % 16, 4], "value": value}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        numpy.array_equal(one[name], other[name], equal_nan=True) for name in one
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_state_is_that_of_the_recording(name: str, tmp_path: Path) -> None:
    world = load(name)
    corner = [0] * len(world.shape)
    sparse = next(field.name for field in world.fields if field.mutability == "sparse")
    commands = [{"tick": 2, "kind": "set_field", "field": sparse, "coord": corner, "value": 0.5}]
    run = world.run(ticks=9, commands=commands, keep=True)
    path = tmp_path / "run.murk"
    made = world.record(path, ticks=9, commands=commands)
    assert run.recording == path.read_bytes()
    assert made["last_hash"] == run.hash and made["applied"] == run.made["applied"] == 1
    recording = gametape.open(path)
    for field in world.fields:
        wanted = numpy.full(field.shape, numpy.nan, "float32")
        for line in command("dump", path, "--table", field.name, "--state", "--json").splitlines():
            row = json.loads(line)
            assert row["tick"] == 9
            keys = [c.name for c in recording.tables[field.name].columns if c.key]
            cell = tuple(row[key] for key in keys)
            values = [value for key, value in row.items() if key.startswith("value")]
            wanted[cell] = values if field.components > 1 else values[0]
        assert run[field.name].dtype == numpy.float32 and run[field.name].shape == field.shape
        assert numpy.array_equal(run[field.name], wanted, equal_nan=True), field.name
    assert same(run.state, {field.name: run[field.name] for field in world.fields})


def test_runs_go_on_and_branch(tmp_path: Path) -> None:
    world = load("heat")
    commands = [stove(tick) for tick in range(1, 21)]
    whole = world.run(ticks=20, commands=commands, keep=True)
    parts = world.run(ticks=12, commands=commands[:12], keep=True).go_on(8, commands[12:])
    assert parts.recording == whole.recording and parts.tick == 20 and parts.time_ms == 2000
    assert whole.recording is not None
    branch = world.branch(whole.recording, 12, keep=True)
    assert branch.tick == 12 and branch.made["branched_after"] == 12
    assert branch.go_on(8, commands[12:]).recording == whole.recording
    # The recording may be a file, or one that is open; in another world only its commands count.
    path = tmp_path / "whole.murk"
    whole.save(path)
    assert world.branch(path).hash == world.branch(gametape.open(path)).hash == whole.hash
    changed = {"propagator.0.intensity": 0.25}
    colder = world.branch(path, set=changed)
    assert colder.hash == world.run(ticks=20, commands=commands, set=changed).hash != whole.hash
    with pytest.raises(gametape.UsageError, match="there is no tick 21 to branch from"):
        world.branch(path, 21)
    with pytest.raises(gametape.UsageError, match="it was not kept"):
        colder.save(tmp_path / "colder.murk")
    # Frames as the command dumps them are commands.
    frames = [json.loads(line) for line in command("dump", path, "--json").splitlines()]
    assert world.run(ticks=20, commands=frames).hash == whole.hash
    # A recording is not replaced, and can be resumed.
    with pytest.raises(gametape.IoError, match="exists already"):
        world.record(path, ticks=25)
    assert world.record(path, ticks=25, commands=commands, resume=True)["resumed_after"] == 20
    assert gametape.open(path).audit().verdict == "pass"
    assert gametape.World.from_recording(path) == world


def test_a_flipped_bit_is_found_and_explained() -> None:
    world = load("heat")
    good = world.run(ticks=40, commands=[stove(tick) for tick in range(1, 41)], keep=True).recording
    assert good is not None
    assert world.verify(good).ok and world.explain(good) is None
    # A bit of the last hash.
    bad = bytearray(good)
    bad[-2] ^= 8
    verdict = world.verify(bytes(bad))
    assert not verdict.ok and verdict.frames == 39 and verdict.divergence is not None
    assert (verdict.divergence.step, verdict.divergence.tick) == (39, 40)
    explanation = world.explain(bytes(bad))
    assert explanation is not None and explanation.best is not None
    slip = explanation.best
    assert (slip.kind, slip.tick, slip.data["bits"], slip.data["bit"]) == ("hash", 40, 1, 51)
    assert (slip.explained, slip.hashes, slip.equals) == (1, 1, 0) and explanation.explains_all
    assert str(slip) in str(explanation)
    small = world.minimise(bytes(bad))
    assert small.commands == (40, 0) and small.minimal and not world.verify(small.recording).ok
    # A bit of the value that a command in the middle writes: what it really wrote is found, or named beside what
    # explains as much.
    one = numpy.float32(7.25).tobytes()
    good = world.run(ticks=40, commands=[stove(tick, 7.25 if tick == 20 else 1) for tick in range(1, 41)], keep=True).recording
    assert good is not None
    at = good.index(one)
    bad = bytearray(good)
    bad[at + 2] ^= 1
    explanation = world.explain(bytes(bad))
    assert explanation is not None and explanation.divergence.tick == 20
    wrote = [slip for slip in explanation.slips if slip.kind == "given"]
    assert [slip.data["wrote"] for slip in wrote] == [7.25] and wrote[0].cell == [4, 4]
    assert wrote[0].equals == len(explanation.slips) + explanation.more - 1
    assert (explanation.best is None) == (wrote[0].equals > 0)
    # A recording of another world, and one that is cut.
    with pytest.raises(gametape.UsageError, match="config_hash"):
        world.set({"dt": 0.05}).verify(good)
    with pytest.raises(gametape.RecordingError, match="the header's cell_count is 256, the world's is 240"):
        load("foraging").verify(good)
    with pytest.raises(gametape.TruncatedError):
        world.verify(good[:-4])


def test_a_slip_of_a_command_has_its_cell() -> None:
    world = load("heat")
    lines = [stove(tick) for tick in range(1, 31)]
    bare = [{key: value for key, value in line.items() if key != "tick"} for line in lines]
    frames = [{"tick": line["tick"], "commands": [one]} for line, one in zip(lines, bare)]
    # The recorded simulation did not take the command of tick 10.
    recorded = world.run(ticks=30, commands=[line for line in lines if line["tick"] != 10], keep=True).recording
    claimed = world.run(ticks=30, commands=frames, keep=True).recording
    assert recorded is not None and claimed is not None
    # Both have the same frames but for the command of that tick: the hashes are those of the first.
    size = len(claimed) - len(recorded)
    begin = len(world.run(ticks=0, keep=True).recording or b"")
    whole = (len(claimed) - begin) // 30
    mixed = bytearray(claimed)
    taken = begin
    for tick in range(1, 31):
        end = begin + whole * tick
        taken += whole - size if tick == 10 else whole
        mixed[end - 8 : end] = recorded[taken - 8 : taken]
    explanation = world.explain(bytes(mixed))
    assert explanation is not None and explanation.explains_all
    (slip,) = [slip for slip in explanation.slips if slip.kind == "dropped"]
    assert (slip.tick, slip.cell, slip.explained) == (10, [10, 4], 21)


def test_worlds_and_their_parameters() -> None:
    for name in NAMES:
        world = load(name)
        for parameter, value in world.parameters.items():
            assert world.set({parameter: value}) == world, parameter
        assert gametape.World.from_toml(world.to_toml()) == world
        assert world.set(seed=world.seed) == world
    ring = {
        "dt": numpy.float64(0.5),
        "seed": 2**64 - 1,
        "space": {"kind": "product", "components": [{"kind": "ring1d", "len": numpy.int32(4)}, {"kind": "ring1d", "len": 3}]},
        "field": [{"name": 'a "b".c', "type": "vector", "dims": 2, "mutability": "sparse", "units": None}],
        "propagator": [{"kind": "identity_copy", "field": 'a "b".c'}],
    }
    world = gametape.World.from_dict(ring)
    assert world.shape == (4, 3) and world.fields[0].shape == (4, 3, 2) and world.seed == 2**64 - 1
    assert world.parameters["space.components"][1] == {"kind": "ring1d", "len": 3}
    # Another value of each kind.
    assert world.set({"dt": numpy.float32(0.25)}).parameters["dt"] == 0.25
    assert load("foraging").set({"propagator.2.normalize": False}) != load("foraging")
    assert load("heat").set({"propagator.2.sources": [[3, 1.5]]}) != load("heat")


REFUSED: dict[str, Callable[[], object]] = {
    'line 1, dt: a number is needed, this is the string "a"': lambda: gametape.World.from_toml('dt = "a"'),
    "[space], kind: missing": lambda: gametape.World.from_dict({"dt": 1.0, "space": {}}),
    "dt=-1 can't be set: dt: ": lambda: load("heat").run(ticks=1, set={"dt": -1}),
    "td=1 can't be set: td: unknown key; known keys: seed, dt": lambda: load("heat").set({"td": 1}),
    'the world has no field "stov"': lambda: load("heat").run(
        ticks=1, commands=[{"tick": 1, "field": "stov", "coord": [1, 1], "value": 1}]
    ),
    "commands[0]: the kind \"sit\" is none of move": lambda: load("heat").run(ticks=1, commands=[{"tick": 1, "kind": "sit"}]),
    "commands[0]: tick 2 is not made; only tick 1 is": lambda: load("heat").run(ticks=1, commands=[stove(2)]),
    'commands[1]: "tick" is missing': lambda: load("heat").run(ticks=1, commands=[stove(1), {"kind": "despawn", "entity_id": 3}]),
    'the world has no field "warmth"; it has stove': lambda: load("heat").run(ticks=0)["warmth"],
    '"99,1" is not a cell of the world': lambda: load("heat").run(ticks=0)["heat@99,1"],
    'commands[1]: "value" is missing': lambda: load("heat").run(ticks=1, commands=[stove(1), {"tick": 1, "field": 0, "coord": [1, 1]}]),
    "NaN is not finite": lambda: load("heat").run(ticks=1, commands=[stove(1, float("nan"))]),
    "rmv recordings have no world": lambda: load("heat").verify("game.rmv"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_wrong_is_said_in_the_words_of_the_library(here: Path, message: str) -> None:
    with pytest.raises(gametape.UsageError) as raised:
        REFUSED[message]()
    assert message in str(raised.value)
    assert raised.value.code


def test_a_state_is_the_callers() -> None:
    run = load("heat").run(ticks=3)
    kept = run["heat"]
    kept[...] = 9
    assert not (run["heat"] == 9).any()
    state = run.state
    run.go_on(1, [stove(4)])
    assert not state["stove"].any() and run["stove"].any()
    assert load("foraging").run(ticks=0)["wind@3,4"].shape == (2,)


def test_a_seed_is_other_noise() -> None:
    world = load("weather")
    seen = [world.run(ticks=6, seed=seed).hash for seed in (None, world.seed, 5, 6, 5)]
    assert seen[0] == seen[1] and seen[2] == seen[4] and len(set(seen)) == 3
    assert world.run(ticks=6, seed=5).world == world.set(seed=5)


def test_ticks_that_fail_are_told() -> None:
    world = gametape.World.from_dict(
        {
            "dt": 0.1,
            "space": {"kind": "line1d", "len": 4, "edge": "absorb"},
            "field": [
                {"name": "a", "type": "scalar", "mutability": "per_tick"},
                {"name": "narrow", "type": "scalar", "mutability": "per_tick"},
            ],
            "propagator": [
                {"kind": "identity_copy", "field": "a"},
                {"kind": "gradient_compute", "input_field": "a", "output_field": "narrow"},
            ],
        }
    )
    run = world.run(ticks=1, commands=[{"tick": 1, "field": "a", "coord": [1], "value": 1}])
    assert run.outcomes == ["rolled_back"]
    # The engine gives up after three.
    with pytest.raises(gametape.Error, match="no more ticks after three that failed") as raised:
        run.go_on(3)
    assert raised.type is gametape.Error and raised.value.code == "simulation"
    run = world.run(ticks=2)
    assert run.made["failed_ticks"] == 2 and run.made["failure"]


# Work without an end, which can be interrupted.
WORK: dict[str, Callable[[gametape.World, Path], object]] = {
    "run": lambda world, path: world.run(ticks=10**12),
    "go_on": lambda world, path: world.run(ticks=1).go_on(10**12),
    "record": lambda world, path: world.record(path, ticks=10**12),
}


@pytest.mark.skipif(sys.platform == "win32", reason="SKIPPED: signals are sent otherwise here")
@pytest.mark.parametrize("what", WORK)
def test_an_interrupt_ends_a_run(what: str, tmp_path: Path) -> None:
    timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        WORK[what](load("heat"), tmp_path / "long.murk")
        for _ in range(1000):
            pass
    if what == "record":
        audit = gametape.open(tmp_path / "long.murk", errors="collect").audit()
        assert not [finding for finding in audit.findings if finding.code == "murk.snapshot-mismatch"]


def test_an_exception_of_the_progress_ends_a_run() -> None:
    class Enough(Exception):
        pass

    def progress(done: int, size: int) -> None:
        assert size == 10**12
        if done > 0:
            raise Enough

    with pytest.raises(Enough):
        load("heat").run(ticks=10**12, progress=progress)


def test_what_is_wrong_with_commands_is_said_as_python_counts(tmp_path: Path) -> None:
    world = load("heat")
    run = world.run(10, [stove(1)])
    for commands, says in [
        ([stove(11), stove(16)], r"^commands\[1\]: tick 16 is not made; ticks 11 to 15 are$"),
        ([stove(3)], r"^commands\[0\]: tick 3 is made already; new commands begin with tick 11$"),
        ([{"tick": 12, "field": "stof", "coord": [1, 1], "value": 1}], r"^commands\[0\]: .*stof"),
    ]:
        with pytest.raises(gametape.UsageError, match=says):
            run.go_on(5, commands)
        with pytest.raises(gametape.UsageError, match=r"^commands\["):
            world.record(tmp_path / "not-there.murk", 2, commands)
    # It is where it was, and goes on.
    assert run.go_on(5, [stove(15), stove(11)]).go_on(0).go_on(1, [stove(16)]).tick == 16
    assert run.made["applied"] == 4


def test_threads_share_a_run() -> None:
    run = load("heat").run(ticks=0)
    threads = [threading.Thread(target=run.go_on, args=(20,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert run["heat"].shape == (16, 16) and run.tick <= 80
    assert run.tick == 80 and run.hash == load("heat").run(ticks=80).hash
