"""Senders: verified by a one-time code that is sent to their address (SPEC 2.1 and 3.1, ledger 1.7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.contract.errors import (
    BAD_REQUEST,
    DMARC_POLICY,
    DOCUMENT_NOT_FOUND,
    DUPLICATE_PARAMETER,
    MISSING_PARAMETER,
    OTP_EXPIRED,
    OTP_INVALID,
)
from mockserver.core.state import reasons
from mockserver.core.state.account import Account
from mockserver.core.text.domain_name import ascii_form, comparable, domain_of
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.time.transition import Changed
from mockserver.core.traffic.mailbox import Mail
from mockserver.core.workspaces import outgoing
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp
from mockserver.resources.domains import model as domains
from mockserver.resources.senders.shares import IpShare, allot

AWAITING, VERIFIED = "awaiting_verification", "verified"
#: SPEC 8: six digits; ledger 1.7: none begins with 0.
OTP_RANGE = (100_000, 999_999)

MACHINE = StateMachine(
    "sender",
    ("create", ABSENT, AWAITING),
    ("verify", AWAITING, VERIFIED),
    ("expire_otp", AWAITING, AWAITING),
    ("resend_otp", AWAITING, AWAITING),
    ("change_email", AWAITING, AWAITING),
    ("change_email", VERIFIED, AWAITING),
    ("trust", AWAITING, VERIFIED),
    ("delete", AWAITING, ABSENT),
    ("delete", VERIFIED, ABSENT),
    timed=frozenset({"expire_otp"}),
)


@dataclass(slots=True, eq=False)
class Sender:
    """An address that mail may come from."""

    id: int
    name: str
    email: str
    state: str = AWAITING
    ips: list[IpShare] = field(default_factory=list)
    #: The code that verifies it; None once it is verified.
    otp: int | None = None
    otp_expires_at: datetime | None = None

    @property
    def active(self) -> bool:
        return self.state == VERIFIED


class Addresses(dict[str, int]):
    """Which sender a `comparable` address belongs to; one record of each account."""


def _secrets(sender: Sender) -> dict[str, Any]:
    return {"email": sender.email, "otp": sender.otp, "otp_expires_at": sender.otp_expires_at}


SENDER = Lifecycle(MACHINE, Sender, key="id", parse=int, reveal=_secrets)


class Created(NamedTuple):
    """A new sender, and whether its domain's records are wrong (true: they are)."""

    id: int
    spf_error: bool
    dkim_error: bool


# ---------------------------------------------------------------------- rules of the operations


def select(caller: Caller, ip: str | None, domain: str | None) -> list[Sender]:
    """The account's senders, those of one IP or of one domain where asked for."""
    rows = list(caller.account.table(Sender).values())
    if ip is not None:
        rows = [row for row in rows if any(share.ip == ip for share in row.ips)]
    if domain is not None:
        name = ascii_form(domain)
        rows = [row for row in rows if domain_of(row.email) == name]
    return rows


def get(caller: Caller, sender_id: int) -> Sender:
    sender = caller.account.table(Sender).get(sender_id)
    if sender is None:
        raise DOCUMENT_NOT_FOUND("Sender ID not found").because(
            reasons.absent(caller.workspace.state, caller.account, "sender", Sender, sender_id)
        )
    return sender


def create(caller: Caller, *, name: str, email: str, ips: list[dict[str, Any]] | None = None) -> Created:
    """A new sender, and a code on its way to it.

    Raises:
        ServiceError: 400; the address is a sender already, the IPs break their rules, or the domain's DMARC policy is
            strict and the domain not authenticated.
    """
    workspace, account = caller.workspace, caller.account
    _refuse_duplicate(account, email)
    shares = _allot(account, ips or [], "a new sender")
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
    """Change what is given; another address has to be verified anew (proposed, ledger 2.3).

    Raises:
        ServiceError: 404; 400 as for `create`. Nothing has changed then.
    """
    sender = get(caller, sender_id)
    moved = email is not None and comparable(email) != comparable(sender.email)
    if email is not None and moved:
        _refuse_duplicate(caller.account, email)
    shares = sender.ips if ips is None else _allot(caller.account, ips, f"sender {sender_id}")
    if email is not None and moved:
        _refuse_strict_policy(caller.workspace, caller.account, email)
    sender.ips = shares
    sender.name = sender.name if name is None else name
    if email is not None:
        _rename(caller.account, sender, email)
    if moved:
        SENDER.fire(caller.workspace, caller.account, sender, "change_email")


