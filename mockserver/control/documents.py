"""`/_mock/openapi.*`, `/_mock/docs` and `/_mock/fidelity`: what the mock says of the API that it mocks."""

from __future__ import annotations

from functools import cache
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import yaml
from flask import Response

from mockserver.control import call
from mockserver.control.noun import Noun
from mockserver.control.problem import Problem
from mockserver.resources.rooms import ALL_OPERATIONS
from mockserver.web.fidelity import record

DOCUMENTS = Noun("documents", "/_mock", in_world=False)

#: Swagger UI's own files, out of their package; nothing comes from another host.
_ASSETS = frozenset({"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"})

#: Swagger UI sets styles of elements, and shows an icon as data.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mocked API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="docs/favicon-32x32.png">
</head>
<body>
<main id="swagger-ui"></main>
<noscript>This page needs JavaScript; the document itself is at <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START = """SwaggerUIBundle({
  url: "docs/openapi.json", dom_id: "#swagger-ui", validatorUrl: null, tryItOutEnabled: true,
});
"""


def _document() -> dict[str, Any]:
    # What makes the document is not needed to start.
    from mockserver.openapi import document  # noqa: PLC0415  # see above

    return document()


@DOCUMENTS.call("GET", "/openapi.json", answer="OpenApi")
def openapi_json() -> Response:
    """The OpenAPI 3.1 document of the mocked API."""
    return call.answer(_document())


@DOCUMENTS.call("GET", "/openapi.yaml", media=("application/yaml",))
def openapi_yaml() -> Response:
    """The OpenAPI 3.1 document of the mocked API, as YAML."""
    return Response(_yaml(), content_type="application/yaml")


@cache
def _yaml() -> str:
    text: str = yaml.safe_dump(_document(), sort_keys=False, allow_unicode=True, width=120)
    return text


@DOCUMENTS.call("GET", "/control.json", answer="OpenApi")
def control_json() -> Response:
    """The OpenAPI 3.1 document of this control API."""
    from mockserver.control.document import document  # noqa: PLC0415  # as above

    return call.answer(document(call.nouns()))


@DOCUMENTS.call("GET", "/docs", media=("text/html",), is_open=True)
def docs() -> Response:
    """The same document as a page, to read and try."""
    return Response(_PAGE, headers={"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"})


@DOCUMENTS.call("GET", "/docs/<name>", media=("*/*",), is_open=True)
def asset(name: str) -> Response:
    """A file of that page."""
    if name == "openapi.json":
        # Under the page's own address, which asks for no token.
        return call.answer(_document())
    if name == "start.js":
        return Response(_START, content_type="text/javascript")
    if name not in _ASSETS:
        raise Problem(404, f"there is no {name!r} here")
    import flask_swagger_ui  # noqa: PLC0415  # for its files only

    content = (Path(flask_swagger_ui.__file__).parent / "dist" / name).read_bytes()
    return Response(content, content_type=guess_type(name)[0], headers={"Cache-Control": "max-age=3600"})


@DOCUMENTS.call("GET", "/fidelity", answer="Fidelity")
def fidelity() -> Response:
    """For each field, bound and error of each operation: how sure it is, and where a reader finds why."""
    return call.answer(record(ALL_OPERATIONS.values()))
