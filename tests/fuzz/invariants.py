"""What holds after any request, whatever it was."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fuzz.drafts import Sent
from fuzz.target import BODY_LIMIT, Answer, Target

#: What a page or an answer must not show of the program behind it.
_TRACES = (b"Traceback (most recent", b'File "/', b"marshmallow.", b"werkzeug.", b"jinja2.")
#: What can be read of every workspace, and must answer well.
_READABLE = (
    "requests?limit=1000", "mailbox?limit=1000", "deliveries?limit=1000", "receivers", "faults", "coverage", "machines",
    "snapshots", "clock", "oauth/apps", "faults/catalogue",
)  # fmt: skip
#: How long a call that is under way may take, in seconds: nobody listens where it goes, and that is refused at once.
_PATIENCE_S = 20.0


def of_answer(sent: Sent, answer: Answer, *, stubs_fail: bool = True) -> str | None:
    """What is wrong with an answer, whatever was asked; a stub of a caller's own may answer, and fail, as it likes."""
    if stubs_fail and answer.headers.get("x-mock-answered") == "stubbed":
        return None
    if answer.status >= 500 and "x-mock-fault" not in answer.headers and not _is_odd_receiver(sent):
        return f"a {answer.status} that nobody asked for"
    if any(trace in answer.body for trace in _TRACES) and answer.status >= 400:
        return "the answer shows the program behind it"
    kind = answer.headers.get("content-type", "")
    if "json" in kind and sent.method != "HEAD" and answer.json() is None and answer.body.strip() not in (b"null", b""):
        return None if "x-mock-fault" in answer.headers else "the answer says that it is JSON, and is none"
    if sent.path.startswith("/v3") and answer.status >= 400 and sent.method not in ("HEAD", "OPTIONS"):
        return _of_refusal(answer)
    return None


def _is_odd_receiver(sent: Sent) -> bool:
    """Whether a receiver answers as it was told to."""
    return "/_mock/receiver/" in sent.path


def _of_refusal(answer: Answer) -> str | None:
    if "x-mock-fault" in answer.headers:
        return None
    found = answer.json()
    if (
        not isinstance(found, dict)
        or set(found) - {"metadata"} != {"code", "message"}  # of a contact that is there already, it tells by what
        or not all(isinstance(found[name], str) for name in ("code", "message"))
    ):
        return "a refusal that is not in the service's form"
    return None


def of_workspaces(target: Target) -> str | None:
    """What is wrong with the workspaces of an application."""
    return next(_problems(target), None)


def _problems(target: Target) -> Iterator[str]:
    listing = target.get("/_mock/workspaces")
    if listing.status != 200:
        yield f"the workspaces cannot be listed: {listing.status} {listing.body[:300]!r}"
        return
    for workspace in target.workspaces:
        root = f"/w/{workspace.name}"
        with _standing_still(workspace):
            yield from _unsettled(workspace)
            yield from _unreadable(target, root)
            yield from _unwritable(target, root)


@contextmanager
def _standing_still(workspace: Any) -> Iterator[None]:
    """A workspace in which nothing falls due meanwhile: what did would make another state of it."""
    with workspace.lock:
        is_running = not workspace.state.clock.frozen
        workspace.state.clock.freeze()
        workspace.catch_up()
    yield
    with workspace.lock:
        if is_running:
            workspace.state.clock.thaw()


def _unsettled(workspace: Any) -> Iterator[str]:
    """Calls that are under way for ever."""
    deadline = time.monotonic() + _PATIENCE_S
    while len(workspace.jobs) and time.monotonic() < deadline:
        time.sleep(0.002)  # another thread makes the call; nothing tells when the last one is over
    if len(workspace.jobs):
        yield f"{len(workspace.jobs)} calls of {workspace.name} are under way for ever"


def _unreadable(target: Target, root: str) -> Iterator[str]:
    for name in _READABLE:
        path, _, query = name.partition("?")
        answer = target.send(Sent("GET", f"{root}/_mock/{path}", query, {}, b""))
        if answer.status != 200:
            yield f"{root}/_mock/{name} cannot be read: {answer.status} {answer.body[:500]!r}"


def _unwritable(target: Target, root: str) -> Iterator[str]:
    """States that cannot be read, or put back, or that are others when they are put back."""
    yaml = target.get(f"{root}/_mock/state", Accept="application/yaml")
    before = target.get(f"{root}/_mock/state")
    if (before.status, yaml.status) != (200, 200):
        yield f"the state of {root} cannot be read: {before.status} {before.body[:500]!r}, YAML {yaml.status}"
        return
    yield from _overspent(before.json())
    for body, media in ((before.body, "application/json"), (yaml.body, "application/yaml")):
        put = target.send(Sent("PUT", f"{root}/_mock/state", "", {"Content-Type": media}, body))
        if len(body) > BODY_LIMIT and put.status == 413:
            continue
        if put.status != 200:
            yield f"the state of {root} cannot be put back as {media}: {put.status} {put.body[:1_000]!r}"
            return
        after = target.get(f"{root}/_mock/state")
        if _comparable(after.json()) != _comparable(before.json()):
            yield f"the state of {root} is another one after {media}: {_first_difference(before, after)}"


def _comparable(state: dict[str, Any]) -> str:
    """A state without the moment of a clock that runs."""
    clock = state.get("clock", {})
    known = {"frozen": clock.get("frozen"), **({"start": clock.get("start")} if clock.get("frozen") else {})}
    return json.dumps({**state, "clock": known}, sort_keys=True)


def _first_difference(before: Answer, after: Answer) -> str:
    one, other = _comparable(before.json()), _comparable(after.json())
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"{one[max(0, at - 200) : at + 200]!r} became {other[max(0, at - 200) : at + 200]!r}"


def _overspent(state: dict[str, Any]) -> Iterator[str]:
    """Masters whose sub-accounts have been given more than there is."""
    accounts = state.get("accounts", [])
    for master in accounts:
        for part in ("credits", "features"):
            for name, held in master.get("pool", {}).get(part, {}).items():
                given = [
                    row.get("assigned", {}).get(part, {}).get(name, 0)
                    for row in accounts
                    if row.get("role") == "sub_account" and row.get("of") == master["name"]
                ]
                if held >= 0 and sum(amount for amount in given if amount > 0) > held:
                    yield f"{master['name']} has {held} of {part}.{name}, and its sub-accounts hold {given}"
