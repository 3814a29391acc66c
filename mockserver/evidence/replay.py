"""Replaying the contract: a case becomes requests, and what is answered is compared with what was promised."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from mockserver.evidence.fixture import Case, differences
from mockserver.resources.registry import OPERATIONS

#: Every case begins at this moment, on a clock that stands still, so that each answer is the same at every run.
CLOCK = {"start": "2026-01-15T09:00:00Z", "frozen": True}

#: A string of a later exchange that begins like this is a member of the case's own answer: `$answer.key`.
_FROM_ANSWER = "$answer."

#: How an address begins that an answer tells: with the workspace's root, which whatever sends the requests knows
#: already.
_ROOT = re.compile(r"\Ahttps?://[^/]+(?:/w/[^/]+)?")


@dataclass(frozen=True, slots=True)
class ReceivedAnswer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Send(Protocol):
    """Whatever sends a request: a test client, or a connection to a server."""

    def __call__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> ReceivedAnswer:
        """The answer; the path holds the query, and is percent-encoded."""
        ...


@dataclass(frozen=True, slots=True)
class ReplayedExchange:
    """One request of a case, its answer, and in what this is not as promised."""

    title: str
    answer: ReceivedAnswer
    differences: list[str] = field(default_factory=list)


def replay(case: Case, send: Send) -> Iterator[ReplayedExchange]:
    """All exchanges of a case in their order: the reset, its steps, its request, and what shows the effect.

    It ends with the first step that fails: what comes after it would show nothing.
    """
    reset = _exchange({"method": "POST", "path": "/_mock/reset", "json": {"scenario": _scenario(case)}}, send, {})
    yield reset
    if reset.differences:
        return
    keys = {account["name"]: account["api_key"] for account in json.loads(reset.answer.body)["accounts"]}
    for step in case.steps:
        exchange = _exchange(step, send, keys)
        yield exchange
        if exchange.differences:
            return
    exchange = _exchange({**_addressed(case), "answer": case.answer}, send, keys)
    yield exchange
    for later in case.then:
        yield _exchange(_filled(later, _json(exchange.answer)), send, keys)


def _scenario(case: Case) -> dict[str, Any]:
    document = case.scenario if isinstance(case.scenario, dict) else {"extends": case.scenario}
    return {**document, "clock": CLOCK}


def _addressed(case: Case) -> dict[str, Any]:
    """A case's request with the method and the path of its operation."""
    operation = OPERATIONS[case.operation]
    path = operation.path
    for name, value in case.request.get("path", {}).items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    return {**case.request, "method": operation.method, "path": path}


def _exchange(data: Mapping[str, Any], send: Send, keys: Mapping[str, str]) -> ReplayedExchange:
    path = _ROOT.sub("", str(data["path"]))
    headers = _headers(path, data, keys)
    if "query" in data:
        path = f"{path}?{urlencode(data['query'], doseq=True)}"
    answer = send(data["method"], path, headers, _body(data))
    return ReplayedExchange(f"{data['method']} {path}", answer, list(_compared(data.get("answer"), answer)))


def _headers(path: str, data: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, str]:
    """The key of the first account, or of the one named by `as`, and what the case gives; null takes a header away."""
    headers: dict[str, str | None] = {}
    if path.startswith("/v3") and keys:
        headers["api-key"] = keys[data.get("as", next(iter(keys)))]
    if "json" in data or "body" in data:
        headers["content-type"] = "application/json"
    headers |= data.get("headers", {})
    return {name: value for name, value in headers.items() if value is not None}


def _body(data: Mapping[str, Any]) -> bytes:
    text: str = json.dumps(data["json"]) if "json" in data else data.get("body", "")
    return text.encode()


def _compared(wanted: Mapping[str, Any] | None, answer: ReceivedAnswer) -> Iterator[str]:
    """In what an answer is not as promised; where nothing is, it must be no refusal."""
    if wanted is None:
        if answer.status >= 400:
            yield f"status: {answer.status}, {answer.body.decode(errors='replace').strip()}"
        return
    yield from differences(wanted["status"], answer.status, "status")
    got = {name.lower(): value for name, value in answer.headers.items()}
    for name, value in wanted.get("headers", {}).items():
        yield from differences(value, got.get(name.lower()), f"headers.{name}")
    yield from differences(wanted.get("json"), _json(answer))


def _json(answer: ReceivedAnswer) -> Any:
    """The value of an answer's body; None if it has none, its text if that is no JSON."""
    try:
        return json.loads(answer.body) if answer.body else None
    except ValueError:
        return answer.body.decode(errors="replace")


def _filled(value: Any, answer: Any) -> Any:
    """A later exchange with the members of the answer that it refers to; null for one that the answer lacks."""
    if isinstance(value, str) and value.startswith(_FROM_ANSWER):
        return answer.get(value.removeprefix(_FROM_ANSWER)) if isinstance(answer, dict) else None
    if isinstance(value, dict):
        return {name: _filled(inner, answer) for name, inner in value.items()}
    return [_filled(inner, answer) for inner in value] if isinstance(value, list) else value
