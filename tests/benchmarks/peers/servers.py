"""Our server and its peers: how each is started so that it answers a list of ten senders, and a sender's creation.

The peers come from npm, in the versions of `package.json` beside this file; WireMock's package brings its jar.
Prism is the newest that runs with Debian's Node.js.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ports import free_port

HERE = Path(__file__).parent
#: Where the packages are; another folder can hold them, to keep them out of a checkout.
PACKAGES = Path(os.environ.get("PEERS", HERE)) / "node_modules"
PATH = "/v3/senders"
JSON = {"Content-Type": "application/json"}


class Answers(NamedTuple):
    """The bodies that a peer answers with, which are those of ours."""

    listed: str
    created: str


class Server(NamedTuple):
    """One row of the comparison."""

    name: str
    #: What a reader has to know of how it was set up.
    note: str
    #: Makes the command, of a folder for its files, the port to listen on, and the answers.
    command: Callable[[Path, int, Answers], list[str]]
    #: Where a POST puts back the ten senders, for a server that keeps what is created.
    reset: str | None = None


def version(package):
    """A package's version, empty where it is not installed."""
    described = PACKAGES / package / "package.json"
    return json.loads(described.read_text())["version"] if described.exists() else ""


def missing():
    """What has to be installed before the comparison can run."""
    programs = [name for name in ("wrk", "node", "java") if not shutil.which(name)]
    return programs + [
        name for name in json.loads((HERE / "package.json").read_text())["dependencies"] if not version(name)
    ]


def _ours(_folder, port, _answers):
    return [sys.executable, "-m", "mockserver", "serve", "--port", str(port), "--scenario", str(HERE / "senders.yaml")]


def _stubs(answers):
    """Method, status and body of what a peer without a notion of an API is told to answer."""
    return [("GET", 200, answers.listed), ("POST", 201, answers.created)]


def _mountebank(folder, port, answers, headers=JSON):
    stubs = [
        {
            "predicates": [{"equals": {"method": method, "path": PATH}}],
            "responses": [{"is": {"statusCode": status, "headers": headers, "body": body}}],
        }
        for method, status, body in _stubs(answers)
    ]
    imposters = {"imposters": [{"protocol": "http", "port": port, "host": "127.0.0.1", "stubs": stubs}]}
    (folder / "imposters.json").write_text(json.dumps(imposters))
    options = ["--host", "127.0.0.1", "--port", str(free_port()), "--pidfile", str(folder / "mb.pid")]
    quiet = ["--nologfile", "--loglevel", "error"]
    program = ["node", str(PACKAGES / "mountebank/bin/mb"), "start"]
    return [*program, *options, *quiet, "--noParse", "--configfile", str(folder / "imposters.json")]


def _mountebank_keeping_connections(folder, port, answers):
    return _mountebank(folder, port, answers, {**JSON, "Connection": "keep-alive"})


def _prism(folder, port, answers):
    def answer(body):
        return {"description": "", "content": {"application/json": {"example": json.loads(body)}}}

    text = {"type": "string"}
    sender = {"type": "object", "required": ["name", "email"], "properties": {"name": text, "email": text}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Senders", "version": "1"},
        "paths": {
            PATH: {
                "get": {"responses": {"200": answer(answers.listed)}},
                "post": {
                    "requestBody": {"required": True, "content": {"application/json": {"schema": sender}}},
                    "responses": {"201": answer(answers.created)},
                },
            }
        },
    }
    (folder / "openapi.json").write_text(json.dumps(document))
    program = ["node", str(PACKAGES / "@stoplight/prism-cli/dist/index.js"), "mock"]
    return [*program, "--host", "127.0.0.1", "--port", str(port), "-v", "silent", str(folder / "openapi.json")]


def _wiremock(folder, port, answers):
    mappings = [
        {
            "request": {"method": method, "urlPath": PATH},
            "response": {"status": status, "headers": JSON, "body": body},
        }
        for method, status, body in _stubs(answers)
    ]
    (folder / "mappings").mkdir()
    (folder / "mappings/senders.json").write_text(json.dumps({"mappings": mappings}))
    # Not by the package's own command, which is a Node.js process that waits beside Java's and takes memory, too.
    (jar,) = (PACKAGES / "wiremock/build").glob("*.jar")
    options = ["--bind-address", "127.0.0.1", "--port", str(port), "--root-dir", str(folder)]
    return ["java", "-jar", str(jar), *options]


OURS = Server(
    "ours",
    "`serve` with its defaults: journal, coverage, faults, rate limits, a line of text for each request to /dev/null; "
    "the key is looked up, bodies are checked, senders are kept, and put back to ten before each turn",
    _ours,
    reset="/_mock/reset",
)
MOUNTEBANK = Server(
    f"mountebank {version('mountebank')}",
    "two stubs with predicates for method and path, logs of errors alone; closes the connection after each answer, "
    "which is its default",
    _mountebank,
)
MOUNTEBANK_KEEPING_CONNECTIONS = Server(
    "mountebank, keep-alive",
    "the same, with `Connection: keep-alive` among the headers of both stubs; for comparison, as no aim is set by it",
    _mountebank_keeping_connections,
)
PRISM = Server(
    f"Prism {version('@stoplight/prism-cli')}",
    "silent; an OpenAPI document of the two operations with both answers as examples, the body's schema among it",
    _prism,
)
WIREMOCK = Server(
    f"WireMock {version('wiremock')}",
    "two stubs for method and path; request journal without a limit and Java's own choice of heap, both its defaults",
    _wiremock,
)
SERVERS = (OURS, MOUNTEBANK, MOUNTEBANK_KEEPING_CONNECTIONS, PRISM, WIREMOCK)
