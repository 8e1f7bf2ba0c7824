"""The documentation as a site: `cargo xtask docs` builds it."""

import ast
import importlib.metadata
import os
import re
from pathlib import Path
from shutil import copyfile, make_archive

import gametape
from docutils import nodes
from sphinx.application import Sphinx

project = "gametape"
version = release = importlib.metadata.version("gametape")
extensions = ["myst_nb", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "gametape for Python"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = html_show_sphinx = html_copy_source = False
# A word in backticks is code, in docstrings as in Markdown.
default_role = "code"
autodoc_default_options = {"members": True}
maximum_signature_line_length = 80
add_module_names = False

myst_heading_anchors = 3
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 120
exclude_patterns = ["conf.py"]

# The types are in the stub, the documentation is in the library.
STUB = ast.parse(Path(gametape.__file__).with_suffix(".pyi").read_text())


def typed(scope: ast.Module | ast.ClassDef, prefix: str = "gametape") -> dict[str, ast.FunctionDef]:
    of: dict[str, ast.FunctionDef] = {}
    for node in scope.body:
        match node:
            case ast.FunctionDef():
                of[f"{prefix}.{node.name}"] = node
            case ast.ClassDef():
                of |= typed(node, f"{prefix}.{node.name}")
    return of


TYPED = typed(STUB)
ALIASES = {
    node.target.id: ast.unparse(node.value)
    for node in STUB.body
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value
}
# Classes of the stub alone say what a caller's object has to have.
ALIASES |= {
    node.name: node.name.lstrip("_")
    for node in STUB.body
    if isinstance(node, ast.ClassDef) and node.name.startswith("_")
}


def spelt(of: ast.AST) -> str:
    """An annotation, in which an alias of the stub is what it stands for."""
    text = ast.unparse(of)
    while (longer := re.sub(r"\b_[A-Z]\w*", lambda alias: ALIASES[alias[0]], text)) != text:
        text = longer
    return text


def signature(_app: Sphinx, what: str, name: str, *_: object) -> tuple[str, str] | None:
    of = TYPED.get(f"{name}.__new__" if what == "class" else name)
    if of is None or what in ("attribute", "property"):
        return None
    of.args.args = [arg for arg in of.args.args if arg.arg not in ("self", "cls")]
    returned = spelt(of.returns) if of.returns and what != "class" else ""
    return f"({spelt(of.args)})", returned


def property_type(_app: Sphinx, what: str, name: str, _of: object, _options: object, lines: list[str]) -> None:
    of = TYPED.get(name)
    if what in ("attribute", "property") and of and of.returns and lines:
        lines[0] = f"`{spelt(of.returns)}`: {lines[0]}"


def pictures(app: Sphinx, document: nodes.document, name: str) -> None:
    """Fills the gallery with the pictures of each notebook; each leads to where it is made."""
    if name != "gallery":
        return
    page = document.next_node(nodes.section)
    for notebook in app.env.toctree_includes[name]:
        of, uri = app.env.get_doctree(notebook), app.builder.get_relative_uri(name, notebook)
        page += nodes.paragraph("", "", nodes.reference("", of.next_node(nodes.title).astext(), refuri=uri))
        page[-1] += [nodes.Text(" ("), nodes.reference("", "executed, as .ipynb", refuri=f"{notebook}.ipynb"), nodes.Text(")")]
        page += nodes.container(classes=["pictures"])
        for picture in of.findall(nodes.image):
            section = picture.parent
            while not isinstance(section, nodes.section):
                section = section.parent
            title, to = section.next_node(nodes.title).astext(), f"{uri}#{section['ids'][0]}"
            image = picture.deepcopy()
            image["alt"] = title
            page[-1] += nodes.container("", nodes.reference("", "", image, refuri=to), nodes.paragraph("", title))


def downloads(app: Sphinx, problem: Exception | None) -> None:
    """Puts the executed notebooks and what they open beside the pages."""
    if problem is None:
        for notebook in app.env.toctree_includes["gallery"]:
            copyfile(app.outdir.parent / f"jupyter_execute/{notebook}.ipynb", app.outdir / f"{notebook}.ipynb")
        make_archive(str(app.outdir / "demo-recordings"), "zip", os.environ["GAMETAPE_DEMO"])


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-process-docstring", property_type)
    app.connect("doctree-resolved", pictures)
    app.connect("build-finished", downloads)
