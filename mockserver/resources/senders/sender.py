"""A sender: its row and its states (contract/senders#rows and contract/senders#verification)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.resources.senders.shares import IpShare

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


@dataclass(slots=True, eq=False)
class Sender:
    """An address that mail may come from."""

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
        """Whether the sender is verified."""
        return self.state == VERIFIED


class Addresses(dict[str, int]):
    """The ids of an account's senders by their `comparable` address; one record per account."""


def _secrets(sender: Sender) -> dict[str, Any]:
    return {"email": sender.email, "otp": sender.otp, "otp_expires_at": sender.otp_expires_at}


SENDER = Lifecycle(
    MACHINE,
    Sender,
    key="id",
    parse=int,
    reveal=_secrets,
    registered_in=(f"{__package__}.model", f"{__package__}.verification"),
)
