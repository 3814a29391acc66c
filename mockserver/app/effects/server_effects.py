"""The effects of all workspaces of a server."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from mockserver.app.effects.calls import Calls
from mockserver.app.effects.look_ups import LookUps
from mockserver.app.effects.mails import Mails
from mockserver.core.effects import IsWanted, Job, Report, Timed
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.effects.egress import Egress
from mockserver.effects.timer_thread import TimerThread
from mockserver.settings import Settings

if TYPE_CHECKING:
    # Imported when the settings ask for it, which few do.
    from mockserver.app.effects.forwards import Forwards


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
    from mockserver.app.effects.forwards import forwards_of  # noqa: PLC0415  # needed by few servers

    return forwards_of(settings)
