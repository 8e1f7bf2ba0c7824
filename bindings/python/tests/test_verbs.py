"""The verbs of recordings: audit, stats, convert, cut, diff, scan."""

import json
import re
import time
from pathlib import Path

import gametape
import polars
import pytest
from conftest import command


def test_audits_and_statistics_are_those_of_the_command(samples: Path) -> None:
    keys = ["code", "severity", "step", "tick", "time_ms", "line", "offset", "offset_in", "repeats"]
    for path in sorted(samples.iterdir()):
        audit = gametape.open(path).audit()
        told = json.loads(command("verify", path, "--json").splitlines()[0])
        assert audit.verdict == told["verdict"] and audit.facts == told["facts"], path
        assert len(audit.findings) == len(told["findings"])
        for finding, wanted in zip(audit.findings, told["findings"]):
            for key in [*keys, "message", "data"]:
                assert getattr(finding, key) == wanted[key], f"{path}: {key}"
        if audit.verdict != "fail":
            (line,) = command("stats", path, "--json").splitlines()
            wanted = json.loads(line)
            stats = gametape.open(path).stats()
            assert stats == {key: wanted[key] for key in stats}, path
    audit = gametape.open(samples / "tampered-board-event.rmv").audit()
    assert audit.verdict == "fail"
    (finding,) = [finding for finding in audit.findings if finding.severity == "error"][:1]
    assert finding.code in str(finding) and finding.message in str(finding)
    assert finding.step is not None and finding.data


def test_conversions(samples: Path, tmp_path: Path) -> None:
    match = gametape.open(samples / "match.echoreplay")
    made = match.convert(tmp_path / "match.butter", keyframe_every=30)
    assert made.format == "butter" and made.lossy and made.report
    assert made.size == (tmp_path / "match.butter").stat().st_size
    (match_row,) = gametape.open(tmp_path / "match.butter").table("match", ["keyframe_every"])
    assert match_row["keyframe_every"].tolist() == [30]
    assert match.convert("echoreplay").content == (samples / "match.echoreplay").read_bytes()
    unknown = "there is no option keyframes-every to convert echoreplay to butter; keyframe-every may be meant"
    with pytest.raises(gametape.UsageError, match=unknown):
        match.convert("butter", keyframes_every=3)
    with pytest.raises(gametape.UsageError, match="keyframe-every can be"):
        match.convert("butter", keyframe_every="often")
    with pytest.raises(gametape.UsageError, match="there is no option world to open echoreplay"):
        gametape.open(samples / "match.echoreplay", world=samples / "heat.murk")
    with pytest.raises(gametape.UsageError, match="can't be converted"):
        match.convert(tmp_path / "match.xyz")
    # A file that exists is not replaced, unless that is asked for or it is the same already.
    path = tmp_path / "taken.butter"
    path.write_bytes(b"mine")
    with pytest.raises(gametape.UsageError, match="exists and is not replaced; replace=True replaces it") as error:
        match.convert(path)
    assert error.value.code == "exists" and error.value.path == path and path.read_bytes() == b"mine"
    with pytest.raises(gametape.UsageError, match="replace=True"):
        gametape.open(samples / "heat.murk").repair(path.rename(tmp_path / "taken.murk"))
    path = tmp_path / "part.echoreplay"
    path.write_bytes(b"mine")
    with pytest.raises(gametape.UsageError, match="replace=True"):
        match.cut(path, start=0)
    made = match.cut(path, start=0, replace=True)
    assert match.cut(path, start=0).size == made.size == path.stat().st_size
    # A file that holds less does not replace the recording.
    path = tmp_path / "other.echoreplay"
    path.write_bytes((samples / "match-cut-out.echoreplay").read_bytes())
    before = path.read_bytes()
    try:
        gametape.open(path).repair(path, replace=True)
    except gametape.UsageError as error:
        assert "holds less" in str(error) and path.read_bytes() == before


def test_options_of_opening_reach_the_format(samples: Path, tmp_path: Path) -> None:
    with pytest.raises(gametape.NotFoundError):
        gametape.open(samples / "heat.murk", world=tmp_path / "none.toml")


def test_cuts(samples: Path, tmp_path: Path) -> None:
    match = gametape.open(samples / "match.echoreplay")
    path = tmp_path / "a.echoreplay"
    made = match.cut(path, start="step:30", end="step:59")
    assert made.path == path and made.details["steps"] == 30
    assert gametape.open(path).info()["steps"] == 30
    around = match.cut(around="goals:1", before=1, after=0.5)
    assert around.path is None and around.content and 20 < around.details["steps"] < 26
    with pytest.raises(gametape.UsageError):
        match.cut(around="goals:1", start=1)
    with pytest.raises(gametape.UsageError, match="is the name of a recording of butter"):
        match.cut(tmp_path / "a.butter", end=1)


def test_differences(samples: Path) -> None:
    game = gametape.open(samples / "expert-win.rmv")
    other = gametape.open(samples / "tampered-time.rmv")
    diff = game.diff(other)
    assert not diff.same and game.diff(game).same
    frame = polars.DataFrame(diff)
    assert len(frame) > 0 and set(frame["table"]) <= set(game.tables)
    with pytest.raises(gametape.UsageError) as error:
        game.diff(gametape.open(samples / "heat.murk"))
    assert error.value.code == "formats-differ"


