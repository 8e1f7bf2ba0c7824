"""Broken recordings raise, and give what is intact on request."""

import errno
from functools import cache
from pathlib import Path

import gametape
import pyarrow
import pytest
from conftest import command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def test_rows_before_the_damage_come_and_then_the_exception(samples: Path) -> None:
    path = samples / "cut.rmv"
    rows = gametape.open(path).table("mouse_events", ["step"])
    steps: list[int] = []
    with pytest.raises(gametape.TruncatedError) as caught:
        for batch in rows:
            steps += batch["step"].tolist()
    lines = command("dump", path, "--table", "mouse_events").splitlines()
    assert len(steps) == len(lines) > 10
    error = caught.value
    assert error.code == "rmv.truncated"
    assert error.path == path and error.offset == 903
    assert error.step == 196 and error.time_ms == 1460
    assert error.data["needed"] == 993
    assert str(error).startswith(f"{path}: event 196")
    with pytest.raises(gametape.TruncatedError):
        rows.read()
    with pytest.raises(pyarrow.ArrowInvalid, match=f"{path}: event 196"):
        pyarrow.table(rows)
    # The other library's error has lost the class and the data; they are here.
    (problem,) = rows.problems
    assert isinstance(problem, gametape.TruncatedError) and problem.data == error.data


def test_what_is_intact_comes_on_request(samples: Path) -> None:
    path = samples / "match-cut-off.butter"
    with pytest.raises(gametape.TruncatedError):
        gametape.open(path).info()
    broken = gametape.open(path, errors="collect")
    assert broken.problems == []
    lines = command("dump", path, "--table", "players").splitlines()
    for _ in range(2):
        assert len(pyarrow.table(broken.table("players"))) == len(lines) > 100
    assert broken.info()["steps"] == 900
    assert [problem.code for problem in broken.problems] == ["butter.truncated"]


def test_a_scan_goes_on_after_a_broken_recording(samples: Path) -> None:
    names = ["beginner-win.rmv", "cut.rmv", "loss.rmv"]
    paths = [samples / name for name in names]
    rows = gametape.scan(paths, "mouse_events", ["recording"])
    counts = {str(path): 0 for path in paths}
    for batch in rows:
        for name in batch["recording"]:
            counts[name] += 1
    for path in paths:
        lines = command("dump", path, "--table", "mouse_events").splitlines()
        assert counts[str(path)] == len(lines) > 0
    assert [problem.path for problem in rows.problems] == [paths[1]]
    with pytest.raises(gametape.TruncatedError):
        gametape.scan(paths, "mouse_events", errors="raise").read()


def test_a_repair_keeps_what_is_intact(samples: Path, tmp_path: Path) -> None:
    broken = gametape.open(samples / "match-cut-off.butter")
    path = tmp_path / "whole.butter"
    made = broken.repair(path)
    assert made.lossy and made.actions and made.path == path
    assert gametape.open(path).info()["steps"] == 900
    assert broken.repair().content == path.read_bytes()


SETTINGS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
WHOLE = ["loss.rmv", "match.butter", "match.echoreplay", "heat.murk", "arena.mcap"]


def intact(path: Path) -> dict[str, pyarrow.Table]:
    """The rows of each table before the damage; none where nothing can be read."""
    try:
        tape = gametape.open(path, errors="collect")
        tables = [name for name, table in tape.tables.items() if table.lane != "facts"]
        return {name: plain(pyarrow.table(tape.table(name))) for name in tables}
    except gametape.Error as error:
        assert error.code and str(error)
        return {}


def plain(table: pyarrow.Table) -> pyarrow.Table:
    """The same texts in two tables may have two dictionaries."""
    columns = {}
    for field in table.schema:
        is_text = pyarrow.types.is_dictionary(field.type)
        columns[field.name] = table[field.name].cast(field.type.value_type) if is_text else table[field.name]
    return pyarrow.table(columns)


whole = cache(intact)


@SETTINGS
@given(st.sampled_from(WHOLE), st.floats(0, 1), st.booleans(), st.integers(1, 255))
def test_any_damage_gives_rows_or_an_error_of_ours(
    samples: Path, tmp_path: Path, name: str, part: float, cut: bool, flip: int
) -> None:
    data = bytearray((samples / name).read_bytes())
    at = min(int(part * len(data)), len(data) - 1)
    if cut:
        del data[at:]
    else:
        data[at] ^= flip
    path = tmp_path / name
    path.write_bytes(data)
    found = intact(path)
    if cut:
        # The rows before the damage are those that were recorded.
        for table, rows in found.items():
            assert rows.equals(whole(samples / name)[table][: len(rows)]), table
    try:
        tape = gametape.open(path)
        for table in tape.tables:
            tape.table(table).read()
        tape.audit()
        tape.stats()
    except gametape.Error as error:
        assert error.code and error.path == path


def test_the_classes_of_errors(samples: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        gametape.open(tmp_path / "missing.rmv")
    assert isinstance(missing.value, gametape.NotFoundError)
    assert missing.value.errno == errno.ENOENT and missing.value.code == "io"
    with pytest.raises(gametape.NotFoundError):
        gametape.scan(tmp_path / "*.rmv", "game")
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(gametape.RecordingError) as unknown:
        gametape.open(tmp_path / "a.txt")
    assert unknown.value.code == "unknown-format" and unknown.value.data == {"starts_with": "74657874"}
    with pytest.raises(gametape.UsageError) as folder:
        gametape.open(tmp_path)
    assert folder.value.code == "is-folder"
    game = gametape.open(samples / "loss.rmv")
    with pytest.raises(ValueError, match='no table.*cursr.*did you mean "cursor"'):
        game.table("cursr")
    with pytest.raises(gametape.UsageError, match="no column"):
        game.table("cursor", ["z"])
    with pytest.raises(gametape.UsageError, match="a moment is"):
        game.table("cursor", start="soon")
    with pytest.raises(gametape.UsageError, match="a moment is"):
        game.table("cursor", start=[1])  # type: ignore[arg-type]
    with pytest.raises(gametape.UsageError, match="no moment"):
        game.table("cursor", start=float("nan"))
    with pytest.raises(gametape.UsageError, match="no ticks"):
        game.table("cursor", start="tick:1").read()
    # A wrong question is no error of another library.
    with pytest.raises(gametape.UsageError, match="no ticks"):
        pyarrow.table(game.table("cursor", start="tick:1"))
    with pytest.raises(gametape.UsageError):
        game.table("cursor", start=2, end=1)
    with pytest.raises(gametape.UsageError, match="raise"):
        gametape.open(samples / "loss.rmv", errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(gametape.UsageError, match="condition"):
        gametape.scan(samples / "loss.rmv", "cursor", where="x")
    for error in [gametape.RecordingError, gametape.UsageError, gametape.IoError]:
        assert issubclass(error, gametape.Error)
