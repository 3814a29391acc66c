"""Replay of fixtures: sends requests of cases and compares answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from mockserver.evidence.fixture import Case, differences
from mockserver.resources.registry import API_OPERATIONS

#: The frozen clock of all cases, so that answers repeat.
CLOCK = {"start": "2026-01-15T09:00:00Z", "frozen": True}

#: The prefix of references under `then` to the answer of the case, such as `$answer.key`.
_FROM_ANSWER = "$answer."

#: The workspace root of an address. `Send` takes a path below the root.
_ROOT = re.compile(r"\Ahttps?://[^/]+(?:/w/[^/]+)?")


@dataclass(frozen=True, slots=True)
class ReceivedAnswer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Send(Protocol):
    """A function that sends a request by test client or connection."""

    def __call__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> ReceivedAnswer:
        """Send a request. `path` is percent-encoded and includes the query."""
        ...


@dataclass(frozen=True, slots=True)
class ReplayedExchange:
    #: Method and path.
    title: str
    answer: ReceivedAnswer
    #: Sentences about differences from the promised answer.
    differences: list[str] = field(default_factory=list)


def replay(case: Case, send: Send) -> Iterator[ReplayedExchange]:
    """Yield exchanges of a case: reset to the scenario, steps, request, `then`.

    A failed reset or step ends the replay.
    """
    document = case.scenario if isinstance(case.scenario, dict) else {"extends": case.scenario}
    scenario = {**document, "clock": CLOCK}
    reset = _exchange({"method": "POST", "path": "/_mock/reset", "json": {"scenario": scenario}}, send, {})
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


def _addressed(case: Case) -> dict[str, Any]:
    operation = API_OPERATIONS[case.operation]
    path = operation.path
    for name, value in case.request.get("path", {}).items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    return {**case.request, "method": operation.method, "path": path}


def _exchange(data: Mapping[str, Any], send: Send, keys: Mapping[str, str]) -> ReplayedExchange:
    path = _ROOT.sub("", str(data["path"]))
    headers = _headers(path, data, keys)
    if "query" in data:
        path = f"{path}?{urlencode(data['query'], doseq=True)}"
    body: str = json.dumps(data["json"]) if "json" in data else data.get("body", "")
    answer = send(data["method"], path, headers, body.encode())
    return ReplayedExchange(f"{data['method']} {path}", answer, list(_compared(data.get("answer"), answer)))


def _headers(path: str, data: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, str]:
    """Return headers: the key of `as` or the first account, content type, and those of the case; null removes one."""
    headers: dict[str, str | None] = {}
    if path.startswith("/v3") and keys:
        headers["api-key"] = keys[data.get("as", next(iter(keys)))]
    if "json" in data or "body" in data:
        headers["content-type"] = "application/json"
    headers |= data.get("headers", {})
    return {name: value for name, value in headers.items() if value is not None}


def _compared(wanted: Mapping[str, Any] | None, answer: ReceivedAnswer) -> Iterator[str]:
    if wanted is None:
        if answer.status >= 400:
            yield f"status: {answer.status}, {answer.body.decode(errors='replace').strip()}"
        return
    yield from differences(wanted["status"], answer.status, "status")
    got = {name.lower(): value for name, value in answer.headers.items()}
    for name, value in wanted.get("headers", {}).items():
        yield from differences(value, got.get(name.lower()), f"headers.{name}")
    if "body" in wanted:
        yield from differences(wanted["body"], answer.body.decode(errors="replace"), "body")
    else:
        yield from differences(wanted.get("json"), _json(answer))


def _json(answer: ReceivedAnswer) -> Any:
    try:
        return json.loads(answer.body) if answer.body else None
    except ValueError:
        return answer.body.decode(errors="replace")


def _filled(value: Any, answer: Any) -> Any:
    """Replace references to the answer of the case, null for missing members."""
    if isinstance(value, str) and value.startswith(_FROM_ANSWER):
        return answer.get(value.removeprefix(_FROM_ANSWER)) if isinstance(answer, dict) else None
    if isinstance(value, dict):
        return {name: _filled(inner, answer) for name, inner in value.items()}
    return [_filled(inner, answer) for inner in value] if isinstance(value, list) else value
