"""`/_mock/openapi.*`, `llms.txt`, `docs` and `fidelity`: the documents of both APIs, and the sources of evidence."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from flask import Response, request

from mockserver.control.framework import target
from mockserver.control.framework.call import ControlResource, control_api, written
from mockserver.control.framework.compression import compressed
from mockserver.control.framework.problem import Problem, unknown
from mockserver.control.server.index import example_key
from mockserver.core.traffic.exchange import Reply
from mockserver.core.workspaces.store import DEFAULT
from mockserver.evidence.fidelity import record
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.scenario.dump import to_yaml
from mockserver.settings import data_folder
from mockserver.settings.files import LLMS_FILE
from mockserver.views.server_records import Fidelity, OpenApi
from mockserver.web.routing.address import PUBLIC_ROOT, WORKSPACE, workspace_url
from mockserver.web.server import loop

CA = ControlResource("ca", "/_mock", in_workspace=False)
#: RFC 8555, 9.1: certificates in PEM.
_PEM = "application/pem-certificate-chain"


@CA.call("GET", "/ca", media=(_PEM,), is_open=True, problems=(404,))
def ca() -> Response:
    """The certificate of the authority that has issued the server's, in PEM; it is no secret, and needs no token."""
    tls = target.current().tls
    if tls is None:
        raise Problem(404, "this server has no TLS; start it with --tls")
    if tls.ca is None:
        raise Problem(404, "this server did not issue its certificate (--tls-cert), so it has no authority to show")
    return Response(tls.ca, content_type=_PEM)


DOCUMENTS = ControlResource("documents", "/_mock", in_workspace=False)

#: The files of Swagger UI that are served from its Python package, as pages load nothing from another host.
_ASSETS = frozenset({"swagger-ui.css", "swagger-ui-bundle.js"})
#: The style that Swagger UI gets in addition.
_STYLE = "docs.css"

#: Swagger UI sets styles of elements (`unsafe-inline`), and has icons as `data:` addresses.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)

#: The page has a key from the beginning, so that "Try it out" gets an answer; `#/senders/createSender` opens one call.
_START = """const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
// For screen readers and keyboards: names, headings in their order, no link within a button.
const missing = [
  ["h3.opblock-tag", "aria-level", "2"], [".swagger-ui h4", "aria-level", "3"],
  [".info__description", "role", "region"], [".info__description", "aria-label", "About"],
  ["textarea", "aria-label", "Request body"], ["select.examples-select-element", "aria-label", "Example"],
  ["pre.microlight", "tabindex", "0"],
];
const mend = () => {{
  document.querySelectorAll(".opblock-summary-control a[href]").forEach((link) => link.removeAttribute("href"));
  for (const [selector, name, value] of missing) {{
    document.querySelectorAll(`${{selector}}:not([${{name}}])`).forEach((found) => found.setAttribute(name, value));
  }}
}};
new MutationObserver(mend).observe(document.getElementById("swagger-ui"), {{ childList: true, subtree: true }});
const page = SwaggerUIBundle({{
  url: new URL({document}, document.currentScript.src).href,
  dom_id: "#swagger-ui", validatorUrl: null, tryItOutEnabled: true, deepLinking: true, docExpansion: "list",
  onComplete: () => {{ if ({key}) page.preauthorizeApiKey("api-key", {key}); }},
}});
"""
#: The pages. The addresses are relative to the page: `assets` of its files, `up` of `/_mock/`.
_OF_THE_API: dict[str, Any] = {
    "title": "Mocked API", "assets": "docs/", "document": "openapi.json", "start": "start.js", "up": "", "is_api": True,
}  # fmt: skip
_OF_THE_CONTROL_API: dict[str, Any] = {
    "title": "Control API", "assets": "", "document": "control.json", "start": "start-control.js", "up": "../",
    "is_api": False,
}  # fmt: skip
#: The addresses of the server, relative to a document below `/_mock/` and to one below `/_mock/docs/`: calls stay in
#: the workspace of the address, and behind the prefix of a proxy.
_SERVER, _SERVER_OF_PAGES = "..", "../.."


@cache
def api_document() -> dict[str, Any]:
    from mockserver.evidence.openapi import document  # noqa: PLC0415  # not needed to start

    return document()


