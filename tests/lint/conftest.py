"""What the tests of rules share: a workspace, and a client whose requests come at given moments of real time."""

from __future__ import annotations

from contextlib import suppress

import pytest

from mockserver.core.traffic.exchange import ClientConnection

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "seed": 7,
    "accounts": [
        {
            "name": "acme", "role": "master", "api_keys": ["master-key"],
            "senders": [{"id": 1, "name": "Shop", "email": "shop@acme.test", "state": "verified"}],
            "contact_lists": [{"id": number, "name": f"list {number}"} for number in range(1, 13)],
        },
        {"name": "other", "role": "standalone", "api_keys": ["other-key"]},
    ],
}  # fmt: skip


class Client:
    def __init__(self, api):
        self._api = api
        self._now = 1_800_000_000.0
        #: The connections by their ports.
        self._connections = {}

    def play(self, calls):
        """Send requests; returns their ids."""
        return [self._send(call) for call in calls]

    def findings(self):
        """Returns what the rules find, as rule, message and ids."""
        return [
            (row["rule"], row["message"], row["requests"]) for row in self._api.get("/_mock/findings").json["items"]
        ]

    def _send(self, call):
        if call.advance:
            self._api.advance(call.advance)
        headers = {"User-Agent": call.agent, **dict(call.headers)}
        if call.fault:
            headers["X-Mock-Fault"] = call.fault
        with suppress(ConnectionResetError):  # a fault that gives no answer
            self._api.request(call.method, call.path, json=call.body, headers=headers, key=call.key)
        row = self._api.workspace.journal.newest
        self._now += call.wait
        row.real_at, row.ms, row.left = self._now, 0.0, call.left
        row.connection = self._connections.setdefault(call.port, ClientConnection(self._now - 0.0003))
        row.over_at = self._now + call.took
        self._now += call.took
        return row.id


@pytest.fixture
def api(make_api):
    return make_api(WORKSPACE, key="master-key")


@pytest.fixture
def client(api):
    return Client(api)


@pytest.fixture
def check(client):
    """Plays calls, and compares what a rule finds: a message and the places of its requests, or nothing."""

    def compare(rule, calls, message=None, places=()):
        ids = client.play(calls)
        found = [(text, rows) for name, text, rows in client.findings() if name == rule]
        assert found == ([] if message is None else [(message, [ids[place] for place in places])])

    return compare
