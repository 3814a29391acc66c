"""Plans of sub-accounts: what they may hold, and how much of it is used (contract/corporate#plans)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mockserver.core.contract.errors import INVALID_PARAMETER

#: A credit that never runs out; on the v2 solution only (contract/corporate#plans).
UNLIMITED = -1
CREDITS = ("email", "sms", "whatsapp", "wpSubscribers", "externalFeeds")
FEATURES = ("users", "landingPage", "salesUsers", "inbox")
#: Credits that may be fractions (contract/corporate#updateSubAccountPlan).
FRACTIONAL = ("sms", "whatsapp")
#: The members that only the v2 solution has (contract/corporate#updateSubAccountPlan), and those that it has no more
#: (contract/corporate#plans).
V2_ONLY = frozenset({"wpSubscribers", "externalFeeds", "salesUsers"})
V1_ONLY = frozenset({"inbox", "landingPage"})
#: Switches rather than amounts, with the values that they take; the pool does not count them
#: (contract/corporate#updateSubAccountPlan).
SWITCHES: dict[str, tuple[int, ...]] = {"wpSubscribers": (0, UNLIMITED), "externalFeeds": (0, 1)}

Amount = int | float
#: Credits of SMS may be fractions, whose sums are exact to so many digits.
_DIGITS = 9


@dataclass(slots=True)
class Allotment:
    """Credits and features, as the plan update names them."""

    credits: dict[str, Amount] = field(default_factory=dict)
    features: dict[str, Amount] = field(default_factory=dict)

    def items(self) -> Iterator[tuple[str, Amount]]:
        """All amounts by name; a name is a credit or a feature, never both."""
        yield from self.credits.items()
        yield from self.features.items()

    def get(self, name: str) -> Amount:
        return (self.credits if name in CREDITS else self.features).get(name, 0)

    def set(self, name: str, amount: Amount) -> None:
        (self.credits if name in CREDITS else self.features)[name] = exact(amount)

    def __bool__(self) -> bool:
        return bool(self.credits or self.features)


def exact(amount: Amount) -> Amount:
    """An amount without what sums of fractions leave behind: 0.3 and not 0.30000000000000004, 1 and not 1.0."""
    if isinstance(amount, int):
        return amount
    rounded = round(amount, _DIGITS)
    return int(rounded) if rounded == int(rounded) else rounded


class Balance(NamedTuple):
    """How much there is of one credit or feature, and how much of that is used."""

    quantity: Amount
    used: Amount

    @property
    def is_unlimited(self) -> bool:
        return self.quantity == UNLIMITED

    @property
    def left(self) -> Amount:
        """What is not used, and never less than nothing; of what is unlimited all is left, always."""
        return UNLIMITED if self.is_unlimited else max(exact(self.quantity - self.used), 0)

    def changed(self, quantity: Amount) -> Balance:
        """What it is with another quantity: what was used still is, as far as the quantity reaches.

        What was used while it was unlimited counts for nothing once it is not, and the other way round.
        """
        if quantity == self.quantity:
            return self
        lasts = not self.is_unlimited and quantity != UNLIMITED
        return Balance(quantity, min(self.used, quantity) if lasts else 0)

    def settled(self, after: Balance) -> Amount:
        """What was used out of a quantity, and counts no more in the balance that comes after."""
        return 0 if self.is_unlimited else exact(self.used - after.used)


def is_spent(name: str) -> bool:
    """Whether use uses it up: a credit is gone, a seat or a page is free again, and a switch counts nothing."""
    return name in CREDITS and name not in SWITCHES


def check_solution(change: Allotment, solution: str) -> None:
    """Refuse what the corporate solution does not know.

    Raises:
        ServiceError: 400 `invalid_parameter`.
    """
    for name, amount in change.items():
        if amount == UNLIMITED and name not in SWITCHES and (solution != "v2" or name in FEATURES):
            refused = INVALID_PARAMETER(f"{path(name)}: unlimited is for credits of the v2 solution only")
            raise refused.because(_told(name, amount, solution))
        if name in V2_ONLY and solution != "v2":
            refused = INVALID_PARAMETER(f"{path(name)}: only the v2 solution has it")
            raise refused.because(_told(name, amount, solution))


def path(name: str) -> str:
    """Where a credit or a feature stands in the body of a plan update."""
    return f"{'credits' if name in CREDITS else 'features'}.{name}"


def _told(name: str, amount: Amount, solution: str) -> str:
    return f"{path(name)} is {amount}, and the workspace's solution is {solution}"


def applicable(change: Allotment, solution: str) -> Allotment:
    """What of a change the corporate solution keeps: v2 has neither inbox nor landing pages."""
    if solution != "v2":
        return change
    return Allotment(change.credits, {name: value for name, value in change.features.items() if name not in V1_ONLY})
