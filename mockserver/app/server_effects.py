"""Effects of all workspaces of a server."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mockserver.app.look_ups import LookUps
from mockserver.core.effects import CallOutcome, IsWanted, Job, Report
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import Store
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
    """Carries out effects of workspaces on a real server, as `core.effects.Effects`.

    Slow modules are imported on first use.
    """

    def __init__(self, settings: Settings, ca: str | None = None) -> None:
        """Prepare all effects; timers and incoming e-mails start with `open`.

        Calls trust the authority with certificate `ca` (PEM), too.
        """
        self._egress = Egress(settings.egress)
        self._ca = ca
        self._dispatcher = Dispatcher()
        self._smtp = None if settings.smtp_url is None else _client(settings.smtp_url, self._egress)
        self._smtp_address = None if settings.smtp_in is None else mail_address(settings.smtp_in)
        self._listener: Listener | None = None
        #: The public root address, and where the server listens: calls to its own receivers need no proxy.
        self.own: tuple[str, str] | None = None
        #: Whether e-mails are sent to a real server.
        self.posts = self._smtp is not None
        self._timer_thread = TimerThread()
        self.watch = self._timer_thread.watch
        self.look_ups = LookUps(settings)
        self.forwarder = _forwarder(settings)

    def open(self, store: Store) -> None:
        """Start the SMTP listener of the settings, and log failed timers once for all rounds of the store."""
        if self._smtp_address is not None:
            from mockserver.effects.smtp_listener import Listener  # noqa: PLC0415  # needed by few servers

            self._listener = Listener(*self._smtp_address, partial(_take, store))
            self._listener.start()
        self._timer_thread.rounds = store.rounds

    def close(self) -> None:
        self._dispatcher.close()
        self.look_ups.close()
        if self.forwarder is not None:
            self.forwarder.close()
        self._timer_thread.close()
        if self._smtp is not None:
            self._smtp.close()
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    def call(self, url: str, job: Job) -> None:
        """Queue a job by host; `job.done` gets its outcome, in any thread.

        A job that comes while the server stops has no outcome, as one that is running then: the next server repeats it.
        """
        host = urlsplit(url).netloc.lower()
        task = Task(lambda: _outcome(job, self._egress, self._ca, self.own), job.done, lambda: job.is_wanted, host)
        if not self._dispatcher.submit(task) and not self._dispatcher.is_closed:
            self._dispatcher.refuse(job.done, CallOutcome(error="the queue of webhook calls is full"))

    def post(self, mail: Mail, report: Report, wanted: IsWanted) -> None:
        """Send an e-mail while `wanted` returns true, and report each step; without server do nothing."""
        if self._smtp is not None:
            self._smtp.send(mail.message, report, wanted)

    def health(self) -> dict[str, dict[str, Any]]:
        """Return `smtp` (client) and `smtp_in` (listener) of `health`, if used."""
        peers = {"smtp": self._smtp, "smtp_in": self._listener}
        return {name: peer.health() for name, peer in peers.items() if peer is not None}


def _forwarder(settings: Settings) -> Forwards | None:
    given = (settings.forward_to, settings.forward_key, settings.forward_key_file)
    if settings.beyond != "forward" and given == (None, None, None):
        return None
    from mockserver.app.forwards import forwards_of  # noqa: PLC0415  # needed by few servers

    return forwards_of(settings)


def _take(store: Store, raw: bytes, sender: str, recipients: Sequence[str]) -> bool:
    """Receive an e-mail, and save it where answers wait for it. Return whether it is saved."""
    try:
        inbound.take(store, raw, sender, recipients)
    except StorageError:
        return False
    return True


def _outcome(job: Job, egress: Egress, ca: str | None, own: tuple[str, str] | None) -> CallOutcome:
    """Return a job's outcome without raising, as the job waits for it."""
    from mockserver.effects.http import call  # noqa: PLC0415  # not needed before the first webhook call

    try:
        request = job.written()
    except Exception as error:  # a bug of the mock
        logging.getLogger(__name__).exception("a call cannot be written")
        return CallOutcome(error=f"the mock cannot write the call: {type(error).__name__}", hopeless=True)
    if request is None:
        return CallOutcome(error="the call was cancelled")
    if own is not None and request.url.startswith(f"{own[0]}/") and "/_mock/receiver/" in request.url:
        request = request._replace(url=own[1] + request.url.removeprefix(own[0]))
    try:
        return call(request, egress, ca)
    except Exception as error:  # a bug of the mock
        logging.getLogger(__name__).exception("a call has failed with an unexpected error")
        return CallOutcome(error=f"the mock has failed: {type(error).__name__}")


def _client(url: str, egress: Egress) -> SmtpClient:
    from mockserver.effects.addresses import SmtpUrl  # noqa: PLC0415  # needed by few servers
    from mockserver.effects.smtp_client import SmtpClient  # noqa: PLC0415  # needed by few servers

    return SmtpClient(SmtpUrl.parse(url), egress)
