"""Seeded randomness, and what is drawn from it: ids, API keys and names of workspaces.

The n-th draw of a purpose depends on the seed, the purpose and n only. So an extra draw for one purpose never shifts
another, and the position of all draws is one counter per purpose.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from copy import copy
from functools import cache
from itertools import chain, count
from typing import NamedTuple

from mockserver.core.contract.errors import BAD_REQUEST, ServiceError
from mockserver.settings.declaration import ReplicaName

#: The number of draws of one purpose after which they repeat. Chosen: within 64 bits, and out of reach.
LAP = 2**62
#: The digit of a UUID's variant for a drawn digit, of which the two lowest bits are kept.
_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in string.hexdigits.lower()}
LETTERS_AND_DIGITS = string.ascii_letters + string.digits
_REQUEST, _MAIL, _CALL = "request", "mail", "control call"
#: How many ids are left out after an end at which the last ones may not have been saved. Chosen: far more requests than
#: a server answers in a year, as nothing is saved while the disk is full.
_SKIPPED = 1 << 40
#: The longest API key, in characters. Chosen: five times as long as those of the service.
LONGEST_KEY = 500
_PATTERN = re.compile(r"xkeysib-([0-9a-f]{64})-([0-9A-Za-z]{16})")
#: The mark of a replica at the end of a key. Its name has no capital, so that it begins behind the last R.
_MARK = re.compile(r"R([a-z0-9]{1,8})\Z")
#: The header that names the replica for which a request is meant, and in a refusal the one to which it belongs.
REPLICA_HEADER = "X-Mock-Replica"
#: The value of the header if the load balancer has chosen any replica, because nothing names one.
ANY_REPLICA = "*"
#: The status of a request that belongs to another replica: 421 Misdirected Request (RFC 9110, 15.5.20). It is neither
#: 404 nor 401, as the workspace may exist there, and clients take those for their own mistake.
MISDIRECTED = 421
#: The names that a replica draws, with its mark; see `Replica.drawn_name`.
_DRAWN = re.compile(r"w-([a-z0-9]{1,8})-[0-9a-f]{8}|key-([a-z0-9]{1,8})-[0-9a-f]{12}")


class Randomness:
    """The draws of one workspace."""

    def __init__(self, seed: int, workspace: str, replica: str = "") -> None:
        self.seed = seed
        self._workspace = workspace
        #: The name of the replica, which marks API keys; empty for a server that is no replica.
        self.replica = replica
        #: The number of draws by purpose.
        self.positions: dict[str, int] = {}

    def copy(self) -> Randomness:
        """Return an independent source with identical further draws."""
        found = copy(self)
        found.positions = dict(self.positions)
        return found

    def follow(self, other: Randomness) -> None:
        """Continue after the draws of a copy."""
        self.positions.update(other.positions)

    def integer(self, purpose: str, low: int, high: int) -> int:
        """Draw an integer from `low` to `high`, both included."""
        return low + self._bits(purpose, self.seed) % (high - low + 1)

    def share(self, purpose: str) -> float:
        """Draw a number from 0 (included) to 1 (excluded)."""
        return (self._bits(purpose, self.seed) >> 459) / 2**53  # of 512 bits as many as a double holds

    def digits(self, purpose: str, length: int) -> str:
        return str(self.integer(purpose, 10 ** (length - 1), 10**length - 1))

    def hex(self, purpose: str, length: int) -> str:
        """Draw hexadecimal digits, at most 128."""
        return self._digest(purpose, self.seed).hexdigest()[:length]

    def uuid(self, purpose: str) -> str:
        """Draw a UUID of version 4."""
        digits = self._digest(purpose, self.seed).hexdigest()
        # RFC 9562, 5.4: the version is 4, and the two highest bits of the variant are 10.
        variant = _VARIANTS[digits[16]]
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"

    def text(self, purpose: str, length: int, alphabet: str = LETTERS_AND_DIGITS) -> str:
        """Draw characters of an alphabet; 512 bits give at most 85 characters of an alphabet of 64."""
        return spell(self._bits(purpose, self.seed), length, alphabet)

    def secret(self, purpose: str, length: int, alphabet: str = LETTERS_AND_DIGITS) -> str:
        """Draw characters that depend on the name of the workspace too, for keys, codes and tokens.

        No two workspaces draw the same secret, as secrets lead to their workspace.
        """
        return spell(self._bits(purpose, f"{self.seed}/{self._workspace}"), length, alphabet)

    def _bits(self, purpose: str, root: object) -> int:
        return int.from_bytes(self._digest(purpose, root).digest())

    def _digest(self, purpose: str, root: object) -> hashlib.blake2b:
        position = self.positions.get(purpose, 0)
        self.positions[purpose] = (position + 1) % LAP
        return hashlib.blake2b(f"{root}/{purpose}/{position}".encode())


def spell(number: int, length: int, alphabet: str) -> str:
    """Return the last digits of a number, written in the characters of an alphabet, lowest digit first."""
    pairs = _pairs(alphabet)
    spelt = []
    for _ in range((length + 1) // 2):
        number, index = divmod(number, len(pairs))
        spelt.append(pairs[index])
    return "".join(spelt)[:length]


@cache
def _pairs(alphabet: str) -> list[str]:
    # Dividing by two digits takes half as long.
    return [first + second for second in alphabet for first in alphabet]


def repeated(ids: Iterable[str], there: Iterable[str] = ()) -> Iterator[int]:
    """Yield the positions of ids that are earlier in the list, or `there`; empty ids are not set yet."""
    seen = set(there)
    for index, identifier in enumerate(ids):
        if identifier and identifier in seen:
            yield index
        seen.add(identifier)


def skipped(positions: Mapping[str, int]) -> dict[str, int]:
    """Return the positions behind the ids of requests that may have been given out and not saved."""
    return {**positions, _REQUEST: positions.get(_REQUEST, 0) + _SKIPPED}


class RecordIds:
    """The ids of requests, e-mails and control calls, which continue when a state is put back: no id is used twice."""

    def __init__(self, seed: int, workspace: str) -> None:
        self._random = Randomness(seed, workspace)

    def request(self) -> str:
        return self._random.uuid(_REQUEST)

    def mail(self) -> str:
        return self._random.uuid(_MAIL)

    def call(self) -> str:
        return self._random.uuid(_CALL)

    @property
    def positions(self) -> Mapping[str, int]:
        return self._random.positions

    def go_on(self, positions: Mapping[str, int]) -> None:
        """Continue from saved positions."""
        self._random.positions.update(positions)

    def follow_on(self, before: RecordIds) -> None:
        """Continue behind ids that were given out and not saved."""
        for purpose, position in before.positions.items():
            self._random.positions[purpose] = max(self._random.positions.get(purpose, 0), position)

    def follow(self, seed: int) -> None:
        self._random.seed = seed

    def resume(self, draws: MutableMapping[str, int]) -> None:
        """Continue from a document's positions, removed from `draws`."""
        for purpose in (_REQUEST, _MAIL):
            if purpose in draws:
                self._random.positions[purpose] = draws.pop(purpose)


