"""DNS look-ups at a real server: questions, and comparison of answers with expected records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import registrable
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.domain import MISSING, NO_POLICY, OK, POLICIES, TIMEOUT, WRONG, Seen, find
from mockserver.resources.domains.model import publish_seen, records

#: The name of the question for the registrable domain's DMARC record, which counts for a sub-domain without a record.
_INHERITED = "inherited_dmarc"
#: How many values of a name a detail quotes, and how many characters of each; chosen: enough to recognize a record.
_SHOWN_VALUES, _SHOWN_CHARACTERS = 4, 300


class Question(NamedTuple):
    """A DNS question: a record with full name, type and expected value."""

    record: str
    name: str
    type: str
    value: str

    @property
    def asked(self) -> tuple[str, str]:
        """Name and type of the DNS query; several records may share a query."""
        return self.name, self.type


class DnsAnswer(Protocol):
    """A DNS server's values, or a failure (`missing` or `timeout`) with details."""

    @property
    def values(self) -> Sequence[str]: ...

    @property
    def failure(self) -> str | None: ...

    @property
    def detail(self) -> str: ...


class NoAnswer(NamedTuple):
    """The failed answer without any DNS server."""

    detail: str
    values: Sequence[str] = ()
    failure: str | None = "timeout"


def questions(workspace: Workspace, account: Account, name: str) -> list[Question]:
    """Return the DNS questions about an account's domain, or an empty list without this domain."""
    domain = find(account, name)
    if domain is None:
        return []
    expected = records(workspace, domain)
    found = [Question(key, record.full_name, record.type, record.value) for key, record in expected.items()]
    top, policy = registrable(domain.name), expected["dmarc_record"]
    if top != domain.name:
        found.append(Question(_INHERITED, f"_dmarc.{top}", policy.type, policy.value))
    return found


def publish(
    workspace: Workspace, name: str, asked: Sequence[Question], answers: Mapping[tuple[str, str], DnsAnswer]
) -> None:
    """Publish the answers of a real server in the workspace's DNS.

    A workspace has one DNS: the latest look-up counts for all accounts that have the domain.
    """
    if not asked:
        return
    seen = {question.record: compare(question, answers[question.asked]) for question in asked}
    values = {question.record: answers[question.asked].values for question in asked}
    policy, inherited = seen["dmarc_record"], seen.pop(_INHERITED, None)
    if inherited is not None and policy.status != TIMEOUT and not _policies(values["dmarc_record"]):
        seen["dmarc_record"] = policy if inherited.status == MISSING else inherited
    publish_seen(workspace, name, seen, _effective_policy(seen["dmarc_record"], values))


def _effective_policy(seen: Seen, values: Mapping[str, Sequence[str]]) -> str | None:
    """Return the DMARC policy (RFC 7489, 6.6.3), `none` if records are several or unknown, or None after a timeout."""
    if seen.status == TIMEOUT:
        return None
    own = _policies(values["dmarc_record"])
    found, tags = (own, ("p",)) if own else (_policies(values.get(_INHERITED, ())), ("sp", "p"))
    if len(found) != 1:
        return NO_POLICY
    record = _tags(found[0]) or {}
    return next((policy for tag in tags if (policy := record.get(tag, "").lower()) in POLICIES), NO_POLICY)


def compare(question: Question, answer: DnsAnswer) -> Seen:
    if answer.failure is not None:
        return Seen(MISSING if answer.failure == "missing" else TIMEOUT, answer.detail)
    return _COMPARISONS[question.record](question, answer.values)


def _compare_ownership(question: Question, values: Sequence[str]) -> Seen:
    if question.value in (value.strip() for value in values):
        return Seen(OK)
    codes = [value for value in values if value.lower().lstrip("\"' ").startswith("brevo")]
    if codes:
        return _wrong(question, codes)
    return Seen(MISSING, f"{question.name} has no TXT record that begins with 'brevo-code:'")


def _compare_key(question: Question, values: Sequence[str]) -> Seen:
    """Find the DKIM record, ignoring blanks and the order of tags (RFC 6376, 3.2)."""
    expected = _tags(question.value)
    return Seen(OK) if any(_tags(value) == expected for value in values) else _wrong(question, values)


def _compare_alias(question: Question, values: Sequence[str]) -> Seen:
    """Find a CNAME record's target, ignoring case and final dots."""
    names = [value.rstrip(".").lower() for value in (question.value, *values)]
    return Seen(OK) if names[0] in names[1:] else _wrong(question, values)


def _compare_policy(question: Question, values: Sequence[str]) -> Seen:
    """Find exactly one DMARC record with the tag `rua`; other tags may differ.

    Proposed, after https://help.brevo.com/hc/en-us/articles/10415456027666: a domain keeps its existing record.
    """
    policies = _policies(values)
    if len(policies) > 1:
        return Seen(WRONG, f"{question.name} has {len(policies)} DMARC records ({_quoted(policies)}), expected one")
    if not policies:
        return _wrong(question, values)
    if "rua" not in (_tags(policies[0]) or {}):
        return Seen(WRONG, f"{question.name} has {_quoted(policies)}, expected the tag rua as well")
    return Seen(OK)


_COMPARISONS = {
    "brevo_code": _compare_ownership,
    "dkim_record": _compare_key,
    "dkim1Record": _compare_alias,
    "dkim2Record": _compare_alias,
    "dmarc_record": _compare_policy,
    _INHERITED: _compare_policy,
}


def _wrong(question: Question, values: Sequence[str]) -> Seen:
    return Seen(WRONG, f"{question.name} has {_quoted(values)}, expected {question.value!r}")


def _quoted(values: Sequence[str]) -> str:
    shown = [
        repr(value if len(value) <= _SHOWN_CHARACTERS else f"{value[:_SHOWN_CHARACTERS]}…") for value in sorted(values)
    ]
    more = [f"{len(shown) - _SHOWN_VALUES} more"] if len(shown) > _SHOWN_VALUES else []
    return " and ".join([*shown[:_SHOWN_VALUES], *more])


def _policies(values: Sequence[str]) -> list[str]:
    """Return the DMARC records among the values of a name: the version comes first (RFC 7489, 6.3)."""
    tags = {value: _tags(value) or {} for value in values}
    return [
        value
        for value in values
        if next(iter(tags[value].items()), None) == ("v", "DMARC1") and tags[value].get("p", "").lower() in POLICIES
    ]


def _tags(value: str) -> dict[str, str] | None:
    """Return the tags of a list such as `a=b; c=d`, or None for malformed lists and duplicates."""
    parts = value.split(";")
    if not parts[-1].strip():
        parts.pop()  # the last tag may end with a semicolon as well
    pairs = ["".join(part.split()).partition("=") for part in parts]
    tags = {tag: content for tag, _, content in pairs}
    return tags if len(tags) == len(pairs) and all(tag and sign for tag, sign, _ in pairs) else None
