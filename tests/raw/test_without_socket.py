"""What of the corpus any WSGI server could hand on is answered without a socket as it is over one, byte for byte."""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus
from io import BytesIO
from urllib.parse import unquote_to_bytes

import pytest
from raw.conversation import OPEN, as_bytes, as_text, corpus, sample
from raw.playback import SERVERS, SIDE, normal, scenario
from werkzeug.test import run_wsgi_app

from mockserver import Settings, create_app

#: One request without what a WSGI server keeps to itself: its line, its headers and its body.
PLAIN = re.compile(r"([A-Z]+) (/[^ ]*) HTTP/1.1\n((?:[^\n]+\n)*)\n(.*)", re.DOTALL)
#: Headers with which an HTTP server has to do, of requests and of answers.
OF_A_SERVER = re.compile(r"(?im)^(expect|transfer-encoding|connection|upgrade):")
DATE = re.compile(rb"date: DATE\r\n")
ROWS = {
    f"{name}: {row.name}": row
    for name, rows in corpus().items()
    for row in rows
    if len(row.send) == 1
    and isinstance(row.send[0], str)
    and PLAIN.fullmatch(row.send[0])
    and row.send[0].count(" HTTP/1.1\n") == 1
    and not OF_A_SERVER.search(row.send[0])
    and row.end == OPEN
    and not OF_A_SERVER.search(row.back)
}


@cache
def application(kind):
    """An application of the kind of a server, with the workspace that each of them has beside the default one."""
    app = create_app(Settings(scenario=scenario(kind), **SERVERS[kind][1]))
    call(app, kind, "POST /_mock/workspaces", {"name": SIDE})
    return app


def call(app, kind, line, body=None, **headers):
    token = SERVERS[kind][1].get("control_token")
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    method, _, path = line.partition(" ")
    assert app.test_client().open(path, method=method, json=body, headers=headers).status_code < 300


def environ(text):
    """The environment that a WSGI server makes of a request (PEP 3333)."""
    method, target, head, body = PLAIN.fullmatch(text).groups()
    path, _, query = as_bytes(target).partition(b"#")[0].partition(b"?")
    found = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "REQUEST_URI": as_bytes(target).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "54321",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(as_bytes(body)),
    }
    for line in as_bytes(head).decode("latin-1").split("\r\n")[:-1]:
        name, _, value = line.partition(":")
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        if "_" not in name:  # as nginx and others do, who would else take it for another header
            found[key] = f"{found[key]},{value.strip()}" if key in found else value.strip()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("row", sample(ROWS).values(), ids=sample(ROWS))
def test_a_plain_request_of_the_corpus_is_answered_alike_without_a_socket(row):
    app = application(row.server)
    call(app, row.server, "POST /_mock/reset")
    call(app, row.server, "POST /_mock/reset", **{"X-Mock-Workspace": SIDE})
    for before in row.before:
        for line, body in before.items():
            call(app, row.server, line, body)

    pieces, status, headers = run_wsgi_app(app, environ(row.send[0]))

    code = int(status[:3])
    lines = [
        f"HTTP/1.1 {code} {HTTPStatus(code).phrase}",
        *(f"{name.lower()}: {value}" for name, value in headers),
        "",
        "",
    ]
    came = "\r\n".join(lines).encode("latin-1") + b"".join(pieces)
    assert as_text(normal(came, port=54321)) == as_text(DATE.sub(b"", as_bytes(row.back)))
