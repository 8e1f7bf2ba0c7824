"""SQL: the answers of the program, as rows like any others."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

import duckdb
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


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (5, "Int64"),
        (-3, "Int64"),
        (2.5, "Float64"),
        (1e300, "Float64"),
        (3.0, "Float64"),
        (True, "Boolean"),
        ("5", "Utf8"),
        ("true", "Utf8"),
        ("it's", "Utf8"),
        ("'quoted'", "Utf8"),
        ("", "Utf8"),
        ("--x = 'y'\n$z", "Utf8"),
    ],
)
def test_values_keep_their_type(samples: Path, value: str | float, kind: str) -> None:
    sql = "SELECT $value AS value, arrow_typeof($value) AS kind FROM games"
    row = pl.DataFrame(gametape.query(sql, samples / "expert-win.rmv", params={"value": value}))
    assert row["value"].to_list() == [value] and row["kind"].to_list() == [kind]


def test_what_is_no_value_is_refused(samples: Path) -> None:
    path = samples / "expert-win.rmv"
    for wrong in [None, [1], b"x"]:
        with pytest.raises(gametape.UsageError, match='params\\["x"\\] can be'):
            gametape.query("SELECT $x", path, params={"x": wrong})  # type: ignore[dict-item]
    with pytest.raises(OverflowError):
        gametape.query("SELECT $x", path, params={"x": 1 << 63})
    with pytest.raises(gametape.UsageError, match="is no name in SQL"):
        gametape.query("SELECT 1", path, params={"": 1})
    with pytest.raises(gametape.UsageError, match="x"):
        gametape.query("SELECT $x AS x", path).read()


def test_tables_of_ones_own(samples: Path, tmp_path: Path) -> None:
    path = samples / "expert-win.rmv"
    frame = pl.DataFrame({"action": ["lmb_down", "lmb_up", "it's"], "weight": [2.5, None, 1.0]})
    frame.write_csv(tmp_path / "of.csv")
    frame.write_parquet(tmp_path / "of.parquet")
    frame.write_ipc(tmp_path / "of.arrow")
    batches = pa.Table.from_batches(frame.to_arrow().to_batches() * 2)
    tables = {
        "polars": frame,
        "categories": frame.with_columns(pl.col("action").cast(pl.Categorical)),
        "arrow": frame.to_arrow(),
        "batch": frame.to_arrow().combine_chunks().to_batches()[0],
        "reader": frame.to_arrow().to_reader(),
        "pandas": frame.to_pandas(),
        "duckdb": duckdb.from_arrow(frame.to_arrow()),
        "csv": tmp_path / "of.csv",
        "parquet": str(tmp_path / "of.parquet"),
        "file": tmp_path / "of.arrow",
    }
    for name, table in tables.items():
        sql = f'SELECT action, count(*) AS n, any_value(weight) AS w FROM mouse_events JOIN "{name}" o USING (action) GROUP BY 1 ORDER BY 1'
        rows = gametape.query(sql, path, tables={name: table})
        counted = pl.DataFrame(rows)
        assert counted["action"].cast(str).to_list() == ["lmb_down", "lmb_up"], name
        assert counted["w"].to_list() == [2.5, None] and min(counted["n"].to_list()) > 10, name
        # Again, though the table could be read only once.
        assert pl.DataFrame(rows)["n"].equals(counted["n"])
    # Rows of ours, whose texts are others in each batch, and several tables at once.
    own = gametape.scan([path, samples / "beginner-win.rmv"], "mouse_events", ["recording", "action"])
    sql = "SELECT count(*) AS n, count(DISTINCT recording) AS recordings, (SELECT count(*) FROM twice) AS m FROM own"
    row = pl.DataFrame(gametape.query(sql, path, tables={"own": own, "twice": batches}))
    assert row.rows() == [(len(own.read()), 2, 6)]


def test_what_is_no_table_is_refused(samples: Path, tmp_path: Path) -> None:
    path = samples / "expert-win.rmv"
    for wrong in [3, {"a": [1]}, None]:
        with pytest.raises(gametape.UsageError, match='tables\\["t"\\] can be a dataframe'):
            gametape.query("SELECT 1", path, tables={"t": wrong})  # type: ignore[dict-item]
    with pytest.raises(gametape.UsageError, match="none.csv: No such file"):
        gametape.query("SELECT 1", path, tables={"t": tmp_path / "none.csv"})
    with pytest.raises(gametape.UsageError, match="a table of your own is a file"):
        gametape.query("SELECT 1", path, tables={"t": path})
    with pytest.raises(gametape.UsageError, match="is no name in SQL"):
        gametape.query("SELECT 1", path, tables={"a=b": path})


def test_temporary_files_go_with_the_rows(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    frame = pl.DataFrame({"n": [1, 2]})
    rows = gametape.query("SELECT sum(n) AS n FROM t", samples / "expert-win.rmv", tables={"t": frame})
    assert len(list(tmp_path.glob("*.arrow"))) == 1
    assert rows.read()["n"].tolist() == [3]
    del rows
    # The thread that read them may end a moment later.
    while list(tmp_path.glob("*.arrow")):
        time.sleep(0.01)
    with pytest.raises(gametape.UsageError):
        gametape.query("SELEC", samples / "expert-win.rmv", tables={"t": frame})
    while list(tmp_path.glob("*.arrow")):
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("arrow_cast(3, 'Int32')", 3),
        ("arrow_cast(3, 'UInt8')", 3),
        ("arrow_cast(1.5, 'Decimal128(9, 2)')", 1.5),
        ("arrow_cast('a', 'Utf8View')", "a"),
        ("arrow_cast('a', 'LargeUtf8')", "a"),
        ("arrow_cast('a', 'Dictionary(Int8, Utf8)')", "a"),
        ("arrow_cast(NULL, 'Utf8View')", None),
        ("DATE '2026-01-02'", datetime(2026, 1, 2)),
        ("TIMESTAMP '2026-01-02T03:04:05'", datetime(2026, 1, 2, 3, 4, 5)),
    ],
)
def test_a_column_of_any_type_is_an_array(samples: Path, sql: str, wanted: object) -> None:
    data = gametape.query(f"SELECT {sql} AS x", samples / "expert-win.rmv").read()
    assert data["x"].tolist() == [wanted]


def test_a_column_that_is_no_array_says_so(samples: Path) -> None:
    data = gametape.query("SELECT [1, 2] AS x, NULL AS y", samples / "expert-win.rmv").read()
    with pytest.raises(gametape.UsageError, match="a column of the type List.* is no array of NumPy"):
        data["x"]
    assert pl.DataFrame(data)["x"].to_list() == [[1, 2]]
    assert [str(value) for value in data["y"]] == ["nan"]
    assert "[1, 2]" in data._repr_html_()


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
