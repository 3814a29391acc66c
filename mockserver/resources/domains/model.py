"""Sender domains: DNS records to set, what DNS says of them, and authentication (SPEC 3.2, ledger 1.8)."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from mockserver.core.contract.errors import DNS_NOT_CONFIGURED, DOCUMENT_NOT_FOUND, DOMAIN_EXISTS
from mockserver.core.state import reasons
from mockserver.core.state.account import Account
from mockserver.core.text.domain_name import ascii_form, below_registrable, domain_of, parents, registrable
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp
from mockserver.resources.domains.free_mail import FREE_MAIL

PENDING, VERIFIED, AUTHENTICATED = "pending", "verified", "authenticated"
OK, MISSING, WRONG, TIMEOUT = "ok", "missing", "wrong", "timeout"

#: What DNS can say about one record.
ANSWERS = (OK, MISSING, WRONG, TIMEOUT)
#: The records that a domain needs, as the control API and scenarios name them.
RECORDS = ("brevo_code", "dkim_record", "dmarc_record")
#: What a domain's DMARC record can ask of those who receive a mail that is not its own (RFC 7489, 6.3).
POLICIES = NO_POLICY, QUARANTINE, REJECT = ("none", "quarantine", "reject")

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


class Seen(NamedTuple):
    """What a real DNS server has said about one record, and how it failed in words."""

    status: str
    told: str = ""


@dataclass(slots=True, eq=False)
class DnsView:
    """What the workspace's DNS says about a domain's records; a row of the workspace."""

    brevo_code: str = MISSING
    dkim_record: str = MISSING
    dmarc_record: str = MISSING
    #: One of `POLICIES`; None: that of the registrable domain counts.
    dmarc_policy: str | None = None
    #: Whether a provider of free mailboxes has the domain, so that no user can set its records.
    free_mail: bool = False
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
    #: Relative to the registrable domain, where its user has a zone.
    host_name: str
    status: bool
    #: The whole name under which DNS has it.
    full_name: str


@dataclass(slots=True)
class BrevoCode:
    """The 32 hexadecimal digits that prove an account's domains; one record of each account."""

    digits: str | None = None


DOMAIN = Lifecycle(MACHINE, Domain, key="name", parse=ascii_form)


def records(workspace: Workspace, domain: Domain) -> dict[str, DnsRecord]:
    """The records of a domain by the name that they have on the wire."""
    view = dns_view(workspace, domain.name)
    code, policy = f"brevo-code:{domain.code}", "v=DMARC1; p=none; rua=mailto:rua@dmarc.brevo.com"
    label = below_registrable(domain.name)
    return {
        **_dkim(workspace, domain, view),
        "brevo_code": DnsRecord("TXT", code, label or "@", view.brevo_code == OK, domain.name),
        "dmarc_record": DnsRecord(
            "TXT", policy, _below("_dmarc", label), view.dmarc_record == OK, f"_dmarc.{domain.name}"
        ),
    }


def _dkim(workspace: Workspace, domain: Domain, view: DnsView) -> dict[str, DnsRecord]:
    """The key, or the two names that lead to it; recorded answers leave the label of a sub-domain out (ledger 1.8)."""
    labelled = workspace.state.behaviour.subdomain_dkim_host == "labelled"
    label = below_registrable(domain.name) if labelled else ""

    def record(kind: str, value: str, selector: str, name: str) -> DnsRecord:
        host = f"{selector}._domainkey"
        return DnsRecord(kind, value, _below(host, label), view.says(name) == OK, f"{host}.{domain.name}")

    if workspace.state.behaviour.dkim == "txt":
        return {"dkim_record": record("TXT", f"v=DKIM1; k=rsa; p={domain.dkim_key}", "mail", "dkim_record")}
    dashed = domain.name.replace(".", "-")
    pairs = ((f"dkim{n}Record", f"b{n}.{dashed}.dkim.brevo.com", f"brevo{n}") for n in (1, 2))
    return {name: record("CNAME", value, selector, name) for name, value, selector in pairs}


def _below(host: str, label: str) -> str:
    return f"{host}.{label}" if label else host


def dns_view(workspace: Workspace, name: str) -> DnsView:
    """What DNS says about a domain; nothing, until somebody publishes something."""
    return workspace.state.table(DnsView).get(name) or DnsView(free_mail=_gives_mailboxes(name))


def _gives_mailboxes(name: str) -> bool:
    return registrable(name) in FREE_MAIL


