"""Worlds: run, recorded, checked, swept, and as environments."""

import importlib.util
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gametape
import numpy
import polars
import pytest
from conftest import COMMAND, WORLDS, command

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
    'the world has no field "warmth"; it has stove': lambda: gametape.Env(load("heat"), ["warmth"]),
    '"99,1" is not a cell of the world': lambda: gametape.Env(load("heat"), ["heat@99,1"]),
    'command 1: "value" is missing': lambda: gametape.Env(load("heat")).step([stove_of_env(), {"field": 0, "coord": [1, 1]}]),
    "NaN is not finite": lambda: gametape.Env(load("heat")).step([stove_of_env() | {"value": float("nan")}]),
    "there are 1 lists of commands, and 2 worlds": lambda: gametape.VectorEnv(load("heat"), 2).step([[]]),
    "a step makes at least one tick": lambda: gametape.Env(load("heat"), ticks=0),
    "there is at least one world": lambda: gametape.VectorEnv(load("heat"), 0),
    "there are 3 flags in reset_mask, and 2 worlds": lambda: gametape.VectorEnv(load("heat"), 2).reset(
        options={"reset_mask": [True] * 3}
    ),
    "'heat.median' is nothing to measure".replace("'", '"'): lambda: gametape.sweep(load("heat"), ticks=1, measure=["heat.median"]),
    "dt=0 can't be set: dt: ": lambda: gametape.sweep(load("heat"), {"dt": [0.1, 0]}, ticks=1),
    "the seeds of a sweep are given by seeds=": lambda: gametape.sweep(load("heat"), {"seed": [1]}, ticks=1),
    "rmv recordings have no world": lambda: load("heat").verify("game.rmv"),
}


def stove_of_env() -> dict[str, Any]:
    return {"field": "stove", "coord": [3, 4], "value": 1}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_wrong_is_said_in_the_words_of_the_library(here: Path, message: str) -> None:
    with pytest.raises(gametape.UsageError) as raised:
        REFUSED[message]()
    assert message in str(raised.value)
    assert raised.value.code


def actions(world: gametape.World, random: numpy.random.Generator) -> list[dict[str, Any]]:
    names = [field.name for field in world.fields if field.mutability == "sparse"]
    return [
        {"field": name, "coord": random.integers(world.shape), "value": numpy.float32(random.random())}
        for name in random.choice(names, random.integers(3))
    ]


@pytest.mark.parametrize("name", NAMES)
def test_an_environment_repeats_itself_and_is_a_run(name: str) -> None:
    world = load(name)
    env = gametape.Env(world)
    for seed in [None, 5, world.seed]:
        episodes = []
        for _ in range(2):
            random = numpy.random.default_rng(3)
            seen = [env.reset(seed=seed)[0]]
            given: list[dict[str, Any]] = []
            for tick in range(1, 8):
                commands = actions(world, random)
                given += [one | {"tick": tick} for one in commands]
                obs, reward, terminated, truncated, info = env.step(commands)
                assert (reward, terminated, truncated, info["tick"]) == (0.0, False, False, tick)
                assert len(info["outcomes"]) == len(commands)
                seen.append(obs)
            episodes.append(seen)
        for one, other in zip(*episodes):
            assert same(one, other)
        assert same(episodes[0][-1], world.run(ticks=7, commands=given, seed=seed).state)
    # An observation is the caller's: nothing changes it, and it can be changed.
    obs = env.reset()[0]
    kept = {key: array.copy() for key, array in obs.items()}
    env.step()
    assert same(obs, kept)
    field = next(iter(obs))
    obs[field][...] = 9
    assert not (env.step()[0][field] == 9).any()


