"""Faults: their kinds, and the rules that apply them to matching requests."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ErrorCode
from mockserver.core.state.identifiers import Randomness
from mockserver.core.traffic.exchange import SANDBOX, Exchange, Reply, Wire, WireForm, read_json
from mockserver.core.traffic.match import Match

#: Returns the real answer, which may be an error.
Proceed = Callable[[], Reply]
#: The default duration of a slow body and the longest delay (a day), in milliseconds.
SLOW_MS, LONGEST_MS = 5_000.0, 86_400_000.0
#: The alerts by which a server refuses a TLS handshake, without those about client certificates (RFC 8446, 6).
ALERTS = {
    "handshake_failure": 40,
    "access_denied": 49,
    "protocol_version": 70,
    "insufficient_security": 71,
    "internal_error": 80,
    "unrecognized_name": 112,
    "no_application_protocol": 120,
}
#: The parameters of all kinds with an HTTP answer: what a proxy or a gateway puts in place of the service's own.
OF_ANSWERS = ("headers", "body")
_CONTENT_TYPE = "Content-Type"
#: How many exchanges a stale read looks at. Chosen: more than lie between two reads of a program.
_SEARCHED = 200
#: The members that an answer has besides, unless the rule tells others.
_UNKNOWN = {"addedLater": "a member that no document describes"}
#: Stands for a reset connection instead of an alert.
NO_ALERT = "none"


class Latency(NamedTuple):
    """A distribution of delays in milliseconds: lognormal by median and sigma, or uniform from low to high."""

    type: str
    # Shown as they were given: 1 is not 1.0.
    median_ms: int | float = 0.0
    sigma: int | float = 0.0
    low_ms: int | float = 0.0
    high_ms: int | float = 0.0

    def at(self, share: float) -> float:
        """Return the delay quantile of a share, in milliseconds."""
        if self.type == "uniform":
            return self.low_ms + share * (self.high_ms - self.low_ms)
        from statistics import NormalDist  # noqa: PLC0415  # slow to import

        # A lognormal delay has no longest one.
        return min(LONGEST_MS, self.median_ms * math.exp(self.sigma * NormalDist().inv_cdf(share)))


def draws(identifier: str) -> tuple[str, str]:
    """Return a rule's draw purposes: hit and delay."""
    return f"fault {identifier}", f"fault {identifier} latency"


class Injection(NamedTuple):
    rule: Fault
    exchange: Exchange
    proceed: Proceed
    random: Randomness
    #: The exchanges of before, newest first.
    earlier: Iterable[Exchange] = ()

    def milliseconds(self, default: float = 0.0) -> float:
        distribution: Latency | None = self.rule.parameters.get("distribution")
        if distribution is not None:
            # Neither end of the range: the normal distribution has none.
            return distribution.at(min(max(self.random.share(draws(self.rule.id)[1]), 1e-9), 1 - 1e-9))
        return float(self.rule.parameters.get("ms", default))