def dmarc_policy(workspace: Workspace, name: str) -> str:
    """The policy of a domain; one that has none of its own has that of its registrable domain (RFC 7489, 6.6.3)."""
    views = workspace.state.table(DnsView)
    for candidate in (name, *parents(name)):
        policy = views[candidate].dmarc_policy if candidate in views else None
        if policy is not None and candidate in (name, registrable(name)):
            return policy
    return NO_POLICY


def is_verified(workspace: Workspace, domain: Domain) -> bool:
    """Whether the ownership record is seen, whatever the state says (DESIGN 5)."""
    view = workspace.state.table(DnsView).get(domain.name)
    return view is not None and view.brevo_code == OK


def find(account: Account, name: str) -> Domain | None:
    """The account's domain of this name, however it is spelled."""
    return account.table(Domain).get(ascii_form(name))


def find_for_email(account: Account, email: str) -> Domain | None:
    """The account's domain that an address belongs to."""
    return find(account, domain_of(email))


def get(caller: Caller, name: str) -> Domain:
    domain = find(caller.account, name)
    if domain is None:
        raise DOCUMENT_NOT_FOUND("Domain does not exist").because(
            reasons.absent(caller.workspace.state, caller.account, "domain", Domain, ascii_form(name))
        )
    return domain


def dedicated_ips(account: Account) -> dict[str, str]:
    """The dedicated IPs that send for an account's domains, by their names; of several the first one."""
    domains, found = account.table(Domain), dict[str, str]()
    for row in account.table(DedicatedIp).values():
        for candidate in (row.domain, *parents(row.domain)):
            if candidate in domains:
                found.setdefault(candidate, row.ip)
    return found


def create(caller: Caller, name: str) -> Domain:
    workspace, account = caller.workspace, caller.account
    known = find(account, name)
    if known is not None:
        since = f"{known.state}, since {reasons.instant(known.created_at)}"
        raise DOMAIN_EXISTS().because(f"account {account.name} has the domain {reasons.shown(known.name)}, {since}")
    domain = new(workspace, account, ascii_form(name))
    DOMAIN.begin(workspace, account, domain)
    _follow(workspace, account, domain)
    return domain


def new(workspace: Workspace, account: Account, name: str) -> Domain:
    """A domain with a number, a code and a key of its own, not yet in its table."""
    return Domain(
        name=name,
        number=workspace.state.next_id("domain"),
        created_at=workspace.state.clock.now(),
        creator=account.email,
        code=brevo_code(workspace, account),
        dkim_key=draw_dkim_key(workspace),
    )


def brevo_code(workspace: Workspace, account: Account) -> str:
    """The digits that prove a new domain: those of the account (ledger 1.8), unless `behaviour` wants others."""
    if workspace.state.behaviour.brevo_code == "domain":
        return workspace.state.random.hex("brevo_code", 32)
    code = account.record(BrevoCode)
    if code.digits is None:
        code.digits = workspace.state.random.hex("brevo_code", 32)
    return code.digits


def draw_dkim_key(workspace: Workspace) -> str:
    """Base64 that looks like an RSA public key of 1,024 bits; nothing here signs, so it needs no other half."""
    base64 = string.ascii_letters + string.digits + "+/"
    body = workspace.state.random.text("dkim", 85, base64) + workspace.state.random.text("dkim", 85, base64)
    return f"MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ{body}IDAQAB"


def delete(caller: Caller, name: str) -> None:
    DOMAIN.fire(caller.workspace, caller.account, get(caller, name), "delete")


def authenticate(caller: Caller, name: str) -> Domain:
    """Authenticate a domain whose records are all right; one that is authenticated stays so.

    Raises:
        ServiceError: 404; 400 `DNS records not properly configured`, also for a domain that no user can have.
    """
    domain = get(caller, name)
    view = dns_view(caller.workspace, domain.name)
    if view.free_mail:
        owner = f"domain {domain.name} is one of a provider of free mailboxes, and only who has a domain can set it up"
        raise DNS_NOT_CONFIGURED().because(f"{owner}; the `dns` of a scenario can say that the account has it")
    if not view.published:
        if domain.state == AUTHENTICATED:  # DKIM and DMARC are right, and the code has done its work
            return domain
        raise DNS_NOT_CONFIGURED().because(_what_is_wrong(caller.workspace, domain, view))
    if domain.state != AUTHENTICATED:
        domain.attempts += 1
        _await_propagation(caller.workspace, domain)
    DOMAIN.fire(caller.workspace, caller.account, domain, "authenticate")
    return domain


