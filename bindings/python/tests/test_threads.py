"""Threads, forks, interrupts, and what is left after many calls."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gametape
import pyarrow
import pytest
from conftest import WORLDS


def resident() -> int:
    """The memory of the process, in bytes."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("SKIPPED: this system does not say how much memory a process has")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_opening_and_closing_leaves_nothing(samples: Path) -> None:
    path = samples / "beginner-win.rmv"

    def once() -> None:
        with gametape.open(path) as game:
            game.table("cursor", ["x"], end=0.2).read()

    def many(times: int) -> int:
        for _ in range(times):
            once()
        gc.collect()
        return resident()

    before = many(1000)
    assert many(10_000) - before < 16 << 20
    assert threading.active_count() < 10
    if Path("/proc/self/task").exists():
        assert len(os.listdir("/proc/self/task")) < 50


def test_errors_and_streams_that_end_early_leave_nothing(samples: Path) -> None:
    broken = gametape.open(samples / "cut.rmv")
    long = gametape.open(samples / "arena.mcap")

    def many(times: int) -> int:
        for _ in range(times):
            with pytest.raises(gametape.TruncatedError):
                broken.table("mouse_events", ["x"]).read()
            next(iter(long.table("parts", ["step"])))
            pyarrow.RecordBatchReader.from_stream(long.table("ship", ["step"])).read_next_batch()
        gc.collect()
        return resident()

    before = many(100)
    assert many(200) - before < 32 << 20


def test_eight_threads_on_one_recording(samples: Path) -> None:
    match = gametape.open(samples / "match.butter")
    play = match.playback()
    names = [name for name in match.tables]
    wanted = {name: pyarrow.table(match.table(name)) for name in names}
    states = {}
    for step in [0, 400, 900, 1300]:
        play.seek(f"step:{step}")
        states[step] = pyarrow.table(play.state("players"))

    def work(number: int) -> None:
        for name in names[number % len(names) :] + names:
            assert pyarrow.table(match.table(name)).equals(wanted[name])
        for step, state in states.items():
            own = match.playback()
            own.seek(f"step:{step}")
            assert pyarrow.table(own.state("players")).equals(state)
            # Others move the shared one meanwhile.
            play.seek(f"step:{step}")
            assert len(play.state("players")) > 0
        assert match.audit().verdict == "pass"

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work, number) for number in range(8)]:
            done.result(timeout=300)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_process_reads_what_its_parent_opened(samples: Path) -> None:
    tape = gametape.open(samples / "arena.mcap")
    rows = tape.table("parts", ["step"])
    play = tape.playback()
    wanted = len(rows.read())
    started = iter(rows)
    next(started)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            assert len(rows.read()) == wanted
            assert play.seek("end").step > 0
            assert gametape.open(samples / "loss.rmv").audit().verdict
            # The thread that reads these rows is not in this process.
            try:
                for _ in started:
                    pass
            except RuntimeError as error:
                code = 0 if "fork" in str(error) else 3
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert sum(len(batch) for batch in started) > 0


