"""What templates can ask the workspace for: ids, draws, stored values, made-up data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

#: What Faker makes up that templates can ask for, each without arguments.
FAKER = frozenset(
    {"name", "first_name", "last_name", "prefix", "email", "user_name", "phone_number", "company", "job", "address",
     "street_address", "city", "postcode", "country", "country_code", "word", "sentence", "paragraph", "url",
     "domain_name", "ipv4", "ipv6", "mac_address", "user_agent", "color_name", "hex_color", "currency_code", "iban",
     "ean13", "locale", "random_digit", "pyint", "boolean"}
)  # fmt: skip


class World(Protocol):
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


#: The functions with the least and the most arguments that each takes, by position.
FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "next_id": (1, 1),
    "uuid": (0, 0),
    "random": (2, 2),
    "message_id": (0, 0),
    "stored": (1, 2),
    "range": (1, 3),
}
