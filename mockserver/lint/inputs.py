"""Rules for input that the service ignores, and for addresses, headers and operations that it has replaced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from mockserver.core.text.messages import counted
from mockserver.core.traffic.exchange import Exchange
from mockserver.lint.finding import OUTDATED_API, UNUSED_INPUT, Finding
from mockserver.lint.traffic import Traffic, name_of

#: How a warning of the journal tells that something was not read.
_IGNORED = ("ignored the unknown ", "ignored the body field ", "takes no body and ignored ")
#: Headers in the body of an e-mail that do nothing as headers of a request, in lower case (contract/sending).
_MISPLACED = frozenset({"x-sib-sandbox", "x-mailin-custom", "x-mailin-tag", "idempotencykey", "idempotency-key"})
#: The former name of the service's hosts, and the former paths of sub-accounts (docs/howto/lint.md has the sources).
_FORMER_HOST, _FORMER_PATH = "sendinblue.com", "/v3/reseller"


def find_unused_inputs(traffic: Traffic) -> Iterator[Finding]:
    """Find members, parameters and headers that the operation does not read."""
    return _findings(UNUSED_INPUT, traffic, _unused)


def _unused(row: Exchange) -> Iterator[str]:
    for warning in row.warnings:
        # An empty object or list has nothing to read.
        if any(part in warning for part in _IGNORED) and (_IGNORED[-1] not in warning or row.json):
            yield warning
    if row.method == "POST" and row.operation is not None:
        for name, _ in row.headers:
            if name in _MISPLACED:
                yield f"{row.operation} does not read the header {name} of a request"


def find_outdated(traffic: Traffic) -> Iterator[Finding]:
    """Find host names, headers and operations of which the service has newer ones."""
    return _findings(OUTDATED_API, traffic, _outdated)


def _outdated(row: Exchange) -> Iterator[str]:
    host = row.by_header.get("host", "").partition(":")[0].lower()
    if f".{host}".endswith(f".{_FORMER_HOST}"):
        yield f"the host {host} is a former one of api.brevo.com"
    if row.by_header.get("partner-key"):
        yield "the header partner-key belongs to the reseller API, which the service has deprecated"
    if f"{row.path}/".startswith(f"{_FORMER_PATH}/"):
        yield f"{name_of(row)} is deprecated: the paths below /v3/corporate have taken its place"


def _findings(rule: str, traffic: Traffic, find: Callable[[Exchange], Iterator[str]]) -> Iterator[Finding]:
    """Yield a finding for each sentence that `find` gives, with all requests that it applies to."""
    found: defaultdict[str, list[Exchange]] = defaultdict(list)
    for row in traffic.requests:
        for sentence in find(row):
            found[sentence].append(row)
    for sentence, rows in found.items():
        yield Finding(rule, sentence, f"{sentence} ({counted(len(rows), 'request')})", [row.id for row in rows])
