"""The functions of templates, and what they ask the workspace for: ids, draws, stored values, made-up data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.values import TemplateError, refuse, text, whole

#: What Faker makes up that templates can ask for, each without arguments.
FAKER = frozenset(
    {"address", "bban", "boolean", "building_number", "catch_phrase", "city", "color_name", "company",
     "company_email", "country", "country_code", "credit_card_number", "currency_code", "currency_name",
     "domain_name", "ean13", "email", "file_name", "first_name", "free_email", "hex_color", "iban", "ipv4", "ipv6",
     "isbn13", "job", "language_code", "language_name", "last_name", "license_plate", "locale", "mac_address", "md5",
     "mime_type", "name", "paragraph", "paragraphs", "phone_number", "postcode", "prefix", "pyint", "pystr",
     "random_digit", "random_int", "safe_email", "sentence", "sentences", "sha256", "slug", "state",
     "street_address", "street_name", "suffix", "text", "timezone", "url", "user_agent", "user_name", "uuid4",
     "word", "words", "zipcode"}
)  # fmt: skip


class Provider(Protocol):
    """What the functions of templates do in a workspace; nothing that they draw counts before the request is done."""

    def next_id(self, kind: str) -> int:
        """The next id of a kind, which is counted on."""
        ...

    def uuid(self) -> str:
        """A UUID of version 4."""
        ...

    def random(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        ...

    def message_id(self) -> str:
        """A message id as the service draws them."""
        ...

    def stored(self, table: str, key: str) -> Any:
        """The value that is stored under a key of a table, or `Undefined`."""
        ...

    def stored_in(self, table: str) -> list[Any]:
        """All values of a table, in the order in which their keys were first stored."""
        ...

    def made_up(self, what: str) -> Any:
        """What Faker makes up of one of the kinds of `FAKER`."""
        ...


def key_of(value: Any) -> str:
    """A key of a table: a text, or a whole number as its digits.

    Raises:
        TemplateError: it is neither.
    """
    return value if isinstance(value, str) else str(whole(value))


def _stored(budget: Budget, provider: Provider, table: Any, key: Any = None) -> Any:
    if key is not None:
        return provider.stored(text(table), key_of(key))
    found = provider.stored_in(text(table))
    budget.look(len(found))
    return found


def _range(budget: Budget, _: Provider, *bounds: Any) -> Any:
    if len(bounds) == 3 and not whole(bounds[2]):
        raise TemplateError("a step of zero leads nowhere")
    found = range(*map(whole, bounds))
    # `len` cannot tell more than 63 bits.
    budget.spend(max(0, (found.stop - found.start) // found.step))
    return budget.made(list(found))


def _random(_: Budget, provider: Provider, low: Any, high: Any) -> Any:
    if whole(low) > whole(high):
        refuse(high, f"a number of {low} at least")
    return provider.random(low, high)


class Function(NamedTuple):
    """A function of templates, with the least and the most arguments that it takes, by position."""

    least: int
    most: int
    #: Takes the budget and the provider before the arguments.
    work: Callable[..., Any]


FUNCTIONS: Mapping[str, Function] = {
    "next_id": Function(1, 1, lambda _, provider, kind: provider.next_id(kind)),
    "uuid": Function(0, 0, lambda _, provider: provider.uuid()),
    "random": Function(2, 2, _random),
    "message_id": Function(0, 0, lambda _, provider: provider.message_id()),
    "stored": Function(1, 2, _stored),
    "range": Function(1, 3, _range),
}
