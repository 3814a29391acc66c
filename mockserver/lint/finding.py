"""Findings: what a rule has found, and in which requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

#: The names of all rules, in the order of their findings.
REPEATED_WRITE, IGNORED_RATE_LIMIT, FIRST_PAGE_ONLY, SECRET_IN_URL, UNVERIFIED_WEBHOOK = (
    "repeated-write", "ignored-rate-limit", "first-page-only", "secret-in-url", "unverified-webhook",
)  # fmt: skip
UNUSED_INPUT, NO_TIMEOUT, OUTDATED_API = "unused-input", "no-timeout", "outdated-api"
RULES = (
    REPEATED_WRITE, IGNORED_RATE_LIMIT, FIRST_PAGE_ONLY, SECRET_IN_URL, UNVERIFIED_WEBHOOK, UNUSED_INPUT, NO_TIMEOUT,
    OUTDATED_API,
)  # fmt: skip


class Finding(NamedTuple):
    """A mistake of a client."""

    rule: str
    #: What the rule has found it in, the same in each run: accepted findings are named by rule and subject.
    subject: str
    #: One sentence, with the damage in numbers.
    message: str
    #: The ids of the requests, oldest first.
    requests: Sequence[str]
    #: The ids of the deliveries, if the mistake is a receiver's.
    deliveries: Sequence[int] = ()
