"""The mailbox of a workspace: the e-mails that its service has sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from mockserver.testing.names import MachineName
from mockserver.testing.records.causes import Cause
from mockserver.testing.records.reading import Member

__tracebackhide__ = True  # pytest shows the line of the test instead


class Recipient(NamedTuple):
    """Whom an e-mail is for."""

    #: `to`, `cc` or `bcc`.
    kind: str
    email: str
    #: Empty: none was given.
    name: str


class Attachment(NamedTuple):
    """A file that goes with an e-mail."""

    name: str
    #: In bytes; None: the content is at `url`, which is not fetched.
    size: int | None = None
    url: str | None = None


class Mail(NamedTuple):
    """One e-mail that the service has sent."""

    id: str
    #: When the e-mail was sent, on the workspace's clock.
    at: datetime
    #: The addresses of the recipients of this kind, with commas between them.
    to: str
    sender: Annotated[str, Member("from")]
    subject: str
    #: Empty: only HTML was sent.
    text: str
    #: The text as a page, where no HTML was sent.
    html: str
    #: The one-time code in the e-mail; None: it has none.
    otp: int | None
    #: The progress of sending the e-mail to a real SMTP server (`state`, `tries`, `error`); None: there is none.
    smtp: Mapping[str, Any] | None = None
    #: The name of the account to which the e-mail belongs; None: to none.
    account: str | None = None
    #: The state machine of the instance that the e-mail is about, such as `sender`; None: it is about none.
    machine: MachineName | None = None
    #: The key of that instance, such as the sender's id.
    key: int | str | None = None
    #: The id of the request that has caused the e-mail, for `Requests.get`; None: no request to the API has caused it.
    request: str | None = None
    #: Addresses, without the names.
    cc: Sequence[str] = ()
    bcc: Sequence[str] = ()
    #: All recipients, of whatever kind, with their names.
    recipients: Sequence[Recipient] = ()
    reply_to: str | None = None
    #: The headers that the client has given.
    headers: Mapping[str, str] = MappingProxyType({})
    tags: Sequence[str] = ()
    #: With its angle brackets.
    message_id: str = ""
    attachments: Sequence[Attachment] = ()
    #: The id of the template that the client has named; None: it has named none.
    template_id: int | None = None
    #: The parameters that the client has given.
    params: Mapping[str, Any] = MappingProxyType({})
    #: What the e-mail has caused.
    caused: Sequence[Cause] = ()
    #: What has caused the e-mail: the request, the timer or the control call.
    caused_by: Sequence[Cause] = ()