@pytest.fixture(scope="module")
def long_match(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match that takes some seconds to read, whatever the machine."""
    folder = tmp_path_factory.mktemp("long")
    plain = folder / "plain.echoreplay"
    gametape.open(samples / "match.echoreplay").convert(plain, plain=True)
    lines = plain.read_bytes()
    path = folder / "long.echoreplay"
    with path.open("wb") as out:
        while out.tell() < 400 << 20:
            out.write(lines)
    plain.unlink()
    return path


def test_progress_is_told_and_an_exception_of_the_callback_ends_the_work(long_match: Path) -> None:
    tape = gametape.open(long_match)
    told: list[tuple[int, int]] = []

    class Enough(Exception):
        pass

    def progress(done: int, size: int) -> None:
        told.append((done, size))
        if done > 0:
            raise Enough

    long: list[Callable[[], object]] = [
        lambda: tape.convert("butter", progress=progress),
        lambda: tape.diff(tape, progress=progress),
        lambda: tape.info(progress=progress),
        lambda: tape.audit(progress=progress),
        lambda: tape.stats(progress=progress),
    ]
    for work in long:
        told.clear()
        with pytest.raises(Enough):
            work()
        done, size = told[-1]
        assert 0 < done < size == long_match.stat().st_size
        assert told == sorted(told)


def test_rows_tell_their_progress(long_match: Path, samples: Path) -> None:
    told: list[tuple[int, int]] = []
    size = long_match.stat().st_size
    rows = gametape.open(long_match).table("game", ["status"])
    rows.read(progress=lambda done, size: told.append((done, size)))
    assert told == sorted(told) and {of for _, of in told} == {size}
    assert 0 < told[0][0] < told[-1][0] == size

    class Enough(Exception):
        pass

    def progress(done: int, of: int) -> None:
        told.append((done, of))
        if done > size:
            raise Enough

    paths = [long_match, long_match, samples / "match.butter"]
    with pytest.raises(Enough):
        gametape.scan(paths, "game", ["status"], where="step>=0").read(progress=progress)
    assert told[-1][1] == 2 * size + paths[2].stat().st_size


# Work that does not end in any time that a test has, unless it is interrupted.
WORK = {
    "read": "rows.read()",
    "loop": "[len(batch) for batch in rows]",
    "pyarrow": "pyarrow.table(rows)",
    "polars": "polars.DataFrame(rows)",
}

PROGRAM = """
import sys, gametape, polars, pyarrow
rows = gametape.scan([sys.argv[1]] * 1000, "players", ["player"], where="player>=0")
print("begins", flush=True)
try:
    try:
        WORK
    except Exception as error:
        # Another library makes an error of its own; the interrupt follows.
        assert "KeyboardInterrupt" in str(error)
    while True:
        pass
except KeyboardInterrupt:
    print("ends", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SKIPPED: signals are sent otherwise here")
@pytest.mark.parametrize("what", WORK)
def test_an_interrupt_ends_the_reading_of_rows(long_match: Path, what: str) -> None:
    program = PROGRAM.replace("WORK", WORK[what])
    call = [sys.executable, "-c", program, str(long_match)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "begins\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        try:
            out, errors = child.communicate(timeout=60)
        finally:
            child.kill()
    assert (out, errors) == ("ends\n", "")


# Calls that take seconds on a long recording.
LONG: dict[str, Callable[[gametape.Recording, Path], object]] = {
    "info": lambda tape, out: tape.info(),
    "audit": lambda tape, out: tape.audit(),
    "stats": lambda tape, out: tape.stats(),
    "convert": lambda tape, out: tape.convert(out / "out.butter"),
    "repair": lambda tape, out: tape.repair(out / "out.echoreplay"),
    "cut": lambda tape, out: tape.cut(out / "out.echoreplay", start=1),
    "diff": lambda tape, out: tape.diff(gametape.open(tape.path)),
    "playback": lambda tape, out: tape.playback(),
    "moment": lambda tape, out: tape.table("players", end="end"),
    "picture": lambda tape, out: tape.picture(start=1, show="ways"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="SKIPPED: signals are sent otherwise here")
@pytest.mark.parametrize("what", LONG)
def test_others_run_during_long_work_and_an_interrupt_ends_it(
    long_match: Path, tmp_path: Path, what: str
) -> None:
    tape = gametape.open(long_match)

    # If this thread runs only once the call has ended, there is no call left to interrupt.
    def others() -> None:
        for _ in range(100):
            time.sleep(0.001)
        is_during.append(what not in ended)
        os.kill(os.getpid(), signal.SIGINT)

    is_during: list[bool] = []
    ended: list[str] = []
    thread = threading.Thread(target=others)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        LONG[what](tape, tmp_path)
        ended.append(what)
        thread.join()
        for _ in range(1000):
            pass
    assert is_during == [True]
    # The unfinished output goes with the work.
    while left := [path.name for path in tmp_path.iterdir()]:
        assert not [name for name in left if name.startswith("out.")]
        time.sleep(0.01)


SHORT = """
import os, resource, sys, threading
import gametape, numpy

def work():
    with gametape.open(sys.argv[1]) as game:
        assert game.header and game.info() and game.tables and game.stats()
        data = game.table("mouse_events").read()
        assert all(len(data[name]) == len(data) for name in data)
        play = game.playback()
        assert play.seek("end").step > 0 and len(play.state("board"))

work()
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * os.sysconf("SC_PAGE_SIZE") + (1 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
work()
try:
    threading.Thread(target=work).start()
except RuntimeError:
    print("no thread")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIPPED: the limit is Linux's")
def test_short_work_starts_no_thread(samples: Path) -> None:
    # There is no memory left for the stack of a thread.
    call = [sys.executable, "-c", SHORT, str(samples / "beginner-win.rmv")]
    done = subprocess.run(call, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("no thread\n", "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIPPED: only Linux names its threads in files")
@pytest.mark.parametrize("what", ["read", "state"])
def test_the_simulation_of_a_small_recording_is_no_short_work(tmp_path: Path, what: str) -> None:
    path = tmp_path / "large.murk"
    world = gametape.World.from_toml((WORLDS / "heat.toml").read_text())
    world.record(path, ticks=150, set={"space.rows": 300, "space.cols": 300})
    assert path.stat().st_size < 10_000
    tape = gametape.open(path)
    play = tape.playback()
    play.seek("end")
    threads: set[str] = set()

    # An interrupt ends only what is on a thread of its own.
    def others() -> None:
        time.sleep(0.2)
        for task in Path("/proc/self/task").iterdir():
            threads.add((task / "comm").read_text().strip())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=others)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        if what == "read":
            tape.table("heat", ["value"]).read()
        else:
            play.state("heat")
        thread.join()
        for _ in range(1000):
            pass
    assert "gametape" in threads


def test_a_recording_can_be_gone_before_its_rows(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.mcap"
    shutil.copy(samples / "arena.mcap", path)
    tape = gametape.open(path)
    rows = tape.table("ship")
    wanted = len(rows.read())
    del tape
    gc.collect()
    assert len(rows.read()) == wanted
