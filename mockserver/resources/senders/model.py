"""Senders: rows, states, rules, verification by one-time codes, and shares of dedicated IPs (contract/senders)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form, comparable, domain_of
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.causes import Changed
from mockserver.core.traffic.mail import Mail, Party
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import Lifecycle, send_mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp
from mockserver.resources.domains.domain import NO_POLICY, OK, Domain, dmarc_policy, dns_view, find

AWAITING, VERIFIED = "awaiting_verification", "verified"
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
#: The lowest and the highest code: six digits, the first of which is not 0 (contract/senders#one-time-codes).
OTP_RANGE = (100_000, 999_999)
#: What the service says of a sender that is not verified, and its text for the sender's own name.
NOT_VERIFIED, _DEFAULT_NAME = "Sender is invalid / inactive", "[DEFAULT_FROM_NAME]"


@dataclass(slots=True, eq=False)
class IpShare:
    """A sender's dedicated IP, with its share of e-mails in percent."""

    domain: str
    ip: str
    weight: int


@dataclass(slots=True, eq=False)
class Sender:
    """A sender's e-mail address."""

    id: int
    name: str
    email: str
    state: str = AWAITING
    ips: list[IpShare] = field(default_factory=list)
    #: The one-time code that verifies the sender; None once it is verified.
    otp: int | None = None
    otp_expires_at: datetime | None = None

    @property
    def active(self) -> bool:
        return self.state == VERIFIED


class Addresses(dict[str, int]):
    """The ids of an account's senders by their `comparable` address; one record per account."""


class Created(NamedTuple):
    """A new sender's id, and errors of its domain's SPF and DKIM."""

    id: int
    spf_error: bool
    dkim_error: bool


def _secrets(sender: Sender) -> dict[str, Any]:
    return {"email": sender.email, "otp": sender.otp, "otp_expires_at": sender.otp_expires_at}


SENDER = Lifecycle(MACHINE, Sender, key="id", parse=int, reveal=_secrets)


def select(caller: Caller, ip: str | None, domain: str | None) -> list[Sender]:
    rows = list(caller.account.rows_of(Sender).values())
    if ip is not None:
        rows = [row for row in rows if any(share.ip == ip for share in row.ips)]
    if domain is not None:
        name = ascii_form(domain)
        rows = [row for row in rows if domain_of(row.email) == name]
    return rows


def get(caller: Caller, sender_id: int) -> Sender:
    sender = caller.account.table(Sender).get(sender_id)
    if sender is None:
        raise errors.DOCUMENT_NOT_FOUND("Sender ID not found").because(
            reasons.absent(caller.workspace.state, caller.account, "sender", Sender, sender_id)
        )
    return sender


def create(caller: Caller, *, name: str, email: str, ips: list[dict[str, Any]] | None = None) -> Created:
    """Create a sender, and send a code unless its domain is trusted."""
    workspace, account = caller.workspace, caller.account
    domain_name, address, addresses = domain_of(email), comparable(email), account.record(Addresses)
    _refuse_duplicate(account, email, addresses.get(address))
    shares = _allotted(account, ips or [], "a new sender")
    _refuse_strict_policy(workspace, account, domain_name)
    sender = Sender(workspace.state.next_id("sender"), name, email, ips=shares)
    addresses[address] = sender.id
    SENDER.begin(workspace, account, sender)
    domain = find(account, domain_name)
    view = None if domain is None else dns_view(workspace, domain.name)
    # SPF counts as right if the ownership record is (proposed): no source says which record the service checks.
    return Created(
        sender.id, spf_error=view is None or view.brevo_code != OK, dkim_error=view is None or view.dkim_record != OK
    )


def update(
    caller: Caller, sender_id: int, *, name: str | None = None, email: str | None = None,
    ips: list[dict[str, Any]] | None = None,
) -> None:  # fmt: skip
    """Change the given members of a sender; another address has to be verified (contract/senders#updateSender)."""
    account, sender = caller.account, get(caller, sender_id)
    new_email = email if email is not None and comparable(email) != comparable(sender.email) else None
    if new_email is not None:
        _refuse_duplicate(account, new_email, account.record(Addresses).get(comparable(new_email)))
    shares = sender.ips if ips is None else _allotted(account, ips, f"sender {sender_id}")
    if new_email is not None:
        _refuse_strict_policy(caller.workspace, account, domain_of(new_email))
    sender.ips = shares
    sender.name = sender.name if name is None else name
    if email is not None:
        addresses = account.record(Addresses)
        del addresses[comparable(sender.email)]
        addresses[comparable(email)] = sender.id
        sender.email = email
    if new_email is not None:
        SENDER.fire(caller.workspace, account, sender, "change_email")


