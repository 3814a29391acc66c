"""The DNS of a workspace, which answers for its domains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from mockserver.testing.records.reading import Member

__tracebackhide__ = True  # pytest shows the line of the test instead

State = Literal["ok", "missing", "wrong", "timeout"]
Policy = Literal["none", "quarantine", "reject"]


class Records(NamedTuple):
    """The state of each record of a domain."""

    brevo_code: State
    dkim_record: State
    dmarc_record: State


class OwnedDomain(NamedTuple):
    """The domain of an account."""

    #: The name of the account.
    account: str
    state: str


class KnownName(NamedTuple):
    """What DNS says about a domain, and which accounts have it."""

    #: In ASCII, as the service answers it.
    name: Annotated[str, Member("domain")]
    #: As people write it: `bücher.test` for `xn--bcher-kva.test`.
    shown_as: str
    records: Records
    #: Empty: nobody has added the domain, and DNS was told about it.
    accounts: Sequence[OwnedDomain]
