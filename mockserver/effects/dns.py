"""Look-ups at a real DNS server (dnspython): values, or reasons of failure."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import dns.exception
import dns.inet
import dns.message
import dns.name
import dns.query
import dns.rcode

#: How long one try may take, in seconds, and how often a question is asked: packets get lost. A request waits for both
#: (`app/effects/look_ups.py`).
_TRY_S, _TRIES = 2.0, 2
#: How often a server is asked again because its answer only leads to another name; a chain of CNAME records is short.
_LINKS = 8


class Found(NamedTuple):
    """A record's values, or the failure: `missing` or `timeout`."""

    values: Sequence[str] = ()
    failure: str | None = None
    #: In words.
    detail: str = ""


class Resolver:
    """A client of one DNS server: UDP, or TCP for truncated answers."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port

    def __call__(self, name: str, kind: str, deadline: float) -> Found:
        """Return values of TXT or CNAME records; strings of one TXT record are joined.

        The deadline is a moment of `time.monotonic`.
        """
        try:
            return self._follow(dns.name.from_text(name), kind, deadline)
        except dns.exception.Timeout:
            return Found(failure="timeout", detail=f"DNS timeout: {self._server} did not answer for {name}")
        except dns.name.NameTooLong:
            return Found(failure="missing", detail=f"{name} is too long for a DNS name")
        except (dns.exception.DNSException, OSError, ValueError) as error:  # ValueError: the host's name is no good one
            why = f"{type(error).__name__}: {error}"
            return Found(failure="timeout", detail=f"DNS look-up of {name} at {self._server} failed: {why}")

    @property
    def _server(self) -> str:
        return f"the DNS server {self._host} port {self._port}"

    def _follow(self, name: dns.name.Name, kind: str, deadline: float) -> Found:
        """Ask for a name, following CNAME records if the server leaves that to clients."""
        target = name
        for _ in range(_LINKS):
            answer = self._ask(target, kind, deadline)
            if answer.rcode() not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
                code = dns.rcode.to_text(answer.rcode())
                return Found(failure="timeout", detail=f"{self._server} answered {code} for {_text(target)}")
            chain = answer.resolve_chaining()
            if chain.answer is not None:
                return Found([_value(row, kind) for row in chain.answer])
            if answer.rcode() == dns.rcode.NXDOMAIN or chain.canonical_name == target:
                return _nothing(name, chain.canonical_name, kind, answer.rcode())
            target = chain.canonical_name
        return Found(failure="timeout", detail=f"{_text(name)} is the start of an endless chain of CNAME records")

    def _ask(self, name: dns.name.Name, kind: str, deadline: float) -> dns.message.QueryMessage:
        question = dns.message.make_query(name, kind)
        address = self._host if dns.inet.is_address(self._host) else _address(self._host)
        for _ in range(_TRIES):
            left = min(_TRY_S, deadline - time.monotonic())
            if left <= 0:
                break
            try:
                answer, _ = dns.query.udp_with_fallback(question, address, left, self._port)
            except dns.exception.Timeout:
                continue
            assert isinstance(answer, dns.message.QueryMessage), "a query is answered by one"
            return answer
        raise dns.exception.Timeout


def _address(host: str) -> str:
    return str(socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)[0][4][0])


def _nothing(name: dns.name.Name, last: dns.name.Name, kind: str, code: dns.rcode.Rcode) -> Found:
    """Explain a missing value, perhaps after a chain of CNAME records."""
    way = "" if last == name else f"{_text(name)} is an alias of {_text(last)}; "
    if code == dns.rcode.NXDOMAIN:
        return Found(failure="missing", detail=f"{way}{_text(last)} does not exist (NXDOMAIN)")
    return Found(failure="missing", detail=f"{way}{_text(last)} has no {kind} record")


def _text(name: dns.name.Name) -> str:
    return name.to_text(omit_final_dot=True).lower()


def _value(row: Any, kind: str) -> str:
    if kind == "TXT":
        return b"".join(row.strings).decode(errors="replace")
    return _text(row.target)
