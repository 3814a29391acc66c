"""Rules of sender domains: creation, DNS records, authentication, and states that follow DNS (contract/domains)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from mockserver.core.contract.errors import DNS_NOT_CONFIGURED, DOCUMENT_NOT_FOUND, DOMAIN_DOES_NOT_EXIST, DOMAIN_EXISTS
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form, below_registrable, parents
from mockserver.core.traffic.causes import Changed
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp
from mockserver.resources.domains.domain import (
    AUTHENTICATED,
    MACHINE,
    MISSING,
    OK,
    PENDING,
    RECORDS,
    VERIFIED,
    DnsView,
    Domain,
    Seen,
    dns_view,
    find,
    gives_mailboxes,
    member_of,
    named,
    new,
    set_answers,
)

DOMAIN = Lifecycle(MACHINE, Domain, key="name", parse=ascii_form)


def select(caller: Caller) -> list[Domain]:
    return list(caller.account.rows_of(Domain).values())


def get(caller: Caller, name: str) -> Domain:
    domain = find(caller.account, name)
    if domain is None:
        raise DOCUMENT_NOT_FOUND(sentence=DOMAIN_DOES_NOT_EXIST).because(
            reasons.absent(caller.workspace.state, caller.account, "domain", Domain, ascii_form(name))
        )
    return domain


def dedicated_ips(account: Account) -> dict[str, str]:
    """Return each domain's first dedicated IP by domain name.

    A dedicated IP serves its own domain and the domains above.
    """
    domains, found = account.rows_of(Domain), dict[str, str]()
    for row in account.rows_of(DedicatedIp).values():
        for candidate in (row.domain, *parents(row.domain)):
            if candidate in domains:
                found.setdefault(candidate, row.ip)
    return found


def create(caller: Caller, name: str) -> Domain:
    workspace, account = caller.workspace, caller.account
    known = find(account, name)
    if known is not None:
        since = f"account {account.name} has it ({known.state}) since {reasons.instant(known.created_at)}"
        raise DOMAIN_EXISTS().because(f"duplicate domain {reasons.shown(known.name)}: {since}")
    domain = new(workspace, account, ascii_form(name))
    DOMAIN.begin(workspace, account, domain)
    _follow(workspace, account, domain)
    return domain


def delete(caller: Caller, name: str) -> None:
    DOMAIN.fire(caller.workspace, caller.account, get(caller, name), "delete")


class DnsRecord(NamedTuple):
    """A DNS record that the service asks its user to set."""

    type: str
    value: str
    #: Relative to the registrable domain, which is the zone that a user edits.
    host_name: str
    #: Whether DNS has the record.
    status: bool
    #: The whole name of the record in DNS.
    full_name: str


def records(workspace: Workspace, domain: Domain) -> dict[str, DnsRecord]:
    """Return a domain's records by wire name (contract/domains#records)."""
    view, label = dns_view(workspace, domain.name), below_registrable(domain.name)

    def record(name: str, kind: str, value: str, host: str = "", label: str = label) -> DnsRecord:
        host_name, full_name = (".".join(filter(None, (host, below))) for below in (label, domain.name))
        return DnsRecord(kind, value, host_name or "@", view.answer(name) == OK, full_name)

    # The service leaves the label of a sub-domain out of the host name for DKIM (recorded).
    behaviour, dashed = workspace.state.behaviour, domain.name.replace(".", "-")
    dkim_label = label if behaviour.subdomain_dkim_host == "labelled" else ""
    if behaviour.dkim == "txt":
        dkim = {"dkim_record": ("TXT", f"v=DKIM1; k=rsa; p={domain.dkim_key}", "mail._domainkey", dkim_label)}
    else:
        dkim = {
            f"dkim{n}Record": ("CNAME", f"b{n}.{dashed}.dkim.brevo.com", f"brevo{n}._domainkey", dkim_label)
            for n in (1, 2)
        }
    policy = "v=DMARC1; p=none; rua=mailto:rua@dmarc.brevo.com"
    return {
        **{name: record(name, *parts) for name, parts in dkim.items()},
        "brevo_code": record("brevo_code", "TXT", f"brevo-code:{domain.code}"),
        "dmarc_record": record("dmarc_record", "TXT", policy, "_dmarc"),
    }


def authenticate(caller: Caller, name: str) -> tuple[Domain, bool]:
    """Authenticate a domain with correct records; return it, and its previous authentication."""
    domain = get(caller, name)
    view = dns_view(caller.workspace, domain.name)
    if view.free_mail:
        owner = f"domain {domain.name} belongs to a provider of free mailboxes, so no account can authenticate it"
        raise DNS_NOT_CONFIGURED().because(f"{owner}; `free_mail: false` below `dns` in a scenario lifts this")
    if not view.published:
        raise DNS_NOT_CONFIGURED().because(_wrong_records(caller.workspace, domain, view))
    was_authenticated = domain.authenticated
    if not was_authenticated:
        early = too_early(caller.workspace, domain)
        domain.attempts += 1
        if early:
            raise DNS_NOT_CONFIGURED().because(early)
    DOMAIN.fire(caller.workspace, caller.account, domain, "authenticate")
    return domain, was_authenticated


