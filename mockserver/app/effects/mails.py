"""The e-mails that workspaces send and receive by SMTP."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mockserver.app.effects.addresses import mail_address
from mockserver.core.effects import IsWanted, Report
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.store import Store
from mockserver.effects.egress import Egress
from mockserver.resources.inbound import model as inbound
from mockserver.settings import Settings

if TYPE_CHECKING:
    # Imported when the settings ask for SMTP, which few do.
    from mockserver.effects.mail.client import SmtpClient
    from mockserver.effects.mail.listener import Listener


class Mails:
    """The SMTP client and the SMTP listener of a server, each only where the settings ask for it."""

    def __init__(self, settings: Settings, egress: Egress) -> None:
        """Prepare the client; the listener is created by `open`.

        Raises:
            ValueError: the address of the client or of the listener is malformed.
        """
        self._client = None if settings.smtp_url is None else _client(settings.smtp_url, egress)
        self._address = None if settings.smtp_in is None else mail_address(settings.smtp_in)
        self._listener: Listener | None = None

    def open(self, store: Store) -> None:
        """Receive e-mails for the workspaces of a store from now on, if the settings ask for it.

        Raises:
            OSError: the listener cannot listen on its address.
        """
        if self._address is not None:
            from mockserver.effects.mail.listener import Listener  # noqa: PLC0415  # needed by few servers

            self._listener = Listener(*self._address, partial(_take, store))
            self._listener.start()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    @property
    def has_client(self) -> bool:
        """Whether the settings name a server for e-mails."""
        return self._client is not None

    def send(self, mail: Mail, report: Report, wanted: IsWanted) -> None:
        """Send an e-mail while `wanted` is true, and report each step; nothing if the settings name no server."""
        if self._client is not None:
            self._client.send(mail.message, report, wanted)

    def health(self) -> dict[str, dict[str, Any]]:
        """The members `smtp` (of the client) and `smtp_in` (of the listener) of `health`, each where it is in use."""
        peers = {"smtp": self._client, "smtp_in": self._listener}
        return {name: peer.health() for name, peer in peers.items() if peer is not None}


def _take(store: Store, raw: bytes, sender: str, recipients: Sequence[str]) -> None:
    """Receive a mail, and save it where requests are saved before they are answered.

    Raises:
        StorageError: the mail could not be saved, or its workspace cannot be read.
    """
    store.storage.run(partial(inbound.take, store, raw, sender, recipients))


def _client(url: str, egress: Egress) -> SmtpClient:
    from mockserver.effects.mail.client import SmtpClient  # noqa: PLC0415  # needed by few servers
    from mockserver.effects.mail.url import SmtpUrl  # noqa: PLC0415  # needed by few servers

    return SmtpClient(SmtpUrl.parse(url), egress)
