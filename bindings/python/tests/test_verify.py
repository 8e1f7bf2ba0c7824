"""Verifying many recordings."""

import json
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
from conftest import command

KEYS = ["code", "severity", "step", "tick", "time_ms", "line", "offset", "offset_in", "repeats", "message", "data"]


@pytest.fixture
def archive(samples: Path, tmp_path: Path) -> Path:
    """Recordings of several kinds, broken ones among them, and what is none; no two are related."""
    folder = tmp_path / "archive"
    (folder / "deep").mkdir(parents=True)
    for name in ["expert-win.rmv", "cut.rmv", "match.butter", "heat.murk", "deep/arena.mcap"]:
        shutil.copy(samples / Path(name).name, folder / name)
    (folder / "notes.txt").write_text("just text")
    (folder / "empty.rmv").write_bytes(b"")
    (folder / "short.butter").write_bytes((samples / "match.butter").read_bytes()[:3])
    return folder


def told(*args: object) -> dict[str, dict[str, object]]:
    lines = [json.loads(line) for line in command("verify", "--json", *args).splitlines()]
    return {line["path"]: line for line in lines if line.get("path") and not line.get("skipped")}


@pytest.mark.parametrize("policy", [None, "default", "own"])
def test_the_results_are_those_of_the_command(archive: Path, tmp_path: Path, policy: str | None) -> None:
    if policy == "own":
        policy = str(tmp_path / "policy.toml")
        Path(policy).write_text('[rmv.require]\nmode = "win7"\n')
    missing = archive / "missing.rmv"
    paths = [archive, missing]
    wanted = told(*paths, *(["--policy", policy] if policy else []))
    checks = list(gametape.verify(paths, policy=policy))
    assert [str(check.path) for check in checks] == list(wanted)
    assert len(checks) == 8 and {check.verdict for check in checks} >= {"pass", "fail"}
    for check in checks:
        line = wanted[str(check.path)]
        for key in ["format", "verdict", "facts"]:
            assert getattr(check, key) == line[key], check.path
        assert check.advice == line.get("advice", [])
        for own, finding in zip(check.findings, line["findings"], strict=True):  # type: ignore[call-overload]
            for key in KEYS:
                assert getattr(own, key) == finding[key], f"{check.path}: {key}"
        if policy:
            assert (check.admitted, check.reasons) == (line["admitted"], line["reasons"]), check.path
        else:
            assert check.admitted is None and check.reasons == []
        assert f"{check.path}: {check.verdict}" in repr(check)
    if policy:
        assert {check.admitted for check in checks} >= {False}


def test_a_table_has_a_row_for_each_recording(archive: Path) -> None:
    checks = gametape.verify([archive, archive / "missing.rmv"], policy="default")
    frame = pl.DataFrame(checks)
    assert frame["recording"].to_list() == [str(check.path) for check in checks]
    assert frame["verdict"].to_list() == [check.verdict for check in checks]
    assert frame["admitted"].to_list() == [check.admitted for check in checks]
    errors = [sum(finding.severity == "error" for finding in check.findings) for check in checks]
    warnings = [sum(finding.severity == "warning" for finding in check.findings) for check in checks]
    assert frame["errors"].to_list() == errors and frame["warnings"].to_list() == warnings
    assert sum(errors) > 0
    for check, reasons in zip(checks, frame["reasons"]):
        assert {reason["code"] for reason in check.reasons} == {word.split(":")[0] for word in reasons.split()}
    data = checks.read()
    assert pa.table(data).equals(pa.table(checks))
    assert data["verdict"].tolist() == frame["verdict"].to_list()
    assert data.to_pandas()["recording"].tolist() == frame["recording"].to_list()
    # Of a file that can't be read, the reason.
    missing = frame.filter(pl.col("format").is_null())
    assert missing.rows() == [
        (str(archive / "missing.rmv"), None, "fail", False, "not-found", 1, 0, "no such file")
    ]


def test_what_is_not_there_is_an_error_only_if_nothing_is(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(gametape.NotFoundError):
        gametape.verify(tmp_path / "none")
    [check] = [check for check in gametape.verify([archive, tmp_path / "none"]) if check.format is None and "none" in str(check.path)]
    assert check.verdict == "fail" and check.findings[0].code == "not-found"
    assert list(gametape.verify([])) == []
    with pytest.raises(gametape.NotFoundError):
        gametape.verify(archive, policy=tmp_path / "none.toml")
    (tmp_path / "wrong.toml").write_text('[rmv.require]\nmdoe = "win7"\n')
    with pytest.raises(gametape.UsageError, match='wrong.toml: line 2: rmv has no fact "mdoe"'):
        gametape.verify(archive, policy=tmp_path / "wrong.toml")


def test_options_are_for_the_formats_that_have_them(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(gametape.UsageError, match="there is no option wolrd"):
        gametape.verify(archive, wolrd="heat.toml")
    with pytest.raises(gametape.NotFoundError):
        gametape.verify(archive, world=tmp_path / "none.toml")


def test_files_that_are_no_recordings_fail_only_if_they_are_named(archive: Path) -> None:
    notes = archive / "notes.txt"
    assert notes not in [check.path for check in gametape.verify(archive)]
    [check] = gametape.verify(notes)
    assert check.verdict == "fail" and [finding.code for finding in check.findings] == ["unknown-format"]


def test_results_come_while_others_are_still_worked_on(samples: Path) -> None:
    path = samples / "match.butter"
    began = time.monotonic()
    first = next(iter(gametape.verify([path] * 2000)))
    first_came = time.monotonic() - began
    began = time.monotonic()
    assert len(list(gametape.verify([path] * 20))) == 20
    # Not all of the two thousand were verified for the first.
    assert first.verdict == "pass" and first_came < 20 * (time.monotonic() - began) + 1


def test_progress_is_told(archive: Path) -> None:
    seen: list[tuple[int, int]] = []
    gametape.verify(archive).read(progress=lambda done, of: seen.append((done, of)))
    size = sum(path.stat().st_size for path in archive.rglob("*") if path.is_file())
    assert seen[-1] == (size, size) and seen == sorted(seen)

    class Enough(Exception):
        pass

    def enough(done: int, of: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        gametape.verify([archive] * 500).read(progress=enough)


PROGRAM = """
import sys, gametape
try:
    for check in gametape.verify([sys.argv[1]] * 100_000):
        print("begins", flush=True) if not globals().get("begun") else None
        begun = True
except KeyboardInterrupt:
    print("ends", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SKIPPED: signals are sent otherwise here")
def test_an_interrupt_ends_it(samples: Path) -> None:
    call = [sys.executable, "-c", PROGRAM, str(samples / "match.butter")]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "begins\n"
        child.send_signal(signal.SIGINT)
        try:
            out, errors = child.communicate(timeout=60)
        finally:
            child.kill()
    assert (out, errors) == ("ends\n", "")


def test_other_threads_run_meanwhile(samples: Path) -> None:
    turns = 0
    over = threading.Event()

    def others() -> None:
        nonlocal turns
        while not over.is_set():
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=others)
    thread.start()
    gametape.verify([samples / "match.butter"] * 50).read()
    over.set()
    thread.join()
    assert turns > 10


def test_a_notebook_shows_verdict_and_findings(samples: Path) -> None:
    [check] = gametape.verify(samples / "tampered-board-event.rmv")
    audit = gametape.open(samples / "tampered-board-event.rmv").audit()
    for html in [check._repr_html_(), audit._repr_html_()]:
        assert "<strong>fail</strong>" in html and "rmv.board-event" in html
        assert html.count("<tr>") == min(len(audit.findings), 11)
