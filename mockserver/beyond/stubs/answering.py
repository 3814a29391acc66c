"""Answering requests by stubs: an answer is computed completely before anything changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from werkzeug.wrappers import Request

from mockserver.beyond import effects
from mockserver.beyond.catalogue import is_meant as is_meant_for
from mockserver.beyond.effects import Effect
from mockserver.beyond.stubs import stored
from mockserver.beyond.stubs.budget import Budget, BudgetError, ExpressionError, Path
from mockserver.beyond.stubs.filters import written
from mockserver.beyond.stubs.names import Call, Provider, key_of, names_for
from mockserver.beyond.stubs.program import Part, Program, Scope, filled, read
from mockserver.beyond.stubs.stored import LONGEST_KEY, Change, storing
from mockserver.core.contract.errors import BAD_REQUEST, INTERNAL_ERROR, INVALID_PARAMETER, ServiceError, no_room
from mockserver.core.state import reasons
from mockserver.core.state.stubs import Stored, Stub
from mockserver.core.text import addresses
from mockserver.core.traffic.exchange import SANDBOX, Exchange, Header, Reply
from mockserver.core.workspaces.caller import Caller
from mockserver.web.routing.address import matched_path, unsegmented
from mockserver.web.schemas import json_text
from mockserver.web.server.loop import LARGE_BODY
from mockserver.web.service.exchange import CONTENT_TYPE, CORS_HEADERS

#: The most bytes of a request's effects. Chosen: some six mails, each with a file as large as a body can hold.
LARGEST_DONE = 64 * 1024 * 1024


def answer(caller: Caller, request: Request, exchange: Exchange) -> Reply | None:
    """Return the answer of the first matching stub, or None. The workspace is open."""
    for stub, params in caller.workspace.state.stubs.at(exchange.method, matched_path(request)):
        is_meant = is_meant_for(stub.method, stub.path, exchange.operation)
        if is_meant and stub.is_active and stub.match.admits(exchange):
            call = Call(caller, request, exchange, unsegmented(params, request))
            break
    else:
        return None
    exchange.stub = stub.id
    stub.hits += 1
    try:
        return _Answering(stub, call).reply()
    except ExpressionError as error:
        raise _failure(stub, error, len(exchange.body)) from None


def _failure(stub: Stub, error: ExpressionError, size: int) -> ServiceError:
    """Return the error answer of a failed stub: 500, or 413 if the body is too large for stubs."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.place or ()).lstrip(".")
    source = f" of {stub.source}" if stub.source else ""
    told = INTERNAL_ERROR()
    if isinstance(error, BudgetError) and size > LARGE_BODY:
        told = BAD_REQUEST("The request body is larger than what can be processed", status=413)
    return told.because(f"stub {stub.id}{source} ({stub.method} {stub.path}), {place}: {error}; nothing was changed")


class _Answering:
    def __init__(self, stub: Stub, call: Call) -> None:
        self._stub, self._call = stub, call
        self._program: Program = read(stub.written)[0]
        budget = Budget(len(call.exchange.body), len(call.caller.account.rows_of(Stored)))
        self._provider = Provider(call.caller, budget)
        self._scope = Scope(names_for(call, self._provider), budget)

    def reply(self) -> Reply:
        """Compute answer, stored values and effects, then apply all of them; a failure changes nothing."""
        self._check_members()
        caller = self._call.caller
        chosen, position = self._chosen()
        with _at(chosen.place):
            members = self._filled(chosen)
            reply = _reply(members)
        self._scope = self._scope._replace(names={**self._scope.names, "answer": members.get("json")})
        changes, done = list(self._changes()), list(self._effects())
        if reason := stored.full(caller.workspace, caller.account, changes):
            raise no_room(reason)
        with _at(("effects",)):
            effects.check(done, caller)
        self._provider.commit()
        self._stub.position = position
        stored.change(caller.account, changes)
        effects.perform(done, caller)
        return reply

    def _check_members(self) -> None:
        """Warn about unknown members of the body, or refuse them in a strict workspace."""
        known = self._program.members
        body = None if known is None else self._call.body
        unknown = [name for name in body if name not in known] if known is not None and isinstance(body, dict) else []
        if unknown and self._call.caller.workspace.state.strict:
            refused = INVALID_PARAMETER(f"Unknown attribute {reasons.shown(unknown[0])} in the request")
            there = f"unknown fields in the body of stub {self._stub.id}: {reasons.fields(unknown)}"
            raise refused.because(f"{there} (the workspace is strict)")
        for name in unknown:
            self._call.exchange.warn(f"stub {self._stub.id} ignored the unknown body field {reasons.fields([name])}")

    def _chosen(self) -> tuple[Part, int]:
        """Return the first answer with a true condition, or the sequence's next or last; and the new position."""
        position = self._stub.position
        for found in self._program.conditional:
            if self._is_meant(found):
                return found, position
        last = len(self._program.sequence) - 1
        return self._program.sequence[min(position, last)], min(position + 1, last)

    def _is_meant(self, part: Part) -> bool:
        return part.when is None or bool(filled(part.when, self._scope))

    def _filled(self, part: Part) -> dict[str, Any]:
        found: dict[str, Any] = self._scope.budget.checked(filled(part.members, self._scope))
        return found

    def _changes(self) -> Iterator[Change]:
        size = 0
        for part in filter(self._is_meant, self._program.stores):
            with _at(part.place):
                item = self._filled(part)
                key = _key(item.get("key"))
            if "delete" in item:
                yield Change((item["table"], key), None)
                continue
            value = item["value"] if "value" in item else self._call.body  # noqa: SIM401  # reads no body in vain
            change = storing(item["table"], key, value)
            # To measure the same large value many times would take long.
            size += change.size
            if reason := stored.too_large(self._call.caller.workspace, size):
                raise no_room(reason)
            yield change

    def _effects(self) -> Iterator[Effect]:
        size = 0
        for part in filter(self._is_meant, self._program.effects):
            with _at(part.place):
                effect = effects.read(self._filled(part))
                size += effects.size_of(effect)
                if size > LARGEST_DONE:
                    raise BudgetError(f"the effects of a request are larger than {LARGEST_DONE:,} bytes together")
            yield effect


@contextmanager
def _at(place: Path) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        found = ExpressionError(str(error))
        found.place = place
        raise found from None
    except ExpressionError as error:
        error.place = error.place or place
        raise


def _key(value: Any) -> str:
    found = key_of(value)
    if not 0 < len(found) <= LONGEST_KEY:
        raise ExpressionError(f"the key has {len(found):,} characters, expected 1 to {LONGEST_KEY}")
    return found


def _reply(given: Mapping[str, Any]) -> Reply:
    headers = dict(_headers(given.get("headers", {})))
    body = b""
    if "json" in given:
        body = json_text.write(given["json"])
    elif "text" in given:
        body = written(given["text"]).encode()
        headers.setdefault(CONTENT_TYPE, "text/plain; charset=utf-8")
    # A body of a type of its own lacks the headers for scripts of other origins, unless it brings them.
    own = CORS_HEADERS if CONTENT_TYPE in headers else ()
    return Reply(given.get("status", 200), body, headers=(*headers.items(), *own, SANDBOX))


def _headers(given: Mapping[str, Any]) -> Iterator[Header]:
    for name, value in given.items():
        words = written(value)
        if not addresses.is_header_value(words):
            raise ExpressionError(f"not a valid value of the header {name}")
        yield CONTENT_TYPE if name.lower() == CONTENT_TYPE.lower() else name, words
