"""The effects of all workspaces of a server."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mockserver.app.look_ups import LookUps
from mockserver.core.effects import CallOutcome, IsWanted, Job, Report, Timed
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.effects.addresses import mail_address
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.effects.egress import Egress
from mockserver.effects.timer_thread import TimerThread
from mockserver.resources.inbound import model as inbound
from mockserver.settings import Settings

if TYPE_CHECKING:
    from mockserver.app.forwards import Forwards
    from mockserver.effects.smtp_client import SmtpClient
    from mockserver.effects.smtp_listener import Listener


class ServerEffects:
    """Carries out the effects of workspaces: the `Effects` of `core.effects.effects` on a real server.

    Modules that take long to import are imported when they are first used.
    """

    def __init__(self, settings: Settings, ca: str | None = None) -> None:
        """Prepare all effects; e-mails are received, and timers fire in real time, after `open`.

        `ca` is the certificate of an authority, in PEM, that calls trust beside those that OpenSSL does.

        Raises:
            ValueError: an address among the settings is malformed, or the key of forwarded calls cannot be used.
        """
        egress = Egress(settings.egress)
        self._calls = Calls(egress, ca)
        self._mails = Mails(settings, egress)
        self._timer_thread = TimerThread()
        self.look_ups = LookUps(settings)
        self.forwarder = _forwarder(settings)

    def open(self, store: Store) -> None:
        """Fire the timers that are due, and receive e-mails if the settings ask for it.

        Raises:
            OSError: the SMTP listener cannot listen on its address.
        """
        self._mails.open(store)
        for workspace in store.loaded():
            with suppress(StorageError):  # what is due in an unreadable workspace happens later
                store.storage.run(partial(_catch_up, workspace))

    def close(self) -> None:
        """Stop all effects without waiting for those under way."""
        self._calls.close()
        self.look_ups.close()
        if self.forwarder is not None:
            self.forwarder.close()
        self._timer_thread.close()
        self._mails.close()

    def call(self, url: str, job: Job) -> None:
        self._calls.call(url, job)

    @property
    def posts(self) -> bool:
        return self._mails.has_client

    def post(self, mail: Mail, report: Report, wanted: IsWanted) -> None:
        self._mails.send(mail, report, wanted)

    def watch(self, workspace: Timed) -> None:
        self._timer_thread.watch(workspace)

    def health(self) -> dict[str, dict[str, Any]]:
        """The members that the effects add to the answer of `health`."""
        return self._mails.health()


def _catch_up(workspace: Workspace) -> None:
    with workspace.lock:
        workspace.catch_up()


#: Nothing of what makes calls leave.
_NONE = (None, None, None)


def _forwarder(settings: Settings) -> Forwards | None:
    if settings.beyond != "forward" and (settings.forward_to, settings.forward_key, settings.forward_key_file) == _NONE:
        return None
    from mockserver.app.forwards import forwards_of  # noqa: PLC0415  # needed by few servers

    return forwards_of(settings)


class Calls:
    """Makes outgoing requests in the background, to addresses that the egress policy allows."""

    def __init__(self, egress: Egress, ca: str | None = None) -> None:
        """Prepare calls, which trust one more authority if `ca` is its certificate, in PEM."""
        self._egress = egress
        self._ca = ca
        self._dispatcher = Dispatcher()

    def close(self) -> None:
        self._dispatcher.close()

    def call(self, url: str, job: Job) -> None:
        """Queue a job for the host of an address; `job.done` gets the outcome once, in whatever thread."""
        host = urlsplit(url).netloc.lower()
        task = Task(lambda: _outcome(job, self._egress, self._ca), job.done, lambda: job.is_wanted, host)
        if not self._dispatcher.submit(task):
            job.done(CallOutcome(error="the queue of webhook calls is full"))


def _outcome(job: Job, egress: Egress, ca: str | None) -> CallOutcome:
    """The outcome of a job's request; never raises, because the job waits for an outcome."""
    from mockserver.effects.http import call  # noqa: PLC0415  # not needed before the first webhook call

    try:
        request = job.written()
    except Exception as error:  # a bug of the mock
        logging.getLogger(__name__).exception("a call cannot be written")
        return CallOutcome(error=f"the mock cannot write the call: {type(error).__name__}", hopeless=True)
    if request is None:
        return CallOutcome(error="the call was cancelled")
    try:
        return call(request, egress, ca)
    except Exception as error:  # a bug of the mock
        logging.getLogger(__name__).exception("a call has failed with an unexpected error")
        return CallOutcome(error=f"the mock has failed: {type(error).__name__}")


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
            from mockserver.effects.smtp_listener import Listener  # noqa: PLC0415  # needed by few servers

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
    from mockserver.effects.addresses import SmtpUrl  # noqa: PLC0415  # needed by few servers
    from mockserver.effects.smtp_client import SmtpClient  # noqa: PLC0415  # needed by few servers

    return SmtpClient(SmtpUrl.parse(url), egress)