@cache
def control_document() -> dict[str, Any]:
    from mockserver.control.openapi import document  # noqa: PLC0415  # not needed to start

    return document(control_api().resources)


#: The documents by the names under which the pages load them; unlike `/_mock/openapi.json` they need no token.
_OPEN = {"openapi.json": api_document, "control.json": control_document}
#: The name of the document that each script of a page loads, by the name of the script.
_STARTS = {page["start"]: page["document"] for page in (_OF_THE_API, _OF_THE_CONTROL_API)}


def _served(make: Any, server: str) -> dict[str, Any]:
    """Return a document with the address of its server."""
    return {**loop.cached(make), "servers": [{"url": server}]}


def _server() -> str:
    """Return the public address of the workspace, or else a relative one."""
    return workspace_url(request.environ) if PUBLIC_ROOT in request.environ else _SERVER


@DOCUMENTS.call("GET", "/openapi.json", answer=OpenApi)
def openapi_json() -> Any:
    """The OpenAPI 3.1 document of the mocked API."""
    return _served(api_document, _server())


@DOCUMENTS.call("GET", "/openapi.yaml", media=("application/yaml",))
def openapi_yaml() -> Response:
    """The OpenAPI 3.1 document of the mocked API, as YAML."""
    return Response(loop.cached(api_yaml) + to_yaml({"servers": [{"url": _server()}]}), content_type="application/yaml")


@cache
def api_yaml() -> str:
    return to_yaml({name: value for name, value in api_document().items() if name != "servers"})


@DOCUMENTS.call("GET", "/control.json", answer=OpenApi)
def control_json() -> Any:
    """The OpenAPI 3.1 document of this control API."""
    return _served(control_document, _server())


@DOCUMENTS.call("GET", "/llms.txt", media=("text/plain",), is_open=True)
def llms_txt() -> Response:
    """Return what this server has, for programs that read text (llmstxt.org), with links to all documents."""
    return Response(LLMS_FILE.read_bytes(), content_type="text/plain; charset=utf-8")


@DOCUMENTS.call("GET", "/docs", media=("text/html",), is_open=True)
def docs() -> Response:
    """The document of the mocked API as a page, to read and try."""
    return _page(_OF_THE_API)


@DOCUMENTS.call("GET", "/docs/control", media=("text/html",), is_open=True)
def control_docs() -> Response:
    """The document of this control API as a page, to read and try."""
    return _page(_OF_THE_CONTROL_API)


def _page(about: Mapping[str, Any]) -> Response:
    from mockserver.web.pages.page import rendered as render  # noqa: PLC0415  # pages are not needed to start

    text = render("docs.html", workspace=request.environ.get(WORKSPACE, DEFAULT), **about)
    return compressed(Response(text, headers={"Content-Security-Policy": _POLICY}))


@DOCUMENTS.call("GET", "/docs/<name>", media=("*/*",), is_open=True)
def asset(name: str) -> Response:
    """A file that the pages of the documents load."""
    if name in _OPEN:
        return compressed(Response(written(_served(_OPEN[name], _SERVER_OF_PAGES)), content_type="application/json"))
    if name in _STARTS:
        return Response(_start(_STARTS[name]), content_type="text/javascript")
    if name == _STYLE:
        return Response((files("mockserver.web.pages") / _STYLE).read_bytes(), content_type="text/css")
    if name not in _ASSETS:
        raise unknown("document", name, "GET /_mock lists all calls")
    loop.leave()
    import flask_swagger_ui  # noqa: PLC0415  # for its files only

    content = (Path(flask_swagger_ui.__file__).parent / "dist" / name).read_bytes()
    answer = Response(content, content_type=guess_type(name)[0], headers={"Cache-Control": "max-age=3600"})
    return compressed(answer)


def _start(document: str) -> str:
    return _START.format(document=json.dumps(document), key=json.dumps(example_key()))


@DOCUMENTS.call("GET", "/fidelity", answer=Fidelity)
def fidelity() -> Any:
    """List the certainty and the evidence of each operation's fields, bounds and errors."""
    return record(ALL_OPERATIONS.values())


# ---------------------------------------------------------------------- pages of the contract

PAGES = ControlResource("pages", "/_mock/docs", in_workspace=False)

