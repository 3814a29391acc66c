"""How a sender is verified: by a code that is sent to its address, or by its domain (contract/senders#verification and
contract/senders#one-time-codes).
"""

from __future__ import annotations

from mockserver.core.state.state import Account
from mockserver.core.traffic.causes import Changed
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.lifecycle import send_mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.domain import AUTHENTICATED, find_for_email
from mockserver.resources.senders.sender import AWAITING, MACHINE, SENDER, Sender

#: The lowest and the highest code: six digits, the first of which is not 0 (contract/senders#one-time-codes).
OTP_RANGE = (100_000, 999_999)


@SENDER.on("create", "change_email", "resend_otp")
def _send_code(workspace: Workspace, account: Account, sender: Sender) -> None:
    """Send a new code to a sender's address, or fire `trust` if its domain is trusted."""
    if _is_trusted(workspace, account, sender):
        SENDER.fire(workspace, account, sender, "trust")
        return
    sender.otp = workspace.state.random.integer("otp", *OTP_RANGE)
    sender.otp_expires_at = workspace.state.clock.after(workspace.state.behaviour.otp_lifetime)
    await_expiry(workspace, account, sender)
    send_mail(workspace, _verification_mail(workspace, account, sender, sender.otp))


def await_expiry(workspace: Workspace, account: Account, sender: Sender) -> None:
    """Set the timer for the moment when a sender's code expires, if that is still to come."""
    if sender.otp_expires_at is not None and sender.otp_expires_at > workspace.state.clock.now():
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
    """Verify the senders of a domain that has become authenticated, as a listener of that transition.

    Nothing happens unless `behaviour.trust_authenticated_domains` is set.
    """
    account = workspace.state.accounts[event.account]
    for sender in account.table(Sender).values():
        if sender.state == AWAITING and _is_trusted(workspace, account, sender):
            SENDER.fire(workspace, account, sender, "trust")


def _is_trusted(workspace: Workspace, account: Account, sender: Sender) -> bool:
    if not workspace.state.behaviour.trust_authenticated_domains:
        return False
    domain = find_for_email(account, sender.email)
    return domain is not None and domain.state == AUTHENTICATED


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
        request=workspace.cause_request,
    )