def _what_is_wrong(workspace: Workspace, domain: Domain, view: DnsView) -> str:
    """What DNS says instead of the records that it should have."""
    wrong = [
        f"{name} ({record.type} {record.full_name}) is {view.says(name)}"
        for name, record in records(workspace, domain).items()
        if not record.status
    ]
    told = "".join(f"; {words}" for words in dict.fromkeys(seen.told for seen in view.seen.values()) if words)
    return f"domain {domain.name} is {domain.state}, and in DNS its {', '.join(wrong)}{told}"


def _await_propagation(workspace: Workspace, domain: Domain) -> None:
    """Refuse what `behaviour.authenticate_domain` says is too early."""
    rule = workspace.state.behaviour.authenticate_domain
    if rule.attempts is not None and domain.attempts < rule.attempts:
        reason = f"this is try {domain.attempts} for domain {domain.name}, and {rule.attempts} are needed"
        raise DNS_NOT_CONFIGURED().because(f"{reason} (behaviour.authenticate_domain)")
    since = domain.published_at or domain.created_at
    if rule.after is not None and workspace.state.clock.now() < since + rule.after:
        seen = f"published at {reasons.instant(since)}, are seen at {reasons.instant(since + rule.after)}"
        reason = f"the records of domain {domain.name}, {seen} (behaviour.authenticate_domain)"
        raise DNS_NOT_CONFIGURED().because(f"{reason}; {reasons.clock(workspace.state.clock)}")


def publish_dns(workspace: Workspace, name: str, answers: Mapping[str, str]) -> DnsView:
    """Let DNS say something else about a domain, by the members of its view; the domains of that name follow."""
    name = ascii_form(name)
    view = set_answers(workspace, name, answers)
    follow_dns(workspace, {name})
    return view


def set_answers(workspace: Workspace, name: str, answers: Mapping[str, str]) -> DnsView:
    """Let DNS say something else about a domain; the domains of that name do not follow yet."""
    view = workspace.state.table(DnsView).setdefault(name, dns_view(workspace, name))
    for member, answer in answers.items():
        setattr(view, member, answer)
    view.seen = {record: seen for record, seen in view.seen.items() if _member(record) not in answers}
    return view


def publish_seen(workspace: Workspace, name: str, seen: dict[str, Seen], policy: str | None) -> None:
    """Let DNS say what a real server has said; of two records that share an answer, one that is not right decides.

    Without a policy, the one that was seen last stays.
    """
    answers = {} if policy is None else {"dmarc_policy": policy}
    for record, answer in seen.items():
        if answers.get(_member(record), OK) == OK:
            answers[_member(record)] = answer.status
    publish_dns(workspace, name, answers).seen = seen


def follow_dns(workspace: Workspace, names: Collection[str]) -> None:
    """Bring the states of some domains, in whichever accounts they stand, into line with DNS."""
    for account, domain in _named(workspace, names):
        _follow(workspace, account, domain)


def _named(workspace: Workspace, names: Collection[str]) -> Iterator[tuple[Account, Domain]]:
    """The domains of these names; whichever are fewer, they or an account's, are gone through."""
    for number, rows in workspace.state.tables(Domain) if names else ():
        for name in list(names) if len(names) < len(rows) else [name for name in rows if name in names]:
            if name in rows:
                account = workspace.state.accounts[number]
                yield account, account.table(Domain)[name]


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
        domain.published_at = workspace.state.clock.now()
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
    if any(_named(workspace, {domain.name})):
        return
    # The records prove what is gone with the domain; its policy, and who has it, stay.
    view = workspace.state.table(DnsView).pop(domain.name, None)
    if view is not None and (view.dmarc_policy is not None or view.free_mail != _gives_mailboxes(domain.name)):
        workspace.state.table(DnsView)[domain.name] = DnsView(dmarc_policy=view.dmarc_policy, free_mail=view.free_mail)


def _agree(workspace: Workspace, domain: Domain, **answers: str) -> None:
    """An event fired by hand happens to DNS as well, so that state and records never contradict each other."""
    view = dns_view(workspace, domain.name)
    if any(getattr(view, record) != answer for record, answer in answers.items()):
        publish_dns(workspace, domain.name, answers)
