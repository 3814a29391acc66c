"""What a real DNS server says about the records of a domain, compared with those that the user was told to set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import registrable
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.dns_view import MISSING, NO_POLICY, OK, POLICIES, TIMEOUT, WRONG, Seen
from mockserver.resources.domains.domain import find
from mockserver.resources.domains.following import publish_seen
from mockserver.resources.domains.records import records

#: The name here of the registrable domain's DMARC record, which counts for a sub-domain without one of its own.
_INHERITED = "inherited_dmarc"
#: How many values of a name a detail quotes, and how many characters of each; chosen: enough to recognize a record.
_SHOWN_VALUES, _SHOWN_CHARACTERS = 4, 300


class Question(NamedTuple):
    """A question to a DNS server: which record of a domain, its full name, its type and the value that is wanted."""

    record: str
    name: str
    type: str
    value: str

    @property
    def asked(self) -> tuple[str, str]:
        """The name and type that the server is asked for; questions about several records may share them."""
        return self.name, self.type


class Found(Protocol):
    """The values that a server has given, or why there are none: `missing` or `timeout`, and a text that says more."""

    @property
    def values(self) -> Sequence[str]: ...

    @property
    def failure(self) -> str | None: ...

    @property
    def detail(self) -> str: ...


class Failed(NamedTuple):
    """What is found if no server could be asked."""

    detail: str
    values: Sequence[str] = ()
    failure: str | None = "timeout"


def questions(workspace: Workspace, account: Account, name: str) -> list[Question]:
    """What a server is to be asked about an account's domain; nothing if the account has no domain of that name."""
    domain = find(account, name)
    if domain is None:
        return []
    wanted = records(workspace, domain)
    found = [Question(key, record.full_name, record.type, record.value) for key, record in wanted.items()]
    top, policy = registrable(domain.name), wanted["dmarc_record"]
    if top != domain.name:
        found.append(Question(_INHERITED, f"_dmarc.{top}", policy.type, policy.value))
    return found


def publish(workspace: Workspace, name: str, asked: Sequence[Question], found: Mapping[tuple[str, str], Found]) -> None:
    """Let the workspace's DNS say about a domain what a real server has said, by the questions that it was asked.

    A workspace has one DNS: the latest look-up counts for all accounts that have the domain.
    """
    if not asked:
        return
    seen = {question.record: judged(question, found[question.asked]) for question in asked}
    values = {question.record: found[question.asked].values for question in asked}
    inherited = seen.pop(_INHERITED, None)
    if inherited is not None and seen["dmarc_record"].status != TIMEOUT and not _policies(values["dmarc_record"]):
        own = seen["dmarc_record"]
        seen["dmarc_record"] = own if inherited.status == MISSING else inherited
    publish_seen(workspace, name, seen, _effective_policy(seen["dmarc_record"], values))


def _effective_policy(judgement: Seen, values: Mapping[str, Sequence[str]]) -> str | None:
    """The DMARC policy that counts for a domain (RFC 7489, 6.6.3), or None if DNS gave no answer about it.

    The policy is `none` if there are several DMARC records, or if the record asks for a policy that is unknown.
    """
    if judgement.status == TIMEOUT:
        return None
    own, inherited = _policies(values["dmarc_record"]), _policies(values.get(_INHERITED, ()))
    if own:
        return _policy_of(own, "p")
    return _policy_of(inherited, "sp", "p")


def _policy_of(records: Sequence[str], *tags: str) -> str:
    if len(records) != 1:
        return NO_POLICY
    found = _tags(records[0]) or {}
    said = (found.get(tag, "").lower() for tag in tags)
    return next((policy for policy in said if policy in POLICIES), NO_POLICY)


def judged(question: Question, found: Found) -> Seen:
    """What DNS says about a record, by what a server was asked and what it has given."""
    if found.failure is not None:
        return Seen(MISSING if found.failure == "missing" else TIMEOUT, found.detail)
    return _JUDGEMENTS[question.record](question, found.values)


# ---------------------------------------------------------------------- one judgement for each record


def _ownership(question: Question, values: Sequence[str]) -> Seen:
    """Whether one of the domain's TXT records is the ownership record; others are for SPF or other services."""
    if question.value in (value.strip() for value in values):
        return Seen(OK)
    codes = [value for value in values if value.lower().lstrip("\"' ").startswith("brevo")]
    if codes:
        return _wrong(question, codes)
    return Seen(MISSING, f"{question.name} has no TXT record that begins with 'brevo-code:'")


def _key(question: Question, values: Sequence[str]) -> Seen:
    """Whether a value is the DKIM record: a list of tags, whose blanks and order do not matter (RFC 6376, 3.2)."""
    wanted = _tags(question.value)
    return Seen(OK) if any(_tags(value) == wanted for value in values) else _wrong(question, values)


def _alias(question: Question, values: Sequence[str]) -> Seen:
    """Whether a value is the name to which the CNAME record should lead."""
    wanted = _host(question.value)
    return Seen(OK) if wanted in map(_host, values) else _wrong(question, values)


def _policy(question: Question, values: Sequence[str]) -> Seen:
    """Whether there is exactly one DMARC record and it has the tag `rua`; it need not be the proposed one.

    Proposed, after https://help.brevo.com/hc/en-us/articles/10415456027666: a domain keeps a record that it has.
    """
    policies = _policies(values)
    if len(policies) > 1:
        return Seen(WRONG, f"{question.name} has {len(policies)} DMARC records ({_quoted(policies)}), expected one")
    if not policies:
        return _wrong(question, values)
    if "rua" not in (_tags(policies[0]) or {}):
        return Seen(WRONG, f"{question.name} has {_quoted(policies)}, expected the tag rua as well")
    return Seen(OK)


_JUDGEMENTS = {
    "brevo_code": _ownership,
    "dkim_record": _key,
    "dkim1Record": _alias,
    "dkim2Record": _alias,
    "dmarc_record": _policy,
    _INHERITED: _policy,
}


def _wrong(question: Question, values: Sequence[str]) -> Seen:
    return Seen(WRONG, f"{question.name} has {_quoted(values)}, expected {question.value!r}")


def _quoted(values: Sequence[str]) -> str:
    shown = [
        repr(value if len(value) <= _SHOWN_CHARACTERS else f"{value[:_SHOWN_CHARACTERS]}…") for value in sorted(values)
    ]
    more = [f"{len(shown) - _SHOWN_VALUES} more"] if len(shown) > _SHOWN_VALUES else []
    return " and ".join([*shown[:_SHOWN_VALUES], *more])


def _host(name: str) -> str:
    """A name in lower case, without a final dot: DNS makes no difference."""
    return name.rstrip(".").lower()


def _policies(values: Sequence[str]) -> list[str]:
    """The DMARC records among the values of a name."""
    return [value for value in values if _is_policy(value)]


def _is_policy(value: str) -> bool:
    """Whether a value is a DMARC record (RFC 7489, 6.3): the version comes first."""
    tags = _tags(value) or {}
    return next(iter(tags.items()), None) == ("v", "DMARC1") and tags.get("p", "").lower() in POLICIES


def _tags(value: str) -> dict[str, str] | None:
    """The tags of a list such as `a=b; c=d`, without blanks, or None if it is no such list or a tag comes twice."""
    parts = value.split(";")
    if not parts[-1].strip():
        parts.pop()  # the last tag may end with a semicolon as well
    pairs = ["".join(part.split()).partition("=") for part in parts]
    tags = {tag: content for tag, _, content in pairs}
    return tags if len(tags) == len(pairs) and all(tag and sign for tag, sign, _ in pairs) else None
