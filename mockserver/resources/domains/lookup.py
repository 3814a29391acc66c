"""A real DNS server's word on the records of a domain, held against those that the user was told to set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from mockserver.core.account import Account
from mockserver.core.workspace import Workspace
from mockserver.resources.domains import model
from mockserver.resources.domains.model import MISSING, OK, TIMEOUT, WRONG, Seen

#: How many values of a name are told, and how much of each.
_TOLD_VALUES, _TOLD_SIGNS = 4, 300
_POLICIES = ("none", "quarantine", "reject")


class Question(NamedTuple):
    """What is asked: which of the domain's records, its full name, its type and the value that it should have."""

    record: str
    name: str
    type: str
    value: str

    @property
    def asked(self) -> tuple[str, str]:
        """What a server is asked."""
        return self.name, self.type


class Found(Protocol):
    """The values of a name, or why there are none: `missing` or `timeout`."""

    @property
    def values(self) -> Sequence[str]: ...

    @property
    def failure(self) -> str | None: ...

    @property
    def told(self) -> str: ...


class Failed(NamedTuple):
    """What is found where nothing could be asked."""

    told: str
    values: Sequence[str] = ()
    failure: str | None = "timeout"


def questions(workspace: Workspace, account: Account, name: str) -> list[Question]:
    """What there is to ask about an account's domain; nothing, if it has none of that name."""
    domain = model.find(account, name)
    if domain is None:
        return []
    return [
        Question(key, model.full_name(record, domain), record.type, record.value)
        for key, record in model.records(workspace, domain).items()
    ]


def publish(workspace: Workspace, name: str, asked: Sequence[Question], found: Mapping[tuple[str, str], Found]) -> None:
    """Let the world's DNS say what the real one has said.

    A world has one DNS: of two accounts with one domain, the one that was looked up last counts.
    """
    if asked:
        seen = {question.record: judged(question, found[question.asked]) for question in asked}
        model.publish_seen(workspace, name, seen)


def judged(question: Question, found: Found) -> Seen:
    """What DNS says about a record."""
    if found.failure is not None:
        return Seen(MISSING if found.failure == "missing" else TIMEOUT, found.told)
    return _JUDGES[question.record](question, found.values)


# ---------------------------------------------------------------------- one judge for each record


def _ownership(question: Question, values: Sequence[str]) -> Seen:
    """The domain's own name has many TXT records (SPF, other services' codes), of which one has to be this."""
    if question.value in (value.strip() for value in values):
        return Seen(OK)
    codes = [value for value in values if value.lower().lstrip("\"' ").startswith("brevo")]
    if codes:
        return _wrong(question, codes)
    return Seen(MISSING, f"{question.name} has no TXT record that begins with 'brevo-code:'")


def _key(question: Question, values: Sequence[str]) -> Seen:
    """A DKIM record is a list of tags (RFC 6376, 3.2): blanks and their order make no difference."""
    wanted = _tags(question.value)
    return Seen(OK) if any(_tags(value) == wanted for value in values) else _wrong(question, values)


def _alias(question: Question, values: Sequence[str]) -> Seen:
    wanted = _host(question.value)
    return Seen(OK) if wanted in map(_host, values) else _wrong(question, values)


def _policy(question: Question, values: Sequence[str]) -> Seen:
    """Any good DMARC record will do, if it is the only one and has the tag `rua`.

    Proposed, after https://help.brevo.com/hc/en-us/articles/10415456027666: who has a record already keeps it.
    """
    policies = [value for value in values if _is_policy(value)]
    if len(policies) > 1:
        return Seen(WRONG, f"{question.name} has {len(policies)} DMARC records, {_told(policies)}, and may have one")
    if not policies:
        return _wrong(question, values)
    if "rua" not in (_tags(policies[0]) or {}):
        return Seen(WRONG, f"{question.name} has {_told(policies)}, and should have the tag rua as well")
    return Seen(OK)


_JUDGES = {
    "brevo_code": _ownership,
    "dkim_record": _key,
    "dkim1Record": _alias,
    "dkim2Record": _alias,
    "dmarc_record": _policy,
}


def _wrong(question: Question, values: Sequence[str]) -> Seen:
    return Seen(WRONG, f"{question.name} has {_told(values)}, and should have {question.value!r}")


def _told(values: Sequence[str]) -> str:
    shown = [repr(value if len(value) <= _TOLD_SIGNS else f"{value[:_TOLD_SIGNS]}…") for value in sorted(values)]
    more = [f"{len(shown) - _TOLD_VALUES} more"] if len(shown) > _TOLD_VALUES else []
    return " and ".join([*shown[:_TOLD_VALUES], *more])


def _host(name: str) -> str:
    """A name without what makes no difference in DNS."""
    return name.rstrip(".").lower()


def _is_policy(value: str) -> bool:
    """Whether a value is a DMARC record (RFC 7489, 6.3): the version comes first."""
    tags = _tags(value) or {}
    return next(iter(tags.items()), None) == ("v", "DMARC1") and tags.get("p", "").lower() in _POLICIES


def _tags(value: str) -> dict[str, str] | None:
    """The tags of `a=b; c=d`, without blanks; None, where it is no such list or one comes twice."""
    parts = value.split(";")
    if not parts[-1].strip():
        parts.pop()  # the last one may end with a sign as well
    pairs = ["".join(part.split()).partition("=") for part in parts]
    tags = {tag: content for tag, _, content in pairs}
    return tags if len(tags) == len(pairs) and all(tag and sign for tag, sign, _ in pairs) else None
