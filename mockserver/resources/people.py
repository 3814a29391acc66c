"""Generated people, addresses and words for `generate`, by Faker, from the workspace's seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from faker import Faker

Item = TypeVar("Item")

#: Number of names, words and sentences that Faker generates for all rows; chosen: realistic variety, without Faker's
#: 30 microseconds per row of a large workspace.
_POOL = 300


class People:
    """A source of generated data, with numbered domains and unique e-mail addresses.

    The same seed and count give the same data. `count` is the last used number, with which a new source continues.
    """

    def __init__(self, seed: int, count: int = 0) -> None:
        self._seed = seed + count
        self._random = random.Random(self._seed)  # noqa: S311  # generated data, no secrets
        self.count = count

    def choice(self, items: Sequence[Item]) -> Item:
        return self._random.choice(items)

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def name(self) -> str:
        return self.choice(self._names)

    def sentence(self) -> str:
        return self.choice(self._sentences)

    def email(self) -> str:
        """Return an e-mail address, possibly a duplicate."""
        return f"{_slug(self.choice(self._names))}@{self.choice(self._words)}.test"

    def unique_email(self) -> str:
        return f"{_slug(self.choice(self._names))}.{self._next()}@{self.choice(self._words)}.test"

    def domain(self) -> str:
        return f"{self.choice(self._words)}-{self._next()}.test"

    def _next(self) -> int:
        self.count += 1
        return self.count

    @cached_property
    def _faker(self) -> Faker:
        from faker import Faker  # noqa: PLC0415  # takes a fifth of a second, and most workspaces generate nothing

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
