"""How Sphinx builds these pages: offline, and strict about what a link leads to."""

import gc
import sys
import tomllib
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "docs" / "extensions")]

project = "mockserver"
author = "the mockserver project"
copyright = f"2026, {author}"  # noqa: A001  # the name that Sphinx gives it
release = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "anchors",
    "diagrams",
    "llms",
    "search_words",
    "unsearched",
]
exclude_patterns = ["_build", "extensions"]
source_suffix = {".md": "markdown"}
root_doc = "index"
nitpicky = True

smartquotes_action = "qe"  # `--option` in a text keeps its dashes
myst_heading_anchors = 4  # links to headings, as on GitHub
myst_enable_extensions = ["colon_fence", "deflist"]
# `http` blocks of the reference of stubs are conversations, and no whole messages.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "mockserver"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None  # the same sources give the same pages


def _list_contract(_: object, name: str, source: list[str]) -> None:
    """The pages of the contract stand below its index, which a running server shows as well, without this."""
    if name == "contract/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def setup(app: object) -> None:
    # Sphinx keeps most of the objects that it makes, and to look through them each 700, as is usual, takes a third of
    # the time of a build.
    gc.set_threshold(100_000, 20, 20)
    app.connect("source-read", _list_contract)
