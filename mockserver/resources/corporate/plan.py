"""Plans: amounts of credits and features, how much of them is used, and what a solution knows.

See contract/corporate#plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mockserver.core.contract.errors import INVALID_PARAMETER

#: The amount of a credit that never runs out; on the v2 solution only (contract/corporate#plans).
UNLIMITED = -1
CREDITS = ("email", "sms", "whatsapp", "wpSubscribers", "externalFeeds")
FEATURES = ("users", "landingPage", "salesUsers", "inbox")
#: Credits that may be fractions (contract/corporate#updateSubAccountPlan).
FRACTIONAL = ("sms", "whatsapp")
#: Credits and features that only the v2 solution has (contract/corporate#updateSubAccountPlan), and those that only an
#: older one has (contract/corporate#plans).
V2_ONLY = frozenset({"wpSubscribers", "externalFeeds", "salesUsers"})
V1_ONLY = frozenset({"inbox", "landingPage"})
#: Credits that are switches rather than amounts, with the values that they take; a pool does not count them
#: (contract/corporate#updateSubAccountPlan).
SWITCHES: dict[str, tuple[int, ...]] = {"wpSubscribers": (0, UNLIMITED), "externalFeeds": (0, 1)}

Amount = int | float
#: Amounts are rounded to so many digits after the point; chosen: far more than a price per SMS has, and few enough to
#: drop the errors of floating point.
_DIGITS = 9


@dataclass(slots=True)
class Allotment:
    """Amounts of credits and features by the names that a plan update uses; what is not named counts as 0."""

    credits: dict[str, Amount] = field(default_factory=dict)
    features: dict[str, Amount] = field(default_factory=dict)

    def items(self) -> Iterator[tuple[str, Amount]]:
        """All amounts by name; a name is a credit or a feature, never both."""
        yield from self.credits.items()
        yield from self.features.items()

    def get(self, name: str) -> Amount:
        """The amount of a credit or a feature, 0 if none is named."""
        return (self.credits if name in CREDITS else self.features).get(name, 0)

    def set(self, name: str, amount: Amount) -> None:
        """Set the amount of a credit or a feature."""
        (self.credits if name in CREDITS else self.features)[name] = exact(amount)

    def __bool__(self) -> bool:
        return bool(self.credits or self.features)


def exact(amount: Amount) -> Amount:
    """An amount without the errors of floating point: 0.3 and not 0.30000000000000004, 1 and not 1.0."""
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
        """Whether the quantity never runs out."""
        return self.quantity == UNLIMITED

    @property
    def left(self) -> Amount:
        """The quantity that is not used, 0 at least; `UNLIMITED` if the quantity is."""
        return UNLIMITED if self.is_unlimited else max(exact(self.quantity - self.used), 0)

    def changed(self, quantity: Amount) -> Balance:
        """The balance after the quantity has changed: as much is used as before, but no more than the new quantity.

        Nothing is used any more where the quantity was unlimited and is not, or the other way round.
        """
        if quantity == self.quantity:
            return self
        lasts = not self.is_unlimited and quantity != UNLIMITED
        return Balance(quantity, min(self.used, quantity) if lasts else 0)

    def used_beyond(self, after: Balance) -> Amount:
        """How much that is used here is no longer used in a later balance; 0 if this one is unlimited."""
        return 0 if self.is_unlimited else exact(self.used - after.used)


def is_spent(name: str) -> bool:
    """Whether using a credit or a feature uses it up: so it is with credits, but not with switches, seats and pages."""
    return name in CREDITS and name not in SWITCHES


def check_solution(change: Allotment, solution: str) -> None:
    """Check that a corporate solution knows all that a change names, and the amounts that it gives.

    Raises:
        ServiceError: 400 `invalid_parameter`; it does not.
    """
    for name, amount in change.items():
        if amount == UNLIMITED and name not in SWITCHES and (solution != "v2" or name in FEATURES):
            refused = INVALID_PARAMETER(f"{path(name)}: unlimited is for credits of the v2 solution only")
            raise refused.because(_reason(name, amount, solution))
        if name in V2_ONLY and solution != "v2":
            refused = INVALID_PARAMETER(f"{path(name)}: only the v2 solution has it")
            raise refused.because(_reason(name, amount, solution))


def path(name: str) -> str:
    """The path of a credit or a feature in the body of a plan update, such as `credits.email`."""
    return f"{'credits' if name in CREDITS else 'features'}.{name}"


def _reason(name: str, amount: Amount, solution: str) -> str:
    return f"{path(name)} is {amount}, which the {solution} solution of the workspace does not allow"


def applicable(change: Allotment, solution: str) -> Allotment:
    """A change without the features that the corporate solution ignores: v2 has neither inbox nor landing pages."""
    if solution != "v2":
        return change
    return Allotment(change.credits, {name: value for name, value in change.features.items() if name not in V1_ONLY})
