"""A workspace on a server, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from mockserver.testing.records.causes import Cause
from mockserver.testing.records.deliveries import Delivery
from mockserver.testing.records.reading import Member

__tracebackhide__ = True  # pytest shows the line of the test instead


class App(NamedTuple):
    """A registered OAuth app."""

    client_id: str
    #: None: the app is public, because it cannot keep a secret.
    client_secret: str | None
    name: str
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    public: bool
    #: The name of the account to which the app belongs; access to a private app is granted in its organization only.
    account: str


class Account(NamedTuple):
    """One account of a workspace."""

    name: str
    #: `standalone`, `master`, `admin` or `sub_account`.
    role: str
    #: An API key of the account; None: the account has none.
    api_key: str | None


class Arrival(NamedTuple):
    """An e-mail that the service has received."""

    #: The id of the e-mail in `GET /v3/inbound/events`.
    uuid: str
    #: When the e-mail arrived, on the workspace's clock.
    at: Annotated[datetime, Member("date")]
    #: The calls to inbound webhooks that the e-mail causes.
    deliveries: tuple[Delivery, ...]


class InboundMail(NamedTuple):
    """The record of an e-mail that the service has received, one for each recipient."""

    #: The id of the e-mail in `GET /v3/inbound/events`.
    uuid: str
    #: When the e-mail arrived, on the workspace's clock.
    at: Annotated[datetime, Member("date")]
    #: The name of the account that got it.
    account: str
    sender: str
    recipient: str
    #: The deliveries that the e-mail has caused.
    caused: Sequence[Cause] = ()
    #: The control call that let it arrive; empty: it came by SMTP, or nobody knows.
    caused_by: Sequence[Cause] = ()
