"""Every table of every recording has the rows that the command dumps."""

import json
import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import gametape
import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import command

STAMPS = ["step", "tick", "time_ms", "ended"]


def value(field: Any, json_value: Any) -> Any:
    """The value of a column that JSON has in this form."""
    kind = field.type
    # A text that is empty is missing in tables.
    if json_value is None or json_value == "":
        return False if field.name == "ended" else None
    if pyarrow.types.is_timestamp(kind):
        text = json_value.replace("/", "-").replace("Z", "+00:00")
        return datetime.fromisoformat(text)
    if pyarrow.types.is_floating(kind):
        number = float(json_value)
        return float(numpy.float32(number)) if kind == pyarrow.float32() else number
    return json_value


def dumped(path: Path, table: str, schema: Any) -> list[dict[str, Any]]:
    lines = command("dump", path, "--table", table).splitlines()
    rows = [json.loads(line) for line in lines]
    return [{field.name: value(field, row.get(field.name)) for field in schema} for row in rows]


def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, float) and isinstance(wanted, float):
        return found == wanted or (math.isnan(found) and math.isnan(wanted))
    return type(found) is type(wanted) and found == wanted


def check(found: list[dict[str, Any]], wanted: list[dict[str, Any]], what: str) -> None:
    assert len(found) == len(wanted), what
    for row, (a, b) in enumerate(zip(found, wanted)):
        assert a.keys() == b.keys(), what
        for name in b:
            assert same(a[name], b[name]), f"{what}, row {row}: {name}: {a[name]!r}, not {b[name]!r}"


def all_rows(path: Path) -> Iterator[tuple[str, Any, list[dict[str, Any]]]]:
    recording = gametape.open(path, errors="collect")
    for name, table in recording.tables.items():
        rows = recording.table(name)
        schema = pyarrow.schema(rows)
        shown = [column.name for column in table.columns if not column.secret]
        stamps = {"facts": [], "state": STAMPS}.get(table.lane, STAMPS[:3])
        assert schema.names == stamps + shown
        yield f"{path.name} {name}", rows, dumped(path, name, schema)


def check_all(paths: list[Path]) -> int:
    tables = 0
    for path in paths:
        for what, rows, wanted in all_rows(path):
            check(pyarrow.table(rows).to_pylist(), wanted, what)
            tables += 1
    return tables


def test_the_samples_have_the_rows_of_the_dump(samples: Path) -> None:
    assert check_all(sorted(samples.iterdir())) > 200


def test_the_shared_tapes_have_the_rows_of_the_dump(tapes: list[Path]) -> None:
    assert check_all(tapes) > 50


SOME = ["beginner-win.rmv", "match.butter", "heat.murk", "arena.mcap"]


@pytest.mark.parametrize("name", SOME)
def test_polars_has_the_rows_of_the_dump(samples: Path, name: str) -> None:
    for what, rows, wanted in all_rows(samples / name):
        check(polars.DataFrame(rows).to_dicts(), wanted, what)


def plain(value: Any) -> Any:
    """A value without the types of pandas, in which a missing number is NaN."""
    if value is None or value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, pandas.Timestamp):
        return value.to_pydatetime()
    value = value.item() if isinstance(value, numpy.generic) else value
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def test_pandas_before_version_3_has_the_same_rows(
    samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = gametape.open(samples / "arena.mcap").table("ship").read()
    frame = data.to_pandas()
    monkeypatch.delattr(pandas.DataFrame, "from_arrow", raising=False)
    pandas.testing.assert_frame_equal(data.to_pandas(), frame, check_dtype=False)


@pytest.mark.parametrize("name", SOME)
def test_pandas_has_the_rows_of_the_dump(samples: Path, name: str) -> None:
    for what, rows, wanted in all_rows(samples / name):
        frame = rows.read().to_pandas()
        assert len(frame) == len(wanted)
        for column in frame.columns:
            found = [plain(value) for value in frame[column]]
            told = [plain(row[column]) for row in wanted]
            assert found == told, f"{what}: {column}"


@pytest.mark.parametrize("name", SOME)
def test_duckdb_has_the_rows_of_the_dump(samples: Path, name: str) -> None:
    for what, rows, wanted in all_rows(samples / name):
        # Twice: a query may read the rows as often as it likes.
        for _ in range(2):
            answer = duckdb.sql("SELECT * FROM rows")
            assert answer is not None
            found = [dict(zip(answer.columns, row)) for row in answer.fetchall()]
            for row in found:
                for key, of in row.items():
                    if isinstance(of, datetime) and of.tzinfo is not None:
                        row[key] = of.astimezone(wanted[0][key].tzinfo)
            check(found, wanted, what)


def test_columns_describe_themselves(samples: Path) -> None:
    recording = gametape.open(samples / "match.butter")
    schema = pyarrow.schema(recording.table("players", ["time_ms", "head_x"]))
    assert schema.field("time_ms").metadata[b"unit"] == b"ms"
    assert schema.field("head_x").metadata[b"unit"] == b"m"
    columns = {column.name: column for column in recording.tables["players"].columns}
    assert columns["head_x"].unit == "m" and columns["head_x"].doc
    assert schema.metadata[b"table"] == b"players"


def test_secrets_are_shown_only_on_request(samples: Path) -> None:
    path = samples / "match.echoreplay"
    hidden, shown = gametape.open(path), gametape.open(path, secrets=True)
    names = [column.name for column in hidden.tables["match"].columns if column.secret]
    assert names
    for name in names:
        assert name not in hidden.table("match").keys()
        assert name in shown.table("match").keys()
        with pytest.raises(gametape.UsageError, match="secret"):
            hidden.table("match", [name])
    (secret,) = pyarrow.table(shown.table("match", names[:1])).to_pylist()
    assert secret[names[0]] not in str(hidden.header)
    assert secret[names[0]] in str(shown.header)
    assert secret[names[0]] not in hidden._repr_html_()


def test_no_columns_have_no_values(samples: Path) -> None:
    rows = gametape.open(samples / "loss.rmv").table("mouse_events", [])
    assert rows.keys() == [] and len(rows.read()) > 0
