"""`/_mock/openapi.*`, `/_mock/docs` and `/_mock/fidelity`: the documents of the mocked API and of the control API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import yaml
from flask import Response

from mockserver.control.framework import answers, dependencies, off_loop
from mockserver.control.framework.problem import Problem, unknown
from mockserver.control.framework.resource import ControlResource, control_api
from mockserver.control.server.index import example_key
from mockserver.evidence.fidelity import record
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.views.server.fidelity import Fidelity, OpenApi

CA = ControlResource("ca", "/_mock", in_workspace=False)
#: RFC 8555, 9.1: certificates in PEM.
_PEM = "application/pem-certificate-chain"


@CA.call("GET", "/ca", media=(_PEM,), is_open=True, problems=(404,))
def ca() -> Response:
    """The certificate of the authority that has issued the server's, in PEM; it is no secret, and needs no token."""
    tls = dependencies.current().tls
    if tls is None:
        raise Problem(404, "this server has no TLS; start it with --tls")
    if tls.ca is None:
        raise Problem(404, "this server did not issue its certificate (--tls-cert), so it has no authority to show")
    return Response(tls.ca, content_type=_PEM)


DOCUMENTS = ControlResource("documents", "/_mock", in_workspace=False)

#: The files of Swagger UI that are served from its Python package, as pages load nothing from another host.
_ASSETS = frozenset({"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"})

#: Swagger UI sets styles of elements (`unsafe-inline`), and has icons as `data:` addresses.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{assets}swagger-ui.css">
<link rel="icon" href="{assets}favicon-32x32.png">
</head>
<body>
<nav class="swagger-ui"><p class="wrapper">
<a href="{other}">{other_title}</a> · <a href="{dashboard}">What happens in the mock</a>
</p></nav>
<main id="swagger-ui"></main>
<noscript>This page needs JavaScript; the document itself is at <a href="{assets}{document}">{document}</a>.</noscript>
<script src="{assets}swagger-ui-bundle.js"></script>
<script src="{assets}{start}"></script>
</body>
</html>
"""
#: The page has a key from the beginning, so that "Try it out" gets an answer.
_START = """const page = SwaggerUIBundle({{
  url: new URL({document}, document.currentScript.src).href,
  dom_id: "#swagger-ui", validatorUrl: null, tryItOutEnabled: true,
  onComplete: () => {{ if ({key}) page.preauthorizeApiKey("api-key", {key}); }},
}});
"""
_OF_THE_API = {
    "title": "Mocked API", "assets": "docs/", "document": "openapi.json", "start": "start.js",
    "other": "docs/control", "other_title": "The control API of this mock", "dashboard": "ui/",
}  # fmt: skip
_OF_THE_CONTROL_API = {
    "title": "Control API", "assets": "", "document": "control.json", "start": "start-control.js",
    "other": "../docs", "other_title": "The mocked API", "dashboard": "../ui/",
}  # fmt: skip


@cache
def api_document() -> dict[str, Any]:
    """The OpenAPI document of the mocked API."""
    from mockserver.evidence.openapi import document  # noqa: PLC0415  # not needed to start

    return document()


@cache
def control_document() -> dict[str, Any]:
    """The OpenAPI document of the control API."""
    from mockserver.control.document.openapi import document  # noqa: PLC0415  # not needed to start

    return document(control_api().resources)


#: The documents by the names under which the pages load them; unlike `/_mock/openapi.json` they need no token.
_OPEN = {"openapi.json": api_document, "control.json": control_document}
#: The name of the document that each script of a page loads, by the name of the script.
_STARTS = {page["start"]: page["document"] for page in (_OF_THE_API, _OF_THE_CONTROL_API)}


@DOCUMENTS.call("GET", "/openapi.json", answer=OpenApi)
def openapi_json() -> Response:
    """The OpenAPI 3.1 document of the mocked API."""
    return answers.answer(off_loop.made_once(api_document))


@DOCUMENTS.call("GET", "/openapi.yaml", media=("application/yaml",))
def openapi_yaml() -> Response:
    """The OpenAPI 3.1 document of the mocked API, as YAML."""
    return Response(off_loop.made_once(api_yaml), content_type="application/yaml")


@cache
def api_yaml() -> str:
    """Print the OpenAPI document of the mocked API, as YAML."""
    text: str = yaml.safe_dump(api_document(), sort_keys=False, allow_unicode=True, width=120)
    return text


@DOCUMENTS.call("GET", "/control.json", answer=OpenApi)
def control_json() -> Response:
    """The OpenAPI 3.1 document of this control API."""
    return answers.answer(off_loop.made_once(control_document))


@DOCUMENTS.call("GET", "/docs", media=("text/html",), is_open=True)
def docs() -> Response:
    """The document of the mocked API as a page, to read and try."""
    return _page(_OF_THE_API)


@DOCUMENTS.call("GET", "/docs/control", media=("text/html",), is_open=True)
def control_docs() -> Response:
    """The document of this control API as a page, to read and try."""
    return _page(_OF_THE_CONTROL_API)


def _page(about: Mapping[str, str]) -> Response:
    return Response(_PAGE.format(**about), headers={"Content-Security-Policy": _POLICY})


@DOCUMENTS.call("GET", "/docs/<name>", media=("*/*",), is_open=True)
def asset(name: str) -> Response:
    """A file that the pages of the documents load."""
    if name in _OPEN:
        return Response(answers.written(off_loop.made_once(_OPEN[name])), content_type="application/json")
    if name in _STARTS:
        return Response(_start(_STARTS[name]), content_type="text/javascript")
    if name not in _ASSETS:
        raise unknown("document", name, "GET /_mock lists all calls")
    import flask_swagger_ui  # noqa: PLC0415  # for its files only

    content = (Path(flask_swagger_ui.__file__).parent / "dist" / name).read_bytes()
    return Response(content, content_type=guess_type(name)[0], headers={"Cache-Control": "max-age=3600"})


def _start(document: str) -> str:
    """The script of a page that shows a document."""
    return _START.format(document=json.dumps(document), key=json.dumps(example_key()))


@DOCUMENTS.call("GET", "/fidelity", answer=Fidelity)
def fidelity() -> Response:
    """For each field, bound and error of each operation: how sure it is, and where the evidence is."""
    return answers.answer(record(ALL_OPERATIONS.values()))