def test_scans_read_many_recordings_as_one(samples: Path) -> None:
    rows = gametape.scan(samples / "v1-*.rmv", "mouse_events", ["recording", "x"])
    frame = polars.DataFrame(rows)
    counted = dict(frame.group_by("recording").len().iter_rows())
    for path in samples.glob("v1-*.rmv"):
        assert counted.get(str(path), 0) == len(gametape.open(path).table("mouse_events").read())
    some = gametape.scan(samples / "v1-*.rmv", "mouse_events", where=["action=lmb_down", "x>100"])
    lines = [
        line
        for path in samples.glob("v1-*.rmv")
        for line in command(
            "dump", path, "--table", "mouse_events", "--where", "action=lmb_down", "--where", "x>100"
        ).splitlines()
    ]
    assert len(some.read()) == len(lines) > 0
    # A folder has files of other formats, too, which have no such table.
    everything = gametape.scan([samples], "mouse_events", ["recording"])
    assert len(everything.read()) > len(frame)
    with pytest.raises(gametape.UsageError, match="no table"):
        gametape.scan(samples / "v1-*.rmv", "players")
    # Several kinds have a table of this name, with other columns: it is named as in SQL.
    with pytest.raises(gametape.UsageError, match='two kinds: ask for "echo.game" or "rmv.game"'):
        gametape.scan(samples, "game", errors="raise")
    games = polars.DataFrame(gametape.scan(samples, "rmv.game", ["recording"], errors="collect"))
    assert set(games["recording"]) == {str(path) for path in samples.glob("*.rmv")}
    matches = polars.DataFrame(gametape.scan(samples, "echo.game", ["recording"], errors="collect"))
    assert {Path(name).suffix for name in matches["recording"]} == {".butter", ".echoreplay"}
    with pytest.raises(gametape.UsageError, match='there is no table "game"'):
        gametape.scan(samples, "murk.game")
    with pytest.raises(gametape.UsageError, match="never"):
        gametape.scan(samples / "v1-*.rmv", "mouse_events", where="action=jump")


def test_a_scan_reads_a_range_of_each_recording(samples: Path) -> None:
    paths = sorted(samples.glob("v1-*.rmv"))
    lengths = [gametape.open(path).info()["duration_ms"] / 1000 for path in paths]
    assert min(lengths) < 1 < max(lengths)

    def own(path: Path, length: float, start: float | str | None, end: float | str | None) -> polars.DataFrame:
        # The last second of a recording that is shorter is all of it, and nothing is before that.
        if length < 1 and end == "-1s":
            start, end = "end", 0
        if length < 1 and start == "-1s":
            start = None
        game = gametape.open(path)
        if (start, end) == ("end", 0):
            return polars.DataFrame(game.table("mouse_events", ["time_ms", "x"])).clear()
        return polars.DataFrame(game.table("mouse_events", ["time_ms", "x"], start, end))

    ranges: list[tuple[float | str | None, float | str | None]] = [
        (None, 0.5),
        (0.2, "400ms"),
        ("step:5", "step:9"),
        ("-1s", None),
        (-1.0, "end"),
        (None, "-1s"),
        ("end", None),
    ]
    for start, end in ranges:
        each = [own(path, length, "-1s" if start == -1.0 else start, end) for path, length in zip(paths, lengths)]
        wanted = polars.concat(each)
        rows = polars.DataFrame(gametape.scan(paths, "mouse_events", ["time_ms", "x"], None, start, end))
        assert rows.equals(wanted) and (len(rows) > 0 or start == "end"), (start, end)
        rows = polars.DataFrame(gametape.scan(paths, "mouse_events", ["time_ms", "x"], "x>100", start, end))
        assert rows.equals(wanted.filter(polars.col("x") > 100)), (start, end)
    # What no recording can have is refused at once; what one of them lacks is its problem.
    with pytest.raises(gametape.UsageError, match="(?i)before|after"):
        gametape.scan(paths, "mouse_events", start=2.0, end=1.0)
    with pytest.raises(gametape.UsageError, match="a moment is"):
        gametape.scan(paths, "mouse_events", start="soon")
    none = gametape.scan([*paths, samples / "heat.murk"], "rmv.mouse_events", start="tick:3")
    assert len(none.read()) == 0 and len(none.problems) == len(paths)
    with pytest.raises(gametape.UsageError):
        gametape.scan(paths, "mouse_events", start="tick:3", errors="raise").read()


def test_a_closed_recording_refuses_and_its_rows_stay(samples: Path) -> None:
    with gametape.open(samples / "loss.rmv") as game:
        rows, play = game.table("cursor"), game.playback()
    with pytest.raises(gametape.UsageError, match="is closed"):
        game.header
    assert len(rows.read()) > 0 and play.seek("end").step > 0