def delete(caller: Caller, sender_id: int) -> None:
    SENDER.fire(caller.workspace, caller.account, get(caller, sender_id), "delete")


@SENDER.on("delete")
def _free_address(workspace: Workspace, account: Account, sender: Sender) -> None:
    del account.record(Addresses)[comparable(sender.email)]


def _refuse_duplicate(account: Account, email: str, owner: int | None) -> None:
    """Refuse an address that a sender of the account has already."""
    if owner is not None:
        state = account.rows_of(Sender)[owner].state
        taken = f"sender {owner} ({state}) of account {account.name} has it"
        reason = f"duplicate e-mail address {reasons.shown(email)}: {taken}"
        raise errors.DUPLICATE_PARAMETER(f"A sender with email {email} already exists").because(reason)


def find_sender(account: Account, address: str) -> Sender | None:
    return account.rows_of(Sender).get((account.record_of(Addresses) or Addresses()).get(comparable(address), 0))


def chosen(account: Account, given: Mapping[str, Any], message: str = NOT_VERIFIED) -> Party:
    """Return the verified sender that a template or campaign names by id or address, or refuse with 400."""
    if "id" not in given and "email" not in given:
        raise errors.MISSING_PARAMETER("sender is missing").because("field `sender` in the body has no id and no email")
    if "id" in given and "email" in given:
        both = "Only one of Sender ID or Sender Email can be passed for the same request."
        raise errors.INVALID_PARAMETER(both).because(f"{both} Field `sender` in the body has both")
    row = account.rows_of(Sender).get(given["id"]) if "id" in given else find_sender(account, given["email"])
    if row is None or not row.active:
        raise _not_verified(account, str(given.get("id", given.get("email"))), message)
    name = given.get("name") or ""
    return Party(row.email, row.name if name in ("", _DEFAULT_NAME) else name)


def is_verified(account: Account, address: str) -> bool:
    """Return whether templates and campaigns may use a sender (specification 2.1).

    An address of an authenticated domain is not enough: `behaviour.trust_authenticated_domains` verifies its senders.
    """
    sender = find_sender(account, address)
    return sender is not None and sender.active


def check_verified(account: Account, address: str, message: str = NOT_VERIFIED) -> None:
    if not is_verified(account, address):
        raise _not_verified(account, address, message)


def _not_verified(account: Account, given: str, message: str) -> errors.ServiceError:
    known = reasons.listed(row.email for row in account.rows_of(Sender).values() if row.active)
    reason = f"{reasons.shown(given)} is no verified sender of account {account.name} (it has {known})"
    return errors.INVALID_PARAMETER(message).because(reason)


def why_not_valid(account: Account, address: str) -> str | None:
    """Return why the service sends no e-mail of an address, or None (contract/sending#senders).

    Valid are verified senders, and all addresses of authenticated domains.
    """
    domain = account.rows_of(Domain).get(domain_of(address))
    sender = find_sender(account, address)
    if (domain is not None and domain.authenticated) or (sender is not None and sender.active):
        return None
    refused = f"Sending has been rejected because the sender you used {address} is not valid."
    return f"{refused} Validate your sender or authenticate your domain"


def _refuse_strict_policy(workspace: Workspace, account: Account, name: str) -> None:
    """Refuse an unauthenticated domain with a strict DMARC policy.

    Receivers reject unsigned mail of such a domain. An authenticated parent domain does not help
    (contract/senders#createSender).
    """
    policy = dmarc_policy(workspace, name)
    if policy == NO_POLICY:
        return
    domain = find(account, name)
    if domain is None or not domain.authenticated:
        state = f"account {account.name} {'does not have it' if domain is None else f'has it as {domain.state}'}"
        reason = f"the DMARC policy of {reasons.shown(name)} is {policy}, so the domain must be authenticated"
        raise errors.DMARC_POLICY().because(f"{reason}; {state}")