def _wrong_records(workspace: Workspace, domain: Domain, view: DnsView) -> str:
    """Return a sentence listing incorrect records, and the values found in DNS."""
    wrong = [
        f"{name} ({record.type} {record.full_name}) {view.answer(name)}"
        for name, record in records(workspace, domain).items()
        if not record.status
    ]
    details = "".join(f"; {detail}" for detail in dict.fromkeys(seen.detail for seen in view.seen.values()) if detail)
    return f"DNS records of domain {domain.name} ({domain.state}) are incorrect: {', '.join(wrong)}{details}"


def too_early(workspace: Workspace, domain: Domain) -> str:
    """Return why the next attempt would be refused, or an empty text, if the records are right.

    `behaviour.authenticate_domain` may require more attempts, or more time since publication.
    """
    rule, attempt = workspace.state.behaviour.authenticate_domain, domain.attempts + 1
    if rule.attempts is not None and attempt < rule.attempts:
        reason = f"attempt {attempt} to authenticate domain {domain.name}, {rule.attempts} are required"
        return f"{reason} (behaviour.authenticate_domain)"
    since = domain.published_at or domain.created_at
    if rule.after is not None and workspace.state.clock.now() < since + rule.after:
        seen = f"published at {reasons.instant(since)} and are visible from {reasons.instant(since + rule.after)}"
        reason = f"DNS propagation: the records of domain {domain.name} were {seen} (behaviour.authenticate_domain)"
        return f"{reason}; {reasons.clock(workspace.state.clock)}"
    return ""


def publish_dns(workspace: Workspace, name: str, answers: Mapping[str, str]) -> DnsView:
    name = ascii_form(name)
    view = set_answers(workspace, name, answers)
    follow_dns(workspace, {name})
    return view


def publish_seen(workspace: Workspace, name: str, seen: dict[str, Seen], policy: str | None) -> None:
    """Publish look-up results by the records' wire names.

    Both CNAME records share one answer: the first answer that is not ok. Without a policy, the view keeps its own.
    """
    answers = {} if policy is None else {"dmarc_policy": policy}
    for record, answer in seen.items():
        if answers.get(member_of(record), OK) == OK:
            answers[member_of(record)] = answer.status
    publish_dns(workspace, name, answers).seen = seen


def follow_dns(workspace: Workspace, names: Collection[str]) -> None:
    """Update the states of the named domains in all accounts."""
    for account, domain in named(workspace, names):
        _follow(workspace, account, domain)


def _follow(workspace: Workspace, account: Account, domain: Domain) -> None:
    """Fire events until a domain's state matches DNS."""
    view = dns_view(workspace, domain.name)
    if not view.published:
        domain.published_at = None
        if domain.state == AUTHENTICATED:
            DOMAIN.fire(workspace, account, domain, "dns_broken")
    if domain.state == VERIFIED and view.brevo_code != OK:
        DOMAIN.fire(workspace, account, domain, "dns_broken")
    elif domain.state != AUTHENTICATED and view.published and domain.published_at is None:
        DOMAIN.fire(workspace, account, domain, "dns_published")
    elif domain.state == PENDING and view.brevo_code == OK:
        DOMAIN.fire(workspace, account, domain, "verify_ownership")


@DOMAIN.on("verify_ownership")
def _agree_on_ownership(workspace: Workspace, account: Account, domain: Domain) -> None:
    _agree(workspace, domain, brevo_code=OK)


@DOMAIN.on("dns_published", "authenticate")
def _agree_on_all_records(workspace: Workspace, account: Account, domain: Domain) -> None:
    if domain.published_at is None:
        domain.published_at = workspace.state.clock.now()
    _agree(workspace, domain, **dict.fromkeys(RECORDS, OK))


@DOMAIN.on("dns_broken")
def _agree_on_a_broken_record(workspace: Workspace, account: Account, domain: Domain) -> None:
    domain.attempts = 0
    view = dns_view(workspace, domain.name)
    if domain.state == PENDING and view.brevo_code == OK:
        _agree(workspace, domain, brevo_code=MISSING)
    elif domain.state == VERIFIED and view.published:
        _agree(workspace, domain, dkim_record=MISSING)


@DOMAIN.on("delete")
def _forget_deleted(workspace: Workspace, account: Account, domain: Domain) -> None:
    _forget_records(workspace, {domain.name})


def forget_sub_account(workspace: Workspace, change: Changed) -> None:
    """Delete the domains of a deleted sub-account with their DNS records; a listener of this transition."""
    domains = workspace.state.accounts[int(change.key)].table(Domain)
    names = set(domains)
    domains.clear()
    _forget_records(workspace, names)


def _forget_records(workspace: Workspace, names: set[str]) -> None:
    """Remove the DNS views of names that no account has any more, except policy and mailbox provider."""
    for name in names - {domain.name for _, domain in named(workspace, names)}:
        view = workspace.state.table(DnsView).pop(name, None)
        if view is not None and (view.dmarc_policy is not None or view.free_mail != gives_mailboxes(name)):
            workspace.state.table(DnsView)[name] = DnsView(dmarc_policy=view.dmarc_policy, free_mail=view.free_mail)


def _agree(workspace: Workspace, domain: Domain, **answers: str) -> None:
    """Set the DNS answers implied by an event; control calls may fire events without DNS changes."""
    view = dns_view(workspace, domain.name)
    if any(getattr(view, record) != answer for record, answer in answers.items()):
        publish_dns(workspace, domain.name, answers)