class FaultKind(NamedTuple):
    """A row of the table of faults: its effect and its parameters."""

    summary: str
    #: Makes the answer to a request, or None if the fault hits TLS handshakes.
    answer: Callable[[Injection], Reply] | None
    parameters: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    #: The error of a named fault, and its status and message if they differ from those of the code.
    code: ErrorCode | None = None
    status: int | None = None
    message: str | None = None
    #: Whether it fits every operation, and not only those that document its code.
    everywhere: bool = True
    #: Whether the client gets the real answer, only later or in another form.
    genuine: bool = False
    #: Whether it can hit a request, by the exchanges of before; None: always.
    applies: Callable[[Exchange, Iterable[Exchange]], bool] | None = None
    #: Whether the client gets an HTTP answer, whose headers and body a rule may replace.
    answers: bool = True

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of all parameters, those of any answer included."""
        return (*self.parameters, *OF_ANSWERS) if self.answers else self.parameters


def _refused(injection: Injection, code: ErrorCode, message: str | None, status: int | None) -> Reply:
    rule = injection.rule
    error = code(message, status=status or rule.statuses.get(injection.exchange.operation or ""))
    return Reply(error.status, error=error.because(f"injected by fault {rule.id} ({rule.kind})"))


def _error(injection: Injection) -> Reply:
    parameters = injection.rule.parameters
    written = parameters["code"]
    # A rule may force a code that the service does not have.
    code = errors.ALL_CODES.get(written) or ErrorCode(written, 400, written)
    return _refused(injection, code, parameters.get("message"), parameters.get("status"))


def _named(injection: Injection) -> Reply:
    kind = FAULT_KINDS[injection.rule.kind]
    assert kind.code is not None, "a named fault has a code"
    return _refused(injection, kind.code, injection.rule.parameters.get("message", kind.message), kind.status)


def _rate_limited(injection: Injection) -> Reply:
    reply = _named(injection)
    reset = str(injection.rule.parameters.get("reset_s", 1))
    reply.headers = (("x-sib-ratelimit-remaining", "0"), ("x-sib-ratelimit-reset", reset))
    return reply


def _latency(injection: Injection) -> Reply:
    delay = injection.milliseconds() / 1000
    reply = injection.proceed()
    reply.wire = Wire(delay_s=delay)
    return reply


def _hang(injection: Injection) -> Reply:
    endless = "ms" not in injection.rule.parameters
    return Reply(0, wire=Wire(WireForm.EMPTY, delay_s=None if endless else injection.milliseconds() / 1000))


def _truncated(injection: Injection) -> Reply:
    reply = injection.proceed()
    reply.wire = Wire(WireForm.TRUNCATED)
    return reply


def _malformed(injection: Injection) -> Reply:
    reply = injection.proceed()
    reply.spoilt = True
    return reply


def _slow(injection: Injection) -> Reply:
    reply = injection.proceed()
    reply.wire = Wire(WireForm.SLOW, spread_s=injection.milliseconds(SLOW_MS) / 1000)
    return reply


def _lost(injection: Injection) -> Reply:
    injection.proceed()
    return _refused(injection, errors.INTERNAL_ERROR, "The gateway got no answer in time", 504)


def _unchanged(injection: Injection) -> Reply:
    return injection.proceed()


def _unknown_members(injection: Injection) -> Reply:
    members = injection.rule.parameters.get("members", _UNKNOWN)
    return _rewritten(injection.proceed(), lambda found: {**found, **_without(members, found)})


def _absent_members(injection: Injection) -> Reply:
    names = injection.rule.parameters["names"]
    return _rewritten(injection.proceed(), lambda found: _without(found, names))


def _without(members: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: members[name] for name in members if name not in names}


def _member_order(injection: Injection) -> Reply:
    return _rewritten(injection.proceed(), lambda found: dict(reversed(found.items())))


def _stale(exchange: Exchange, earlier: Iterable[Exchange]) -> bytes | None:
    """Return the last answer to a read if the caller's account was written to since, or None."""
    is_written = False
    asked = (exchange.method, exchange.path, exchange.query, exchange.account)
    for row in islice(earlier, _SEARCHED) if exchange.method == "GET" else ():
        if (row.method, row.path, row.query, row.account) == asked:
            return row.answer_body if is_written and row.status == 200 and row.answer_body else None
        is_written = is_written or (row.account == exchange.account and row.method not in ("GET", "HEAD"))
    return None


def _stale_read(injection: Injection) -> Reply:
    body = _stale(injection.exchange, injection.earlier)
    return injection.proceed() if body is None else Reply(200, body)


def _is_new(exchange: Exchange, earlier: Iterable[Exchange]) -> bool:
    """Return whether a GET asks for the first time for a row that an earlier POST of the caller's account has made."""
    wanted = set(exchange.params.values())
    for row in islice(earlier, _SEARCHED) if exchange.method == "GET" and wanted else ():
        if (row.method, row.path, row.account) == ("GET", exchange.path, exchange.account):
            return False
        if row.method == "POST" and row.account == exchange.account and (row.status or 500) < 300:
            found = [read_json(row.body), read_json(row.answer_body)]
            if any(wanted & set(map(str, value.values())) for value in found if isinstance(value, dict)):
                return True
    return False


