"""Columns and ranges give the same as the whole, sliced."""

from functools import cache
from pathlib import Path
from typing import Any

import gametape
import numpy
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = ["loss.rmv", "match.butter", "match.echoreplay", "heat.murk", "arena.mcap"]
SETTINGS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@cache
def recording(folder: Path, name: str) -> gametape.Recording:
    return gametape.open(folder / name)


@cache
def whole(folder: Path, name: str, table: str) -> Any:
    return pyarrow.table(recording(folder, name).table(table))


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, int, st.DataObject]:
    return draw(st.sampled_from(NAMES)), draw(st.integers(0, 20)), draw(st.data())


@SETTINGS
@given(tables())
def test_a_slice_is_the_same_slice_of_the_whole(samples: Path, drawn: Any) -> None:
    name, number, data = drawn
    tape = recording(samples, name)
    kinds = [table for table in tape.tables.values() if table.lane != "facts"]
    table = kinds[number % len(kinds)]
    full = whole(samples, name, table.name)
    columns = data.draw(st.lists(st.sampled_from(full.column_names), unique=True, min_size=1))
    clock = data.draw(st.sampled_from(["step", "tick", "time_ms"]))
    stamps = full[clock].to_numpy(zero_copy_only=False)
    if full[clock].null_count or not len(full):
        return
    if clock == "time_ms":
        # Times are compared to the millisecond, as people write them.
        stamps = numpy.floor(stamps)
    ends = st.none() | st.sampled_from(list(stamps)) | st.integers(0, int(max(stamps)) + 9)
    start, end = data.draw(ends), data.draw(ends)
    if start is not None and end is not None and start > end:
        start, end = end, start
    kept = numpy.ones(len(stamps), dtype=bool)
    moments: list[str | float | None] = []
    for moment, meets in [(start, stamps.__ge__), (end, stamps.__le__)]:
        if moment is None:
            moments.append(None)
            continue
        kept &= meets(moment)
        moments.append(int(moment) / 1000 if clock == "time_ms" else f"{clock}:{int(moment)}")
    found = pyarrow.table(tape.table(table.name, columns, *moments))
    wanted = full.filter(pyarrow.array(kept)).select(columns)
    # Texts may have dictionaries of their own.
    assert found.to_pydict() == wanted.to_pydict()


@SETTINGS
@given(tables())
def test_conditions_keep_the_rows_that_meet_them(samples: Path, drawn: Any) -> None:
    name, number, data = drawn
    tables = list(recording(samples, name).tables.values())
    table = tables[number % len(tables)]
    full = whole(samples, name, table.name)
    numbers = [
        field.name
        for field in full.schema
        if pyarrow.types.is_integer(field.type) and full[field.name].null_count < len(full)
    ]
    if not numbers:
        return
    chosen = data.draw(st.sampled_from(numbers))
    values = full[chosen].to_pylist()
    limit = data.draw(st.sampled_from([value for value in values if value is not None]))
    sign, meets = data.draw(
        st.sampled_from(
            [
                ("=", lambda value: value == limit),
                ("!=", lambda value: value != limit),
                ("<", lambda value: value < limit),
                (">=", lambda value: value >= limit),
            ]
        )
    )
    columns = data.draw(st.lists(st.sampled_from(full.column_names), unique=True, min_size=1))
    found = gametape.scan(samples / name, table.name, columns, where=f"{chosen}{sign}{limit}")
    kept = [value is not None and meets(value) for value in values]
    wanted = full.filter(pyarrow.array(kept, pyarrow.bool_())).select(columns)
    assert pyarrow.table(found).to_pydict() == wanted.to_pydict()


@pytest.mark.parametrize(("name", "table"), [("arena.mcap", "ship"), ("match.butter", "players")])
def test_rows_that_end_a_state_meet_conditions_like_others(samples: Path, name: str, table: str) -> None:
    full = whole(samples, name, table).to_pylist()
    (key,) = [column.name for column in recording(samples, name).tables[table].columns if column.key]
    ended = [row for row in full if row["ended"]]
    limit = max(row[key] for row in ended)
    found = pyarrow.table(gametape.scan(samples / name, table, where=f"{key}>={limit}")).to_pylist()
    wanted = [row for row in full if row[key] >= limit]
    assert [{**row, "recording": None} for row in found] == [{"recording": None, **row} for row in wanted]
    assert 0 < sum(row["ended"] for row in found) < len(ended)


@pytest.mark.parametrize("name", NAMES)
def test_playback_has_the_state_of_the_rows_before(samples: Path, name: str) -> None:
    tape = recording(samples, name)
    play = tape.playback()
    first, last = play.span
    for part in [0, 0.3, 0.7, 1]:
        now = play.seek(f"step:{int(first.step + part * (last.step - first.step))}")
        assert play.now == now
        for table in tape.tables.values():
            if table.lane not in ("state", "grid"):
                continue
            keys = [column.name for column in table.columns if column.key]
            held: dict[tuple[Any, ...], Any] = {}
            for row in pyarrow.table(tape.table(table.name, end=f"step:{now.step}")).to_pylist():
                held[tuple(row[key] for key in keys)] = row
            rows = [row for row in held.values() if not row.get("ended")]
            own = [column.name for column in table.columns if not column.secret]
            found = pyarrow.table(play.state(table.name, own)).to_pylist()
            if table.lane == "grid":
                # Cells that nothing was recorded of yet are missing.
                found = [row for row in found if row[keys[0]] is not None]

            def order(row: dict[str, Any]) -> list[str]:
                return [str(row[key]) for key in keys]

            rows = [{key: row[key] for key in own} for row in rows]
            assert sorted(found, key=order) == sorted(rows, key=order), table.name


def test_a_grid_has_its_shape(samples: Path) -> None:
    tape = recording(samples, "heat.murk")
    play = tape.playback()
    play.seek("end")
    state = play.state("heat", ["value"])
    assert state.keys() == ["value"]
    cells = state["value"]
    assert cells.shape == tuple(tape.tables["heat"].shape)
    for row in pyarrow.table(play.state("heat")).to_pylist():
        assert cells[row["row"], row["col"]] == row["value"]
    # Its cells are recorded in another order than that of the keys.
    game = recording(samples, "loss.rmv")
    play = game.playback()
    play.seek("end")
    faces = play.state("board", ["rules"])["rules"]
    assert faces.dtype == object and faces.shape == tuple(game.tables["board"].shape)
    cells = pyarrow.table(game.table("board")).to_pylist()
    newest = {(row["col"], row["row"]): row["rules"] for row in cells}
    assert len(newest) == faces.size and len(set(newest.values())) > 3
    assert all(faces[place] == face for place, face in newest.items())


def test_arrays_say_what_is_missing(samples: Path) -> None:
    data = recording(samples, "loss.rmv").table("board_events").read()
    for field in pyarrow.table(data).schema:
        column = pyarrow.table(data)[field.name]
        array = data[field.name]
        assert len(array) == len(data)
        if column.null_count and pyarrow.types.is_integer(field.type):
            assert array.mask.sum() == column.null_count  # type: ignore[attr-defined]
    array = data["step"]
    with pytest.raises(ValueError):
        array[0] = 1
    with pytest.raises(KeyError):
        data["nothing"]
    # It outlives the rows.
    del data
    assert array[0] == 0 or array[0] > 0


def test_a_playback_goes_step_by_step(samples: Path) -> None:
    play = recording(samples, "beginner-win.rmv").playback()
    steps = [play.now.step]
    while (stamp := play.step()) is not None:
        steps.append(stamp.step)
    assert steps == list(range(play.span[1].step + 1))
