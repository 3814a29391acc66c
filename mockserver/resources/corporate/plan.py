"""Plans of sub-accounts: what they may hold, and how much of it the master's pool has left (SPEC 2.8, DESIGN 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mockserver.core.errors import INVALID_PARAMETER

#: A credit that never runs out; on the v2 solution only (SPEC 8).
UNLIMITED = -1
CREDITS = ("email", "sms", "whatsapp", "wpSubscribers", "externalFeeds")
FEATURES = ("users", "landingPage", "salesUsers", "inbox")
#: The members that only the v2 solution has (ledger 2.25), and those that it has no more (SPEC 2.8).
V2_ONLY = frozenset({"wpSubscribers", "externalFeeds", "salesUsers"})
V1_ONLY = frozenset({"inbox", "landingPage"})
#: Switches rather than amounts, with the values that they take; the pool does not count them (ledger 2.25).
SWITCHES: dict[str, tuple[int, ...]] = {"wpSubscribers": (0, UNLIMITED), "externalFeeds": (0, 1)}

Amount = int | float
#: Credits of SMS may be fractions, whose sums are not exact.
_ROUNDING = 1e-9


@dataclass(slots=True)
class Allotment:
    """Credits and features, as the plan update names them."""

    credits: dict[str, Amount] = field(default_factory=dict)
    features: dict[str, Amount] = field(default_factory=dict)

    def items(self) -> Iterator[tuple[str, Amount]]:
        """All amounts by name; a name is a credit or a feature, never both."""
        yield from self.credits.items()
        yield from self.features.items()

    def add(self, other: Allotment) -> None:
        """Add what another one takes out of a pool, where nothing is unlimited."""
        for name, amount in other.credits.items():
            self.credits[name] = self.credits.get(name, 0) + max(amount, 0)
        for name, amount in other.features.items():
            self.features[name] = self.features.get(name, 0) + max(amount, 0)

    def get(self, name: str) -> Amount:
        return (self.credits if name in CREDITS else self.features).get(name, 0)

    def update(self, change: Allotment) -> None:
        self.credits.update(change.credits)
        self.features.update(change.features)

    def __bool__(self) -> bool:
        return bool(self.credits or self.features)


def check_solution(change: Allotment, solution: str) -> None:
    """Refuse what the corporate solution does not know.

    Raises:
        ServiceError: 400 `invalid_parameter`.
    """
    for name, amount in change.items():
        kind = "credits" if name in CREDITS else "features"
        if amount == UNLIMITED and name not in SWITCHES and (solution != "v2" or kind == "features"):
            refused = INVALID_PARAMETER(f"{kind}.{name}: unlimited is for credits of the v2 solution only")
            raise refused.because(_told(kind, name, amount, solution))
        if name in V2_ONLY and solution != "v2":
            refused = INVALID_PARAMETER(f"{kind}.{name}: only the v2 solution has it")
            raise refused.because(_told(kind, name, amount, solution))


def _told(kind: str, name: str, amount: Amount, solution: str) -> str:
    return f"{kind}.{name} is {amount}, and the workspace's solution is {solution}"


def applicable(change: Allotment, solution: str) -> Allotment:
    """What of a change the corporate solution keeps: v2 has neither inbox nor landing pages."""
    if solution != "v2":
        return change
    return Allotment(change.credits, {name: value for name, value in change.features.items() if name not in V1_ONLY})


class Shortage(NamedTuple):
    """What a pool holds too little of, how much of it is needed beside what is given already, and how much is left."""

    name: str
    needed: Amount
    left: Amount


def shortage(
    pool: Allotment, assigned: Iterable[Allotment], members: Iterable[Allotment], change: Allotment
) -> Shortage | None:
    """The first thing that the pool holds too little of to give the change to every member; None: it holds enough."""
    assigned, members = list(assigned), list(members)
    for name, amount in change.items():
        if name in SWITCHES:
            continue
        needed = sum(max(amount, 0) - max(member.get(name), 0) for member in members)
        there = max(left(pool, assigned, name), 0)
        if needed > there + _ROUNDING:
            return Shortage(name, needed, there)
    return None


def left(pool: Allotment, assigned: Iterable[Allotment], name: str) -> Amount:
    """What the pool still has of one name."""
    return pool.get(name) - sum(max(plan.get(name), 0) for plan in assigned)