def delete(caller: Caller, sender_id: int) -> None:
    SENDER.fire(caller.workspace, caller.account, get(caller, sender_id), "delete")


def validate(caller: Caller, sender_id: int, otp: int) -> None:
    """Verify a sender by its code.

    Raises:
        ServiceError: 404; 400 for a wrong code, an expired one, and a sender that awaits none.
    """
    sender = get(caller, sender_id)
    if sender.state != AWAITING or otp != sender.otp:
        raise OTP_INVALID().because(_why_wrong(caller, sender, otp))
    if sender.otp_expires_at is not None and caller.workspace.state.clock.now() >= sender.otp_expires_at:
        reason = f"the code of sender {sender.id} expired at {reasons.instant(sender.otp_expires_at)}"
        raise OTP_EXPIRED().because(f"{reason}; {reasons.clock(caller.workspace.state.clock)}")
    SENDER.fire(caller.workspace, caller.account, sender, "verify")


def _why_wrong(caller: Caller, sender: Sender, otp: int) -> str:
    """What is wrong with a code, without telling any."""
    if sender.state != AWAITING:
        return f"sender {sender.id} ({reasons.shown(sender.email)}) is {sender.state} and awaits no code"
    mail = next((mail for mail in caller.workspace.state.mailbox if mail.otp == otp), None)
    sent = f"was sent to {reasons.shown(mail.to)} at {reasons.instant(mail.at)}" if mail else "stands in no mail"
    return f"the code given {sent} and is not the last one of sender {sender.id} ({reasons.shown(sender.email)})"


def dedicated_ips(caller: Caller, sender_id: int) -> list[dict[str, Any]]:
    """The dedicated IPs of one sender with their weights."""
    ips = caller.account.table(DedicatedIp)
    return [
        {"id": ips[share.ip].id, "ip": share.ip, "domain": share.domain, "weight": share.weight}
        for share in get(caller, sender_id).ips
    ]


def _refuse_duplicate(account: Account, email: str) -> None:
    owner = account.record(Addresses).get(comparable(email))
    if owner is not None:
        state = account.table(Sender)[owner].state
        reason = f"sender {owner} of account {account.name}, {state}, has the address {reasons.shown(email)}"
        raise DUPLICATE_PARAMETER(f"A sender with email {email} already exists").because(reason)


def _allot(account: Account, ips: list[dict[str, Any]], who: str) -> list[IpShare]:
    """The shares of a request; a sender of an account with dedicated IPs never is without one (SPEC 2.1)."""
    known = account.table(DedicatedIp)
    if not ips and known:
        reason = f"account {account.name} has dedicated IPs, so {who} needs some of them: {reasons.listed(known)}"
        raise MISSING_PARAMETER("Missing ips attribute in the request").because(reason)
    return allot(account, ips)


def _refuse_strict_policy(workspace: Workspace, account: Account, email: str) -> None:
    """Receivers would turn down what such a domain has not signed; only the very domain counts (ledger 2.2)."""
    name = domain_of(email)
    policy = domains.dmarc_policy(workspace, name)
    if policy == domains.NO_POLICY:
        return
    domain = domains.find(account, name)
    if domain is None or domain.state != domains.AUTHENTICATED:
        state = "not there" if domain is None else domain.state
        reason = f"the DMARC policy of {reasons.shown(name)} is {policy}, and the domain is {state} in account"
        raise BAD_REQUEST(DMARC_POLICY.message).because(f"{reason} {account.name}")


