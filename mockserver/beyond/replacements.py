"""Replacing personal data in recordings by made-up values: keys, e-mail addresses, host names and IP addresses.

The same value always gets the same replacement. Names of people and phone numbers cannot be recognised, and stay.
"""

from __future__ import annotations

import re
from functools import cache, partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

#: A word that can be a value, or several values with colons between them.
_WORD = re.compile(r"[\w.:%+@'-]+")
#: The start or end of a template expression: the service's templates have members of objects, as `params.link`.
_BRACES = re.compile(r"(\{[{%]|[%}]\})")
_OPENING, _CLOSING = ("{{", "{%"), ("}}", "%}")
_AROUND = ".:'%+-"
_KEYS = ("xkeysib-", "xsmtpsib-")
#: The longest name of a host (RFC 1035, 2.3.4) and the longest written IPv6 address with a zone, in characters.
_LONGEST_HOST, _LONGEST_ADDRESS = 253, 80
#: Reserved hosts (RFC 2606, RFC 6761).
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
    """Made-up values for the keys, e-mail addresses, hosts and IP addresses in texts and JSON values."""

    def __init__(self) -> None:
        self._emails: dict[str, str] = {}
        self._hosts: dict[str, str] = {}
        self._addresses: dict[str, str] = {}
        self._keys: dict[str, str] = {}

    @property
    def counts(self) -> dict[str, int]:
        return {
            "key": len(self._keys),
            "e-mail address": len(self._emails),
            "host": len(self._hosts),
            "IP address": len(self._addresses),
        }

    def value(self, found: Any) -> Any:
        """Return a JSON value with replaced texts and member names."""
        if isinstance(found, str):
            return self.text(found)
        if isinstance(found, dict):
            return {self.text(name): self.value(inner) for name, inner in found.items()}
        return [self.value(inner) for inner in found] if isinstance(found, list) else found

    def text(self, text: str) -> str:
        """Return a text with all values replaced. Within template expressions, words with dots are no hosts."""
        if _is_host(text, alone=True):
            return self._host(text)
        done, is_expression = [], False
        for part in _BRACES.split(text):
            if part in _OPENING or part in _CLOSING:
                is_expression = part in _OPENING
            done.append(_WORD.sub(partial(self._word, is_expression=is_expression), part))
        return "".join(done)

    def _word(self, found: re.Match[str], *, is_expression: bool) -> str:
        word, start = found[0], found.start()
        bare = word.strip(_AROUND)
        address = _address(bare) if bare.count(":") > 1 else None
        if address is not None:
            return word.replace(bare, self._ip(address))
        first, *rest = word.split(":")
        before = found.string[max(0, start - 2) : start]
        # Credentials that were redacted end in a star.
        is_authority = before == "//" or (before.endswith("*") and word.startswith("@"))
        pieces = ((piece, is_authority and not at) for at, piece in enumerate((first, *rest)))
        return ":".join(self._piece(*row, is_expression=is_expression) for row in pieces)

    def _piece(self, piece: str, is_authority: bool, *, is_expression: bool) -> str:
        """Replace a word without colons; `is_authority`: the word is in the place of a URL's host."""
        bare = piece.strip(_AROUND)
        at = "@" if "@" in bare else "%40"
        local, has_at, host = bare.rpartition(at)
        names_host = _is_name if is_authority or local else partial(_is_host, alone=False)
        if not bare:
            return piece
        if has_at and names_host(host):
            found = self._email(local, at, host) if local else f"{at}{self._host(host)}"
        elif bare.startswith(_KEYS):
            found = self._keys.setdefault(bare, f"key-{len(self._keys) + 1}")
        elif bare.count(".") == 3 and (address := _address(bare)) is not None:
            found = self._ip(address)
        elif (is_authority and _is_name(bare)) or (not (is_authority or is_expression) and _is_host(bare, alone=False)):
            found = self._host(bare)
        else:
            return piece
        start = piece.index(bare)
        return f"{piece[:start]}{found}{piece[start + len(bare) :]}"

    def _email(self, local: str, at: str, host: str) -> str:
        if _is_reserved(host.lower()):
            return f"{local}{at}{host}"
        user = self._emails.setdefault(f"{local}@{host}".lower(), f"user{len(self._emails) + 1}")
        return f"{user}{at}{self._host(host)}"

    def _ip(self, address: IPv4Address | IPv6Address) -> str:
        if address.is_loopback or address.is_unspecified:
            return str(address)
        return self._addresses.setdefault(str(address), _documented(address.version, len(self._addresses)))

    def _host(self, host: str) -> str:
        name = host.lower()
        return host if _is_reserved(name) else self._hosts.setdefault(name, f"host{len(self._hosts) + 1}.test")


def _is_reserved(host: str) -> bool:
    return host.rpartition(".")[2] in _RESERVED or ".".join(host.split(".")[-2:]) in _EXAMPLES


def _documented(version: int, number: int) -> str:
    network, host = divmod(number, _HOSTS)
    if version == 4 and network < len(_NETWORKS):
        return f"{_NETWORKS[network]}.{host + 1}"
    return f"2001:db8::{number + 1:x}"


def _address(text: str) -> IPv4Address | IPv6Address | None:
    if len(text) > _LONGEST_ADDRESS:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def _is_name(text: str) -> bool:
    is_plain = text.replace("-", "").replace("_", "").replace(".", "").isalnum()
    return is_plain and len(text) <= _LONGEST_HOST and all(text.split(".")) and not text.rpartition(".")[2].isdigit()


def _is_host(text: str, *, alone: bool) -> bool:
    """Return whether a text is a host name, as a whole text (`alone`) or among other words."""
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
    try:
        return _suffixes().publicsuffix(label) is not None
    except UnicodeError:  # no label of an international name
        return False
