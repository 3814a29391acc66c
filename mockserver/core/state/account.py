"""Accounts: what one API key sees."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from mockserver.core.contract.operation import Role
from mockserver.core.state.tables import Tables

#: The languages of the service (ISO 639-1, contract/corporate#createSubAccount).
LANGUAGES = ("en", "fr", "it", "es", "pt", "de")


class User(NamedTuple):
    """A person who signs in to an account."""

    email: str
    admin: bool = False
    #: The password that the sign-in page accepts, or None to accept any.
    password: str | None = None


@dataclass
class Account(Tables):
    """What one API key sees: an account of any role, with its rows."""

    id: int
    name: str
    email: str
    created_at: datetime
    organization_id: str
    user_id: int
    role: Role = Role.STANDALONE
    #: The name of its master account; None but for admin accounts and sub-accounts.
    of: str | None = None
    first_name: str = ""
    last_name: str = ""
    company_name: str = ""
    enterprise: bool = False
    #: Whether the vendor has yet to approve the account, so that nothing can be sent (contract/account#validation).
    under_validation: bool = False
    #: One of `LANGUAGES`, or None if none was chosen.
    language: str | None = None
    api_keys: list[str] = field(default_factory=list)
    revoked_keys: list[str] = field(default_factory=list)
    users: list[User] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    @property
    def full_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()
