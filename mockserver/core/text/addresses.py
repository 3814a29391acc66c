"""Domain names, host names, e-mail addresses, URLs and HTTP headers: checked, compared and taken apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

#: The longest e-mail address (RFC 5321, 4.5.3.1, with erratum 1690), in characters.
LONGEST_EMAIL = 254
#: The longest domain name (RFC 1035, 2.3.4), in characters without a dot at the end.
_LONGEST = 253
#: RFC 1123, 2.1: letters, digits and hyphens, the latter not at an end. A name whose last label is a number is an IPv4
#: address, or a mistyped one (WHATWG URL, "ends in a number").
_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
_HOST_NAME = re.compile(rf"(?:{_LABEL}\.)+(?![0-9]+\Z|0x[0-9a-f]*\Z){_LABEL}", re.ASCII)
#: The prefix of an encoded label (RFC 5890, 2.3.1).
_ENCODED = "xn--"
#: RFC 2606, RFC 6762 and ICANN's private-use name, which the list of public suffixes does not have.
_RESERVED = frozenset({"test", "example", "invalid", "localhost", "local", "internal"})
#: Suffixes that the public DNS does not have: RFC 6761, RFC 6762, ICANN's name for private use, and services of
#: Kubernetes without and (`cluster.local`) with the name of the cluster.
PRIVATE_SUFFIXES = (".localhost", ".local", ".internal", ".test", ".svc")
#: A Host header or the host of an origin, with or without a port (RFC 9110, 7.2); an IPv6 address is in brackets.
_HOST = re.compile(r"(?:\[(?P<ip>[^\[\]\s]+)\]|(?P<name>[\w.-]+))(?::(?P<port>\d{0,5}))?", re.ASCII)
#: The longest URL, in characters. Proposed (contract/transport): browsers and proxies take about as many.
LONGEST_URL = 2_048
#: Percent-encoded, reserved and unreserved characters (RFC 3986, 2).
_URL = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-])++")
#: Headers about the connection, the host and the length of a call (RFC 9110, 7), which the HTTP client writes.
CLIENT_HEADERS = frozenset(
    ["connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]
)
#: RFC 9110, 5.1 and 5.5, without folded lines.
_HEADER_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def ascii_form(name: str) -> str:
    """Return a domain name in lower case and A-labels (`xn--bcher-kva.test`); another text is only lowered.

    Unicode is mapped as browsers do it (UTS 46, without the transitional forms of IDNA 2003). Dots at the end are kept,
    so that a name with one is no `is_host_name` and equals no other name (contract/domains#authentication).
    """
    name = name.strip()
    if name.isascii() or len(name) > _LONGEST:
        return name.lower()
    import idna  # noqa: PLC0415  # large tables, which few names need

    try:
        return idna.encode(name, uts46=True).decode()
    except UnicodeError:  # a label that is empty, too long, or no text
        return name.lower()


def unicode_form(name: str) -> str:
    """Return a domain name in its `ascii_form` as people write it, with labels that cannot be shown unchanged."""
    return ".".join(map(_unicode_label, name.split("."))) if _ENCODED in name else name


def _unicode_label(label: str) -> str:
    if not label.startswith(_ENCODED):
        return label
    try:
        text = label.removeprefix(_ENCODED).encode("ascii").decode("punycode")
    except UnicodeError:
        return label
    # An empty text, half of a surrogate pair, or a sign that turns the direction of writing, cannot be shown.
    return text if text and text.isprintable() else label


def domain_of(address: str) -> str:
    """Return an address's domain in its `ascii_form`."""
    return ascii_form(address.rpartition("@")[2])


def comparable(address: str) -> str:
    """Return an e-mail address in lower case, with the domain in its `ascii_form`, for comparison."""
    if address.isascii():
        return address.lower()
    local, sign, domain = address.rpartition("@")
    return f"{local.lower()}{sign}{ascii_form(domain)}"


def is_email(text: str) -> bool:
    """Return whether a text is an e-mail address without IP address."""
    local, _, domain = text.rpartition("@")
    is_whole = len(text) <= LONGEST_EMAIL and domain == domain.strip()
    return is_whole and is_host_name(ascii_form(domain)) and _local_part().fullmatch(local) is not None


@cache
def _local_part() -> re.Pattern[str]:
    atom = r"[-!#$%&'*+/=?^`{}|~\w]+"
    quoted = r'"(?:[\001-\010\013\014\016-\037!#-\[\]-\177]|\\[\001-\011\013\014\016-\177])*"'
    return re.compile(rf"{atom}(?:\.{atom})*|{quoted}")


def equals_address(wanted: str) -> Callable[[str], bool]:
    """Return an equality test for comparing many addresses with one."""
    compared = comparable(wanted)
    return lambda address: comparable(address) == compared


def is_host_name(name: str) -> bool:
    """Return whether a text in its `ascii_form` is a host name of at least two labels, and no IP address."""
    return len(name) <= _LONGEST and _HOST_NAME.fullmatch(name) is not None


def is_ip_address(name: str) -> bool:
    """Return whether a name is an IP address, perhaps with a zone."""
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def host_name(host: str) -> str | None:
    """Return the lower-case name or address of a Host header without port, or None for a malformed header."""
    found = _HOST.fullmatch(host.strip())
    if found is None or (found["ip"] is not None and not is_ip_address(found["ip"])):
        return None
    name: str = found["ip"] or found["name"]
    return name.lower().removesuffix(".")


def is_host(host: str) -> bool:
    """Return whether a Host header can be part of an address: its name can exist, and its port too."""
    found, name = _HOST.fullmatch(host), host_name(host)
    if not (found and name) or len(name) > _LONGEST or ".." in f"{name}." or not 0 < int(found["port"] or 80) < 2**16:
        return False
    return all(_unicode_label(label) != label for label in name.split(".") if label.startswith(_ENCODED))


def is_private_host(name: str) -> bool:
    """Return whether a name in lower case is an address, a single label, or has a reserved suffix: never public DNS."""
    return "." not in name or is_ip_address(name) or name.endswith(PRIVATE_SUFFIXES)


def parents(name: str) -> Iterator[str]:
    """Yield the domains above a domain, the nearest first: `acme.test` and `test` for `news.acme.test`."""
    name = name[-_LONGEST - 1 :]
    while name := name.partition(".")[2]:
        yield name


def registrable(name: str) -> str:
    """Return the registered domain of a name: `acme.co.uk` for `news.acme.co.uk`.

    It is one label below a public suffix (publicsuffix.org, in the edition that the library ships). A public suffix is
    returned unchanged.
    """
    labels = name.split(".")
    if len(labels) <= 2:
        return name
    if labels[-1] in _RESERVED:
        return ".".join(labels[-2:])
    return _suffixes().privatesuffix(name) or name


def below_registrable(name: str) -> str:
    """Return the labels before the registrable domain: `news` for `news.acme.co.uk`, or an empty text."""
    return name.removesuffix(registrable(name)).rstrip(".")


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  # reading the list takes some 50 ms

    return PublicSuffixList()


def is_url(text: str) -> bool:
    """Return whether a text is an http or https URL (RFC 3986) of at most `LONGEST_URL` characters."""
    if len(text) > LONGEST_URL:
        return False
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host) and _URL.fullmatch(text) is not None


def is_header_name(text: str) -> bool:
    return _HEADER_NAME.fullmatch(text) is not None


def is_header_value(text: str) -> bool:
    return _HEADER_VALUE.fullmatch(text) is not None
