"""A sender domain of an account: its row, its states, and what proves it (contract/domains#authentication and
contract/domains#records).
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from datetime import datetime

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form, domain_of
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace

PENDING, VERIFIED, AUTHENTICATED = "pending", "verified", "authenticated"
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


@dataclass(slots=True, eq=False)
class Domain:
    """A sender domain of an account."""

    name: str
    number: int
    created_at: datetime
    creator: str
    #: The 32 hexadecimal digits that follow `brevo-code:` in the record that proves ownership.
    code: str
    #: The public key of the DKIM record, base64.
    dkim_key: str
    provider: str = "Other"
    state: str = PENDING
    #: When all records became right; None while one is not.
    published_at: datetime | None = None
    #: How many requests for authentication came while all records were right, until it succeeded.
    attempts: int = 0

    @property
    def id(self) -> str:
        """The id on the wire: 24 decimal digits, which all client libraries can read (contract/domains#getDomains)."""
        return f"65{self.number:022d}"


@dataclass(slots=True)
class BrevoCode:
    """The 32 hexadecimal digits that prove ownership of an account's domains; one record per account."""

    digits: str | None = None


DOMAIN = Lifecycle(MACHINE, Domain, key="name", parse=ascii_form, registered_in=(f"{__package__}.following",))


def find(account: Account, name: str) -> Domain | None:
    """The account's domain of this name, in either spelling and without regard to case, or None."""
    return account.table(Domain).get(ascii_form(name))


def find_for_email(account: Account, email: str) -> Domain | None:
    """The account's domain that an e-mail address belongs to, or None."""
    return account.table(Domain).get(domain_of(email))


def new(workspace: Workspace, account: Account, name: str) -> Domain:
    """A domain with a new number, code and DKIM key, which is not added to its table."""
    return Domain(
        name=name,
        number=workspace.state.next_id("domain"),
        created_at=workspace.state.clock.now(),
        creator=account.email,
        code=brevo_code(workspace, account),
        dkim_key=draw_dkim_key(workspace),
    )


def brevo_code(workspace: Workspace, account: Account) -> str:
    """The digits that prove ownership of a new domain: those of the account (contract/domains#records).

    With `behaviour.brevo_code: domain` they are drawn for each domain.
    """
    if workspace.state.behaviour.brevo_code == "domain":
        return workspace.state.random.hex("brevo_code", 32)
    code = account.record(BrevoCode)
    if code.digits is None:
        code.digits = workspace.state.random.hex("brevo_code", 32)
    return code.digits


def draw_dkim_key(workspace: Workspace) -> str:
    """Base64 that looks like an RSA public key of 1,024 bits; there is no private key, as the mock signs nothing."""
    base64 = string.ascii_letters + string.digits + "+/"
    body = workspace.state.random.text("dkim", 85, base64) + workspace.state.random.text("dkim", 85, base64)
    return f"MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ{body}IDAQAB"
