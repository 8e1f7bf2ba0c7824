"""Writes an answer with awkward values in every form, and reads it with pyarrow, polars, pandas and DuckDB.

python outputs.py PROGRAM RECORDING
"""

import json
import math
import subprocess
import sys
from datetime import datetime

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

# Two columns of one name, a text with quotes and line breaks, NaN, a number that no float holds, moments, lists; a row
# without values.
SQL = """
SELECT a.*, arrow_cast(a.text, 'Dictionary(Int32, Utf8)') AS word, b.* FROM (VALUES
  (1, 'a, "b"' || chr(10) || 'c; ''d''', CAST('NaN' AS DOUBLE), CAST(18446744073709551615 AS BIGINT UNSIGNED),
   TIMESTAMP '2026-01-02T03:04:05.678', [1, NULL, 3], true),
  (2, NULL, NULL, NULL, NULL, NULL, NULL),
  (3, 'é😀 \\ ', 1.5, CAST(0 AS BIGINT UNSIGNED), TIMESTAMP '1969-12-31T23:59:59', [], false)) a (n, text, x, big, at, list, flag)
LEFT JOIN (VALUES (1, 'one'), (3, 'NULL')) b (n, text) ON a.n = b.n ORDER BY a.n
"""
NAMES = ["n", "text", "x", "big", "at", "list", "flag", "word", "b.n", "b.text"]
TEXT = 'a, "b"\nc; \'d\''
ROWS = [
    [1, TEXT, math.nan, 2**64 - 1, datetime(2026, 1, 2, 3, 4, 5, 678000), [1, None, 3], True, TEXT, 1, "one"],
    [2] + 9 * [None],
    [3, "é😀 \\ ", 1.5, 0, datetime(1969, 12, 31, 23, 59, 59), [], False, "é😀 \\ ", 3, "NULL"],
]


def is_missing(value):
    return value is None or value is pandas.NA or value is pandas.NaT or value != value


def same(value, wanted):
    """Whether a value is the wanted one. A form without types has texts; pandas has no NaN beside what is missing."""
    if wanted is None:
        return is_missing(value)
    if isinstance(wanted, list):
        value = json.loads(value) if isinstance(value, str) else list(value)
        return len(value) == len(wanted) and all(map(same, value, wanted))
    if isinstance(wanted, bool):
        return str(value).lower() == str(wanted).lower()
    if isinstance(wanted, float):
        value = math.nan if is_missing(value) else float(value)
        return value == wanted or math.isnan(value) and math.isnan(wanted)
    if isinstance(wanted, datetime):
        return datetime.fromisoformat(str(value)) == wanted
    if isinstance(wanted, int):
        return int(value) == wanted and (wanted < 2**53 or not isinstance(value, float))
    return value == wanted


def ducks(answer):
    return [dict(zip([column[0] for column in answer.description], row)) for row in answer.fetchall()]


def stream(path):
    return pyarrow.ipc.open_stream(path)


lines = pyarrow.csv.ParseOptions(newlines_in_values=True)
big = {"big": pyarrow.uint64()}
empty = pyarrow.csv.ConvertOptions(null_values=[""], strings_can_be_null=True, column_types=big)
missing = {"keep_default_na": False, "na_values": {name: ["", "NaN"] if name == "x" else [""] for name in NAMES}}
READERS = {
    "csv": {
        "pyarrow": lambda path: pyarrow.csv.read_csv(path, parse_options=lines, convert_options=empty).to_pylist(),
        "polars": lambda path: polars.read_csv(path, schema_overrides={"big": polars.UInt64}).to_dicts(),
        "pandas": lambda path: pandas.read_csv(path, dtype={"big": "UInt64"}, **missing).to_dict("records"),
        "duckdb": lambda path: ducks(duckdb.execute(f"SELECT * FROM '{path}'")),
    },
    "jsonl": {
        "polars": lambda path: polars.read_ndjson(path).to_dicts(),
        "pandas": lambda path: pandas.read_json(path, lines=True, dtype=False).to_dict("records"),
        "duckdb": lambda path: ducks(duckdb.execute(f"SELECT * REPLACE (x ->> '$' AS x, big ->> '$' AS big) FROM '{path}'")),
    },
    "arrow": {
        "pyarrow": lambda path: stream(path).read_all().to_pylist(),
        "polars": lambda path: polars.read_ipc_stream(path).to_dicts(),
        "pandas": lambda path: stream(path).read_pandas(integer_object_nulls=True).to_dict("records"),
        "duckdb": lambda path: ducks(duckdb.from_arrow(stream(path))),
    },
    "parquet": {
        "pyarrow": lambda path: pyarrow.parquet.read_table(path).to_pylist(),
        "polars": lambda path: polars.read_parquet(path).to_dicts(),
        "pandas": lambda path: pandas.read_parquet(path, dtype_backend="numpy_nullable").to_dict("records"),
        "duckdb": lambda path: ducks(duckdb.execute(f"SELECT * FROM '{path}'")),
    },
}
program, recording = sys.argv[1:]
failed = []
for form, readers in READERS.items():
    path = f"awkward.{form}"
    subprocess.run([program, SQL, recording, "--out", path], check=True)
    for peer, read in readers.items():
        rows = read(path)
        if [list(row) for row in rows] != 3 * [NAMES]:
            failed.append(f"{form}: {peer} has the columns {[list(row) for row in rows]}")
            continue
        for row, wanted in zip(rows, ROWS):
            for name, value in zip(NAMES, wanted):
                if not same(row[name], value):
                    failed.append(f"{form}, row {wanted[0]}: {name} is {row[name]!r} for {peer}, {value!r} in SQL")
# The book says so: a column of numbers in which NaN is a text is no column for pyarrow.
try:
    pyarrow.json.read_json("awkward.jsonl")
    failed.append("jsonl: pyarrow reads columns of numbers and texts by now")
except pyarrow.ArrowInvalid:
    pass
print("\n".join(failed))
sys.exit(1 if failed else 0)
