"""An archive is a folder."""

import pickle
import tarfile
import zipfile
from pathlib import Path

import gametape
import polars
import pytest


@pytest.fixture(scope="module")
def games(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The games of the demo, and 1,000 times one of them, in a folder, a zip and a tar."""
    folder = tmp_path_factory.mktemp("archives")
    with zipfile.ZipFile(folder / "games.zip", "w", zipfile.ZIP_DEFLATED) as zip:
        for path in sorted(samples.glob("*.rmv")):
            zip.write(path, path.name)
        zip.writestr("notes.txt", "no recording")
    with tarfile.open(folder / "games.tgz", "w:gz") as tar:
        for path in sorted(samples.glob("*.rmv")):
            tar.add(path, path.name)
    game = next(samples.glob("*.rmv")).read_bytes()
    with zipfile.ZipFile(folder / "many.zip", "w", zipfile.ZIP_DEFLATED) as zip:
        for number in range(1000):
            zip.writestr(f"{number % 10}/{number}.rmv", game)
    return folder


def test_an_archive_has_what_its_folder_has(samples: Path, games: Path) -> None:
    def rows(found: list[polars.DataFrame]) -> polars.DataFrame:
        return polars.concat(found).with_columns(polars.col("recording").cast(str).str.split("/").list.last())

    plain = rows([polars.DataFrame(gametape.scan(str(samples / "*.rmv"), "game"))])
    assert plain.height > 1
    for name in ["games.zip", "games.tgz"]:
        packed = rows([polars.DataFrame(gametape.scan(games / name, "game"))])
        assert packed.sort("recording").equals(plain.sort("recording")), name
        verdicts = {Path(check.path).name: check.verdict for check in gametape.verify(games / name)}
        wanted = {path.name: gametape.open(path).audit().verdict for path in samples.glob("*.rmv")}
        assert verdicts == wanted
    path = games / "games.zip" / plain["recording"][0]
    game = gametape.open(path)
    assert game.audit().verdict == gametape.open(samples / path.name).audit().verdict
    assert pickle.loads(pickle.dumps(game)).header == game.header
    with pytest.raises(gametape.Error, match="name one of them"):
        gametape.open(games / "games.zip")
    with pytest.raises(FileNotFoundError):
        gametape.open(games / "games.zip" / "no.rmv")


def test_an_archive_of_a_thousand_games_is_asked(games: Path) -> None:
    answer = gametape.query("SELECT count(*) AS games, count(DISTINCT bbbv) AS boards FROM games", games / "many.zip")
    assert polars.DataFrame(answer).rows() == [(1000, 1)]
    assert polars.DataFrame(gametape.scan(games / "many.zip/3", "game")).height == 100
