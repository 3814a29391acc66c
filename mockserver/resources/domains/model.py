"""Sender domains: DNS records to set, what DNS says of them, and authentication (SPEC 3.2, ledger 1.8)."""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from mockserver.core import facts
from mockserver.core.account import Account
from mockserver.core.caller import Caller
from mockserver.core.errors import DNS_NOT_CONFIGURED, DOCUMENT_NOT_FOUND, DOMAIN_EXISTS
from mockserver.core.lifecycle import Lifecycle
from mockserver.core.state_machine import OUTSIDE, StateMachine
from mockserver.core.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp

PENDING, VERIFIED, AUTHENTICATED = "pending", "verified", "authenticated"
OK, MISSING, WRONG, TIMEOUT = "ok", "missing", "wrong", "timeout"

#: What DNS can say about one record.
ANSWERS = (OK, MISSING, WRONG, TIMEOUT)
#: The records that a domain needs, as the control API and scenarios name them.
RECORDS = ("brevo_code", "dkim_record", "dmarc_record")

MACHINE = StateMachine(
    "domain",
    ("create", OUTSIDE, PENDING),
    ("verify_ownership", PENDING, VERIFIED),
    ("dns_published", PENDING, VERIFIED),
    ("dns_published", VERIFIED, VERIFIED),
    ("authenticate", VERIFIED, AUTHENTICATED),
    ("authenticate", AUTHENTICATED, AUTHENTICATED),
    ("dns_broken", VERIFIED, PENDING),
    ("dns_broken", AUTHENTICATED, VERIFIED),
    ("delete", PENDING, OUTSIDE),
    ("delete", VERIFIED, OUTSIDE),
    ("delete", AUTHENTICATED, OUTSIDE),
)


class Seen(NamedTuple):
    """What a real DNS server has said about one record, and how it failed in words."""

    status: str
    told: str = ""


@dataclass(slots=True, eq=False)
class DnsView:
    """What the world's DNS says about a domain's records; a row of the workspace."""

    brevo_code: str = MISSING
    dkim_record: str = MISSING
    dmarc_record: str = MISSING
    #: What the last look-up at a real server has seen, by the records' names on the wire; no part of a written state.
    seen: dict[str, Seen] = field(default_factory=dict)

    @property
    def published(self) -> bool:
        return self.brevo_code == self.dkim_record == self.dmarc_record == OK

    def says(self, name: str) -> str:
        """What DNS says about a record by its name on the wire."""
        return self.seen[name].status if name in self.seen else str(getattr(self, _member(name)))


def _member(name: str) -> str:
    """Under which of `RECORDS` a record goes: the two CNAME records share the one for DKIM."""
    return name if name in RECORDS else "dkim_record"


@dataclass(slots=True, eq=False)
class Domain:
    """A sender domain of an account."""

    name: str
    number: int
    created_at: datetime
    creator: str
    #: The 32 hexadecimal digits behind `brevo-code:`.
    code: str
    #: The public key of the DKIM record, base64.
    dkim_key: str
    provider: str = "Other"
    state: str = PENDING
    #: Since when all records are right; None while one is not.
    published_at: datetime | None = None
    #: How often authentication was asked for while all records were right.
    attempts: int = 0

    @property
    def id(self) -> str:
        """24 decimal digits, which every generation of client libraries can read (ledger 2.8)."""
        return f"65{self.number:022d}"


class DnsRecord(NamedTuple):
    """A record that the service tells its user to set."""

    type: str
    value: str
    host_name: str
    status: bool


DOMAIN = Lifecycle(MACHINE, Domain, key="name", parse=str.lower)


def records(workspace: Workspace, domain: Domain) -> dict[str, DnsRecord]:
    """The records of a domain by the name that they have on the wire."""
    view = dns_view(workspace, domain.name)
    ownership = DnsRecord("TXT", f"brevo-code:{domain.code}", "@", view.brevo_code == OK)
    dmarc = DnsRecord("TXT", "v=DMARC1; p=none; rua=mailto:rua@dmarc.brevo.com", "_dmarc", view.dmarc_record == OK)
    return {**_dkim(workspace, domain, view), "brevo_code": ownership, "dmarc_record": dmarc}


def _dkim(workspace: Workspace, domain: Domain, view: DnsView) -> dict[str, DnsRecord]:
    if workspace.behaviour.dkim == "txt":
        value = f"v=DKIM1; k=rsa; p={domain.dkim_key}"
        return {"dkim_record": DnsRecord("TXT", value, "mail._domainkey", view.dkim_record == OK)}
    dashed = domain.name.replace(".", "-")
    pairs = ((f"dkim{n}Record", f"b{n}.{dashed}.dkim.brevo.com", f"brevo{n}._domainkey") for n in (1, 2))
    return {name: DnsRecord("CNAME", value, host, view.says(name) == OK) for name, value, host in pairs}


