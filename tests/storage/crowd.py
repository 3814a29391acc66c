"""Several clients in one workspace of a server that is killed again and again."""

import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from itertools import count

from wire import Wire

_CLIENTS = 3
_CREDITS = 1000
_SUB_ACCOUNTS = (1000002, 1000003)
_SCENARIO = {
    "accounts": [
        {"name": "acme", "id": 1000001, "role": "master", "pool": {"credits": {"email": _CREDITS}}},
        *({"name": f"sub-{number}", "id": number, "role": "sub_account", "of": "acme"} for number in _SUB_ACCOUNTS),
    ]
}


class Crowd:
    """Clients that create senders and move credits, with `pause_s` seconds between two.

    What a request has done whose answer has a status that is `excused`, nobody knows.
    """

    def __init__(self, name, *, excused=(), pause_s):
        self._name, self._numbers = name, count()
        self._excused, self._pause_s = excused, pause_s
        #: Opens the workspace that an address names; one of its own is known once the answer to its making has come.
        self._key = "any"
        #: When each sender was acknowledged, by e-mail, and those of earlier starts that have to be there.
        self._created, self._there = {}, set()

    def play(self, root, over):
        """Create senders and move credits until the server is killed, or `over` is set."""
        with Wire(root, self._name) as wire, ThreadPoolExecutor(_CLIENTS) as pool:
            try:
                self._begin(wire)
            except (OSError, HTTPException):
                return
            for played in [pool.submit(self._play_one, root, over) for _ in range(_CLIENTS)]:
                played.result()

    def _begin(self, wire):
        body = {"name": self._name, "scenario": _SCENARIO, "seed": 1}
        while (found := wire.ask("POST", "/_mock/workspaces", body))[0] in self._excused:
            pass
        status, made = found
        if status == 201:
            self._key = made["api_key"]

    def _play_one(self, root, over):
        with Wire(root, self._name) as wire:
            wire.key = self._key
            try:
                while not over.wait(self._pause_s):
                    self._do(wire, next(self._numbers))
            except (OSError, HTTPException):
                return

    def _do(self, wire, number):
        email = f"s{number}@acme.test"
        status, answer = wire.ask("POST", "/v3/senders", {"name": "Ops", "email": email})
        assert status == 201 or status in self._excused, (status, answer)
        if status == 201:
            self._created[email] = time.monotonic()
        path = f"/v3/corporate/subAccount/{_SUB_ACCOUNTS[number % 2]}/plan"
        status, answer = wire.ask("PUT", path, {"credits": {"email": number * 37 % 700}})
        assert status in (204, 400, *self._excused), (status, answer)

    def check(self, root, promised):
        """Hold that all senders are there that have to be, each with an id of its own, and that credits add up.

        `promised` tells of a moment whether what was acknowledged then has to be there. Gives when the first sender was
        acknowledged that is gone, or None.
        """
        with Wire(root, self._name) as wire:
            status, state = wire.ask("GET", "/_mock/state")
        accounts = state["accounts"] if status == 200 else [{}]
        senders = accounts[0].get("senders", [])
        there = {row["email"] for row in senders}
        missing = (self._there | {email for email, at in self._created.items() if promised(at)}) - there
        assert not missing, f"senders of workspace {self._name} are gone: {sorted(missing)}"
        assert len({row["id"] for row in senders}) == len(there) == len(senders), "an id or an address comes twice"
        given = [row.get("assigned", {}).get("credits", {}).get("email", 0) for row in accounts[1:]]
        assert sum(given) <= _CREDITS, f"of {_CREDITS} credits, {given} are given"
        gone = [at for email, at in self._created.items() if email not in there]
        self._there, self._created = there, {}
        return min(gone, default=None)
