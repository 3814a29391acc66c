"""Imports of contacts, in workspaces whose clocks stand still."""

from __future__ import annotations

import json
import threading
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

START = "2026-01-15T09:00:00Z"
ATTRIBUTES = {
    "normal": ["NAME", "CITY", {"name": "BIRTHDAY", "type": "date"}, {"name": "TAGS", "type": "multiple-choice"}]
}
SCENARIO = {
    "clock": {"start": START, "frozen": True},
    "seed": 7,
    "accounts": [
        {
            "name": "acme",
            "api_keys": ["acme"],
            "attributes": ATTRIBUTES,
            "contact_lists": [{"id": 1, "name": "News"}, {"id": 2, "name": "Offers"}],
            "contacts": [{"id": 1, "email": "ada@acme.test", "attributes": {"NAME": "Ada", "CITY": "Rome"}}],
        },
        {"name": "beta", "api_keys": ["beta"], "contact_lists": [{"id": 3, "name": "Beta"}]},
    ],
}


class Imports:
    """Calls about imports of the first account, or of the one whose key is given."""

    def __init__(self, api):
        self.api = api

    def ask(self, body, key="acme"):
        """The status of an answer, and its body or code and message."""
        answer = self.api.post("/v3/contacts/import", json=body, key=key)
        if answer.status_code < 400:
            return answer.status_code, answer.json
        return answer.status_code, (answer.json["code"], answer.json["message"])

    def begin(self, content, key="acme", **members):
        """The id of an import of a CSV text or a list of objects into list 1."""
        form = "fileBody" if isinstance(content, str) else "jsonBody"
        status, found = self.ask({"listIds": [1], form: content, **members}, key)
        assert status == 202, found
        return found["processId"]

    def done(self, content, **members):
        """The process of an import after its time."""
        number = self.begin(content, **members)
        self.api.advance("PT1M")
        return self.process(number)

    def process(self, number, key="acme"):
        answer = self.api.get(f"/v3/processes/{number}", key=key)
        assert answer.status_code == 200, answer.text
        return answer.json

    def get(self, path, key="acme"):
        answer = self.api.get(f"/v3{path}", key=key)
        assert answer.status_code == 200, answer.text
        return answer.json

    def contacts(self, key="acme"):
        """The attributes of all contacts by address."""
        found = self.get("/contacts?limit=1000&sort=asc", key)["contacts"]
        return {row.get("email"): row["attributes"] for row in found}

    def members(self, number):
        return [row["email"] for row in self.get(f"/contacts/lists/{number}/contacts?sort=asc")["contacts"]]


def scenario(**members):
    """The scenario with other members of its first account, or of the document if they are no account's."""
    document = {name: value for name, value in members.items() if name in ("behaviour", "clock")}
    first = {name: value for name, value in members.items() if name not in document}
    accounts = [{**SCENARIO["accounts"][0], **first}, *SCENARIO["accounts"][1:]]
    return {**SCENARIO, **document, "accounts": accounts}


@pytest.fixture
def imports_of(make_api):
    """A factory of workspaces: members of the scenario, and settings."""
    return lambda settings=None, **members: Imports(make_api(scenario(**members), key="acme", **(settings or {})))


@pytest.fixture
def imports(imports_of):
    return imports_of()


class Server(ThreadingHTTPServer):
    """Serves a file to GET with a status, and collects the bodies of POST."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.status, self.content, self.asked, self.told = 200, b"", [], []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        self._send(self.server.status, self.server.content)

    def do_POST(self):
        self.server.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._send(200, b"")

    def _send(self, status, content):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with closing(Server()) as found:
        yield found
