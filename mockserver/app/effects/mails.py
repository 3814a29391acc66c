"""The e-mails that leave by SMTP, and those that come in by it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mockserver.app.effects.addresses import mail_address
from mockserver.core.effects.effects import Report, Wanted
from mockserver.core.traffic.mailbox import Mail
from mockserver.core.workspaces.store import Store
from mockserver.effects.egress import Egress
from mockserver.resources.inbound import model as inbound
from mockserver.settings import Settings

if TYPE_CHECKING:
    # For those alone who want them.
    from mockserver.effects.mail.client import SmtpClient
    from mockserver.effects.mail.listener import Listener


class Mails:
    """Sends e-mails to a real server, and takes them at an address, where the settings ask for it."""

    def __init__(self, settings: Settings, egress: Egress) -> None:
        """Mails are sent at once, and taken when it is opened.

        Raises:
            ValueError: an address among the settings is none.
        """
        self._client = None if settings.smtp_url is None else _client(settings.smtp_url, egress)
        self._address = None if settings.smtp_in is None else mail_address(settings.smtp_in)
        self._listener: Listener | None = None

    def open(self, store: Store) -> None:
        """Take mails for the workspaces from now on.

        Raises:
            OSError: the address cannot be listened on.
        """
        if self._address is not None:
            from mockserver.effects.mail.listener import Listener  # noqa: PLC0415  # see above

            self._listener = Listener(*self._address, partial(inbound.take, store))
            self._listener.start()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    def send(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        """Send an e-mail, if there is a server for it."""
        if self._client is not None:
            self._client.send(mail.message, report, wanted)

    def health(self) -> dict[str, dict[str, Any]]:
        """What is to be said of either way in `health`."""
        ways = {"smtp": self._client, "smtp_in": self._listener}
        return {name: way.health() for name, way in ways.items() if way is not None}


def _client(url: str, egress: Egress) -> SmtpClient:
    from mockserver.effects.mail.client import SmtpClient  # noqa: PLC0415  # see above
    from mockserver.effects.mail.url import SmtpUrl  # noqa: PLC0415  # see above

    return SmtpClient(SmtpUrl.parse(url), egress)