def _rename(account: Account, sender: Sender, email: str) -> None:
    addresses = account.record(Addresses)
    del addresses[comparable(sender.email)]
    addresses[comparable(email)] = sender.id
    sender.email = email


def _dns_health(workspace: Workspace, account: Account, email: str) -> tuple[bool, bool]:
    """Whether SPF and DKIM are right; SPF goes with the ownership record, as nothing is published (proposed)."""
    domain = domains.find_for_email(account, email)
    if domain is None:
        return False, False
    view = domains.dns_view(workspace, domain.name)
    return view.brevo_code == domains.OK, view.dkim_record == domains.OK


# ---------------------------------------------------------------------- what the events do


@SENDER.on("create", "change_email", "resend_otp")
def _prove(workspace: Workspace, account: Account, sender: Sender) -> None:
    """Send a new code, unless the domain is proof enough."""
    if _is_trusted(workspace, account, sender):
        SENDER.fire(workspace, account, sender, "trust")
        return
    sender.otp = workspace.state.random.integer("otp", *OTP_RANGE)
    sender.otp_expires_at = workspace.state.clock.after(workspace.state.behaviour.otp_lifetime)
    await_expiry(workspace, account, sender)
    outgoing.send(workspace, _verification_mail(workspace, account, sender, sender.otp))


def await_expiry(workspace: Workspace, account: Account, sender: Sender) -> None:
    """Let the code expire at its moment."""
    if sender.otp_expires_at is not None and sender.otp_expires_at > workspace.state.clock.now():
        workspace.state.timers.set(sender.otp_expires_at, account.id, MACHINE.name, sender.id, "expire_otp")


@SENDER.on("expire_otp")
def _expire(workspace: Workspace, account: Account, sender: Sender) -> None:
    now = workspace.state.clock.now()
    sender.otp_expires_at = min(sender.otp_expires_at or now, now)
    workspace.state.timers.cancel(MACHINE.name, sender.id)


@SENDER.on("verify", "trust")
def _forget_code(workspace: Workspace, account: Account, sender: Sender) -> None:
    sender.otp = sender.otp_expires_at = None
    workspace.state.timers.cancel(MACHINE.name, sender.id)


@SENDER.on("delete")
def _free_address(workspace: Workspace, account: Account, sender: Sender) -> None:
    del account.record(Addresses)[comparable(sender.email)]


def trust_senders(workspace: Workspace, event: Changed) -> None:
    """When a domain becomes authenticated, its senders need no code any more, where `behaviour` says so."""
    if (event.machine, event.event) != (domains.MACHINE.name, "authenticate"):
        return
    account = workspace.state.accounts[event.account]
    for sender in account.table(Sender).values():
        if sender.state == AWAITING and _is_trusted(workspace, account, sender):
            SENDER.fire(workspace, account, sender, "trust")


def _is_trusted(workspace: Workspace, account: Account, sender: Sender) -> bool:
    if not workspace.state.behaviour.trust_authenticated_domains:
        return False
    domain = domains.find_for_email(account, sender.email)
    return domain is not None and domain.state == domains.AUTHENTICATED


def _verification_mail(workspace: Workspace, account: Account, sender: Sender, otp: int) -> Mail:
    minutes = workspace.state.behaviour.otp_lifetime.total_seconds() / 60
    text = (
        f"Hello {sender.name},\n\nyour verification code for the sender {sender.email} is {otp}.\n"
        f"It is valid for {minutes:g} minutes.\n"
    )
    return Mail(
        id=workspace.ids.mail(),
        at=workspace.state.clock.now(),
        to=sender.email,
        sender="Brevo <no-reply@brevo.test>",
        subject="Verify your sender",
        text=text,
        otp=otp,
        account=account.name,
        machine=MACHINE.name,
        key=sender.id,
        request=workspace.cause,
    )
