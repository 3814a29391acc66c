"""What one client does in a workspace of servers that are killed again and again, and the same beside it in memory."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from http.client import HTTPException
from itertools import cycle
from typing import NamedTuple

from random_user import ACTIONS, STORY, RandomUser
from wire import Wire, decoded

#: What is done: all but what calls somebody, as its outcome comes when it comes.
_ALONE = [name for name in ACTIONS if name != "export_history"]
#: How many entries of the journal and of the control calls are compared; older ones were compared before.
_NEWEST = 200
#: What differs from run to run, or by the client; and the ids, of which some are left out after a kill.
_OF_A_RUN = ("ms", "real_at", "headers")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Step(NamedTuple):
    """A request that was sent."""

    method: str
    path: str
    body: object
    key: str | None
    #: Whether its answer has come.
    is_acknowledged: bool = False

    @property
    def is_read(self):
        """Whether it leaves but traces, which a file has a little later."""
        return self.method == "GET" and self.path.startswith("/v3")


class History:
    """A workspace, which its first step makes, and what is done there, one step after the other, `pause_s` apart.

    `mirror` is an application that keeps nothing; there the same is done as far as the servers have kept it.
    """

    def __init__(self, mirror, name, seed, *, pause_s):
        self._mirror, self._name, self._pause_s = mirror, name, pause_s
        self._user = RandomUser(self._send, seed, _ALONE)
        self._making = Step("POST", "/_mock/workspaces", {"name": name, "scenario": STORY, "seed": seed}, None)
        #: The steps that are not done in the mirror, oldest first.
        self._steps = []
        #: The key of the workspace, which is there, and kept, once this is known.
        self._key = None

    def play(self, roots, over):
        """Do one thing after the other, each at another server, until one is killed, or `over` is set."""
        with ExitStack() as stack:
            self._wires = cycle([stack.enter_context(Wire(root, self._name)) for root in roots])
            try:
                if self._key is None:
                    status, made = self._send(*self._making[:3])
                    assert status == 201, made
                    self._key = made["api_key"]
                while not over.wait(self._pause_s):
                    self._user.play(1)
            except (OSError, HTTPException):
                self._key = None if self._steps[-1].path == self._making.path else self._key

    def _send(self, method, path, body=None, *, key=None):
        self._steps.append(Step(method, path, body, key))
        status, answer = next(self._wires).ask(method, path, body, key=key or self._key)
        self._steps[-1] = self._steps[-1]._replace(is_acknowledged=True)
        return status, answer

    def check(self, roots, *, keeps_reads):
        """Hold that the workspace is, at all servers, as some first steps have left it, all acknowledged ones included.

        Of the last ones that only read, the traces may be gone unless the store `keeps_reads`.
        """
        found = []
        for root in roots:
            with Wire(root, self._name) as wire:
                found.append(_shown(wire.ask))
        kept = found[0]
        assert all(one == kept for one in found), f"servers differ about workspace {self._name}"
        needed = [step.is_acknowledged and (keeps_reads or not step.is_read) for step in self._steps]
        while any(needed):
            needed.pop(0)
            self._do_next()
        while kept is not None and (missing := max(0, _recorded(kept) - self._counted())):
            for _ in range(missing):  # to compare all costs more than a step
                self._do_next()
        while (mine := _shown(self._ask_mirror)) != kept:
            told = f"workspace {self._name}: {_first_difference(mine, kept)}"
            assert self._steps, f"no steps explain what is there; after the last one, {told}"
            assert _recorded(mine) <= _recorded(kept), f"what was acknowledged is gone: {told}"
            self._do_next()
        self._steps.clear()

    def _do_next(self):
        """Do the next step in the mirror."""
        assert self._steps, f"workspace {self._name} has recorded more than was sent to it"
        method, path, body, key, _ = self._steps.pop(0)
        _, made = self._ask_mirror(method, path, body, key=key)
        if path == self._making.path:
            self._key = made["api_key"]

    def _ask_mirror(self, method, path, body=None, *, key=None):
        prefix = "" if path == self._making.path else f"/w/{self._name}"
        headers = {"User-Agent": ""}  # as the client of the servers has none
        if path.startswith("/v3"):
            headers["api-key"] = key or self._key
        answer = self._mirror.open(prefix + path, method=method, json=body, headers=headers)
        return answer.status_code, decoded(answer.data)

    def _counted(self):
        """How many requests and control calls the mirror has recorded."""
        if self._key is None:
            return 0
        pages = [self._ask_mirror("GET", f"/_mock/{name}?limit=1")[1] for name in ("requests", "calls")]
        return sum(page["count"] + page["evicted"] for page in pages)


def _shown(ask):
    """All that a workspace shows of itself and of what was done there; None: there is no such workspace."""
    status, state = ask("GET", "/_mock/state")
    if status == 404:
        return None
    lists = {name: ask("GET", f"/_mock/{name}?limit={_NEWEST}") for name in ("requests", "calls", "mailbox")}
    assert {status, *(status for status, _ in lists.values())} == {200}, (state, lists)
    ids = [row["id"] for row in lists["requests"][1]["items"]]
    assert len(set(ids)) == len(ids), "an id comes twice"
    # How many have gone for newer ones depends on what clients have sent besides.
    totals = {f"all_{name}": found["count"] + found["evicted"] for name, (_, found) in lists.items()}
    return _comparable({"state": state, **totals, **{name: found["items"] for name, (_, found) in lists.items()}})


def _comparable(shown):
    """What is shown without what differs from run to run, and with numbers for ids."""
    numbers = {}
    text = json.dumps(shown)
    numbered = _ID.sub(lambda found: str(numbers.setdefault(found[0], len(numbers))), text)
    without = {"object_hook": lambda row: {name: value for name, value in row.items() if name not in _OF_A_RUN}}
    return json.loads(numbered, **without)


def _recorded(shown):
    """How many requests and control calls have been recorded."""
    return -1 if shown is None else shown["all_requests"] + shown["all_calls"]


def _first_difference(mine, kept, path="$"):
    """Where two values differ, and how."""
    if type(mine) is type(kept) is dict and mine.keys() == kept.keys():
        name = next(name for name in mine if mine[name] != kept[name])
        return _first_difference(mine[name], kept[name], f"{path}.{name}")
    if type(mine) is type(kept) is list and len(mine) == len(kept):
        number = next(number for number, row in enumerate(mine) if row != kept[number])
        return _first_difference(mine[number], kept[number], f"{path}[{number}]")
    return f"{path} is {str(kept)[:600]}, and would be {str(mine)[:600]}"