def dns_view(workspace: Workspace, name: str) -> DnsView:
    """What DNS says about a domain; nothing, until somebody publishes something."""
    return workspace.table(DnsView).get(name) or DnsView()


def is_verified(workspace: Workspace, domain: Domain) -> bool:
    """Whether the ownership record is seen, whatever the state says (DESIGN 5)."""
    return dns_view(workspace, domain.name).brevo_code == OK


def find(account: Account, name: str) -> Domain | None:
    return account.table(Domain).get(name.lower())


def find_for_email(account: Account, email: str) -> Domain | None:
    """The account's domain that an address belongs to."""
    return find(account, email.rpartition("@")[2])


def get(caller: Caller, name: str) -> Domain:
    domain = find(caller.account, name)
    if domain is None:
        raise DOCUMENT_NOT_FOUND("Domain does not exist").because(facts.absent(caller, "domain", Domain, name.lower()))
    return domain


def dedicated_ip(account: Account, domain: Domain) -> str | None:
    """The dedicated IP that sends for a domain."""
    ips = account.table(DedicatedIp).values()
    return next((row.ip for row in ips if row.domain.lower().endswith(domain.name)), None)


def create(caller: Caller, name: str) -> Domain:
    workspace, account = caller.workspace, caller.account
    known = find(account, name)
    if known is not None:
        since = f"{known.state}, since {facts.instant(known.created_at)}"
        raise DOMAIN_EXISTS().because(f"account {account.name} has the domain {facts.shown(known.name)}, {since}")
    domain = new(workspace, account, name.lower())
    DOMAIN.begin(workspace, account, domain)
    _follow(workspace, account, domain)
    return domain


def new(workspace: Workspace, account: Account, name: str) -> Domain:
    """A domain with a number, a code and a key of its own, not yet in its table."""
    return Domain(
        name=name,
        number=workspace.next_id("domain"),
        created_at=workspace.clock.now(),
        creator=account.email,
        code=workspace.random.hex("brevo_code", 32),
        dkim_key=draw_dkim_key(workspace),
    )


def draw_dkim_key(workspace: Workspace) -> str:
    """Base64 that looks like an RSA public key of 1,024 bits; nothing here signs, so it needs no other half."""
    base64 = string.ascii_letters + string.digits + "+/"
    body = workspace.random.text("dkim", 85, base64) + workspace.random.text("dkim", 85, base64)
    return f"MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ{body}IDAQAB"


def delete(caller: Caller, name: str) -> None:
    DOMAIN.fire(caller.workspace, caller.account, get(caller, name), "delete")


def authenticate(caller: Caller, name: str) -> Domain:
    """Authenticate a domain whose records are all right; one that is authenticated stays so.

    Raises:
        ServiceError: 404; 400 `DNS records not properly configured`, with the records that are not right.
    """
    domain = get(caller, name)
    view = dns_view(caller.workspace, domain.name)
    wrong = [f"{record} is {getattr(view, record)}" for record in RECORDS if getattr(view, record) != OK]
    if wrong:
        refused = DNS_NOT_CONFIGURED(f"{DNS_NOT_CONFIGURED.message}: {', '.join(wrong)}")
        raise refused.because(_what_is_wrong(caller.workspace, domain, view))
    if domain.state != AUTHENTICATED:
        domain.attempts += 1
        _await_propagation(caller.workspace, domain)
    DOMAIN.fire(caller.workspace, caller.account, domain, "authenticate")
    return domain


def _what_is_wrong(workspace: Workspace, domain: Domain, view: DnsView) -> str:
    """What DNS says instead of the records that it should have."""
    wrong = [
        f"{name} ({record.type} {full_name(record, domain)}) is {view.says(name)}"
        for name, record in records(workspace, domain).items()
        if not record.status
    ]
    told = "".join(f"; {words}" for words in dict.fromkeys(seen.told for seen in view.seen.values()) if words)
    return f"domain {domain.name} is {domain.state}, and in DNS its {', '.join(wrong)}{told}"


def full_name(record: DnsRecord, domain: Domain) -> str:
    """The whole name under which DNS has a record."""
    return domain.name if record.host_name == "@" else f"{record.host_name}.{domain.name}"


