"""Made-up people, addresses and words for `generate`, by Faker, from the workspace's seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from faker import Faker

Item = TypeVar("Item")

#: How many names, words and sentences Faker makes; all rows draw from them. Faker takes some 30 microseconds for each,
#: which is too long for every row of a large workspace; chosen: 300 are varied enough to look real.
_POOL = 300


class People:
    """A source of made-up data; each domain and each unique e-mail address has a number of its own.

    The same seed and count give the same data. `count` is the last number that was given out: a new source goes on
    from that of an earlier one.
    """

    def __init__(self, seed: int, count: int = 0) -> None:
        self._seed = seed + count
        self._random = random.Random(self._seed)  # noqa: S311  # made-up data, no secrets
        self.count = count

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return self._random.choice(items)

    def number(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return self._random.randint(low, high)

    def name(self) -> str:
        """A first name and a last name."""
        return self.choice(self._names)

    def sentence(self) -> str:
        """A few words, without a full stop."""
        return self.choice(self._sentences)

    def email(self) -> str:
        """An e-mail address, which may have been given before."""
        return f"{_slug(self.choice(self._names))}@{self.choice(self._words)}.test"

    def unique_email(self) -> str:
        """An e-mail address that was not given before."""
        return f"{_slug(self.choice(self._names))}.{self._next()}@{self.choice(self._words)}.test"

    def domain(self) -> str:
        """A domain that was not given before."""
        return f"{self.choice(self._words)}-{self._next()}.test"

    def _next(self) -> int:
        self.count += 1
        return self.count

    @cached_property
    def _faker(self) -> Faker:
        from faker import Faker  # noqa: PLC0415  # takes a fifth of a second, and most workspaces make nothing up

        faker = Faker()
        faker.seed_instance(self._seed)
        return faker

    @cached_property
    def _names(self) -> list[str]:
        return [f"{self._faker.first_name()} {self._faker.last_name()}" for _ in range(_POOL)]

    @cached_property
    def _words(self) -> list[str]:
        return sorted({self._faker.word() for _ in range(_POOL)})

    @cached_property
    def _sentences(self) -> list[str]:
        return [self._faker.sentence(nb_words=4).rstrip(".") for _ in range(_POOL)]


def _slug(name: str) -> str:
    return name.lower().replace(" ", ".").replace("'", "")