#: A comment for the programs that write and index the documents.
_COMMENT = re.compile(r"<!-- [^>]{1,400} -->\n")
#: An anchor, as it is written once the text is escaped.
_ANCHOR = re.compile(r"&lt;a id=&quot;([\w-]{1,80})&quot;&gt;&lt;/a&gt;")
#: The relative path from a document to the top of all documents, by the depth of its folder.
_UP = ("", "../")
#: The paths of the ledger and the rules among the documents; they are served beside the folder of the contract.
_LEDGER, _RULES = "truth/ledger.md", "howto/lint.md"
#: Beginnings of the links between the ledger and the contract, in the files and as they are served.
_LINKS = (("](../truth/ledger.md", "](../ledger.md"), ("](../contract/", "](contract/"))
#: A link to another page, perhaps with an anchor.
_LINK = re.compile(r"\[([^\[\]]+)\]\(([\w./-]+\.md)(?:#[\w-]*)?\)")
#: The media types of a page: the first unless `Accept` prefers the other.
_MEDIA = ("text/html", "text/markdown")


@PAGES.call("GET", "/ledger.md", media=_MEDIA, is_open=True)
def ledger() -> Response:
    """Describe the certainty of the contract's facts and the method of gathering evidence."""
    return _document_page("ledger.md")


@PAGES.call("GET", "/lint.md", media=_MEDIA, is_open=True)
def lint() -> Response:
    """The rules that find mistakes of clients: what each finds, its source, and how to fix the client."""
    return _document_page("lint.md")


@PAGES.call("GET", "/contract/<name>", media=_MEDIA, is_open=True)
def contract(name: str) -> Response:
    """A page of the contract: the sources of the fidelity record lead to its anchors; `README.md` is the index."""
    return _document_page(f"contract/{name}")


def _document_page(path: str) -> Response:
    if path not in _documents():
        raise unknown("page", path, "/_mock/docs/contract/README.md lists all")
    if request.accept_mimetypes.best_match(_MEDIA) == _MEDIA[1]:
        return Response(_markdown(path), content_type=f"{_MEDIA[1]}; charset=utf-8", headers={"Vary": "Accept"})
    page = rendered().get(path)
    if page is None:
        loop.leave()
        page = rendered()[path] = _render(path)
    return Response(page.body, headers=dict(page.headers))


@cache
def _documents() -> Mapping[str, Path]:
    """Return the files of all documents by URL path below `docs`."""
    folder = data_folder("docs")
    pages = {page.relative_to(folder).as_posix(): page for page in folder.glob("contract/*.md")}
    return {"ledger.md": folder / _LEDGER, "lint.md": folder / _RULES, **pages}


@cache
def rendered() -> dict[str, Reply]:
    """Return the pages that were rendered so far, by their paths: rendering takes some ten milliseconds."""
    return {}


def _render(path: str) -> Reply:
    from mockserver.web.pages.page import document  # noqa: PLC0415  # pages are not needed to start

    text = _markdown(path)
    title = text.partition("\n")[0].removeprefix("# ")
    return document(title, _ANCHOR.sub(r'<a id="\1"></a>', html_of(text)), _UP[path.count("/")])


def _markdown(path: str) -> str:
    """Return the text of a document, with its links as the documents are served."""
    text = _COMMENT.sub("", _documents()[path].read_text(encoding="utf-8"))
    for standing, served in _LINKS:
        text = text.replace(standing, served)

    def kept(link: re.Match[str]) -> str:
        """Return a link to a page that is served, or else only its text."""
        return link[0] if posixpath.normpath(posixpath.join(path, "..", link[2])) in _documents() else link[1]

    return _LINK.sub(kept, text)


def html_of(text: str) -> str:
    """Render Markdown as HTML, in which HTML is text; a heading without an anchor gets an anchor, as on GitHub."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  # not needed to start

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open" and "<a id=" not in content.content:
            heading.attrSet("id", _anchor(content.content))
    html: str = reader.renderer.render(tokens, reader.options, {})
    # A wide table scrolls by itself, and not the page with it; what scrolls can be reached by keyboard.
    return html.replace("<table>", '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>').replace(
        "</table>", "</table></div>"
    )


def _anchor(heading: str) -> str:
    words = "".join(sign for sign in heading.lower() if sign.isalnum() or sign in " -_")
    return words.strip().replace(" ", "-")
