"""Senders: creation, look-up, changes, validation and deletion (contract/senders)."""

from __future__ import annotations

from typing import Any, NamedTuple

from mockserver.core.contract.errors import (
    DMARC_POLICY,
    DOCUMENT_NOT_FOUND,
    DUPLICATE_PARAMETER,
    MISSING_PARAMETER,
    OTP_EXPIRED,
    OTP_INVALID,
)
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form, comparable, domain_of
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp
from mockserver.resources.domains.dns_view import NO_POLICY, OK, dmarc_policy, dns_view
from mockserver.resources.domains.domain import AUTHENTICATED, find, find_for_email
from mockserver.resources.senders.sender import AWAITING, SENDER, Addresses, Sender
from mockserver.resources.senders.shares import IpShare, allot


class Created(NamedTuple):
    """The id of a new sender, and whether SPF and DKIM of its domain are wrong."""

    id: int
    spf_error: bool
    dkim_error: bool


def select(caller: Caller, ip: str | None, domain: str | None) -> list[Sender]:
    """The account's senders; with an IP or a domain, only those with that dedicated IP or of that domain."""
    rows = list(caller.account.rows_of(Sender).values())
    if ip is not None:
        rows = [row for row in rows if any(share.ip == ip for share in row.ips)]
    if domain is not None:
        name = ascii_form(domain)
        rows = [row for row in rows if domain_of(row.email) == name]
    return rows


def get(caller: Caller, sender_id: int) -> Sender:
    """The caller's sender with this id.

    Raises:
        ServiceError: 404; the caller has none.
    """
    sender = caller.account.table(Sender).get(sender_id)
    if sender is None:
        raise DOCUMENT_NOT_FOUND("Sender ID not found").because(
            reasons.absent(caller.workspace.state, caller.account, "sender", Sender, sender_id)
        )
    return sender


def create(caller: Caller, *, name: str, email: str, ips: list[dict[str, Any]] | None = None) -> Created:
    """Create a sender, and send a code to its address unless its domain is trusted.

    Raises:
        ServiceError: 400; the address is a sender already, the IPs break their rules, or the domain's DMARC policy is
            strict and the domain not authenticated.
    """
    workspace, account = caller.workspace, caller.account
    _refuse_duplicate(account, email)
    shares = _allotted(account, ips or [], "a new sender")
    _refuse_strict_policy(workspace, account, email)
    sender = Sender(workspace.state.next_id("sender"), name, email, ips=shares)
    account.record(Addresses)[comparable(email)] = sender.id
    SENDER.begin(workspace, account, sender)
    spf, dkim = _dns_health(workspace, account, email)
    return Created(sender.id, spf_error=not spf, dkim_error=not dkim)


def update(
    caller: Caller, sender_id: int, *, name: str | None = None, email: str | None = None,
    ips: list[dict[str, Any]] | None = None,
) -> None:  # fmt: skip
    """Change what is not None; another address has to be verified (proposed, contract/senders#updateSender).

    Raises:
        ServiceError: 404; 400 as for `create`. Nothing has changed then.
    """
    sender = get(caller, sender_id)
    moved = email is not None and comparable(email) != comparable(sender.email)
    if email is not None and moved:
        _refuse_duplicate(caller.account, email)
    shares = sender.ips if ips is None else _allotted(caller.account, ips, f"sender {sender_id}")
    if email is not None and moved:
        _refuse_strict_policy(caller.workspace, caller.account, email)
    sender.ips = shares
    sender.name = sender.name if name is None else name
    if email is not None:
        _rename(caller.account, sender, email)
    if moved:
        SENDER.fire(caller.workspace, caller.account, sender, "change_email")


def delete(caller: Caller, sender_id: int) -> None:
    """Delete a sender.

    Raises:
        ServiceError: 404; the caller has no such sender.
    """
    SENDER.fire(caller.workspace, caller.account, get(caller, sender_id), "delete")


def validate(caller: Caller, sender_id: int, otp: int) -> None:
    """Verify a sender by the one-time code that was sent to its address.

    Raises:
        ServiceError: 404; 400 for a code that is wrong or has expired, or for a sender that awaits none.
    """
    sender = get(caller, sender_id)
    if sender.state != AWAITING or otp != sender.otp:
        raise OTP_INVALID().because(_why_wrong(caller, sender, otp))
    if sender.otp_expires_at is not None and caller.workspace.state.clock.now() >= sender.otp_expires_at:
        reason = f"the code of sender {sender.id} expired at {reasons.instant(sender.otp_expires_at)}"
        raise OTP_EXPIRED().because(f"{reason}; {reasons.clock(caller.workspace.state.clock)}")
    SENDER.fire(caller.workspace, caller.account, sender, "verify")


