"""Seeded randomness: the n-th draw of a purpose depends on the seed, the purpose and n, and on nothing else.

So an extra draw for one purpose never shifts another, and the position of all draws is one counter for each purpose.
"""

from __future__ import annotations

import hashlib
import string
from copy import copy
from functools import cache

#: After so many draws of one purpose they repeat. Chosen: within the 64-bit integers that a scenario can hold, and out
#: of reach.
LAP = 2**62
#: The digit of a UUID's variant for a drawn digit, of which the two lowest bits are kept.
_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in string.hexdigits.lower()}
LETTERS_AND_DIGITS = string.ascii_letters + string.digits


class Randomness:
    """The draws of one workspace."""

    def __init__(self, seed: int, workspace: str, replica: str = "") -> None:
        self.seed = seed
        self._workspace = workspace
        #: The name of the replica that draws, which marks API keys with it; empty if the server is none.
        self.replica = replica
        #: How many draws each purpose has made.
        self.positions: dict[str, int] = {}

    def copy(self) -> Randomness:
        """Another source, which makes the same draws from here on."""
        found = copy(self)
        found.positions = dict(self.positions)
        return found

    def integer(self, purpose: str, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return low + self._bits(purpose, self.seed) % (high - low + 1)

    def share(self, purpose: str) -> float:
        """A number from 0 (included) to 1 (excluded)."""
        return (self._bits(purpose, self.seed) >> 459) / 2**53  # of 512 bits as many as a double holds

    def digits(self, purpose: str, length: int) -> str:
        """`length` decimal digits, of which the first is not 0."""
        return str(self.integer(purpose, 10 ** (length - 1), 10**length - 1))

    def hex(self, purpose: str, length: int) -> str:
        """`length` hexadecimal digits, at most 128."""
        return self._digest(purpose, self.seed).hexdigest()[:length]

    def uuid(self, purpose: str) -> str:
        """A UUID of version 4."""
        digits = self._digest(purpose, self.seed).hexdigest()
        # RFC 9562, 5.4: the version is 4, and the two highest bits of the variant are 10.
        variant = _VARIANTS[digits[16]]
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"

    def text(self, purpose: str, length: int, alphabet: str = LETTERS_AND_DIGITS) -> str:
        """`length` characters of an alphabet; 512 bits give at most 85 of an alphabet of 64."""
        return spell(self._bits(purpose, self.seed), length, alphabet)

    def secret(self, purpose: str, length: int, alphabet: str = LETTERS_AND_DIGITS) -> str:
        """`length` characters of an alphabet that depend on the workspace's name as well as on the seed.

        Keys, codes and tokens, by which a workspace is found, are made of them: no two workspaces draw the same.
        """
        return spell(self._bits(purpose, f"{self.seed}/{self._workspace}"), length, alphabet)

    def _bits(self, purpose: str, root: object) -> int:
        return int.from_bytes(self._digest(purpose, root).digest())

    def _digest(self, purpose: str, root: object) -> hashlib.blake2b:
        """The next draw of a purpose: a hash of 64 bytes."""
        position = self.positions.get(purpose, 0)
        self.positions[purpose] = (position + 1) % LAP
        return hashlib.blake2b(f"{root}/{purpose}/{position}".encode())


def spell(number: int, length: int, alphabet: str) -> str:
    """`length` characters of an alphabet, which are the digits of a number from its last one on."""
    pairs = _pairs(alphabet)
    spelt = []
    for _ in range((length + 1) // 2):
        number, index = divmod(number, len(pairs))
        spelt.append(pairs[index])
    return "".join(spelt)[:length]


@cache
def _pairs(alphabet: str) -> list[str]:
    """All pairs of characters, the first character counted on first: to divide takes half as long by two digits."""
    return [first + second for second in alphabet for first in alphabet]