def is_key(text: str) -> bool:
    """Return whether a text can be an API key: 1 to `LONGEST_KEY` printable ASCII characters without blanks."""
    return 0 < len(text) <= LONGEST_KEY and text.isascii() and text.isprintable() and " " not in text


def api_key(body: str, replica: str = "") -> str:
    """Return the API key (contract/corporate#createSubAccountKey) of 64 hexadecimal digits.

    Its last part follows from the digits and the name of the replica. So the mock tells its own keys from invented ones
    without remembering them, even if their workspace is gone.
    """
    return f"xkeysib-{body}-{_seal(body, replica)}"


def is_drawn(key: str) -> bool:
    """Return whether a key has the seal of keys that mocks draw, this mock or another."""
    found = _PATTERN.fullmatch(key)
    return found is not None and (found[2] == _seal(found[1]) or replica_of_key(key) is not None)


def replica_of_key(key: str) -> str | None:
    """Return the replica name sealed in a key, or None."""
    found, mark = _PATTERN.fullmatch(key), _MARK.search(key)
    return mark[1] if found and mark and found[2] == _seal(found[1], mark[1]) else None


def _seal(body: str, replica: str = "") -> str:
    mark = f"R{replica}" if replica else ""
    number = int.from_bytes(hashlib.blake2b(f"mockserver/{body}{mark}".encode()).digest())
    return f"{spell(number, 16 - len(mark), LETTERS_AND_DIGITS)}{mark}"


class KeyringForm(NamedTuple):
    root: str
    first: str | None
    known: Sequence[str]
    replica: str


