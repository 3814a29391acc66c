"""Accounts: what one API key sees."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from mockserver.core.contract.operation import Role
from mockserver.core.state.tables import Tables

#: Those in which the service speaks (contract/corporate#createSubAccount).
LANGUAGES = ("en", "fr", "it", "es", "pt", "de")


class User(NamedTuple):
    """Somebody who signs in to an account."""

    email: str
    admin: bool = False
    #: What the sign-in page wants to be told; None: anything.
    password: str | None = None


@dataclass
class Account(Tables):
    """A standalone account, a master account, an admin account or a sub-account, with its rows."""

    id: int
    name: str
    email: str
    created_at: datetime
    organization_id: str
    user_id: int
    role: Role = Role.STANDALONE
    #: The name of the master account, of an admin account and a sub-account.
    of: str | None = None
    first_name: str = ""
    last_name: str = ""
    company_name: str = ""
    enterprise: bool = False
    #: One of `LANGUAGES`; None: nobody has chosen.
    language: str | None = None
    api_keys: list[str] = field(default_factory=list)
    revoked_keys: list[str] = field(default_factory=list)
    users: list[User] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    @property
    def full_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()