def _why_wrong(caller: Caller, sender: Sender, otp: int) -> str:
    """Return the reason for a refused code, without any code: the journal must not show it."""
    if sender.state != AWAITING:
        return f"sender {sender.id} ({reasons.shown(sender.email)}) is {sender.state} and needs no code"
    mail = next((mail for mail in caller.workspace.state.mailbox if mail.otp == otp), None)
    sent = f"it was sent to {reasons.shown(mail.to)} at {reasons.instant(mail.at)}" if mail else "no e-mail contains it"
    newer = "a newer" if mail is not None and comparable(mail.to) == comparable(sender.email) else "another"
    return f"wrong code: {sent}; sender {sender.id} ({reasons.shown(sender.email)}) has {newer} code"


def ips_of_account(caller: Caller) -> list[DedicatedIp]:
    """All dedicated IPs of the caller's account."""
    return list(caller.account.rows_of(DedicatedIp).values())


def dedicated_ips(caller: Caller, sender_id: int) -> list[dict[str, Any]]:
    """The dedicated IPs of a sender with their weights, in percent.

    Raises:
        ServiceError: 404; the caller has no such sender.
    """
    ips = caller.account.rows_of(DedicatedIp)
    return [
        {"id": ips[share.ip].id, "ip": share.ip, "domain": share.domain, "weight": share.weight}
        for share in get(caller, sender_id).ips
    ]


def _refuse_duplicate(account: Account, email: str) -> None:
    """Check that no sender of the account has an address.

    Raises:
        ServiceError: 400; one has.
    """
    owner = account.record(Addresses).get(comparable(email))
    if owner is not None:
        state = account.rows_of(Sender)[owner].state
        taken = f"sender {owner} ({state}) of account {account.name} has it"
        reason = f"duplicate e-mail address {reasons.shown(email)}: {taken}"
        raise DUPLICATE_PARAMETER(f"A sender with email {email} already exists").because(reason)


def _allotted(account: Account, ips: list[dict[str, Any]], who: str) -> list[IpShare]:
    """The shares that a request gives to a sender.

    Raises:
        ServiceError: 400; it gives none though the account has dedicated IPs (contract/senders#rows), or breaks a
            rule of shares.
    """
    known = account.rows_of(DedicatedIp)
    if not ips and known:
        needed = f"account {account.name} has dedicated IPs, so {who} requires some of them"
        reason = f"missing field `ips` in the body: {needed} ({reasons.listed(known)})"
        raise MISSING_PARAMETER("Missing ips attribute in the request").because(reason)
    return allot(account, ips)


def _refuse_strict_policy(workspace: Workspace, account: Account, email: str) -> None:
    """Check that the domain of an address is authenticated, if its DMARC policy is strict.

    Receivers reject mail of such a domain that it has not signed. A domain above it, which is authenticated, does not
    count (contract/senders#createSender).

    Raises:
        ServiceError: 400; it is not.
    """
    name = domain_of(email)
    policy = dmarc_policy(workspace, name)
    if policy == NO_POLICY:
        return
    domain = find(account, name)
    if domain is None or domain.state != AUTHENTICATED:
        state = f"account {account.name} {'does not have it' if domain is None else f'has it as {domain.state}'}"
        reason = f"the DMARC policy of {reasons.shown(name)} is {policy}, so the domain must be authenticated"
        raise DMARC_POLICY().because(f"{reason}; {state}")


def _rename(account: Account, sender: Sender, email: str) -> None:
    addresses = account.record(Addresses)
    del addresses[comparable(sender.email)]
    addresses[comparable(email)] = sender.id
    sender.email = email


def _dns_health(workspace: Workspace, account: Account, email: str) -> tuple[bool, bool]:
    """Whether SPF and DKIM of an address's domain are right.

    SPF counts as right if the ownership record is (proposed): no source says what the service looks at.
    """
    domain = find_for_email(account, email)
    if domain is None:
        return False, False
    view = dns_view(workspace, domain.name)
    return view.brevo_code == OK, view.dkim_record == OK


@SENDER.on("delete")
def _free_address(workspace: Workspace, account: Account, sender: Sender) -> None:
    del account.record(Addresses)[comparable(sender.email)]
