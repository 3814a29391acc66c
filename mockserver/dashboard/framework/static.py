"""The files of the dashboard: scripts and styles, at addresses that change with their contents."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from flask import Response

from mockserver.control.framework.problem import Problem
from mockserver.web.pages.page import base_style

#: The style of all pages of the dashboard.
_STYLE = "dashboard.css"
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
#: How much of the digest stands in an address: enough to differ from every other version.
_DIGITS = 12


@cache
def _contents() -> Mapping[str, bytes]:
    """All files by their names."""
    folder = files("mockserver.dashboard") / "static"
    found = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES}
    # What all pages of the project share comes first, so that the dashboard's own rules win.
    return found | {_STYLE: base_style().encode() + found[_STYLE]}


@cache
def version() -> str:
    """What stands in the addresses of all files: another one once any of them differs."""
    digest = hashlib.sha256()
    for name, content in sorted(_contents().items()):
        digest.update(b"%s %d " % (name.encode(), len(content)) + content)
    return digest.hexdigest()[:_DIGITS]


def show(version: str, name: str) -> Response:  # whatever the version, there is only the present one
    """A file, which a browser may keep."""
    content = _contents().get(name)
    if content is None:
        raise Problem(404, f"the dashboard has no file {name!r}")
    return Response(
        content,
        content_type=_TYPES[name.rpartition(".")[2]],
        headers={"Cache-Control": "max-age=31536000, immutable"},
    )
