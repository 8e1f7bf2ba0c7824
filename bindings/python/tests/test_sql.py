"""SQL: the answers of the program, as rows like any others."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import gametape
import polars as pl
import pyarrow as pa
import pytest

if shutil.which("gametape-query") is None:
    pytest.skip("SKIPPED: there is no gametape-query", allow_module_level=True)

CLICKS = "SELECT action, count(*) AS n FROM mouse_events GROUP BY 1 ORDER BY 1"


def test_an_answer_is_what_the_rows_say(samples: Path) -> None:
    path = samples / "expert-win.rmv"
    rows = gametape.query(CLICKS, path)
    assert rows.keys() == ["action", "n"]
    own = pl.DataFrame(gametape.scan(path, "mouse_events", ["action"]))
    counted = own.group_by(pl.col("action").cast(str)).len("n").sort("action")
    for _ in range(2):
        # Each time from the start.
        answer = pl.DataFrame(rows).with_columns(pl.col("action").cast(str))
        assert answer.rows() == counted.rows()
    assert pa.table(rows).num_rows == len(rows.read().to_pandas()) == len(counted)
    assert not rows.problems


def test_paths_are_one_or_several_and_an_answer_may_be_empty(samples: Path) -> None:
    sql = "SELECT count(*) AS n FROM recordings"
    path = samples / "expert-win.rmv"
    paths: list[Path | str] = [path, str(samples / "beginner-win.rmv")]
    assert gametape.query(sql, paths).read()["n"].tolist() == [2]
    with pytest.raises(gametape.UsageError, match="at least one recording"):
        gametape.query(sql, [])
    none = gametape.query("SELECT step, time_ms FROM mouse_events WHERE false", path)
    assert pl.DataFrame(none).shape == (0, 2)


def test_a_broken_recording_is_named_after_its_rows(samples: Path) -> None:
    path = samples / "cut.rmv"
    rows = gametape.query("SELECT count(*) AS n FROM mouse_events", path)
    assert rows.read()["n"][0] > 100
    [problem] = rows.problems
    strict = gametape.query("SELECT count(*) AS n FROM mouse_events", path, strict=True)
    with pytest.raises(gametape.TruncatedError) as raised:
        strict.read()
    same_as_opened(path, problem)
    same_as_opened(path, raised.value)


def same_as_opened(path: Path, error: gametape.Error) -> None:
    """The error is the one that the recording itself gives."""
    with pytest.raises(gametape.Error) as raised:
        gametape.open(path).info()
    own = raised.value
    assert type(error) is type(own) and str(error) == str(own)
    for name in ["code", "path", "offset", "step", "tick", "time_ms", "data"]:
        assert getattr(error, name) == getattr(own, name), name


def test_recordings_that_cannot_be_read_raise_what_they_raise_elsewhere(
    samples: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short: 3.butter"
    short.write_bytes((samples / "match.butter").read_bytes()[:3])
    text = tmp_path / "notes.txt"
    text.write_text("just text")
    for path in [short, text]:
        with pytest.raises(gametape.RecordingError) as raised:
            gametape.query("SELECT 1", path)
        same_as_opened(path, raised.value)
    # Of several, the first.
    with pytest.raises(gametape.RecordingError) as raised:
        gametape.query("SELECT 1", [short, text])
    assert raised.value.path in [short, text]
    with pytest.raises(gametape.NotFoundError) as missing:
        gametape.query("SELECT 1", tmp_path / "missing.rmv")
    assert missing.value.path == tmp_path / "missing.rmv"
    rows = gametape.query("SELECT count(*) AS n FROM rmv.game", [samples / "cut.rmv", short])
    rows.read()
    assert {problem.path for problem in rows.problems} >= {short}


@pytest.mark.parametrize(
    ("sql", "name", "options", "says"),
    [
        ("SELECT bord FROM game", "expert-win.rmv", {}, "bord"),
        ("SELEC 1", "expert-win.rmv", {}, "SELEC"),
        ("SELECT 1", "expert-win.rmv", {"memory": "much"}, "much is no size"),
        # Neither the command of the program, nor a file.
        ("index", "expert-win.rmv", {}, "index"),
        (__file__, "expert-win.rmv", {}, "an SQL statement"),
    ],
)
def test_what_is_wrong_is_said(
    samples: Path, sql: str, name: str, options: dict[str, str], says: str
) -> None:
    with pytest.raises(gametape.UsageError) as raised:
        gametape.query(sql, samples / name, memory=options.get("memory"))
    assert says in str(raised.value)


def test_an_error_among_the_rows_comes_after_those_before_it(samples: Path) -> None:
    sql = "SELECT 1 / (step - (SELECT max(step) FROM mouse_events)) AS x FROM mouse_events"
    with pytest.raises(gametape.UsageError, match="(?i)divi"):
        gametape.query(sql, samples / "expert-win.rmv").read()


def test_without_the_program_it_says_how_to_get_it(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    with pytest.raises(gametape.UsageError, match=r"pip install gametape\[sql\]"):
        gametape.query("SELECT 1", samples / "expert-win.rmv")


@pytest.mark.skipif(sys.platform == "win32", reason="SKIPPED: signals are sent otherwise here")
def test_an_interrupt_ends_a_program_that_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A program that answers once; asked again, it begins and gives nothing.
    program = tmp_path / "gametape-query"
    program.write_text(
        '#!/bin/sh\nif [ -e "$0.again" ]; then echo $$ > "$0.new"; mv "$0.new" "$0.pid"; exec sleep 1000; fi\n'
        'touch "$0.again"; exec cat "$0.arrow"\n'
    )
    program.chmod(0o755)
    table = pa.table({"n": [1]})
    with pa.ipc.new_stream(f"{program}.arrow", table.schema) as out:
        out.write_table(table)
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    rows = gametape.query("SELECT 1", tmp_path)
    assert rows.read()["n"].tolist() == [1]
    begun = Path(f"{program}.pid")

    def interrupt() -> None:
        while not begun.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        rows.read()
    thread.join()
    while True:
        try:
            os.kill(int(begun.read_text()), 0)
        except ProcessLookupError:
            break
        time.sleep(0.01)


ENDLESS = "SELECT count(*) AS n FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a.value * b.value % 7 = 3"

PROGRAM = f"""
import sys, gametape
try:
    rows = gametape.query({ENDLESS!r}, sys.argv[1])
    print("begins", flush=True)
    rows.read()
except KeyboardInterrupt:
    print("ends", flush=True)
"""


def children(of: int) -> list[int]:
    """The processes that a process started."""
    listed = Path(f"/proc/{of}/task")
    tasks = [task / "children" for task in listed.iterdir()]
    return [int(child) for task in tasks for child in task.read_text().split()]


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="SKIPPED: there is no /proc")
def test_an_interrupt_ends_the_program_too(samples: Path) -> None:
    call = [sys.executable, "-c", PROGRAM, str(samples / "expert-win.rmv")]
    # A group of its own: the signal reaches Python alone, as in a notebook.
    with subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == "begins\n"
        [program] = children(child.pid)
        child.send_signal(signal.SIGINT)
        try:
            out, errors = child.communicate(timeout=60)
        finally:
            child.kill()
    assert (out, errors) == ("ends\n", "")
    for _ in range(600):
        if not Path(f"/proc/{program}").exists():
            return
        time.sleep(0.1)
    pytest.fail("the program goes on")