@pytest.mark.parametrize("name", ["loss.rmv", "match.butter", "heat.murk", "arena.mcap"])
def test_a_picture_is_that_of_the_command(samples: Path, name: str) -> None:
    path = samples / name
    tape = gametape.open(path)
    assert tape.picture().svg == command("picture", path, "-")
    over = tape.picture(start="step:3", width=500)
    assert over.svg == command("picture", path, "-", "--from", "step:3", "--width", 500)
    assert over.show in ("ways", "time", "changes") and over.words in over.svg.replace("&quot;", '"')
    assert tape.picture(1.0).svg == command("picture", path, "-", "--at", "1")
    assert over._repr_svg_() == over.svg
    # A notebook shows the end.
    assert tape.picture().svg in tape._repr_html_()


def test_a_picture_of_nothing_or_of_a_broken_recording(samples: Path) -> None:
    tape = gametape.open(samples / "match-cut-off.butter")
    with pytest.raises(gametape.TruncatedError):
        tape.picture()
    broken = gametape.open(samples / "match-cut-off.butter", errors="collect")
    assert broken.picture().view == "map"
    assert [problem.code for problem in broken.problems] == ["butter.truncated"]
    for wrong in [
        {"view": "boards"},
        {"column": "colour"},
        {"show": "time"},
        {"plane": "up"},
        {"width": 9},
        {"at": 1, "start": 2},
        {"start": 2, "show": "all"},
        {"start": 3, "end": 2},
    ]:
        with pytest.raises(gametape.UsageError):
            gametape.open(samples / "loss.rmv").picture(**wrong)  # type: ignore[arg-type]


def test_a_notebook_shows_the_first_and_the_last_rows(samples: Path) -> None:
    game = gametape.open(samples / "expert-win.rmv")
    rows = game.table("mouse_events", ["step", "action"])
    data = rows.read()
    html = data._repr_html_()
    # The head, five rows, the gap, and five rows.
    assert html.count("<tr>") == 12 and f"{len(data):,} rows" in html
    shown = [int(number) for number in re.findall(r"<tr><td[^>]*>(\d+)</td>", html)]
    assert shown == [*data["step"][:5].tolist(), *data["step"][-5:].tolist()]
    # Several batches are one table.
    both = gametape.scan([samples / "expert-win.rmv"] * 2, "mouse_events", ["step"]).read()
    html = both._repr_html_()
    assert html.count("<tr>") == 12 and f"{2 * len(data):,} rows" in html
    for count in [0, 1, 5, 9, 10, 11]:
        few = game.table("mouse_events", ["step"], end=f"step:{count - 1}" if count else "step:0", start=None if count else "step:0")
        html = few.read()._repr_html_()
        length = len(few.read())
        assert html.count("<tr>") == 1 + min(length, 11), count
    html = rows._repr_html_()
    assert html.count("<tr>") == 11 and "read()" in html
    # Columns beyond the twentieth are counted.
    wide = game.table("game").read()
    assert f"{len(wide.keys()) - 20} more columns" in wide._repr_html_()
    diff = game.diff(gametape.open(samples / "tampered-time.rmv"))
    assert diff.first and diff.first.split(":")[0] in diff._repr_html_()


def test_a_notebook_gets_no_html_out_of_a_recording(samples: Path, tmp_path: Path) -> None:
    content = (samples / "expert-win.rmv").read_bytes()
    assert content.count(b"Synthetic Player") == 1
    path = tmp_path / "<b>&amp;.rmv"
    path.write_bytes(content.replace(b"Synthetic Player", b"<b>S&nthetic</b>"))
    game = gametape.open(path)
    shown = [
        gametape.scan(path, "game", ["recording", "player_name"]).read()._repr_html_(),
        gametape.scan(path, "game", ["recording", "player_name"])._repr_html_(),
        game.audit()._repr_html_(),
        game.diff(gametape.open(samples / "expert-win.rmv"))._repr_html_(),
    ]
    for html in shown:
        assert "<b>" not in html
    assert "&lt;b&gt;S&amp;nthetic&lt;/b&gt;" in shown[0] and "&lt;b&gt;&amp;amp;.rmv" in shown[1]


def test_secrets_are_not_in_the_html_of_rows(samples: Path) -> None:
    path = samples / "match.echoreplay"
    secret = [column.name for column in gametape.open(path).tables["players"].columns if column.secret]
    assert secret
    for secrets in [False, True]:
        rows = gametape.open(path, secrets=secrets).table("players", None if not secrets else secret)
        for html in [rows._repr_html_(), rows.read()._repr_html_()]:
            assert (f">{secret[0]}<" in html) == secrets


def test_rows_that_take_long_are_not_waited_for(samples: Path) -> None:
    # No row meets the condition, and reading all recordings takes long.
    rows = gametape.scan([samples / "match.butter"] * 5000, "players", ["step"], where="step<0")
    began = time.monotonic()
    html = rows._repr_html_()
    assert "No rows so far" in html and time.monotonic() - began < 30


def test_a_notebook_shows_the_header_and_the_tables(samples: Path) -> None:
    html = gametape.open(samples / "loss.rmv")._repr_html_()
    assert "mouse_events" in html and "rmv" in html and html.count("<table>") == html.count("</table>")
