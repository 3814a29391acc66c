"""What one client does in a workspace of a server that is killed again and again, and the same beside it in memory."""

from __future__ import annotations

import time
from http.client import HTTPException
from typing import NamedTuple

from random_user import ACTIONS, STORY, RandomUser
from wire import Wire, decoded

#: What is done: all but what calls somebody, as its outcome comes when it comes.
_ALONE = [name for name in ACTIONS if name != "export_history"]
#: How many entries of the journal and of the control calls are compared; older ones were compared before.
_NEWEST = 200


class Step(NamedTuple):
    """A request that was sent."""

    method: str
    path: str
    body: object
    key: str | None
    #: When its answer had come, by `time.monotonic`; None: the server was killed before.
    acknowledged: float | None = None


class History:
    """A workspace, which its first step makes, and what is done there, one step after the other.

    There are `pause_s` seconds between two. `mirror` is an application that keeps nothing; there the same is done as
    far as the server has kept it.
    """

    def __init__(self, mirror, name, seed, *, pause_s):
        self._mirror, self._seed, self._pause_s = mirror, seed, pause_s
        self._user = RandomUser(self._send, seed, _ALONE)
        self._wire = None
        self._begin_in(name)

    def _begin_in(self, name):
        """Go on in a workspace that is not there yet."""
        self._name = name
        self._making = Step("POST", "/_mock/workspaces", {"name": name, "scenario": STORY, "seed": self._seed}, None)
        #: The steps that are not done in the mirror, oldest first.
        self._steps = []
        #: The key of the workspace, which is there, and kept, once this is known.
        self._key = None

    def play(self, root, over):
        """Do one thing after the other until the server is killed, or `over` is set."""
        with Wire(root, self._name) as self._wire:
            try:
                self._begin()
                while not over.wait(self._pause_s):
                    self._user.play(1)
            except (OSError, HTTPException):
                return

    def _begin(self):
        self._wire.key = self._key
        if self._key is None:
            status, made = self._send(*self._making[:3])
            assert status == 201, made
            self._wire.key = made["api_key"]

    def _send(self, method, path, body=None, *, key=None):
        self._steps.append(Step(method, path, body, key))
        status, answer = self._wire.ask(method, path, body, key=key)
        self._steps[-1] = self._steps[-1]._replace(acknowledged=time.monotonic())
        return status, answer

    def check(self, root, promised):
        """Hold that the workspace is as some first steps have left it, all those included that `promised` names.

        `promised` tells of a moment whether what was acknowledged then has to be there. Gives when the first step was
        acknowledged that is gone, or None.
        """
        with Wire(root, self._name) as wire:
            kept = _shown(wire.ask)
        while self._steps and self._steps[0].acknowledged and promised(self._steps[0].acknowledged):
            self._do_next()
        if kept is not None:
            self._catch_up(kept)
        while (mine := self._shown()) != kept:
            if _is_not_recorded_yet(mine, kept):
                self._begin_in(f"{self._name}-")
                return None
            told = f"workspace {self._name}: {_first_difference(mine, kept)}"
            assert self._steps, f"no steps explain what is there; after the last one, {told}"
            assert _recorded(mine) <= _recorded(kept), f"what was acknowledged is gone: {told}"
            self._do_next()
        gone = [step.acknowledged for step in self._steps if step.acknowledged and step.method != "GET"]
        self._steps.clear()
        return min(gone, default=None)

    def _catch_up(self, kept):
        """Do as many steps in the mirror as the server has recorded; to compare all costs more than a step."""
        if self._key is None:
            self._do_next()
        while missing := max(0, _recorded(kept) - _counted(self._ask_mirror)):
            for _ in range(missing):
                self._do_next()

    def _do_next(self):
        """Do the next step in the mirror."""
        assert self._steps, f"workspace {self._name} has recorded more than was sent to it"
        method, path, body, key, _ = self._steps.pop(0)
        _, made = self._ask_mirror(method, path, body, key=key)
        if path == self._making.path:
            self._key = made["api_key"]

    def _ask_mirror(self, method, path, body=None, *, key=None):
        prefix = "" if path == self._making.path else f"/w/{self._name}"
        headers = {"User-Agent": ""}  # as the client of the server has none
        if path.startswith("/v3"):
            headers["api-key"] = key or self._key
        answer = self._mirror.open(prefix + path, method=method, json=body, headers=headers)
        return answer.status_code, decoded(answer.data)

    def _shown(self):
        return _shown(self._ask_mirror)


def _shown(ask):
    """All that a workspace shows of itself and of what was done there; None: there is no such workspace."""
    status, state = ask("GET", "/_mock/state")
    if status == 404:
        return None
    assert status == 200, state
    lists = {name: _list(ask, name) for name in ("requests", "calls", "mailbox")}
    # How many have gone for newer ones depends on what clients have sent besides.
    totals = {f"all_{name}": found["count"] + found["evicted"] for name, found in lists.items()}
    return _comparable({"state": state, **totals, **{name: found["items"] for name, found in lists.items()}})


def _counted(ask):
    """How many requests and control calls a workspace says that it has recorded."""
    pages = [ask("GET", f"/_mock/{name}?limit=1")[1] for name in ("requests", "calls")]
    return sum(page["count"] + page["evicted"] for page in pages)


def _list(ask, name):
    status, found = ask("GET", f"/_mock/{name}?limit={_NEWEST}")
    assert status == 200, found
    return found


def _comparable(value):
    """A value without what differs from run to run, and by the client."""
    if isinstance(value, list):
        return [_comparable(row) for row in value]
    if isinstance(value, dict):
        return {name: _comparable(row) for name, row in value.items() if name not in ("ms", "real_at", "headers")}
    return value


def _recorded(shown):
    """How many requests and control calls have been recorded."""
    if shown is None:
        return -1
    return shown["all_requests"] + shown["all_calls"]


def _is_not_recorded_yet(mine, kept):
    """Whether a control call has done its work and was killed before it was recorded: that is a step of its own."""
    if mine is None or kept is None:
        return False
    return (mine["state"], mine["all_requests"], mine["all_calls"] - 1) == (
        kept["state"], kept["all_requests"], kept["all_calls"],
    )  # fmt: skip


def _first_difference(mine, kept, path="$"):
    """Where two values differ, and how."""
    if type(mine) is type(kept) is dict and mine.keys() == kept.keys():
        name = next(name for name in mine if mine[name] != kept[name])
        return _first_difference(mine[name], kept[name], f"{path}.{name}")
    if type(mine) is type(kept) is list and len(mine) == len(kept):
        number = next(number for number, row in enumerate(mine) if row != kept[number])
        return _first_difference(mine[number], kept[number], f"{path}[{number}]")
    return f"{path} is {str(kept)[:600]}, and would be {str(mine)[:600]}"
