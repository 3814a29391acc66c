"""`/_mock/docs/ledger.md`: the evidence, where the sources of `/_mock/fidelity` lead when they are followed."""

from __future__ import annotations

import re
from functools import cache
from html import escape

from flask import Response

from mockserver.control.framework import off_loop
from mockserver.control.framework.resource import ControlResource
from mockserver.settings import data_folder

LEDGER = ControlResource("ledger", "/_mock/docs/ledger.md", in_workspace=False)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The ledger</title>
</head>
<body>
<main><pre style="white-space: pre-wrap">{}</pre></main>
</body>
</html>
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

#: What stands around the generated parts, and is for programs.
_COMMENT = re.compile(r"<!-- [^>]* -->\n")
#: The place of a section, and a link to one, as they stand in the escaped text.
_PLACE = re.compile(r'&lt;a id="([\d.]+)"&gt;&lt;/a&gt;')
_LINK = re.compile(r"\[([\d.]+)\]\(#([\d.]+)\)")


@LEDGER.call("GET", media=("text/html",), is_open=True)
def ledger() -> Response:
    """The evidence behind every mark: the sources of the fidelity record lead to its sections."""
    return Response(
        off_loop.made_once(page), headers={"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"}
    )


@cache
def page() -> str:
    """The text as it stands, but that its sections can be gone to."""
    text = (data_folder("docs") / "ledger.md").read_text(encoding="utf-8")
    shown = escape(_COMMENT.sub("", text), quote=False)
    return _PAGE.format(_LINK.sub(r'<a href="#\2">\1</a>', _PLACE.sub(r'<a id="\1"></a>', shown)))
