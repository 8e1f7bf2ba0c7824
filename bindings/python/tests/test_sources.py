"""Recordings in memory, and in other processes."""

import copy
import functools
import io
import multiprocessing
import os
import pickle
import shutil
import sys
import threading
from pathlib import Path

import gametape
import pyarrow
import pytest

NAMES = ["expert-win.rmv", "match.butter", "match.echoreplay", "heat.murk", "arena.mcap"]


@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_read_as_the_file_is(samples: Path, tmp_path: Path, name: str) -> None:
    path = samples / name
    content = path.read_bytes()
    opened = gametape.open(path)
    # A part of memory that is not at its start, and one whose bytes do not stand one after the other.
    spread = memoryview(bytes(byte for byte in content for _ in range(2)))[::2]
    every: list[bytes | bytearray | memoryview] = [
        content,
        bytearray(content),
        memoryview(b"..." + content)[3:],
        spread,
    ]
    for given in every:
        tape = gametape.open(given)
        assert tape.format == opened.format and str(tape.path) == "<bytes>"
        assert list(tape.tables) == list(opened.tables)
        table = next(iter(tape.tables))
        assert pyarrow.table(tape.table(table)).equals(pyarrow.table(opened.table(table)))
    assert tape.audit().verdict == opened.audit().verdict
    made = tape.convert(tape.format)
    assert made.content == opened.convert(opened.format).content
    written = tape.convert(tmp_path / name)
    assert written.path == tmp_path / name and written.path.is_file()


def test_bytes_that_change_later_do_not_matter(samples: Path) -> None:
    content = bytearray((samples / "expert-win.rmv").read_bytes())
    game = gametape.open(content)
    content[:] = bytes(len(content))
    assert game.audit().verdict == "pass"


def test_errors_of_bytes_say_that_they_are_bytes(samples: Path) -> None:
    for content, code in [(b"just text", "unknown-format"), (b"", "unknown-format")]:
        with pytest.raises(gametape.RecordingError, match="^<bytes>: ") as raised:
            gametape.open(content)
        assert raised.value.code == code and raised.value.path == Path("<bytes>")
    cut = gametape.open((samples / "cut.rmv").read_bytes())
    with pytest.raises(gametape.TruncatedError, match="^<bytes>: "):
        cut.info()
    collected = gametape.open((samples / "cut.rmv").read_bytes(), errors="collect")
    assert collected.info() and [str(problem.path) for problem in collected.problems] == ["<bytes>"]
    with pytest.raises(gametape.UsageError, match="there is no option schema to open rmv recordings"):
        gametape.open((samples / "expert-win.rmv").read_bytes(), schema=samples / "cut.rmv")
    for wrong in [3, None, io.BytesIO(b"RMV2")]:
        with pytest.raises(TypeError):
            gametape.open(wrong)  # type: ignore[arg-type]


def delta(samples: Path, folder: Path) -> Path:
    """Packets whose schema lies elsewhere, so that it has to be given."""
    gametape.open(samples / "arena.mcap").convert(folder / "arena.delta")
    [beside] = [path for path in folder.iterdir() if path.name != "arena.delta"]
    beside.rename(folder / "elsewhere.json")
    return folder / "arena.delta"


def test_a_pickled_recording_is_opened_in_the_same_way(samples: Path, tmp_path: Path) -> None:
    path = samples / "cut.rmv"
    for copied in [
        pickle.loads(pickle.dumps(gametape.open(path, errors="collect"))),
        copy.copy(gametape.open(path, errors="collect")),
        pickle.loads(pickle.dumps(gametape.open(path.read_bytes(), errors="collect"))),
    ]:
        assert copied.info() and len(copied.problems) == 1
    with pytest.raises(gametape.TruncatedError):
        pickle.loads(pickle.dumps(gametape.open(path))).info()
    # Secrets stay hidden, or shown.
    match = samples / "match.echoreplay"
    for secrets in [False, True]:
        tape = gametape.open(match, secrets=secrets)
        again = pickle.loads(pickle.dumps(tape))
        for name in tape.tables:
            assert again.table(name).keys() == tape.table(name).keys()
    assert gametape.open(match, secrets=True).table("players").keys() != gametape.open(match).table("players").keys()
    # The options of the format.
    packets = delta(samples, tmp_path)
    tape = gametape.open(packets, schema=tmp_path / "elsewhere.json")
    assert list(pickle.loads(pickle.dumps(tape)).tables) == list(tape.tables)
    # The path is as it was given.
    assert pickle.loads(pickle.dumps(tape)).path == packets


def test_a_pickle_of_bytes_has_them(samples: Path) -> None:
    content = (samples / "expert-win.rmv").read_bytes()
    again = pickle.loads(pickle.dumps(gametape.open(content)))
    assert again.path == Path("<bytes>") and again.convert("rmv").content == content


def test_what_is_gone_or_closed_says_so(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.rmv"
    shutil.copy(samples / "expert-win.rmv", path)
    game = gametape.open(path)
    pickled = pickle.dumps(game)
    path.unlink()
    with pytest.raises(gametape.NotFoundError):
        pickle.loads(pickled)
    game.close()
    with pytest.raises(gametape.UsageError, match="is closed"):
        pickle.dumps(game)
    match = gametape.open(samples / "match.butter")
    for thing in [match.table("players"), match.playback(), gametape.verify(samples / "match.butter")]:
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(thing)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="SKIPPED: this system has no pipes with a name")
def test_a_recording_from_a_stream_is_not_pickled(samples: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = (samples / "expert-win.rmv").read_bytes()
    writer = threading.Thread(target=lambda: pipe.write_bytes(content))
    writer.start()
    game = gametape.open(pipe)
    writer.join()
    assert game.audit().verdict == "pass"
    with pytest.raises(TypeError, match="pipe: a recording from a stream can't be pickled"):
        pickle.dumps(game)


def steps(tape: gametape.Recording, table: str) -> int:
    return len(tape.table(table).read())


@pytest.mark.skipif(sys.platform == "win32", reason="SKIPPED: the test module is not importable there")
def test_processes_get_recordings(samples: Path) -> None:
    path = samples / "expert-win.rmv"
    tapes = [gametape.open(path), gametape.open(path.read_bytes())]
    count = functools.partial(steps, table="mouse_events")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        counts = pool.map(count, tapes)
    assert counts == [steps(tapes[0], "mouse_events")] * 2
