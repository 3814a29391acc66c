"""Several clients in one workspace of servers that are killed again and again."""

from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from itertools import count

from wire import Wire

_CLIENTS = 3
CREDITS = 1000
SUB_ACCOUNTS = (1000002, 1000003)
#: A master account with credits, and two sub-accounts.
GROUP = {
    "accounts": [
        {"name": "acme", "id": 1000001, "role": "master", "pool": {"credits": {"email": CREDITS}}},
        *({"name": f"sub-{number}", "id": number, "role": "sub_account", "of": "acme"} for number in SUB_ACCOUNTS),
    ]
}


class Crowd:
    """Clients that create senders and move credits, with `pause_s` seconds between two."""

    def __init__(self, name, *, pause_s):
        self._name, self._numbers, self._pause_s = name, count(), pause_s
        #: The e-mails of senders that were acknowledged.
        self._created = set()

    def play(self, roots, over):
        """Create senders and move credits at all servers until they are killed, or `over` is set."""
        try:
            with Wire(roots[0], self._name) as wire:
                wire.ask("POST", "/_mock/workspaces", {"name": self._name, "scenario": GROUP, "seed": 1})
        except (OSError, HTTPException):
            return
        with ThreadPoolExecutor(_CLIENTS) as pool:
            for played in [pool.submit(self._play_one, (roots * _CLIENTS)[each], over) for each in range(_CLIENTS)]:
                played.result()

    def _play_one(self, root, over):
        with Wire(root, self._name) as wire:
            wire.key = "any"
            try:
                while not over.wait(self._pause_s):
                    self._do(wire, next(self._numbers))
            except (OSError, HTTPException):
                return

    def _do(self, wire, number):
        email = f"s{number}@acme.test"
        status, answer = wire.ask("POST", "/v3/senders", {"name": "Ops", "email": email})
        assert status == 201, answer
        self._created.add(email)
        path = f"/v3/corporate/subAccount/{SUB_ACCOUNTS[number % 2]}/plan"
        status, answer = wire.ask("PUT", path, {"credits": {"email": number * 37 % 700}})
        assert status in (204, 400), answer

    def check(self, roots, **_):
        """Hold that all senders are there, each with an id of its own, and that credits add up, at each server."""
        for root in roots:
            with Wire(root, self._name) as wire:
                status, state = wire.ask("GET", "/_mock/state")
            accounts = state["accounts"] if status == 200 else [{}]
            senders = accounts[0].get("senders", [])
            there = {row["email"] for row in senders}
            missing = self._created - there
            assert not missing, f"senders of workspace {self._name} are gone: {sorted(missing)}"
            assert len({row["id"] for row in senders}) == len(there) == len(senders), "an id or an address comes twice"
            given = [row.get("assigned", {}).get("credits", {}).get("email", 0) for row in accounts[1:]]
            assert sum(given) <= CREDITS, f"of {CREDITS} credits, {given} are given"
