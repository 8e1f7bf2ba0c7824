"""Reads our Parquet with pyarrow, polars and DuckDB, and asks DuckDB the questions of the cookbook.

python peers.py FOLDER, where FOLDER has for each table T of one recording T.parquet and T.jsonl, the rows as
`gametape dump` prints them; in `all` the tables of many recordings; in `questions` N.sql and N.jsonl.
"""

import glob
import json
import math
import os
import sys

import duckdb
import polars
import pyarrow.parquet

folder = sys.argv[1]
failed = []


def same(ours, theirs, exact):
    if ours is None or theirs is None:
        return ours is theirs
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours == theirs
    if ours in ("NaN", "inf", "-inf"):
        ours = float(ours)
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        if isinstance(ours, float) and math.isnan(ours):
            return math.isnan(theirs)
        return ours == theirs if exact else math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-6)
    return str(ours) == str(theirs)


def plain(value):
    """A value as JSON has it."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "as_integer_ratio") and not isinstance(value, (int, float)):
        return float(value)
    return value


def told(text):
    """A moment as text, in one form."""
    return text.replace("Z", "+00:00").replace(" ", "T").replace("/", "-") if isinstance(text, str) else text


def single(value, kind):
    """A number as a column of 32 bits has it."""
    return polars.Series([value], dtype=polars.Float32)[0] if kind == "float" and isinstance(value, (int, float)) else value


tables = sorted(glob.glob(os.path.join(folder, "*.parquet")))
assert tables, "no tables"
for path in tables:
    name = os.path.basename(path)[: -len(".parquet")]
    with open(path[: -len("parquet")] + "jsonl") as lines:
        expected = [json.loads(line) for line in lines]
    arrow = pyarrow.parquet.read_table(path)
    frame = polars.read_parquet(path)
    ducks = duckdb.execute(f"SELECT * FROM '{path}'")
    names = [column[0] for column in ducks.description]
    ducks = [dict(zip(names, row)) for row in ducks.fetchall()]
    for peer, rows in [
        ("pyarrow", arrow.to_pylist()),
        ("polars", frame.to_dicts()),
        ("duckdb", ducks),
    ]:
        if len(rows) != len(expected):
            failed.append(f"{name}: {peer} has {len(rows)} rows, dump {len(expected)}")
            continue
        for number, (row, wanted) in enumerate(zip(rows, expected)):
            for column, value in wanted.items():
                if column not in row:
                    failed.append(f"{name}: {peer} has no column {column}")
                    break
                kind = str(arrow.schema.field(column).type)
                theirs = plain(row[column])
                # A text that is empty is missing in tables.
                value = None if value == "" else single(value, kind)
                if kind.startswith("timestamp"):
                    theirs, value = told(theirs), told(value)
                    if isinstance(value, str) and isinstance(theirs, str):
                        value, theirs = value[:19], theirs[:19]
                if not same(value, theirs, True):
                    failed.append(f"{name}, row {number}: {column} is {theirs!r} for {peer}, {value!r} in dump")
            if len(failed) > 20:
                break
    for field in arrow.schema:
        metadata = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        if "doc" not in metadata:
            failed.append(f"{name}: {field.name} has no documentation: {metadata}")
        if field.name == "time_ms" and metadata.get("unit") != "ms":
            failed.append(f"{name}: time_ms has the unit {metadata.get('unit')}")

duck = duckdb.connect()
duck.execute("SET TimeZone = 'UTC'")
duck.execute("CREATE MACRO file(path) AS regexp_extract(path, '[^/]*$')")
duck.execute("CREATE MACRO magnitude(x, y, z) AS sqrt(x::DOUBLE * x + y::DOUBLE * y + z::DOUBLE * z)")
duck.execute(
    "CREATE MACRO distance(x, y, z, a, b, c) AS magnitude(x::DOUBLE - a, y::DOUBLE - b, z::DOUBLE - c)"
)
names = {}
for path in sorted(glob.glob(os.path.join(folder, "all", "*.parquet"))):
    schema, table = os.path.basename(path)[: -len(".parquet")].split(".")
    duck.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
    duck.execute(f"CREATE VIEW \"{schema}\".\"{table}\" AS SELECT * FROM '{path}'")
    if schema == "public":
        duck.execute(f"CREATE VIEW main.\"{table}\" AS SELECT * FROM '{path}'")
asked = 0
for path in sorted(glob.glob(os.path.join(folder, "questions", "*.sql"))):
    with open(path) as file:
        sql = file.read()
    with open(path[: -len("sql")] + "jsonl") as lines:
        ours = [json.loads(line) for line in lines]
    answer = duck.execute(sql)
    columns = [column[0] for column in answer.description]
    theirs = [dict(zip(columns, map(plain, row))) for row in answer.fetchall()]
    asked += 1
    if len(ours) != len(theirs):
        failed.append(f"{sql}\n{len(theirs)} rows, ours {len(ours)}")
        continue
    for mine, other in zip(ours, theirs):
        # JSON lines leave out what is missing.
        if any(not same(mine.get(column), other[column], False) for column in columns):
            failed.append(f"{sql}\nduckdb {other}\nours   {mine}")
            break
assert asked >= 10, asked
for failure in failed[:20]:
    print(failure)
print(f"{len(tables)} tables, {asked} questions, {len(failed)} differences")
sys.exit(1 if failed else 0)
