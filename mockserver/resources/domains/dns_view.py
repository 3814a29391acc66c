"""What a workspace's DNS says about the records of domains (contract/domains#authentication)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mockserver.core.text.addresses import parents, registrable
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.free_mail import FREE_MAIL

OK, MISSING, WRONG, TIMEOUT = "ok", "missing", "wrong", "timeout"
#: What DNS can say about one record.
ANSWERS = (OK, MISSING, WRONG, TIMEOUT)
#: The records that a domain needs, as the control API and scenarios name them.
RECORDS = ("brevo_code", "dkim_record", "dmarc_record")
#: What the DMARC record of a domain can ask receivers to do with a mail that the domain has not signed (RFC 7489, 6.3).
POLICIES = ("none", "quarantine", "reject")
#: That receivers shall do nothing.
NO_POLICY = POLICIES[0]


class Seen(NamedTuple):
    """What a real DNS server has said about one record: one of `ANSWERS`, and a text that says what is wrong."""

    status: str
    #: Empty if nothing is wrong.
    detail: str = ""


@dataclass(slots=True, eq=False)
class DnsView:
    """What the workspace's DNS says about a domain's records; a row of the workspace."""

    brevo_code: str = MISSING
    dkim_record: str = MISSING
    dmarc_record: str = MISSING
    #: One of `POLICIES`; None: the policy of the registrable domain counts.
    dmarc_policy: str | None = None
    #: Whether a provider of free mailboxes has the domain, so that no user can set its records.
    free_mail: bool = False
    #: What the last look-up at a real server has found, by the records' names on the wire; a written state omits it.
    seen: dict[str, Seen] = field(default_factory=dict)

    @property
    def published(self) -> bool:
        """Whether all records are right."""
        return self.brevo_code == self.dkim_record == self.dmarc_record == OK

    def says(self, name: str) -> str:
        """One of `ANSWERS` for the record with this name on the wire."""
        return self.seen[name].status if name in self.seen else str(getattr(self, member_of(name)))


def member_of(name: str) -> str:
    """Which of `RECORDS` has the answer for a record with this name on the wire: DKIM's also for both CNAME records."""
    return name if name in RECORDS else "dkim_record"


def dns_view(workspace: Workspace, name: str) -> DnsView:
    """What DNS says about the records of a domain: that all are missing, until an answer is set."""
    return workspace.state.table(DnsView).get(name) or DnsView(free_mail=gives_mailboxes(name))


def gives_mailboxes(name: str) -> bool:
    """Whether a domain is one of a provider of free mailboxes, or below one."""
    return registrable(name) in FREE_MAIL


def dmarc_policy(workspace: Workspace, name: str) -> str:
    """The DMARC policy of a domain: its own, else that of its registrable domain, else `none` (RFC 7489, 6.6.3)."""
    views = workspace.state.table(DnsView)
    for candidate in (name, *parents(name)):
        policy = views[candidate].dmarc_policy if candidate in views else None
        if policy is not None and candidate in (name, registrable(name)):
            return policy
    return NO_POLICY


def set_answers(workspace: Workspace, name: str, answers: Mapping[str, str]) -> DnsView:
    """Set some members of what DNS says about a domain; returns the view. The states of domains do not follow yet."""
    view = workspace.state.table(DnsView).setdefault(name, dns_view(workspace, name))
    for member, answer in answers.items():
        setattr(view, member, answer)
    view.seen = {record: seen for record, seen in view.seen.items() if member_of(record) not in answers}
    return view
