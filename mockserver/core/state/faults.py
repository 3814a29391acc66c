"""Faults: rules that make matching requests go wrong, in the service's own words or on the wire."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mockserver.core.state.fault_kinds import ALERTS, FAULT_KINDS, Injection, Proceed, draws
from mockserver.core.state.randomness import Randomness
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.traffic.match import Match

#: Below it is what a rule is for that does not say where.
_API = "/v3/"


@dataclass(slots=True, eq=False)
class Fault:
    """One rule."""

    kind: str
    match: Match = field(default_factory=Match)
    id: str = ""
    #: How often it hits; None: until it is removed.
    times: int | None = None
    #: How many matching requests pass before it hits.
    after: int = 0
    #: With which probability it hits a matching request.
    probability: int | float = 1.0  # shown as it was given: 1 is not 1.0
    #: Until when it is active, on the workspace's clock.
    expires_at: datetime | None = None
    #: The parameters of its kind.
    parameters: dict[str, Any] = field(default_factory=dict)
    #: The status that its code has in an operation, where that is not the code's own.
    statuses: Mapping[str, int] = field(default_factory=dict)
    #: How it was written, to be shown again.
    written: dict[str, Any] = field(default_factory=dict)
    hits: int = 0
    #: How many of `after` have passed.
    passed: int = 0

    def is_active(self, now: datetime) -> bool:
        """Whether it can still hit."""
        return (self.times is None or self.hits < self.times) and (self.expires_at is None or now < self.expires_at)

    def answer(self, exchange: Exchange, proceed: Proceed, random: Randomness) -> Reply:
        """What the caller gets instead of the real answer, or after it."""
        kind = FAULT_KINDS[self.kind]
        assert kind.answer is not None, "a fault of handshakes hits no request"
        exchange.injected = not kind.genuine
        return kind.answer(Injection(self, exchange, proceed, random))

    @property
    def is_of_handshakes(self) -> bool:
        """Whether it hits TLS handshakes, and no requests."""
        return FAULT_KINDS[self.kind].answer is None

    @property
    def alert(self) -> int | None:
        """The number of the alert with which a handshake is refused; None: the connection is reset."""
        return ALERTS.get(self.parameters.get("alert", "handshake_failure"))


class Faults:
    """The rules of a workspace, in the order in which they are asked."""

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

    def take(self, exchange: Exchange, now: datetime, random: Randomness) -> Fault | None:
        """The first rule that hits this request; None: the real answer is given.

        Sign-in and other pages are hit only by what names them: a rule for "everything" is about the API.
        """
        is_api = exchange.path.startswith(_API)
        for rule in self._rules.values():
            is_meant = is_api or rule.match.is_placed
            is_hit = is_meant and rule.is_active(now) and rule.match.admits(exchange) and not rule.is_of_handshakes
            if is_hit and _strikes(rule, random):
                rule.hits += 1
                return rule
        return None

    @property
    def has_any_of_handshakes(self) -> bool:
        """Whether a rule may hit TLS handshakes; may be asked without the workspace's lock."""
        return any(rule.is_of_handshakes for rule in tuple(self._rules.values()))

    def take_handshake(self, now: datetime, random: Randomness) -> Fault | None:
        """The first rule that hits this TLS handshake; None: it succeeds as far as the server is concerned."""
        for rule in self._rules.values():
            if rule.is_of_handshakes and rule.is_active(now) and _strikes(rule, random):
                rule.hits += 1
                return rule
        return None


def _strikes(rule: Fault, random: Randomness) -> bool:
    """Whether a rule that matches hits this time."""
    if rule.passed < rule.after:
        rule.passed += 1
        return False
    return rule.probability >= 1 or random.share(draws(rule.id)[0]) < rule.probability
