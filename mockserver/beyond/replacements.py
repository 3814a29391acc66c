"""Made-up values in the place of real ones: keys, e-mail addresses, names of hosts and IP addresses.

The same value always gets the same replacement, so that what belongs together stays so. Names of people and numbers of
telephones are not known from other words, and stay.
"""

from __future__ import annotations

import re
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

#: What may be a value that is replaced, or several with colons between them.
_WORD = re.compile(r"[\w.:%+@'-]+")
#: What begins or ends an expression of a template: the service's templates have members of objects, as `params.link`.
_BRACES = re.compile(r"(\{[{%]|[%}]\})")
#: Signs around a word that are no part of it.
_AROUND = ".:'%+-"
#: How the keys of the service begin.
_KEYS = ("xkeysib-", "xsmtpsib-")
#: The longest name of a host (RFC 1035, 2.3.4) and the longest written IPv6 address with a zone, in characters.
_LONGEST_HOST, _LONGEST_ADDRESS = 253, 80
#: Hosts that are nobody's (RFC 2606, RFC 6761).
_RESERVED = frozenset({"test", "example", "invalid", "localhost"})
_EXAMPLES = frozenset({"example.com", "example.net", "example.org"})
#: The last labels, beside those of countries, by which a host is told from other words with dots in a text. Chosen:
#: common ones that end no names of files; a text that is nothing but a host may end in any public suffix.
_COMMON = frozenset(
    {"com", "net", "org", "info", "biz", "edu", "gov", "mil", "int", "app", "dev", "cloud", "online", "shop", "store",
     "local", "internal", "lan", "corp", "home", "intranet", "localdomain"}
)  # fmt: skip
#: Addresses for documents (RFC 5737): three networks of 254 hosts; whatever comes after them is one of RFC 3849.
_NETWORKS, _HOSTS = ("192.0.2", "198.51.100", "203.0.113"), 254


class Replacements:
    """Replaces what is somebody's in texts and values of JSON."""

    def __init__(self) -> None:
        self._emails: dict[str, str] = {}
        self._hosts: dict[str, str] = {}
        self._addresses: dict[str, str] = {}
        self._keys: dict[str, str] = {}

    @property
    def counts(self) -> dict[str, int]:
        """How many values of each kind were replaced."""
        return {
            "key": len(self._keys),
            "e-mail address": len(self._emails),
            "host": len(self._hosts),
            "IP address": len(self._addresses),
        }

    def value(self, found: Any) -> Any:
        """A value of JSON, in whose texts and names all is replaced.

        Raises:
            RecursionError: it is nested too deeply.
        """
        if isinstance(found, str):
            return self.text(found)
        if isinstance(found, dict):
            return {self.text(name): self.value(inner) for name, inner in found.items()}
        return [self.value(inner) for inner in found] if isinstance(found, list) else found

    def text(self, text: str) -> str:
        """A text in which all is replaced."""
        if _is_host(text, alone=True):
            return self.host(text)
        done, is_inside = [], False
        for part in _BRACES.split(text):
            if part in ("{{", "{%"):
                is_inside = True
            elif part in ("}}", "%}"):
                is_inside = False
            done.append(_Words(self, is_inside).replaced(part))
        return "".join(done)

    def email(self, local: str, at: str, host: str) -> str:
        """The replacement of an e-mail address; `at` is the sign between its parts, perhaps percent-encoded.

        One at a host that is nobody's stays.
        """
        if _is_nobodys(host.lower()):
            return f"{local}{at}{host}"
        user = _kept(self._emails, f"{local}@{host}".lower(), "user{}")
        return f"{user}{at}{self.host(host)}"

    def key(self, key: str) -> str:
        """The replacement of an API key or of a key for SMTP."""
        return _kept(self._keys, key, "key-{}")

    def address(self, address: IPv4Address | IPv6Address) -> str:
        """The replacement of an IP address; one that is nobody's stays."""
        if address.is_loopback or address.is_unspecified:
            return str(address)
        found = self._addresses.get(str(address))
        if found is None:
            found = self._addresses[str(address)] = _documented(address.version, len(self._addresses))
        return found

    def host(self, host: str) -> str:
        """The replacement of a host; one that is nobody's stays."""
        name = host.lower()
        if _is_nobodys(name):
            return host
        return _kept(self._hosts, name, "host{}.test")