def _await_propagation(workspace: Workspace, domain: Domain) -> None:
    """Refuse what `behaviour.authenticate_domain` says is too early."""
    rule = workspace.behaviour.authenticate_domain
    if rule.attempts is not None and domain.attempts < rule.attempts:
        reason = f"this is try {domain.attempts} for domain {domain.name}, and {rule.attempts} are needed"
        refused = DNS_NOT_CONFIGURED(f"{DNS_NOT_CONFIGURED.message}: not seen yet, try {domain.attempts}")
        raise refused.because(f"{reason} (behaviour.authenticate_domain)")
    since = domain.published_at or domain.created_at
    if rule.after is not None and workspace.clock.now() < since + rule.after:
        refused = DNS_NOT_CONFIGURED(f"{DNS_NOT_CONFIGURED.message}: published at {since:%H:%M:%S}Z, not seen yet")
        seen = f"published at {facts.instant(since)}, are seen at {facts.instant(since + rule.after)}"
        reason = f"the records of domain {domain.name}, {seen} (behaviour.authenticate_domain)"
        raise refused.because(f"{reason}; {facts.clock(workspace)}")


def publish_dns(workspace: Workspace, name: str, answers: dict[str, str]) -> DnsView:
    """Let DNS say something else about a domain; the domains of that name follow at once."""
    view = workspace.table(DnsView).setdefault(name.lower(), DnsView())
    for record, answer in answers.items():
        setattr(view, record, answer)
    view.seen = {record: seen for record, seen in view.seen.items() if _member(record) not in answers}
    follow_dns(workspace, name.lower())
    return view


def publish_seen(workspace: Workspace, name: str, seen: dict[str, Seen]) -> None:
    """Let DNS say what a real server has said; of two records that share an answer, one that is not right decides."""
    answers: dict[str, str] = {}
    for record, answer in seen.items():
        if answers.get(_member(record), OK) == OK:
            answers[_member(record)] = answer.status
    publish_dns(workspace, name, answers).seen = seen


def follow_dns(workspace: Workspace, name: str) -> None:
    """Bring the states of a domain, in whichever accounts it stands, into line with DNS."""
    for account, domain in _named(workspace, name):
        _follow(workspace, account, domain)


def _named(workspace: Workspace, name: str) -> Iterator[tuple[Account, Domain]]:
    for account in workspace.accounts.values():
        domain = account.table(Domain).get(name)
        if domain is not None:
            yield account, domain


def _follow(workspace: Workspace, account: Account, domain: Domain) -> None:
    view = dns_view(workspace, domain.name)
    signed = view.dkim_record == view.dmarc_record == OK
    if not view.published:
        domain.published_at = None
    if domain.state == AUTHENTICATED and not signed:
        DOMAIN.fire(workspace, account, domain, "dns_broken")
    if domain.state == VERIFIED and view.brevo_code != OK:
        DOMAIN.fire(workspace, account, domain, "dns_broken")
    elif domain.state != AUTHENTICATED and view.published and domain.published_at is None:
        DOMAIN.fire(workspace, account, domain, "dns_published")
    elif domain.state == PENDING and view.brevo_code == OK:
        DOMAIN.fire(workspace, account, domain, "verify_ownership")


@DOMAIN.on("verify_ownership")
def _own(workspace: Workspace, account: Account, domain: Domain) -> None:
    _agree(workspace, domain, brevo_code=OK)


@DOMAIN.on("dns_published", "authenticate")
def _publish(workspace: Workspace, account: Account, domain: Domain) -> None:
    if domain.published_at is None:
        domain.published_at = workspace.clock.now()
    _agree(workspace, domain, **dict.fromkeys(RECORDS, OK))


@DOMAIN.on("dns_broken")
def _break(workspace: Workspace, account: Account, domain: Domain) -> None:
    domain.attempts = 0
    view = dns_view(workspace, domain.name)
    if domain.state == PENDING and view.brevo_code == OK:
        _agree(workspace, domain, brevo_code=MISSING)
    elif domain.state == VERIFIED and view.dkim_record == view.dmarc_record == OK:
        _agree(workspace, domain, dkim_record=MISSING)


@DOMAIN.on("delete")
def _withdraw(workspace: Workspace, account: Account, domain: Domain) -> None:
    # What was published proves a code that is gone with the domain.
    if not any(_named(workspace, domain.name)):
        workspace.table(DnsView).pop(domain.name, None)


def _agree(workspace: Workspace, domain: Domain, **answers: str) -> None:
    """An event fired by hand happens to DNS as well, so that state and records never contradict each other."""
    view = dns_view(workspace, domain.name)
    if any(getattr(view, record) != answer for record, answer in answers.items()):
        publish_dns(workspace, domain.name, answers)
