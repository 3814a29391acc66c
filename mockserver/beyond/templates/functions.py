"""What templates can ask the workspace for: ids, draws, stored values, made-up data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

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
