"""The examples in the documentation run, and the types are those of the module."""

import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import GetSetDescriptorType

import gametape
import pytest

PACKAGE = Path(__file__).parents[1]


def documented() -> Iterator[tuple[str, object]]:
    for name in gametape.__all__:
        of = getattr(gametape, name)
        if callable(of):
            yield name, of
        if isinstance(of, type):
            for member, value in vars(of).items():
                if not member.startswith("_") and not isinstance(value, GetSetDescriptorType):
                    # As callers get it: a static method has its documentation only there.
                    yield f"{name}.{member}", getattr(of, member)


OBJECTS = dict(documented())
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", OBJECTS)
def test_examples(here: Path, name: str) -> None:
    text = OBJECTS[name].__doc__
    assert text, f"{name} has no documentation"
    names = {"gametape": gametape, "game": gametape.open("game.rmv"), "open": open}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert test.examples, f"{name} has no example"
    out: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=out.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(out)


def test_everything_says_what_it_is() -> None:
    for name in gametape.__all__:
        of = getattr(gametape, name)
        if isinstance(of, type):
            for member, value in vars(of).items():
                if not member.startswith("_"):
                    assert value.__doc__, f"{name}.{member} has no documentation"


def test_the_readme_runs(here: Path) -> None:
    text = (PACKAGE / "README.md").read_text()
    snippets = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert snippets
    (here / "readme.py").write_text("\n".join(snippets))
    subprocess.run([sys.executable, "readme.py"], cwd=here, check=True)


def mypy(*args: str, cwd: Path) -> None:
    done = subprocess.run([sys.executable, "-m", *args], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_types_are_those_of_the_module(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    # The library within the package, whose names the package has.
    allowed.write_text("gametape.gametape\n")
    mypy("mypy.stubtest", "gametape", "--allowlist", str(allowed), cwd=tmp_path)


def test_the_readme_and_these_tests_have_the_right_types(tmp_path: Path) -> None:
    text = (PACKAGE / "README.md").read_text()
    snippets = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "readme.py").write_text("\n".join(snippets))
    options = ["--config-file", str(PACKAGE / "pyproject.toml"), "--cache-dir", str(tmp_path)]
    mypy("mypy", *options, "readme.py", cwd=tmp_path)
    mypy("mypy", *options, str(PACKAGE / "tests"), cwd=PACKAGE / "tests")
    mypy("mypy", *options, str(PACKAGE / "docs/conf.py"), cwd=PACKAGE / "docs")