def _rewritten(reply: Reply, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Reply:
    """Change each JSON object of an answer without error."""
    found = read_json(reply.body) if reply.error is None else None
    if isinstance(found, dict | list):
        reply.body = _json(_changed(found, change))
    return reply


def _changed(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return JSON with changed objects: the outermost, and those in lists; other objects may be maps."""
    if isinstance(value, list):
        return [_changed(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    return change({name: _changed(item, change) if isinstance(item, list) else item for name, item in value.items()})


def _json(value: Any) -> bytes:
    """Return JSON as the service writes it (contract/transport)."""
    return f"{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n".encode()


def _replaced(reply: Reply, exchange: Exchange, rule: Fault) -> Reply:
    """Replace headers and body of an answer by the rule's, with a journal warning."""
    given = rule.parameters.get("headers", {})
    parts = [f"header {name}" for name in given]
    headers = {_CONTENT_TYPE if name.lower() == _CONTENT_TYPE.lower() else name: given[name] for name in given}
    if "body" in rule.parameters:
        body = rule.parameters["body"]
        is_text = isinstance(body, str)
        reply.instead = body.encode() if is_text else _json(body)
        if is_text:
            headers.setdefault(_CONTENT_TYPE, "text/plain; charset=utf-8")
        elif not exchange.path.startswith(_API):  # answers of the API have it, with the headers for browsers
            headers.setdefault(_CONTENT_TYPE, "application/json")
        parts.append("the body")
    names = {name.lower() for name in headers}
    inert = (SANDBOX,) if "body" in rule.parameters or _CONTENT_TYPE in headers else ()
    reply.headers = (*(row for row in reply.headers if row[0].lower() not in names), *headers.items(), *inert)
    exchange.warn(f"not of the service, but of {rule.id}: {', '.join(parts)}")
    return reply


def _refuses(code: ErrorCode, status: int | None = None, message: str | None = None) -> FaultKind:
    summary = f"{status or code.status} {message or code.message}"
    return FaultKind(summary, _named, ("message",), code=code, status=status, message=message)


def _only(code: ErrorCode) -> FaultKind:
    return _refuses(code)._replace(everywhere=False)


#: Which rules hit a TLS handshake, of which only the name that the client calls is known.
_OF_WHOM = "the rule is one of the workspace NAME for a client that calls NAME.localhost, else of default"

#: All kinds of faults by name. A new kind is one row here, and perhaps a function above.
FAULT_KINDS: dict[str, FaultKind] = {
    "error": FaultKind("an error, by its code", _error, ("code", "status", "message"), ("code",), everywhere=False),
    "otp_expired": _only(errors.OTP_EXPIRED),
    "otp_invalid": _only(errors.OTP_INVALID),
    "dns_failure": _only(errors.DNS_NOT_CONFIGURED),
    "permission_denied": _only(errors.PERMISSION_DENIED),
    "not_enough_credits": _only(errors.NOT_ENOUGH_CREDITS),
    "unauthorized": _refuses(errors.UNAUTHORIZED),
    "account_under_validation": _refuses(errors.ACCOUNT_UNDER_VALIDATION),
    "rate_limited": _refuses(errors.TOO_MANY_REQUESTS)._replace(
        answer=_rate_limited, parameters=("message", "reset_s")
    ),
    "duplicate_request": _refuses(errors.DUPLICATE_REQUEST),
    "server_error": _refuses(errors.INTERNAL_ERROR),
    "unavailable": _refuses(errors.INTERNAL_ERROR, 503, "Service unavailable"),
    "maintenance": _refuses(errors.INTERNAL_ERROR, 503, "The service is under maintenance"),
    "lost_answer": FaultKind("the request is done, and the client gets 504", _lost),
    "latency": FaultKind("the answer comes late", _latency, ("ms", "distribution"), genuine=True),
    "hang": FaultKind(
        "no answer comes: the connection ends after ms, else when the client leaves", _hang, ("ms",), answers=False
    ),
    "connection_reset": FaultKind(
        "the connection is reset before an answer", lambda _: Reply(0, wire=Wire(WireForm.RESET)), answers=False
    ),
    "empty_response": FaultKind(
        "the connection ends before an answer", lambda _: Reply(0, wire=Wire(WireForm.EMPTY)), answers=False
    ),
    "truncated_body": FaultKind(
        "the whole length is announced, half of the body is sent, the connection ends", _truncated
    ),
    "malformed_body": FaultKind("the body is broken JSON", _malformed),
    "slow_body": FaultKind("the body trickles in, within ms", _slow, ("ms",), genuine=True),
    "changed_answer": FaultKind("the work is done, and a proxy replaces headers or the body of the answer", _unchanged),
    "unknown_members": FaultKind(
        "the JSON objects of the answer have members that no document describes",
        _unknown_members,
        ("members",),
        genuine=True,
    ),
    "absent_members": FaultKind(
        "the JSON objects of the answer lack members", _absent_members, ("names",), ("names",), genuine=True
    ),
    "stale_read": FaultKind(
        "the first GET after a write gets the answer that the same GET got before",
        _stale_read,
        applies=lambda exchange, earlier: _stale(exchange, earlier) is not None,
    ),
    "late_row": _only(errors.DOCUMENT_NOT_FOUND)._replace(
        summary="the first GET of a row that a POST has just made gets 404", applies=_is_new
    ),
    "member_order": FaultKind(
        "the JSON objects of the answer have their members in reverse", _member_order, genuine=True
    ),
    "tls_handshake": FaultKind(
        f"a new TLS connection is refused by an alert, or reset where that is {NO_ALERT}; {_OF_WHOM}",
        None,
        ("alert",),
        answers=False,
    ),
    "expired_certificate": FaultKind(
        f"a new TLS connection gets a certificate that has run out; {_OF_WHOM}", None, answers=False
    ),
}


#: The path below which a rule without an address applies.
_API = "/v3/"


@dataclass(slots=True, eq=False)
class Fault:
    """A rule that applies a kind of fault to matching requests."""

    kind: str
    match: Match = field(default_factory=Match)
    id: str = ""
    #: How often it hits, or None for no limit.
    times: int | None = None
    #: The number of matching requests that pass before it hits.
    after: int = 0
    #: The probability with which it hits a matching request.
    probability: int | float = 1.0  # shown as it was given: 1 is not 1.0
    #: The end of its activity, on the workspace's clock.
    expires_at: datetime | None = None
    #: The parameters of its kind.
    parameters: dict[str, Any] = field(default_factory=dict)
    #: The status of its code by operation, if that differs from the status of the code.
    statuses: Mapping[str, int] = field(default_factory=dict)
    #: Its document, to be shown again.
    written: dict[str, Any] = field(default_factory=dict)
    hits: int = 0
    #: The number of requests that have passed.
    passed: int = 0

    def is_active(self, now: datetime) -> bool:
        """Return whether it can still hit."""
        return (self.times is None or self.hits < self.times) and (self.expires_at is None or now < self.expires_at)

    def answer(
        self, exchange: Exchange, proceed: Proceed, random: Randomness, earlier: Iterable[Exchange] = ()
    ) -> Reply:
        kind = FAULT_KINDS[self.kind]
        assert kind.answer is not None, "a fault of handshakes hits no request"
        is_replaced = not self.parameters.keys().isdisjoint(OF_ANSWERS)
        exchange.injected = is_replaced or not kind.genuine
        reply = kind.answer(Injection(self, exchange, proceed, random, earlier))
        return _replaced(reply, exchange, self) if is_replaced else reply

    def applies(self, exchange: Exchange, earlier: Iterable[Exchange]) -> bool:
        """Return whether its kind can hit a request; `earlier` are the exchanges of before, newest first."""
        found = FAULT_KINDS[self.kind].applies
        return found is None or found(exchange, earlier)

    @property
    def is_of_handshakes(self) -> bool:
        """Whether it hits TLS handshakes instead of requests."""
        return FAULT_KINDS[self.kind].answer is None

    @property
    def alert(self) -> int | None:
        """The alert number that refuses a handshake, or None for a reset."""
        return ALERTS.get(self.parameters.get("alert", "handshake_failure"))


class Faults:
    """A workspace's fault rules, in checking order."""

    def __init__(self, rules: Iterable[Fault] = ()) -> None:
        self._rules = {rule.id: rule for rule in rules}

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._rules.values())

    def __len__(self) -> int:
        return len(self._rules)

    def add(self, fault: Fault) -> None:
        self._rules[fault.id] = fault

    def get(self, identifier: str) -> Fault | None:
        return self._rules.get(identifier)

    def remove(self, identifier: str) -> None:
        del self._rules[identifier]

    def clear(self) -> None:
        self._rules.clear()

    def take(
        self, exchange: Exchange, now: datetime, random: Randomness, earlier: Iterable[Exchange] = ()
    ) -> Fault | None:
        """Return the first rule that hits a request, or None; `earlier` are the exchanges of before, newest first.

        Sign-in and other pages are hit only by rules that name an operation or a path.
        """
        is_api = exchange.path.startswith(_API)
        for rule in self._rules.values():
            is_meant = is_api or rule.match.is_placed
            is_hit = is_meant and rule.is_active(now) and rule.match.admits(exchange) and not rule.is_of_handshakes
            if is_hit and rule.applies(exchange, earlier) and _strikes(rule, random):
                rule.hits += 1
                return rule
        return None

    @property
    def has_any_of_handshakes(self) -> bool:
        """Whether any rule may hit TLS handshakes; readable while the workspace is not open."""
        return any(rule.is_of_handshakes for rule in tuple(self._rules.values()))

    def take_handshake(self, now: datetime, random: Randomness) -> Fault | None:
        """Return the first rule that hits a TLS handshake, or None."""
        for rule in self._rules.values():
            if rule.is_of_handshakes and rule.is_active(now) and _strikes(rule, random):
                rule.hits += 1
                return rule
        return None


def _strikes(rule: Fault, random: Randomness) -> bool:
    if rule.passed < rule.after:
        rule.passed += 1
        return False
    return rule.probability >= 1 or random.share(draws(rule.id)[0]) < rule.probability
