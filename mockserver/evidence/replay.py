"""Replays the contract: sends the requests of a case, and compares the answers with what the case promises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from mockserver.evidence.fixture import Case, differences
from mockserver.resources.registry import API_OPERATIONS

#: The clock of every case. It is frozen, so that each answer is the same at every run; the moment is arbitrary.
CLOCK = {"start": "2026-01-15T09:00:00Z", "frozen": True}

#: The prefix of a reference to a member of the case's own answer, in an exchange under `then`: `$answer.key`.
_FROM_ANSWER = "$answer."

#: The root address of a workspace, with which an address in an answer begins; `Send` takes a path below the root.
_ROOT = re.compile(r"\Ahttps?://[^/]+(?:/w/[^/]+)?")


@dataclass(frozen=True, slots=True)
class ReceivedAnswer:
    """An answer of the server under test."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Send(Protocol):
    """A function that sends a request, with a test client or over a connection to a server."""

    def __call__(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> ReceivedAnswer:
        """The answer to a request; `path` is percent-encoded and includes the query."""
        ...


@dataclass(frozen=True, slots=True)
class ReplayedExchange:
    """One request of a case with its answer."""

    #: The method and the path of the request.
    title: str
    answer: ReceivedAnswer
    #: How the answer differs from what was promised, a sentence each; empty if it does not.
    differences: list[str] = field(default_factory=list)


def replay(case: Case, send: Send) -> Iterator[ReplayedExchange]:
    """All exchanges of a case in their order: a reset to the case's scenario, its steps, its request, its `then`.

    The first reset or step that fails is the last exchange: later ones would show nothing.
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
    """The request of a case, with the method and the path of the case's operation."""
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
    answer = send(data["method"], path, headers, _body(data))
    return ReplayedExchange(f"{data['method']} {path}", answer, list(_compared(data.get("answer"), answer)))


def _headers(path: str, data: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request: an API key, a content type, and over them the headers that the case gives.

    The key is that of the account named by `as`, else of the first one. A header that the case gives as null is left
    out.
    """
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
    """How an answer differs from the wanted one, a sentence each; without a wanted one it must be no error."""
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
    """The value of an answer's JSON body; None if the body is empty, the text if it is not JSON."""
    try:
        return json.loads(answer.body) if answer.body else None
    except ValueError:
        return answer.body.decode(errors="replace")


def _filled(value: Any, answer: Any) -> Any:
    """An exchange under `then` with members of the case's answer in place of references; null for a missing one."""
    if isinstance(value, str) and value.startswith(_FROM_ANSWER):
        return answer.get(value.removeprefix(_FROM_ANSWER)) if isinstance(answer, dict) else None
    if isinstance(value, dict):
        return {name: _filled(inner, answer) for name, inner in value.items()}
    return [_filled(inner, answer) for inner in value] if isinstance(value, list) else value
