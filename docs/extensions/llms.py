"""Markdown of each page beside its HTML, and `llms.txt` (https://llmstxt.org): each page with its first sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `.ci/documents.py` needs no Sphinx
    from docutils import nodes
    from sphinx.application import Sphinx

_COMMENT = re.compile(r"^<!-- .* -->\n\n?", re.MULTILINE)
_TOCTREE = re.compile(r"^```\{toctree\}\n.*?^```\n", re.DOTALL | re.MULTILINE)
_INCLUDED = re.compile(r"^```\{include\} (\S+)\n:relative-docs: docs/\n```\n", re.MULTILINE)
#: Paragraphs that do not describe a page: headings, anchors, HTML, tables, blocks, and the sources of a contract page.
_NO_DESCRIPTION = re.compile(r"#|<|\||```|\*\*Sources")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", _link_markdown)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True}


def description(text: str) -> str:
    """Return the first sentence above the first section of a page, without links, or nothing."""
    paragraphs = (part.strip() for part in text.partition("\n## ")[0].split("\n\n"))
    told = next((part for part in paragraphs if part and not _NO_DESCRIPTION.match(part)), "")
    return _LINK.sub(r"\1", re.split(r"(?<=[.?!])\s", told)[0].replace("\n", " "))


def line(title: str, link: str, *about: str) -> str:
    """Return the line of a page, with all that is known about it."""
    return f"- [{title}]({link}){': ' if any(about) else ''}{' '.join(filter(None, about))}"


def markdown(page: Path) -> str:
    """Return a page as plain Markdown, without what only Sphinx and the generators read."""
    text = _INCLUDED.sub(lambda named: _included(page.parent / named[1]), page.read_text("utf-8"))
    return _COMMENT.sub("", _TOCTREE.sub("", text)).rstrip() + "\n"


def _included(file: Path) -> str:
    """Return a file from above `docs`, with links relative to a folder of `docs`."""
    return file.read_text("utf-8").replace("](docs/", "](../")


def _link_markdown(app: Sphinx, name: str, _: str, context: dict[str, Any], __: object) -> None:
    if name in app.env.found_docs:
        link = f'<link rel="alternate" type="text/markdown" href="{name.rpartition("/")[2]}.md">'
        context["metatags"] = f"{context.get('metatags', '')}\n{link}"


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    for name in app.env.found_docs:
        page = Path(app.outdir, f"{name}.md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(markdown(Path(app.srcdir, f"{name}.md")), encoding="utf-8")
    Path(app.outdir, "llms.txt").write_text("\n".join([*_listed(app), ""]), encoding="utf-8")


def _listed(app: Sphinx) -> Iterator[str]:
    """Return the lines of `llms.txt`: a section for each table of contents of the first page."""
    yield f"# {app.config.project}"
    yield ""
    yield f"> {description(Path(app.outdir, 'index.md').read_text('utf-8'))}"
    for contents in app.env.get_doctree(app.config.root_doc).findall(_is_toctree):
        yield ""
        yield f"## {contents['caption']}"
        yield ""
        for name in contents["includefiles"]:
            for page in (name, *app.env.toctree_includes.get(name, ())):
                about = description(Path(app.outdir, f"{page}.md").read_text("utf-8"))
                yield line(app.env.titles[page].astext(), f"{page}.md", about)


def _is_toctree(node: nodes.Node) -> bool:
    return getattr(node, "tagname", "") == "toctree"
