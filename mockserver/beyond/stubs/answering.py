"""The answer of a stub to a request that no operation answers: all of it is worked out before anything changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from werkzeug.wrappers import Request

from mockserver.beyond import effects
from mockserver.beyond.catalogue import is_meant as is_meant_for
from mockserver.beyond.effects.effect import Effect, TooLargeError
from mockserver.beyond.stubs import stored
from mockserver.beyond.stubs.program import Answer, Program, Refusal, program_of, scope_of
from mockserver.beyond.stubs.provider import Provider
from mockserver.beyond.stubs.stored import LONGEST_KEY, Change, storing
from mockserver.beyond.stubs.view import body_of, names_for
from mockserver.beyond.templates import operators
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.functions import key_of
from mockserver.beyond.templates.scope import Scope
from mockserver.beyond.templates.value import Each, Value
from mockserver.beyond.templates.values import OMIT, BudgetError, Path, TemplateError
from mockserver.core.contract.errors import BAD_REQUEST, INTERNAL_ERROR, INVALID_PARAMETER, ServiceError, no_room
from mockserver.core.state import reasons
from mockserver.core.state.stubs import Stored, Stub
from mockserver.core.text import header_form
from mockserver.core.traffic.exchange import Exchange, Header, Reply
from mockserver.core.workspaces.caller import Caller
from mockserver.web.routing import encoded_slash
from mockserver.web.schemas import json_text
from mockserver.web.server.loop import LARGE_BODY
from mockserver.web.service.answer import CONTENT_TYPE, CORS_HEADERS

#: The most effects and changes of what is stored that one request has. Chosen: three for each of the 2,000 recipients
#: that an e-mail may have, and more.
MOST_DONE = 10_000
#: How many bytes the effects of a request take at most. Chosen: some six mails of which each has a file as large as a
#: body can hold.
LARGEST_DONE = 64 * 1024 * 1024


def answer(caller: Caller, request: Request, exchange: Exchange) -> Reply | None:
    """The answer of the first stub that a request is for, which the exchange then names; None if there is none.

    To be called under the workspace's lock.

    Raises:
        ServiceError: the stub refuses the request, or cannot answer; nothing has changed.
        RequestEntityTooLarge: the body is over the limit, and the stub looks at it.
    """
    found = _stub_for(caller, request, exchange)
    if found is None:
        return None
    stub, params = found
    exchange.stub = stub.id
    stub.hits += 1
    call = _Call(stub, params, caller, request, exchange)
    try:
        outcome = call.outcome()
    except TemplateError as error:
        if isinstance(error, BudgetError) and len(exchange.body) > LARGE_BODY:
            raise _too_much(stub, error) from None
        raise _failure(stub, error) from None
    return call.done(outcome)


def _stub_for(caller: Caller, request: Request, exchange: Exchange) -> tuple[Stub, Mapping[str, str]] | None:
    stubs = caller.workspace.state.stubs
    for stub, params in stubs.at(exchange.method, encoded_slash.matched_path(request)):
        is_meant = is_meant_for(stub.method, stub.path, exchange.operation)
        if is_meant and stub.is_active and stub.match.admits(exchange):
            return stub, encoded_slash.unsegmented(params, request)
    return None


def _failure(stub: Stub, error: TemplateError) -> ServiceError:
    """The answer where a template cannot be evaluated; the journal says which stub, where, and why."""
    return INTERNAL_ERROR().because(f"{_where(stub, error)}: {error}; nothing was changed")


def _too_much(stub: Stub, error: TemplateError) -> ServiceError:
    """The answer where the reason is that the request holds, or asks for, more than stubs take."""
    refused = BAD_REQUEST("The request body is larger than what can be processed", status=413)
    return refused.because(f"{_where(stub, error)}: {error}; nothing was changed")


def _where(stub: Stub, error: TemplateError) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.place or ()).lstrip(".")
    source = f" of {stub.source}" if stub.source else ""
    return f"stub {stub.id}{source} ({stub.method} {stub.path}), {place}, line {error.line or 1}"


class _Outcome(NamedTuple):
    """What comes of a request, if nothing stands against it."""

    reply: Reply
    #: The position of the stub's sequence after it.
    position: int
    changes: Sequence[Change]
    effects: Sequence[Effect]


class _Call:
    """A request at work in a stub."""

    def __init__(
        self, stub: Stub, params: Mapping[str, str], caller: Caller, request: Request, exchange: Exchange
    ) -> None:
        self._stub, self._caller, self._request, self._exchange = stub, caller, request, exchange
        self._program: Program = program_of(stub.written)
        budget = Budget(len(exchange.body), len(caller.account.rows_of(Stored)))
        self._provider = Provider(caller, budget)
        names = names_for(caller, request, exchange, params)
        self._scope = scope_of(self._program, Scope(names, self._provider, budget))

    def outcome(self) -> _Outcome:
        """What comes of the request; nothing has changed yet.

        Raises:
            ServiceError: the stub refuses the request.
            TemplateError: a template cannot be evaluated.
        """
        self._check_members()
        for refusal in self._program.refusals:
            if _is_true(refusal.when, self._scope):
                raise self._refused(refusal)
        chosen, position = self._chosen()
        reply = _reply(chosen, self._scope)
        changes = [*self._forgets(), *self._stores()]
        return _Outcome(reply, position, changes, list(self._effects()))

    def done(self, outcome: _Outcome) -> Reply:
        """Let the outcome happen, all of it or nothing.

        Raises:
            ServiceError: something stands against it, such as that no credits are left.
        """
        workspace, account = self._caller.workspace, self._caller.account
        if reason := stored.full(workspace, account, outcome.changes):
            raise no_room(reason)
        try:
            effects.check(outcome.effects, self._caller)
        except ValueError as error:
            raise _failure(self._stub, _at(TemplateError(str(error)), ("effects",))) from None
        self._provider.commit()
        self._stub.position = outcome.position
        stored.change(account, outcome.changes)
        effects.perform(outcome.effects, self._caller)
        return outcome.reply

    # ------------------------------------------------------------------ what is refused

    def _check_members(self) -> None:
        """Warn of members of the body that the stub does not know, or refuse them in a strict workspace.

        Raises:
            ServiceError: 400; the workspace is strict, and there is one.
        """
        known = self._program.members
        body = None if known is None else body_of(self._request, self._exchange)
        unknown = [name for name in body if name not in known] if known is not None and isinstance(body, dict) else []
        if unknown and self._caller.workspace.state.strict:
            refused = INVALID_PARAMETER(f"Unknown attribute {reasons.shown(unknown[0])} in the request")
            there = f"unknown fields in the body of stub {self._stub.id}: {reasons.fields(unknown)}"
            raise refused.because(f"{there} (the workspace is strict)")
        for name in unknown:
            self._exchange.warn(f"stub {self._stub.id} ignored the unknown body field {reasons.fields([name])}")

    def _refused(self, refusal: Refusal) -> ServiceError:
        message = None if refusal.message is None else refusal.message.given(self._scope)
        told = None if message in (None, OMIT) else operators.shown(self._scope.budget, message)
        return refusal.code(told).because(f"refused by stub {self._stub.id}: {told or refusal.code.message}")

    # ------------------------------------------------------------------ what is answered and done

    def _chosen(self) -> tuple[Answer, int]:
        """The first answer whose condition is true, else the one of the sequence whose turn it is; the next position.

        The last answer of a sequence is repeated.
        """
        position = self._stub.position
        for found in self._program.conditional:
            if found.when is not None and _is_true(found.when, self._scope):
                return found, position
        last = len(self._program.sequence) - 1
        return self._program.sequence[min(position, last)], min(position + 1, last)

    def _forgets(self) -> Iterator[Change]:
        for item, place in _each(self._program.forgets, "forget", self._scope):
            yield Change((item["table"], _key(item, place)), None)

    def _stores(self) -> Iterator[Change]:
        size = 0
        for item, place in _each(self._program.stores, "store", self._scope):
            value = item["value"] if "value" in item else body_of(self._request, self._exchange)
            change = storing(item["table"], _key(item, place), value)
            # To measure the same large value thousands of times would take long.
            size += change.size
            if reason := stored.too_large(self._caller.workspace, size):
                raise no_room(reason)
            yield change

    def _effects(self) -> Iterator[Effect]:
        size = 0
        for item, place in _each(self._program.effects, "effects", self._scope):
            try:
                effect = effects.read(item)
                size += effect.size
                if size > LARGEST_DONE:
                    raise TooLargeError(f"the effects of a request are larger than {LARGEST_DONE:,} bytes together")  # noqa: TRY301  # told like those from within
            except TooLargeError as error:
                raise _too_much(self._stub, _at(BudgetError(str(error)), place)) from None
            except ValueError as error:
                raise _at(TemplateError(str(error)), place) from None
            yield effect


def _is_true(condition: Value, scope: Scope) -> bool:
    return operators.is_true(condition.given(scope))


def _each(values: Iterable[Each], name: str, scope: Scope) -> Iterator[tuple[Mapping[str, Any], Path]]:
    """The mappings of actions or effects, each with the place where it was written."""
    count = 0
    for index, value in enumerate(values):
        for item in value.one_by_one(scope):
            count += 1
            if count > MOST_DONE:
                raise _at(BudgetError(f"more than {MOST_DONE:,} actions or effects of one request"), (name,))
            yield item, (name, index)


def _key(item: Mapping[str, Any], place: Path) -> str:
    try:
        found = key_of(item.get("key"))
        if not 0 < len(found) <= LONGEST_KEY:
            raise TemplateError(f"the key has {len(found):,} characters, expected 1 to {LONGEST_KEY}")  # noqa: TRY301  # told like those from within
    except TemplateError as error:
        raise _at(error, (*place, "key")) from None
    return found


def _reply(given: Answer, scope: Scope) -> Reply:
    """An answer with its body and headers.

    Raises:
        TemplateError: a template of it cannot be evaluated, or gives what no header can hold.
    """
    headers = dict(_headers(given, scope))
    body = b""
    content = OMIT if given.json is None else given.json.given(scope)
    if content is not OMIT:
        body = _json(content)
    elif given.text is not None:
        words = given.text.given(scope)
        body = b"" if words is OMIT else operators.shown(scope.budget, words).encode()
        headers.setdefault(CONTENT_TYPE, "text/plain; charset=utf-8")
    # A body of a type of its own lacks the headers for scripts of other origins, unless it brings them.
    own = CORS_HEADERS if CONTENT_TYPE in headers else ()
    return Reply(given.status, body, headers=(*headers.items(), *own))


def _json(content: Any) -> bytes:
    try:
        return json_text.write(content)
    except TypeError as error:
        raise _at(TemplateError("not a JSON value"), ("answer", "json")) from error


def _headers(given: Answer, scope: Scope) -> Iterator[Header]:
    for name, value in given.headers.items():
        found = value.given(scope)
        if found is OMIT:
            continue
        words = operators.shown(scope.budget, found)
        if not header_form.is_value(words):
            raise _at(TemplateError("not a valid header value"), ("answer", "headers", name))
        yield CONTENT_TYPE if name.lower() == CONTENT_TYPE.lower() else name, words


def _at(error: TemplateError, place: Path) -> TemplateError:
    """An error with the place of the member that it is of."""
    error.place = error.place or place
    return error