class Keyring:
    """The API keys of a workspace other than `default`, which lead to it from any address.

    The keys of its scenario open their accounts below the address of the workspace only. Beside each of them the
    account gets a drawn key. Drawn keys follow from the first seed and the name of the workspace and the position in
    the scenario, so that every reset gives the same keys. `first`, if given, is a key of the first account.
    """

    def __init__(self, seed: int, workspace: str, *, first: str | None = None, replica: str = "") -> None:
        self._root = f"{seed}/{workspace}"
        self._first = first
        self._replica = replica
        self._known: set[str] = set() if first is None else {first}

    @classmethod
    def of(cls, form: KeyringForm) -> Keyring:
        found = cls(0, "", replica=form.replica)
        found._root, found._first, found._known = form.root, form.first, set(form.known)
        return found

    @property
    def form(self) -> KeyringForm:
        return KeyringForm(self._root, self._first, list(self._known), self._replica)

    def copy(self) -> Keyring:
        """Return another keyring that gives the same keys."""
        return Keyring.of(self.form)

    def leads(self, key: str) -> bool:
        """Return whether a key leads to the workspace from any address."""
        return key in self._known or is_drawn(key)

    def add(self, key: str) -> None:
        """Keep a drawn key."""
        if is_drawn(key):
            self._known.add(key)

    def adopt(self, other: Keyring) -> None:
        """Keep the keys that another keyring of the workspace has kept meanwhile."""
        self._known |= other._known

    def own(self, accounts: Sequence[Sequence[str] | None], revoked: Collection[str]) -> list[list[str]]:
        """Return the keys for all accounts of a document; see `own_behind`."""
        own = self.own_behind(0, accounts, lambda key: key not in revoked)
        if self._first is not None and self._first not in revoked and not any(self._first in keys for keys in own):
            own[0].insert(0, self._first)
        return own

    def own_behind(
        self, behind: int, accounts: Sequence[Sequence[str] | None], is_free: Callable[[str], bool]
    ) -> list[list[str]]:
        """Return the keys for accounts that are added behind `behind` others, drawn ones first.

        Keys that this keyring has drawn stay, keys that other workspaces have drawn are replaced, and every other key
        stays beside a drawn one. An account whose keys are None gets one key. A key that is not free is not drawn.
        """
        taken = {key for keys in accounts for key in keys or () if key in self._known}

        def own(place: int, keys: Sequence[str]) -> list[str]:
            named = {key: None for key in keys if key and not self.leads(key)}
            leading = [key for key in keys if key not in named]
            leading += [""] * (len(named) - len(leading))
            drawn = [
                key if key in self._known else self._drawn(place, index, taken, is_free)
                for index, key in enumerate(leading)
            ]
            self._known.update(drawn)
            return [*drawn, *named]

        return [own(place, [""] if keys is None else keys) for place, keys in enumerate(accounts, behind)]

    def _drawn(self, account: int, index: int, taken: set[str], is_free: Callable[[str], bool]) -> str:
        place = f"{self._root}/key/{account}/{index}"
        # Numbered: a text that grew by a word each time would make many attempts take quadratic time.
        texts = chain((place, f"{place}/next"), (f"{place}/next/{number}" for number in count(2)))
        digits = (hashlib.blake2b(text.encode(), digest_size=32).hexdigest() for text in texts)
        keys = (api_key(body, self._replica) for body in digits)
        key = next(key for key in keys if key not in taken and is_free(key))
        taken.add(key)
        return key


class Replica(NamedTuple):
    """One of several servers behind one address, with separate workspaces; unnamed without replicas.

    A replica marks the names and keys that it draws. By the mark a load balancer finds the replica of a request, and a
    replica recognizes the requests of another one.
    """

    name: str = ""

    def drawn_name(self, kind: str, digits: str) -> str:
        """Return the name of a workspace, of a kind (`w` or `key`) and drawn digits: `w-a-1f3c9a2b` on replica `a`."""
        return f"{kind}-{self.name}-{digits}" if self.name else f"{kind}-{digits}"

    def other_of_name(self, workspace: str) -> str | None:
        """Return the other replica that named a workspace, or None."""
        found = _DRAWN.fullmatch(workspace)
        return None if found is None else self._other(found[1] or found[2])

    def other_of_key(self, key: str) -> str | None:
        """Return the other replica that has drawn an API key, or None."""
        return self._other(replica_of_key(key))

    def other_of_token(self, mark: object) -> str | None:
        """Return the other replica that an access token's claims name, or None."""
        return self._other(mark) if isinstance(mark, str) and ReplicaName().takes(mark) else None

    def _other(self, mark: str | None) -> str | None:
        return mark if self.name and mark and mark != self.name else None

    def belongs(self, what: str, other: str) -> str:
        """Return a sentence naming the replica of, say, `the API key`."""
        return f"This is replica {self.name} of the mock, but {what} belongs to replica {other}"

    def misdirected(self, what: str, other: str) -> ServiceError:
        """Return the error for another replica's request, with a header naming that replica."""
        error = BAD_REQUEST(self.belongs(what, other), status=MISDIRECTED)
        error.headers = ((REPLICA_HEADER, other),)
        return error
