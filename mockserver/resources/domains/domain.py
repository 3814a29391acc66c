"""Sender domains, the DNS records that they need, and what DNS says about these records (contract/domains)."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form, parents, registrable, unicode_form
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.workspace import Workspace

PENDING, VERIFIED, AUTHENTICATED = "pending", "verified", "authenticated"
MACHINE = StateMachine(
    "domain",
    ("create", ABSENT, PENDING),
    ("verify_ownership", PENDING, VERIFIED),
    ("dns_published", PENDING, VERIFIED),
    ("dns_published", VERIFIED, VERIFIED),
    ("authenticate", VERIFIED, AUTHENTICATED),
    ("authenticate", AUTHENTICATED, AUTHENTICATED),
    ("dns_broken", VERIFIED, PENDING),
    ("dns_broken", AUTHENTICATED, VERIFIED),
    ("delete", PENDING, ABSENT),
    ("delete", VERIFIED, ABSENT),
    ("delete", AUTHENTICATED, ABSENT),
)
#: What DNS can say about one record.
ANSWERS = OK, MISSING, WRONG, TIMEOUT = "ok", "missing", "wrong", "timeout"
#: The records that a domain needs, as the control API and scenarios name them.
RECORDS = ("brevo_code", "dkim_record", "dmarc_record")
#: What a DMARC record can ask receivers to do with unsigned mail (RFC 7489, 6.3); `NO_POLICY` asks for nothing.
POLICIES = ("none", "quarantine", "reject")
NO_POLICY = POLICIES[0]


@dataclass(slots=True, eq=False)
class Domain:
    name: str
    number: int
    created_at: datetime
    creator: str
    #: The 32 hexadecimal digits that follow `brevo-code:` in the record that proves ownership.
    code: str
    #: The public key of the DKIM record, base64.
    dkim_key: str
    provider: str = "Other"
    state: str = PENDING
    #: When all records became right; None while a record is not right.
    published_at: datetime | None = None
    #: How many requests for authentication came while all records were right, until it succeeded.
    attempts: int = 0

    @property
    def id(self) -> str:
        """The id on the wire: 24 decimal digits, which all client libraries can read (contract/domains#getDomains)."""
        return f"65{self.number:022d}"

    @property
    def verified(self) -> bool:
        """Whether DNS proves ownership; an authenticated domain is verified (contract/domains#authentication)."""
        return self.state != PENDING

    @property
    def authenticated(self) -> bool:
        return self.state == AUTHENTICATED


@dataclass(slots=True)
class BrevoCode:
    """The 32 hexadecimal digits that prove ownership of an account's domains; one record per account."""

    digits: str | None = None


def find(account: Account, name: str) -> Domain | None:
    """Return the account's domain, or None; any spelling matches."""
    return account.table(Domain).get(ascii_form(name))


def named(workspace: Workspace, names: Collection[str]) -> Iterator[tuple[Account, Domain]]:
    """Yield domains by name across accounts, looping over names or rows, whichever are fewer."""
    for number, rows in workspace.state.tables(Domain) if names else ():
        for name in list(names) if len(names) < len(rows) else [name for name in rows if name in names]:
            if name in rows:
                account = workspace.state.accounts[number]
                yield account, account.table(Domain)[name]


def new(workspace: Workspace, account: Account, name: str) -> Domain:
    """Return a domain with new number, code and DKIM key, not yet in its table."""
    return Domain(
        name=name,
        number=workspace.state.next_id("domain"),
        created_at=workspace.state.clock.now(),
        creator=account.email,
        code=_brevo_code(workspace, account),
        dkim_key=_draw_dkim_key(workspace),
    )


def _brevo_code(workspace: Workspace, account: Account) -> str:
    """Return the account's digits, or new ones with `behaviour.brevo_code: domain` (contract/domains#records)."""
    if workspace.state.behaviour.brevo_code == "domain":
        return workspace.state.random.hex("brevo_code", 32)
    code = account.record(BrevoCode)
    if code.digits is None:
        code.digits = workspace.state.random.hex("brevo_code", 32)
    return code.digits


def _draw_dkim_key(workspace: Workspace) -> str:
    """Return base64 that looks like an RSA public key of 1,024 bits; no private key exists, as nothing is signed."""
    base64 = string.ascii_letters + string.digits + "+/"
    body = workspace.state.random.text("dkim", 85, base64) + workspace.state.random.text("dkim", 85, base64)
    return f"MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ{body}IDAQAB"


class Seen(NamedTuple):
    """A look-up result of one record: one of `ANSWERS`, with details of a mistake."""

    status: str
    detail: str = ""


@dataclass(slots=True, eq=False)
class DnsView:
    """The workspace's DNS answers about one domain; a workspace row."""

    brevo_code: str = MISSING
    dkim_record: str = MISSING
    dmarc_record: str = MISSING
    #: One of `POLICIES`; None: the policy of the registrable domain counts.
    dmarc_policy: str | None = None
    #: Whether a provider of free mailboxes owns the domain, so that no user can set its records.
    free_mail: bool = False
    #: Results of the last look-up at a real server, by the records' names on the wire; a written state omits them.
    seen: dict[str, Seen] = field(default_factory=dict)

    @property
    def published(self) -> bool:
        return self.brevo_code == self.dkim_record == self.dmarc_record == OK

    def answer(self, name: str) -> str:
        return self.seen[name].status if name in self.seen else str(getattr(self, member_of(name)))


def member_of(name: str) -> str:
    """Return a wire name's member of `RECORDS`; both CNAME records share `dkim_record`."""
    return name if name in RECORDS else "dkim_record"


def dns_view(workspace: Workspace, name: str) -> DnsView:
    return workspace.state.table(DnsView).get(name) or DnsView(free_mail=gives_mailboxes(name))


def set_answers(workspace: Workspace, name: str, answers: Mapping[str, str]) -> DnsView:
    """Set members of a domain's DNS view and return it, leaving domain states unchanged."""
    view = workspace.state.table(DnsView).setdefault(name, dns_view(workspace, name))
    for member, answer in answers.items():
        setattr(view, member, answer)
    view.seen = {record: seen for record, seen in view.seen.items() if member_of(record) not in answers}
    return view


def gives_mailboxes(name: str) -> bool:
    """Return whether a free mailbox provider owns the registrable domain.

    The service says that such a domain can be added and never authenticated, and names gmail.com, yahoo.com and
    orange.fr as examples: https://help.brevo.com/hc/en-us/articles/16045394674066. It publishes no list. free_mail.txt
    lists the domains that the providers offer or offered on their pages for new mailboxes.
    """
    return registrable(name) in _free_mail()


@cache
def _free_mail() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("free_mail.txt").read_text(encoding="ascii").split())


def dmarc_policy(workspace: Workspace, name: str) -> str:
    """Return a domain's DMARC policy, defaulting to the registrable domain's, then `none` (RFC 7489, 6.6.3)."""
    views = workspace.state.table(DnsView)
    for candidate in (name, *parents(name)):
        policy = views[candidate].dmarc_policy if candidate in views else None
        if policy is not None and candidate in (name, registrable(name)):
            return policy
    return NO_POLICY


def known_names(workspace: Workspace, part: str = "") -> list[str]:
    """Return the names of accounts' domains and of DNS views that contain `part`, in any spelling, unordered."""
    found = dict.fromkeys(workspace.state.rows_of(DnsView))
    for _, rows in workspace.state.tables(Domain):
        found |= dict.fromkeys(rows)
    if not part:
        return list(found)
    lowered, encoded = part.strip().lower(), ascii_form(part)
    if part.isascii():
        return [name for name in found if lowered in name]
    # The ASCII form of a part of a label is no part of the label's ASCII form.
    return [name for name in found if encoded in name or lowered in unicode_form(name)]
