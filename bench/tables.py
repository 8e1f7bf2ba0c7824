"""A column of ten million rows beside Rust code that keeps the same arrays, and games beside ms_toollib.

python bench/tables.py [games | columns] [GAMES]; the package has to be built for release (cargo xtask wheel, or maturin develop
--release in bindings/python). GAMES is a folder of .rmv files, ../shared/tapes/rmv by default. The columns take 2 GB of disk.
"""

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import gametape
import numpy as np

ROOT = Path(__file__).parents[1]
ROUNDS = 7
# A frame has nine rows of players on average.
FRAMES = 1_105_000
# The peer ends the whole process on some files, so another one tries them first.
TRY = "import ms_toollib, sys; video = ms_toollib.RmvVideo(sys.argv[1]); video.parse(); video.analyse()"


def least(*works: Callable[[], float], rounds: int = ROUNDS) -> list[float]:
    """The least seconds of each. They take turns, so that other programs disturb all of them."""
    took = [math.inf] * len(works)
    for _ in range(rounds):
        for at, work in enumerate(works):
            took[at] = min(took[at], work())
    return took


def timed(work: Callable[[], object]) -> Callable[[], float]:
    def run() -> float:
        start = time.perf_counter()
        kept = work()
        took = time.perf_counter() - start
        del kept
        return took

    return run


def batches(work: Callable[[], object]) -> Callable[[], float]:
    """The seconds of a call, in batches of half a millisecond as in the other benchmarks; freeing the results is part of it."""
    once = timed(work)
    calls = math.ceil(0.0005 / min(once() for _ in range(3)))

    def run() -> float:
        start = time.perf_counter()
        for _ in range(calls):
            work()
        return (time.perf_counter() - start) / calls

    return run


def columns(folder: Path) -> None:
    """The time from the paths to the arrays, of the example `arrow_columns` of gametape-tables, and of Python."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    build = ["cargo", "build", "--quiet", "--release", "-p"]
    for crate, example in [("gametape-tables", "arrow_columns"), ("gametape-samples", "archive")]:
        subprocess.run([*build, crate, "--example", example], check=True, cwd=ROOT)
    text = folder / "text"
    subprocess.run([target / "examples/archive", text, "1", str(FRAMES)], check=True)
    (recording,) = text.glob("*/*")
    packed = folder / "match.butter"
    gametape.open(recording).convert(packed)
    recording.unlink()
    for name, path, table, column in [
        ("float", packed, "players", "head_x"),
        ("integer", packed, "players", "ping"),
    ]:
        rows = len(gametape.open(packed).table(table, columns=[column]).read()[column])

        def here() -> object:
            return gametape.open(path).table(table, columns=[column]).read()

        def there() -> float:
            out = subprocess.run([target / "examples/arrow_columns", table, column, path], check=True, capture_output=True, text=True).stdout
            return float(out.split()[-2])

        python, peer = least(timed(here), there, rounds=3)
        print(f"column/{name} rows={rows} ours={python:.3f} rust={peer:.3f} ratio={python / peer:.3f}")


def games(folder: Path) -> None:
    """From a path to statistics, and to arrays of all mouse events."""
    try:
        import ms_toollib
    except ImportError:
        print("SKIPPED: ms_toollib is not installed", file=sys.stderr)
        return

    ratios: dict[str, list[float]] = {"stats": [], "events": []}
    for path in sorted(folder.glob("*.rmv")):
        name = str(path.absolute())
        # It leaves a file where it crashes.
        with tempfile.TemporaryDirectory() as there:
            tried = subprocess.run([sys.executable, "-c", TRY, name], cwd=there, capture_output=True)
        if tried.returncode != 0:
            print(f"SKIPPED: {path.name}: the peer ends its process", file=sys.stderr)
            continue

        def stats() -> object:
            return gametape.open(name).stats()

        def peer_stats() -> object:
            video = ms_toollib.RmvVideo(name)
            video.parse()
            video.analyse()
            video.current_time = 1e9
            return video.ioe, video.stnb

        def events() -> object:
            data = gametape.open(name).table("mouse_events", columns=["time_ms", "action", "x", "y"]).read()
            return data["time_ms"], data["action"], data["x"], data["y"]

        def peer_events() -> object:
            video = ms_toollib.RmvVideo(name)
            video.parse()
            own = [state for state in video.events if state.event.is_mouse()]
            mouse = [state.event.unwrap_mouse() for state in own]
            return (
                np.array([state.time for state in own]),
                np.array([event.mouse for event in mouse]),
                np.array([event.x for event in mouse]),
                np.array([event.y for event in mouse]),
            )

        for what, ours, peer in [("stats", stats, peer_stats), ("events", events, peer_events)]:
            took, theirs = least(batches(ours), batches(peer), rounds=100)
            ratios[what].append(theirs / took)
            print(f"{what}/{path.name} ours={took * 1e6:.0f} peer={theirs * 1e6:.0f} ratio={theirs / took:.1f}")
    for what, all_of in ratios.items():
        if all_of:
            mean = math.exp(sum(map(math.log, all_of)) / len(all_of))
            print(f"{what}/ALL ratio={mean:.1f}")


def main() -> None:
    args = sys.argv[1:]
    only = args.pop(0) if args and args[0] in ("games", "columns") else None
    if only != "columns":
        games(Path(args[0]) if args else ROOT / "../shared/tapes/rmv")
    if only != "games":
        with tempfile.TemporaryDirectory() as folder:
            columns(Path(folder))


if __name__ == "__main__":
    main()
