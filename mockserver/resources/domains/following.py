"""How domains follow DNS: its answers fire their events, and an event that is fired by hand changes its answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.dns_view import (
    MISSING,
    OK,
    RECORDS,
    DnsView,
    Seen,
    dns_view,
    gives_mailboxes,
    member_of,
    set_answers,
)
from mockserver.resources.domains.domain import AUTHENTICATED, DOMAIN, PENDING, VERIFIED, Domain


def publish_dns(workspace: Workspace, name: str, answers: Mapping[str, str]) -> DnsView:
    """Set members of what DNS says about a domain, and let the domains of that name follow; returns the view."""
    name = ascii_form(name)
    view = set_answers(workspace, name, answers)
    follow_dns(workspace, {name})
    return view


def publish_seen(workspace: Workspace, name: str, seen: dict[str, Seen], policy: str | None) -> None:
    """Let DNS say of a domain what a real server has said about its records, by their names on the wire.

    Both CNAME records share one answer, which is the first one that is not ok. Without a policy, the policy that DNS
    has stays.
    """
    answers = {} if policy is None else {"dmarc_policy": policy}
    for record, answer in seen.items():
        if answers.get(member_of(record), OK) == OK:
            answers[member_of(record)] = answer.status
    publish_dns(workspace, name, answers).seen = seen


def follow_dns(workspace: Workspace, names: Collection[str]) -> None:
    """Bring the states of the domains of these names, in all accounts, into line with DNS."""
    for account, domain in named(workspace, names):
        follow(workspace, account, domain)


def named(workspace: Workspace, names: Collection[str]) -> Iterator[tuple[Account, Domain]]:
    """The domains of these names in all accounts; the loop goes through the names or the rows, whichever are fewer."""
    for number, rows in workspace.state.tables(Domain) if names else ():
        for name in list(names) if len(names) < len(rows) else [name for name in rows if name in names]:
            if name in rows:
                account = workspace.state.accounts[number]
                yield account, account.table(Domain)[name]


def follow(workspace: Workspace, account: Account, domain: Domain) -> None:
    """Fire the events that bring the state of a domain into line with DNS."""
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
    elif domain.state == VERIFIED and view.dkim_record == view.dmarc_record == OK:
        _agree(workspace, domain, dkim_record=MISSING)


@DOMAIN.on("delete")
def _forget_records(workspace: Workspace, account: Account, domain: Domain) -> None:
    if any(named(workspace, {domain.name})):
        return
    # The records go with the last domain that they prove; the policy and the provider of mailboxes stay.
    view = workspace.state.table(DnsView).pop(domain.name, None)
    if view is not None and (view.dmarc_policy is not None or view.free_mail != gives_mailboxes(domain.name)):
        workspace.state.table(DnsView)[domain.name] = DnsView(dmarc_policy=view.dmarc_policy, free_mail=view.free_mail)


def _agree(workspace: Workspace, domain: Domain, **answers: str) -> None:
    """Give DNS the answers that an event implies, which may be fired by hand: state and records never disagree."""
    view = dns_view(workspace, domain.name)
    if any(getattr(view, record) != answer for record, answer in answers.items()):
        publish_dns(workspace, domain.name, answers)