# ---------------------------------------------------------------------- verification (contract/senders#verification)


def validate(caller: Caller, sender_id: int, otp: int) -> None:
    """Verify a sender by its one-time code."""
    sender = get(caller, sender_id)
    if sender.state != AWAITING or otp != sender.otp:
        raise errors.OTP_INVALID().because(_why_wrong(caller, sender, otp))
    if sender.otp_expires_at is not None and caller.workspace.state.clock.now() >= sender.otp_expires_at:
        reason = f"the code of sender {sender.id} expired at {reasons.instant(sender.otp_expires_at)}"
        raise errors.OTP_EXPIRED().because(f"{reason}; {reasons.clock(caller.workspace.state.clock)}")
    SENDER.fire(caller.workspace, caller.account, sender, "verify")


def _why_wrong(caller: Caller, sender: Sender, otp: int) -> str:
    """Return the reason for refusing a code; the journal must show no code."""
    if sender.state != AWAITING:
        return f"sender {sender.id} ({reasons.shown(sender.email)}) is {sender.state} and needs no code"
    mail = next((mail for mail in caller.workspace.state.mailbox if mail.otp == otp), None)
    sent = f"it was sent to {reasons.shown(mail.to)} at {reasons.instant(mail.at)}" if mail else "no e-mail contains it"
    newer = "a newer" if mail is not None and comparable(mail.to) == comparable(sender.email) else "another"
    return f"wrong code: {sent}; sender {sender.id} ({reasons.shown(sender.email)}) has {newer} code"


@SENDER.on("create", "change_email", "resend_otp")
def _send_code(workspace: Workspace, account: Account, sender: Sender) -> None:
    """Send a new code, or fire `trust` for a trusted domain."""
    if _is_trusted(workspace, account, sender):
        SENDER.fire(workspace, account, sender, "trust")
        return
    sender.otp = sender.otp_expires_at = None
    await_code(workspace, account, sender)
    minutes = workspace.state.behaviour.otp_lifetime.total_seconds() / 60
    text = (
        f"Hello {sender.name},\n\nyour verification code for the sender {sender.email} is {sender.otp}.\n"
        f"It is valid for {minutes:g} minutes.\n"
    )
    mail = Mail(
        id=workspace.ids.mail(),
        at=workspace.state.clock.now(),
        to=sender.email,
        sender="Brevo <no-reply@brevo.test>",
        subject="Verify your sender",
        text=text,
        otp=sender.otp,
        account=account.name,
        machine=MACHINE.name,
        key=sender.id,
        request=workspace.cause_request,
    )
    send_mail(workspace, mail)


def await_code(workspace: Workspace, account: Account, sender: Sender) -> None:
    """Draw the code and its expiry unless the sender has them, and set the timer of an unexpired code."""
    if sender.otp is None:
        sender.otp = workspace.state.random.integer("otp", *OTP_RANGE)
    if sender.otp_expires_at is None:
        sender.otp_expires_at = workspace.state.clock.after(workspace.state.behaviour.otp_lifetime)
    if sender.otp_expires_at > workspace.state.clock.now():
        workspace.set_timer(sender.otp_expires_at, account, MACHINE.name, sender.id, "expire_otp")


@SENDER.on("expire_otp")
def _expire(workspace: Workspace, account: Account, sender: Sender) -> None:
    now = workspace.state.clock.now()
    sender.otp_expires_at = min(sender.otp_expires_at or now, now)
    workspace.state.timers.cancel(MACHINE.name, sender.id)


@SENDER.on("verify", "trust")
def _forget_code(workspace: Workspace, account: Account, sender: Sender) -> None:
    sender.otp = sender.otp_expires_at = None
    workspace.state.timers.cancel(MACHINE.name, sender.id)


def trust_senders(workspace: Workspace, event: Changed) -> None:
    """Verify a newly authenticated domain's senders under `behaviour.trust_authenticated_domains`; a listener."""
    account = workspace.state.accounts[event.account]
    for sender in account.table(Sender).values():
        if sender.state == AWAITING and _is_trusted(workspace, account, sender):
            SENDER.fire(workspace, account, sender, "trust")


