"""The site builds without a warning, the notebooks run, and their pictures show something."""

import base64
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import gametape
import numpy as np
import pytest
from PIL import Image

PACKAGE = Path(__file__).parents[1]
NOTEBOOKS = sorted(path.stem for path in (PACKAGE / "notebooks").glob("*.py"))
# The last line of a cell that shows a picture.
PLOT = re.compile(r"^(plt\.show|Image)\(", re.MULTILINE)


@pytest.fixture(scope="module")
def site(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. It has the notebooks as nbclient executed them; a cell that raises is a warning."""
    to = tmp_path_factory.mktemp("site") / "html"
    call = [sys.executable, "-m", "sphinx", "-q", "-W", "-E", str(PACKAGE / "docs"), str(to)]
    environment = os.environ | {"GAMETAPE_DEMO": str(samples), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(call, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    reports = [path.read_text() for path in to.glob("reports/**/*.log")]
    assert done.returncode == 0, "\n".join([done.stderr, *reports])
    return to


def cells(site: Path, name: str) -> list[dict[str, Any]]:
    notebook = json.loads((site / f"notebooks/{name}.ipynb").read_text())
    return [cell | {"source": "".join(cell["source"])} for cell in notebook["cells"]]


def pictures(cell: dict[str, Any]) -> list[bytes]:
    data = [output.get("data", {}) for output in cell.get("outputs", [])]
    return [base64.b64decode(of[kind]) for of in data for kind in of if kind in ("image/png", "image/gif")]


def colored(picture: Image.Image) -> float:
    """The least share of pixels that are neither white, grey nor black, of the quarters: axes without data have none."""
    pixels = np.asarray(picture.convert("RGB")).astype(int)
    colored = pixels.max(axis=2) - pixels.min(axis=2) > 40
    quarters = [quarter for half in np.array_split(colored, 2) for quarter in np.array_split(half, 2, axis=1)]
    return float(min(quarter.mean() for quarter in quarters))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_each_plot_shows_something(site: Path, name: str) -> None:
    plots = [cell for cell in cells(site, name) if PLOT.search(cell["source"])]
    assert len(plots) >= 2
    for cell in plots:
        (picture,) = pictures(cell)
        with Image.open(io.BytesIO(picture)) as image:
            assert image.width >= 400, cell["source"]
            frames = getattr(image, "n_frames", 1)
            image.seek(frames - 1)
            assert colored(image) > 0.0002, cell["source"]
            if frames > 1:
                last = image.convert("RGB").tobytes()
                image.seek(0)
                assert image.convert("RGB").tobytes() != last, "it does not move"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_says_what_it_asks_and_what_its_pictures_show(name: str) -> None:
    text = (PACKAGE / f"notebooks/{name}.py").read_text()
    parts = re.split(r"^# %%", text, flags=re.MULTILINE)[1:]
    assert parts[0].startswith(" [markdown]\n# # "), "it begins with a title and its question"
    said = ""
    for cell in parts:
        if cell.startswith(" [markdown]"):
            said += cell
        elif PLOT.search(cell):
            assert "\n# ## " in said, "a picture has a heading of its own, which the gallery shows"
            said = ""


def test_the_gallery_shows_all_pictures(site: Path) -> None:
    page = (site / "gallery.html").read_text()
    of = page[page.index('class="pictures') :]
    shown = re.findall(r'href="(notebooks/[^"#]*)#([^"]*)"><img alt="([^"]*)" src="([^"]*)"', of)
    assert len(shown) == sum(len(pictures(cell)) for name in NOTEBOOKS for cell in cells(site, name))
    assert len({title for _, _, title, _ in shown}) == len(shown), "two pictures have one title"
    for notebook, section, title, source in shown:
        assert title and (site / source).is_file()
        assert f'id="{section}"' in (site / notebook).read_text()
    for name in NOTEBOOKS:
        assert f'href="notebooks/{name}.ipynb"' in page
    assert 'href="demo-recordings.zip"' in page
    with ZipFile(site / "demo-recordings.zip") as recordings:
        assert "expert-win.rmv" in recordings.namelist()


def test_the_reference_has_everything_with_its_types(site: Path) -> None:
    page = (site / "api.html").read_text()
    for name in gametape.__all__:
        of = getattr(gametape, name)
        if name != "__version__":
            assert f'id="gametape.{name}"' in page, f"docs/api.md lacks {name}"
        for member in vars(of) if isinstance(of, type) else []:
            if not member.startswith("_") and not issubclass(of, Exception):
                assert f'id="gametape.{name}.{member}"' in page, f"{name}.{member}"
    text = re.sub(r"<[^>]*>", "", page)
    assert "progress: Callable[[int, int], object] | None = None" in text
    assert "list[Finding]: The findings" in text
    assert not re.search(r"\b_[A-Z]\w+", text), "an alias of the stub is shown"


def test_the_site_does_not_say_where_it_was_built(site: Path, samples: Path) -> None:
    for path in [*site.rglob("*.html"), *site.rglob("*.ipynb")]:
        text = path.read_text()
        assert str(samples) not in text and str(PACKAGE) not in text and str(site) not in text, path


def test_pages_of_the_site_have_no_code_that_no_test_runs() -> None:
    for path in (PACKAGE / "docs").glob("*.md"):
        assert "```python" not in path.read_text(), f"{path.name}: put it into the README or a notebook"