def test_episodes_have_rewards_and_ends() -> None:
    world = load("foraging")
    seen: list[tuple[float, float]] = []

    def reward(before: dict[str, Any], after: dict[str, Any]) -> float:
        seen.append((float(before["grass@3,4"]), float(after["grass@3,4"])))
        return float(after["grass@3,4"] - before["grass@3,4"])

    env = gametape.Env(
        world, ["grass@3,4", "wind@3,4", "wind"], reward=reward, done=lambda obs: obs["grass@3,4"] > 0.3, horizon=8, ticks=2
    )
    for _ in range(2):
        seen.clear()
        obs, _ = env.reset()
        assert obs["grass@3,4"].shape == () and obs["wind@3,4"].shape == (2,) and obs["wind"].shape == (12, 20, 2)
        steps = [env.step()[1:4] for _ in range(4)]
        assert [step[1:] for step in steps] == [(False, False), (False, False), (False, False), (True, True)]
        assert sum(step[0] for step in steps) == pytest.approx(0.4)
        assert [before for before, _ in seen] == [0.0] + [after for _, after in seen[:-1]]

    class Enough(Exception):
        pass

    def fails(before: dict[str, Any], after: dict[str, Any]) -> float:
        raise Enough

    env = gametape.Env(world, reward=fails)
    env.reset()
    with pytest.raises(Enough):
        env.step()
    # A caller may change an observation: the reward does not see it.
    env = gametape.Env(world, ["grass"], reward=lambda before, after: float((after["grass"] - before["grass"]).sum()))
    obs, _ = env.reset()
    for _ in range(3):
        obs["grass"][...] = 100
        obs, gained, *_ = env.step()
        assert gained == pytest.approx(0.05 * 240, rel=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_is_its_environments(name: str) -> None:
    world = load(name)
    first = world.fields[0].name

    def reward(before: dict[str, Any], after: dict[str, Any]) -> float:
        return float(numpy.nansum(after[first] - 2 * before[first]))

    envs = gametape.VectorEnv(world, 5, reward=reward, done=lambda obs: numpy.nanmax(obs[first]) > 0.6, horizon=6)
    singles = [gametape.Env(world, reward=reward, done=lambda obs: numpy.nanmax(obs[first]) > 0.6, horizon=6) for _ in range(5)]
    random = numpy.random.default_rng(7)
    obs, info = envs.reset(seed=11)
    began = [env.reset(seed=11 + at) for at, env in enumerate(singles)]
    assert all(same({key: obs[key][at] for key in obs}, one[0]) for at, one in enumerate(began))
    for _ in range(7):
        commands = [actions(world, random) for _ in range(5)]
        obs, rewards, ends, cuts, info = envs.step(commands)
        for at, env in enumerate(singles):
            seen, reward_of_one, end, cut, info_of_one = env.step(commands[at])
            assert same({key: obs[key][at] for key in obs}, seen)
            assert (rewards[at], ends[at], cuts[at]) == (reward_of_one, end, cut)
            assert {key: info[key][at] for key in info} == info_of_one
    # Those that are marked begin again.
    obs, info = envs.reset(options={"reset_mask": numpy.array([True, False, False, False, True])})
    assert info["tick"] == [0, 7, 7, 7, 0]
    assert not same({key: obs[key][0] for key in obs}, {key: obs[key][1] for key in obs})
    assert envs.num_envs == 5


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
    env = gametape.Env(world, ["a"])
    env.reset()
    info = env.step([{"field": "a", "coord": [1], "value": 1}])[4]
    assert info["tick"] == 1 and info["failure"] and info["outcomes"] == ["rolled_back"]
    env.step()
    env.step()
    # The engine gives up after three, until the world begins again.
    with pytest.raises(gametape.Error, match="no more ticks after three that failed") as raised:
        env.step()
    assert raised.type is gametape.Error and raised.value.code == "simulation"
    assert env.reset()[1]["tick"] == 0
    assert env.step()[4]["failure"]
    envs = gametape.VectorEnv(world, 2)
    assert "failure" not in envs.reset()[1]
    assert all(envs.step([[], []])[4]["failure"])
    run = world.run(ticks=2)
    assert run.made["failed_ticks"] == 2 and run.made["failure"]
    assert gametape.sweep(world, ticks=2)["failed_ticks"].tolist() == [2]


def in_child(queue: Any) -> None:
    envs = gametape.VectorEnv(load("heat"), 4)
    envs.reset()
    queue.put(envs.step([[]] * 4)[4]["tick"])


SHARED: list[gametape.VectorEnv] = []


def in_fork(queue: Any) -> None:
    queue.put(SHARED[0].step([[]] * 4)[4]["tick"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_vector_goes_on_in_a_fork() -> None:
    SHARED.append(gametape.VectorEnv(load("heat"), 4))
    SHARED[0].reset()
    assert SHARED[0].step([[]] * 4)[4]["tick"] == [1] * 4
    context = multiprocessing.get_context("fork")
    for target, ticks in [(in_child, 1), (in_fork, 2)]:
        queue = context.SimpleQueue()
        child = context.Process(target=target, args=(queue,))
        child.start()
        child.join(60)
        assert child.exitcode == 0
        assert queue.get() == [ticks] * 4


def test_a_sweep_is_its_runs() -> None:
    world = load("weather")
    grid: dict[str, list[Any]] = {"propagator.0.scale": [0.1, 0.5], "field.pressure.units": ["hPa", "Pa"], "dt": [0.05, 0.1]}
    measure = ["pressure.mean", "pressure@3,4"]
    told: list[tuple[int, int]] = []
    table = gametape.sweep(
        world, grid, seeds=range(3), ticks=6, measure=measure, progress=lambda done, size: told.append((done, size))
    )
    frame = table.to_pandas()
    assert frame.columns.tolist() == [*grid, "seed", *measure, "failed_ticks", "rejected"]
    assert polars.DataFrame(table)["seed"].to_list() == [0, 1, 2] * 8
    assert len(frame) == 24 and told[-1] == (24, 24)
    assert len(frame.drop_duplicates([*grid, "seed"])) == 24
    for _, row in frame.iterrows():
        state = world.run(ticks=6, set={name: row[name] for name in grid}, seed=row["seed"])["pressure"]
        assert row["pressure.mean"] == pytest.approx(state.astype("float64").mean(), rel=1e-12)
        assert row["pressure@3,4"] == state[3, 4]
    # Seeds differ, and so do scales of the noise; the others do not change it.
    assert frame["pressure.mean"].nunique() == 6
    # A function of the arrays is as good.
    own = gametape.sweep(
        world, grid, seeds=range(3), ticks=6, measure=lambda state: {"a": state["pressure"].max(), "b": float(state["wind"].shape[2])}
    )
    assert own.keys()[-4:] == ["a", "b", "failed_ticks", "rejected"]
    wanted = gametape.sweep(world, grid, seeds=range(3), ticks=6, measure="pressure.max")
    assert numpy.array_equal(own["a"], wanted["pressure.max"]) and set(own["b"]) == {2.0}
    # A number that only some runs have is missing in the others.
    some = gametape.sweep(
        load("heat"), {"space.rows": [16, 20]}, ticks=1, measure=lambda state: {f"rows{state['heat'].shape[0]}": 1.0}
    )
    frame = some.to_pandas()
    assert frame["rows16"].isna().tolist() == [False, True] and frame["rows20"].isna().tolist() == [True, False]
    one = gametape.sweep(world, ticks=2, measure=lambda state: 3.5)
    assert one["measure"].tolist() == [3.5] and one["seed"].tolist() == [world.seed]
    assert len(gametape.sweep(world, ticks=2).keys()) == 1 + 3 * len(world.fields) + 2

    # The arrays have the shape of the run's own space.
    rows = gametape.sweep(load("heat"), {"space.rows": [16, 20]}, ticks=1, measure=lambda state: state["heat"].shape[0])
    assert rows["measure"].tolist() == rows["space.rows"].tolist() == [16, 20]

    def fails(state: dict[str, Any]) -> float:
        raise LookupError("none")

    with pytest.raises(LookupError):
        gametape.sweep(world, grid, seeds=range(3), ticks=2, measure=fails)


# Work without an end, which can be interrupted.
WORK: dict[str, Callable[[gametape.World, Path], object]] = {
    "run": lambda world, path: world.run(ticks=10**12),
    "go_on": lambda world, path: world.run(ticks=1).go_on(10**12),
    "record": lambda world, path: world.record(path, ticks=10**12),
    "sweep": lambda world, path: gametape.sweep(world, seeds=range(10**6), ticks=10**6),
    "Env": lambda world, path: gametape.Env(world, ticks=10**12).step(),
    "VectorEnv": lambda world, path: gametape.VectorEnv(world, 3, ticks=10**12).step([[]] * 3),
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


def test_an_interrupt_leaves_an_environment_at_the_tick_that_it_reached() -> None:
    env = gametape.Env(load("heat"), ["heat"], ticks=10**12)
    timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        env.step([{"field": "stove", "coord": [3, 4], "value": 1}])
    obs, info = env.reset()
    assert info["tick"] == 0 and not obs["heat"].any()


def test_a_step_of_many_ticks_is_the_same_in_pieces() -> None:
    # It takes longer than a piece.
    world, ticks = load("heat"), 5000
    command = {"field": "stove", "coord": [3, 4], "value": 1}
    env, envs = gametape.Env(world, ticks=ticks), gametape.VectorEnv(world, 2, ticks=ticks)
    obs, _, _, _, info = env.step([command])
    many, _, _, _, infos = envs.step([[command], []])
    run = world.run(ticks, [{"tick": 1, **command}])
    assert info["tick"] == run.tick == infos["tick"][0] == infos["tick"][1]
    assert info["outcomes"] == infos["outcomes"][0] == ["applied"] and infos["outcomes"][1] == []
    assert same(obs, run.state) and numpy.array_equal(many["heat"][0], run["heat"])


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


def test_spaces_of_gymnasium() -> None:
    try:
        gymnasium = importlib.import_module("gymnasium")
    except ModuleNotFoundError:
        with pytest.raises(gametape.UsageError, match="gymnasium, which is not installed"):
            gametape.Env(load("heat")).observation_space
        pytest.skip("SKIPPED: gymnasium is not installed")
    for name in NAMES:
        env = gametape.Env(load(name))
        # The lattice has places without a cell, which are no numbers.
        assert env.observation_space.contains(env.reset()[0]) == (name != "crystal")
        space = env.action_space
        space.seed(3)
        for _ in range(5):
            action = space.sample()
            assert isinstance(space, gymnasium.spaces.Sequence) and space.contains(action)
            obs, _, _, _, info = env.step(action)
            assert set(info["outcomes"]) <= {"applied", "not_applied"}
        envs = gametape.VectorEnv(load(name), 2)
        assert envs.observation_space.contains(envs.reset()[0]) == (name != "crystal")
        assert envs.single_observation_space == env.observation_space
        assert envs.single_action_space == env.action_space


def test_an_agent_learns_to_graze() -> None:
    path = Path(__file__).parents[1] / "examples/forage.py"
    spec = importlib.util.spec_from_file_location("forage", path)
    assert spec is not None and spec.loader is not None
    forage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(forage)
    meals = forage.learn(generations=4, ticks=50)
    assert meals == sorted(meals) and meals[-1] > 2 * meals[0]


def test_the_command_sweeps_the_same() -> None:
    options = ["--sweep", "dt=0.02..0.04/3", "--sweep", "field.pressure.units=hPa,Pa", "--seeds", "2"]
    out = command("record", "murk", "--world", WORLDS / "weather.toml", *options, "--ticks", "6", "--json")
    grid: dict[str, list[Any]] = {"dt": [0.02, 0.03, 0.04], "field.pressure.units": ["hPa", "Pa"]}
    table = gametape.sweep(load("weather"), grid, seeds=range(2), ticks=6)
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == polars.DataFrame(table).to_dicts()
    assert list(rows[0]) == table.keys()


@pytest.mark.parametrize("name", ["crystal", "foraging", "weather"])
def test_the_lines_of_an_agent_are_the_observations_of_an_env(name: str) -> None:
    world = load(name)
    fields = [field.name for field in world.fields]
    watches = [part for field in fields for part in ("--watch", field)]
    call = [COMMAND, "record", "murk", "--world", str(WORLDS / f"{name}.toml"), "--agent", *watches]
    env = gametape.Env(world)
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin and child.stdout
        child.stdout.readline()
        shapes: dict[str, list[int]] = {}
        for seed in (5, 6, None):
            for tick in range(4):
                reset = {} if seed is None else {"seed": seed}
                print(json.dumps({"commands": []} if tick else {"reset": reset}), file=child.stdin, flush=True)
                line = json.loads(child.stdout.readline())
                obs, info = env.step()[::4] if tick else env.reset(seed=seed)
                assert (line["tick"], line["time_ms"]) == (info["tick"], info["time_ms"])
                shapes = line.get("shapes", shapes)
                for field in fields:
                    array = numpy.array(line["cells"][field], dtype="float32").reshape(shapes[field])
                    assert numpy.array_equal(array, obs[field], equal_nan=True)
        child.stdin.close()
        assert child.wait() == 0