def _is_nobodys(host: str) -> bool:
    return host.rpartition(".")[2] in _RESERVED or ".".join(host.split(".")[-2:]) in _EXAMPLES


def _kept(known: dict[str, str], value: str, made_up: str) -> str:
    return known.setdefault(value, made_up.format(len(known) + 1))


def _documented(version: int, number: int) -> str:
    network, host = divmod(number, _HOSTS)
    if version == 4 and network < len(_NETWORKS):
        return f"{_NETWORKS[network]}.{host + 1}"
    return f"2001:db8::{number + 1:x}"


class _Words:
    """The words of a part of a text; within an expression of a template, words with dots are members and no hosts."""

    def __init__(self, replacements: Replacements, is_inside: bool) -> None:
        self._replacements = replacements
        self._is_inside = is_inside

    def replaced(self, part: str) -> str:
        return _WORD.sub(self._word, part)

    def _word(self, found: re.Match[str]) -> str:
        word, start = found[0], found.start()
        bare = word.strip(_AROUND)
        address = _address(bare) if bare.count(":") > 1 else None
        if address is not None:
            return word.replace(bare, self._replacements.address(address))
        first, *rest = word.split(":")
        before = found.string[max(0, start - 2) : start]
        # Credentials that were redacted end in a star.
        is_authority = before == "//" or (before.endswith("*") and word.startswith("@"))
        pieces = [self._piece(first, is_authority), *(self._piece(piece, False) for piece in rest)]
        return ":".join(pieces)

    def _piece(self, piece: str, is_authority: bool) -> str:
        """A word without colons; `is_authority` says whether it stands where a URL has its host."""
        bare = piece.strip(_AROUND)
        if not bare:
            return piece
        start = piece.index(bare)
        return f"{piece[:start]}{self._bare(bare, is_authority)}{piece[start + len(bare) :]}"

    def _bare(self, bare: str, is_authority: bool) -> str:
        at = "@" if "@" in bare else "%40"
        local, found, host = bare.rpartition(at)
        if found and _names_host(host, is_authority or bool(local)):
            return self._replacements.email(local, at, host) if local else f"{at}{self._replacements.host(host)}"
        if bare.startswith(_KEYS):
            return self._replacements.key(bare)
        if bare.count(".") == 3 and (address := _address(bare)) is not None:
            return self._replacements.address(address)
        if (is_authority or not self._is_inside) and _names_host(bare, is_authority):
            return self._replacements.host(bare)
        return bare


def _names_host(text: str, is_authority: bool) -> bool:
    """Whether a text is the name of a host: where a URL or an e-mail address has one, or among other words."""
    return _is_name(text) if is_authority else _is_host(text, alone=False)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    if len(text) > _LONGEST_ADDRESS:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def _is_name(text: str) -> bool:
    """Whether a text may be the name of a host where only such a name can stand."""
    is_plain = text.replace("-", "").replace("_", "").replace(".", "").isalnum()
    return is_plain and len(text) <= _LONGEST_HOST and all(text.split(".")) and not text.rpartition(".")[2].isdigit()


def _is_host(text: str, *, alone: bool) -> bool:
    """Whether a text is the name of a host, standing `alone` or among other words."""
    if "." not in text or len(text) > _LONGEST_HOST or not _is_name(text):
        return False
    last = text.rpartition(".")[2].lower()
    if last in _COMMON or last in _RESERVED:
        return True
    if alone:
        return _is_public(last)
    return len(last) == 2 and last.isalpha() and _is_public(last)


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  # reading the list takes some 50 ms

    return PublicSuffixList(accept_unknown=False)


def _is_public(label: str) -> bool:
    """Whether a label is a public suffix of the first level, such as of a country."""
    try:
        return _suffixes().publicsuffix(label) is not None
    except UnicodeError:  # no label of an international name
        return False