def _is_trusted(workspace: Workspace, account: Account, sender: Sender) -> bool:
    if not workspace.state.behaviour.trust_authenticated_domains:
        return False
    domain = find(account, domain_of(sender.email))
    return domain is not None and domain.authenticated


# ---------------------------------------------------------------------- dedicated IPs (contract/senders#rows)


def ips_of_account(caller: Caller) -> list[DedicatedIp]:
    return list(caller.account.rows_of(DedicatedIp).values())


def ips_of_sender(caller: Caller, sender_id: int) -> list[dict[str, Any]]:
    """Return a sender's dedicated IPs with weights in percent, or refuse with 404."""
    ips = caller.account.rows_of(DedicatedIp)
    return [
        {"id": ips[share.ip].id, "ip": share.ip, "domain": share.domain, "weight": share.weight}
        for share in get(caller, sender_id).ips
    ]


def _allotted(account: Account, ips: list[dict[str, Any]], subject: str) -> list[IpShare]:
    """Return a sender's shares; accounts with dedicated IPs require some."""
    known = account.rows_of(DedicatedIp)
    if not ips and known:
        needed = f"account {account.name} has dedicated IPs, so {subject} requires some of them"
        reason = f"missing field `ips` in the body: {needed} ({reasons.listed(known)})"
        raise errors.MISSING_PARAMETER("Missing ips attribute in the request").because(reason)
    return allot(account, ips)


def allot(account: Account, items: list[dict[str, Any]]) -> list[IpShare]:
    """Return shares for the `ips` of a request or scenario; missing weights mean equal shares."""
    if not items:
        return []
    weights = [item["weight"] for item in items if "weight" in item]
    _check_weights(weights, len(items))
    _check_ips(account, items)
    share, rest = divmod(100, len(items))
    equal = [share + (index < rest) for index in range(len(items))]
    rows = [account.rows_of(DedicatedIp)[item["ip"]] for item in items]
    return [IpShare(row.domain, row.ip, weight) for row, weight in zip(rows, weights or equal, strict=True)]


def _check_weights(weights: list[int], items: int) -> None:
    """Check the weights' sum, which has a specified error code, before their range."""
    if weights and len(weights) != items:
        reason = f"only {len(weights)} of the {items} ips have a weight; give all of them one, or none"
        raise errors.INVALID_PARAMETER("ips: give a weight for every IP or for none").because(reason)
    if weights and sum(weights) != 100:
        raise errors.IP_WEIGHTS().because(
            f"the weights {reasons.listed(weights)} add up to {sum(weights)}, expected 100"
        )
    if any(not 1 <= weight <= 100 for weight in weights):
        reason = f"the weights are {reasons.listed(weights)}, expected 1 to 100 each"
        raise errors.OUT_OF_RANGE("ips: a weight must be from 1 to 100").because(reason)
    if items > 100:
        reason = f"{items} ips without weights leave less than 1 percent for some, expected at most 100 ips"
        raise errors.OUT_OF_RANGE("ips: a weight must be from 1 to 100").because(reason)


def _check_ips(account: Account, items: list[dict[str, Any]]) -> None:
    known, ips = account.rows_of(DedicatedIp), [item["ip"] for item in items]
    for ip in ips:
        if ip not in known:
            reason = f"account {account.name} has no dedicated IP {reasons.shown(ip)} (it has {reasons.listed(known)})"
            raise errors.INVALID_PARAMETER(f"ips: {ip} is not a dedicated IP of the account").because(reason)
    if len(set(ips)) != len(ips):
        reason = f"duplicate IP in ips: {reasons.listed(ips)}"
        raise errors.INVALID_PARAMETER("ips: an IP is there twice").because(reason)
    for item in items:
        row = known[item["ip"]]
        if not row.active:
            refused = errors.INVALID_PARAMETER(f"ips: {row.ip} is not active")
            raise refused.because(f"dedicated IP {row.ip} of account {account.name} is inactive")
        if ascii_form(item["domain"]) != row.domain:
            given = reasons.shown(item["domain"])
            reason = f"wrong domain {given} for dedicated IP {row.ip}, expected {row.domain}"
            raise errors.INVALID_PARAMETER(f"ips: {given} is not the domain of {row.ip}").because(reason)
