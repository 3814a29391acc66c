"""The answer of a stub to a request that no operation answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Request

from mockserver.beyond.stubs.item import written_of
from mockserver.core.state.stubs import Stub
from mockserver.core.traffic.exchange import Exchange, Header, Reply
from mockserver.core.workspaces.caller import Caller
from mockserver.web.routing import encoded_slash
from mockserver.web.schemas import json_text
from mockserver.web.service.answer import CONTENT_TYPE, CORS_HEADERS


def answer(caller: Caller, request: Request, exchange: Exchange) -> Reply | None:
    """The answer of the first stub that a request is for, which the exchange then names; None if there is none.

    To be called under the workspace's lock.

    Raises:
        ServiceError: the stub refuses the request, or cannot answer; nothing has changed.
    """
    stub = _stub_for(caller, request, exchange)
    if stub is None:
        return None
    exchange.stub = stub.id
    stub.hits += 1
    return _reply(_next_answer(stub))


def _stub_for(caller: Caller, request: Request, exchange: Exchange) -> Stub | None:
    stubs = caller.workspace.state.stubs
    for stub, _ in stubs.at(exchange.method, encoded_slash.matched_path(request)):
        if stub.is_active and stub.match.admits(exchange):
            return stub
    return None


def _next_answer(stub: Stub) -> Mapping[str, Any]:
    """The answer whose turn it is; the last one of a sequence is repeated."""
    written = written_of(stub)
    answers = written.get("answers") or [written["answer"]]
    found: Mapping[str, Any] = answers[min(stub.position, len(answers) - 1)]
    stub.position += 1
    return found


def _reply(given: Mapping[str, Any]) -> Reply:
    headers = {_named(name): value for name, value in given.get("headers", {}).items()}
    body = given.get("text", "").encode()
    if "json" in given:
        body = json_text.write(given["json"])
    elif body:
        headers.setdefault(CONTENT_TYPE, "text/plain; charset=utf-8")
    return Reply(given.get("status", 200), body, headers=_complete(headers))


def _named(header: str) -> str:
    """A header's name as it was written, but for that by which the service finds a type of the body's own."""
    return CONTENT_TYPE if header.lower() == CONTENT_TYPE.lower() else header


def _complete(headers: Mapping[str, str]) -> tuple[Header, ...]:
    """The headers of an answer; one of a type of its own lacks those for scripts of other origins otherwise."""
    return (*headers.items(), *(CORS_HEADERS if CONTENT_TYPE in headers else ()))
