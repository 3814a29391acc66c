"""Sender domains: creation, look-up, authentication and deletion (contract/domains)."""

from __future__ import annotations

from mockserver.core.contract.errors import (
    DNS_NOT_CONFIGURED,
    DOCUMENT_NOT_FOUND,
    DOMAIN_DOES_NOT_EXIST,
    DOMAIN_EXISTS,
)
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form, parents
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp
from mockserver.resources.domains.dns_view import OK, DnsView, dns_view
from mockserver.resources.domains.domain import AUTHENTICATED, DOMAIN, Domain, find, new
from mockserver.resources.domains.following import follow
from mockserver.resources.domains.records import records


def select(caller: Caller) -> list[Domain]:
    """All domains of the caller's account."""
    return list(caller.account.rows_of(Domain).values())


def is_authenticated(domain: Domain) -> bool:
    """Whether a domain has been authenticated."""
    return domain.state == AUTHENTICATED


def is_verified(workspace: Workspace, domain: Domain) -> bool:
    """Whether DNS has the ownership record of a domain, whatever its state (contract/domains#authentication)."""
    view = workspace.state.rows_of(DnsView).get(domain.name)
    return view is not None and view.brevo_code == OK


def get(caller: Caller, name: str) -> Domain:
    """The caller's domain of this name, in either spelling and without regard to case.

    Raises:
        ServiceError: 404; the caller has none.
    """
    domain = find(caller.account, name)
    if domain is None:
        raise DOCUMENT_NOT_FOUND(sentence=DOMAIN_DOES_NOT_EXIST).because(
            reasons.absent(caller.workspace.state, caller.account, "domain", Domain, ascii_form(name))
        )
    return domain


def dedicated_ips(account: Account) -> dict[str, str]:
    """The dedicated IP of each of an account's domains that has some, by the domain's name; the first one of several.

    A dedicated IP is for its own domain and for those above it.
    """
    domains, found = account.rows_of(Domain), dict[str, str]()
    for row in account.rows_of(DedicatedIp).values():
        for candidate in (row.domain, *parents(row.domain)):
            if candidate in domains:
                found.setdefault(candidate, row.ip)
    return found


def create(caller: Caller, name: str) -> Domain:
    """Create a domain, whose state at once follows what DNS says.

    Raises:
        ServiceError: 400; the account has the domain already.
    """
    workspace, account = caller.workspace, caller.account
    known = find(account, name)
    if known is not None:
        since = f"account {account.name} has it ({known.state}) since {reasons.instant(known.created_at)}"
        raise DOMAIN_EXISTS().because(f"duplicate domain {reasons.shown(known.name)}: {since}")
    domain = new(workspace, account, ascii_form(name))
    DOMAIN.begin(workspace, account, domain)
    follow(workspace, account, domain)
    return domain


def delete(caller: Caller, name: str) -> None:
    """Delete a domain.

    Raises:
        ServiceError: 404; the caller has no such domain.
    """
    DOMAIN.fire(caller.workspace, caller.account, get(caller, name), "delete")


def authenticate(caller: Caller, name: str) -> tuple[Domain, bool]:
    """Authenticate a domain whose records are all right; return it, and whether it was authenticated already.

    Raises:
        ServiceError: 404; 400 `DNS records not properly configured` if a record is not right, if
            `behaviour.authenticate_domain` asks for more time or more requests, or for a provider of free mailboxes.
    """
    domain = get(caller, name)
    view = dns_view(caller.workspace, domain.name)
    if view.free_mail:
        owner = f"domain {domain.name} belongs to a provider of free mailboxes, so no account can authenticate it"
        raise DNS_NOT_CONFIGURED().because(f"{owner}; `free_mail: false` below `dns` in a scenario lifts this")
    if not view.published:
        if domain.state == AUTHENTICATED:  # DKIM and DMARC are right; ownership needs to be proved only once
            return domain, True
        raise DNS_NOT_CONFIGURED().because(_what_is_wrong(caller.workspace, domain, view))
    was_authenticated = domain.state == AUTHENTICATED
    if not was_authenticated:
        domain.attempts += 1
        _await_propagation(caller.workspace, domain)
    DOMAIN.fire(caller.workspace, caller.account, domain, "authenticate")
    return domain, was_authenticated


def _what_is_wrong(workspace: Workspace, domain: Domain, view: DnsView) -> str:
    """Which records are not right, and what DNS has instead."""
    wrong = [
        f"{name} ({record.type} {record.full_name}) {view.says(name)}"
        for name, record in records(workspace, domain).items()
        if not record.status
    ]
    details = "".join(f"; {detail}" for detail in dict.fromkeys(seen.detail for seen in view.seen.values()) if detail)
    return f"DNS records of domain {domain.name} ({domain.state}) are incorrect: {', '.join(wrong)}{details}"


def _await_propagation(workspace: Workspace, domain: Domain) -> None:
    """Check that `behaviour.authenticate_domain` asks for no more requests, and no more time since publication.

    Raises:
        ServiceError: 400 `DNS records not properly configured`; it does.
    """
    rule = workspace.state.behaviour.authenticate_domain
    if rule.attempts is not None and domain.attempts < rule.attempts:
        reason = f"attempt {domain.attempts} to authenticate domain {domain.name}, {rule.attempts} are required"
        raise DNS_NOT_CONFIGURED().because(f"{reason} (behaviour.authenticate_domain)")
    since = domain.published_at or domain.created_at
    if rule.after is not None and workspace.state.clock.now() < since + rule.after:
        seen = f"published at {reasons.instant(since)} and are visible from {reasons.instant(since + rule.after)}"
        reason = f"DNS propagation: the records of domain {domain.name} were {seen} (behaviour.authenticate_domain)"
        raise DNS_NOT_CONFIGURED().because(f"{reason}; {reasons.clock(workspace.state.clock)}")
