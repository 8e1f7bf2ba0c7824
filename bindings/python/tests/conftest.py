"""Recordings for the tests: those of `gametape demo`, and the shared tapes where they are."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WORLDS = ROOT / "crates/samples/worlds"
COMMAND = os.environ.get("GAMETAPE_COMMAND", str(ROOT / "target/debug/gametape"))
# A shell that starts the tests in the background has interrupts ignored; some tests send one.
signal.signal(signal.SIGINT, signal.default_int_handler)
# The program that answers SQL is built beside the command.
os.environ["PATH"] = os.pathsep.join([str(Path(COMMAND).parent), os.environ["PATH"]])
# Beside the clone; somebody's recordings are in no repository.
TAPES = Path(os.environ.get("GAMETAPE_TAPES", ROOT.parent / "shared/tapes"))


def command(*args: object) -> str:
    """Runs the command, and returns what it prints, also about the readable part of a broken recording."""
    if not Path(COMMAND).exists():
        pytest.fail(f"{COMMAND} is not there: cargo build -p gametape-cli, or set GAMETAPE_COMMAND")
    call = [COMMAND, *map(str, args)]
    done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode > 1 and not done.stdout:
        raise RuntimeError(f"{call}: {done.stderr.decode()}")
    return done.stdout.decode()


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    command("demo", folder)
    return folder


@pytest.fixture(scope="session")
def tapes() -> list[Path]:
    """The shared tapes that the command can read."""
    if not TAPES.is_dir():
        pytest.skip(f"SKIPPED: there are no shared tapes at {TAPES}")
    import gametape

    def is_recording(path: Path) -> bool:
        try:
            gametape.open(path).tables
        except gametape.Error:
            return False
        return True

    return [path for path in sorted(TAPES.rglob("*")) if is_recording(path)]


@pytest.fixture
def here(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the examples in the documentation, which they run in."""
    for name, sample in {
        "game.rmv": "expert-win.rmv",
        "tampered.rmv": "tampered-board-event.rmv",
        "broken.rmv": "cut.rmv",
        "match.echoreplay": "match.echoreplay",
        "games/a.rmv": "expert-win.rmv",
        "games/b.rmv": "beginner-win.rmv",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(samples / sample, tmp_path / name)
    for world in ["foraging.toml", "heat.toml", "weather.toml"]:
        shutil.copy(WORLDS / world, tmp_path / world)
    (tmp_path / "notes.txt").write_text("just text, no recording")
    monkeypatch.chdir(tmp_path)
    return tmp_path
