"""API keys of the service's form (contract/corporate#createSubAccountKey), drawn so that the mock knows its own again.

The last part of a key that the mock draws follows from the part before it. So a key whose workspace is gone is told
from one that somebody made up, without any memory of gone workspaces. A replica marks the keys that it draws: they end
with an R and its name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Sequence
from copy import copy
from itertools import chain, count
from typing import NamedTuple

from mockserver.core.state.layer import LayeredSet
from mockserver.core.state.randomness import LETTERS_AND_DIGITS, spell

#: The longest API key, in characters. Chosen: five times as long as those of the service.
LONGEST_KEY = 500
_PATTERN = re.compile(r"xkeysib-([0-9a-f]{64})-([0-9A-Za-z]{16})")
#: The mark of a replica at the end of a key. Its name has no capital, so that it begins behind the last R.
_MARK = re.compile(r"R([a-z0-9]{1,8})\Z")


def is_key(text: str) -> bool:
    """Whether a text can be an API key: 1 to `LONGEST_KEY` printable ASCII characters without blanks."""
    return 0 < len(text) <= LONGEST_KEY and text.isascii() and text.isprintable() and " " not in text


def api_key(body: str, replica: str = "") -> str:
    """The API key whose first part is `body`: 64 hexadecimal digits; with the mark of the replica, if there is one."""
    return f"xkeysib-{body}-{_seal(body, replica)}"


def is_drawn(key: str) -> bool:
    """Whether a key was drawn by a mock, in any workspace of any server."""
    found = _PATTERN.fullmatch(key)
    return found is not None and (found[2] == _seal(found[1]) or replica_of_key(key) is not None)


def replica_of_key(key: str) -> str | None:
    """The name of the replica that has drawn a key, or None if none has."""
    found, mark = _PATTERN.fullmatch(key), _MARK.search(key)
    return mark[1] if found and mark and found[2] == _seal(found[1], mark[1]) else None


def _seal(body: str, replica: str = "") -> str:
    """The last part of a drawn key, which follows from the part before it and from the replica, whose mark it has."""
    mark = f"R{replica}" if replica else ""
    number = int.from_bytes(hashlib.blake2b(f"mockserver/{body}{mark}".encode()).digest())
    return f"{spell(number, 16 - len(mark), LETTERS_AND_DIGITS)}{mark}"


class KeyringForm(NamedTuple):
    """What a keyring gives its keys by, and which it knows."""

    root: str
    first: str | None
    known: Sequence[str]
    replica: str


class Keyring:
    """The API keys of a workspace other than `default`: they replace those of its scenario, so that none is shared.

    They follow from the workspace's first seed, its name and the position in the scenario, so that every reset gives
    the same keys. `first`, if given, is a key of the first account; `replica` is the name of the replica whose mark
    they have.
    """

    def __init__(self, seed: int, workspace: str, *, first: str | None = None, replica: str = "") -> None:
        self._root = f"{seed}/{workspace}"
        self._first = first
        self._replica = replica
        self._known: set[str] | LayeredSet[str] = set() if first is None else {first}

    @classmethod
    def of(cls, form: KeyringForm) -> Keyring:
        """The keyring that was written down so."""
        found = cls(0, "", replica=form.replica)
        found._root, found._first, found._known = form.root, form.first, set(form.known)
        return found

    @property
    def form(self) -> KeyringForm:
        return KeyringForm(self._root, self._first, list(self._known), self._replica)

    def copy(self) -> Keyring:
        """Another keyring that gives the same keys."""
        found = copy(self)
        found._known = LayeredSet(self._known)  # noqa: SLF001  # of the same class
        return found

    def add(self, key: str) -> None:
        """Keep a key that the workspace has drawn: a document that holds it keeps it, too."""
        self._known.add(key)

    def own(self, accounts: Sequence[Sequence[str] | None], revoked: Collection[str]) -> list[list[str]]:
        """The keys of all accounts of a document: keys of this workspace stay, each other one is replaced.

        An account whose keys are None gets one key.
        """
        own = self.own_behind(0, accounts, lambda key: key not in revoked)
        if self._first is not None and self._first not in revoked and not any(self._first in keys for keys in own):
            own[0].insert(0, self._first)
        return own

    def own_behind(
        self, behind: int, accounts: Sequence[Sequence[str] | None], is_free: Callable[[str], bool]
    ) -> list[list[str]]:
        """The keys of accounts that are added behind `behind` others: keys of this workspace stay, others are replaced.

        An account whose keys are None gets one key. A key that is not free is not drawn.
        """
        wanted = [[""] if keys is None else keys for keys in accounts]
        taken = {key for keys in wanted for key in keys if key in self._known}

        def own(place: int, index: int, key: str) -> str:
            return key if key in self._known else self._drawn(place, index, taken, is_free)

        found = [[own(place, n, key) for n, key in enumerate(keys)] for place, keys in enumerate(wanted, behind)]
        self._known.update(*found)
        return found

    def _drawn(self, account: int, index: int, taken: set[str], is_free: Callable[[str], bool]) -> str:
        """The key at a position; a further one if an account that has moved up, or is gone, has had the first."""
        place = f"{self._root}/key/{account}/{index}"
        # Numbered: a text that grew by a word each time would make many attempts take quadratic time.
        texts = chain((place, f"{place}/next"), (f"{place}/next/{number}" for number in count(2)))
        key = next(key for key in map(self._drawn_from, texts) if key not in taken and is_free(key))
        taken.add(key)
        return key

    def _drawn_from(self, text: str) -> str:
        return api_key(hashlib.blake2b(text.encode(), digest_size=32).hexdigest(), self._replica)
