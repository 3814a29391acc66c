"""All that leaves the workspaces of a server, as they ask for it."""

from __future__ import annotations

from typing import Any

from mockserver.app.effects.calls import Calls
from mockserver.app.effects.look_ups import LookUps
from mockserver.app.effects.mails import Mails
from mockserver.core.effects.effects import Report, Timed, Wanted
from mockserver.core.effects.jobs import Job
from mockserver.core.traffic.mailbox import Mail
from mockserver.core.workspaces.store import Store
from mockserver.effects.egress import Egress
from mockserver.effects.timer_thread import TimerThread
from mockserver.settings import Settings


class ServerEffects:
    """Carries out what leaves (`core.effects.effects.Effects`); what is heavy is imported when it is first used."""

    def __init__(self, settings: Settings) -> None:
        """What workspaces ask for leaves at once; mails come in when it is opened.

        Raises:
            ValueError: an address among the settings is none.
        """
        egress = Egress(settings.egress)
        self._calls = Calls(egress)
        self._mails = Mails(settings, egress)
        self._timer_thread = TimerThread()
        self.look_ups = LookUps(settings)

    def open(self, store: Store) -> None:
        """Let workspaces go on with what is due, and take mails, if that was asked for.

        Raises:
            OSError: the address for mails cannot be listened on.
        """
        self._mails.open(store)
        for workspace in store:
            with workspace.lock:
                workspace.catch_up()

    def close(self) -> None:
        """Let nothing leave or come in any more, without waiting for what is under way."""
        self._calls.close()
        self.look_ups.close()
        self._timer_thread.close()
        self._mails.close()

    def call(self, url: str, job: Job) -> None:
        self._calls.call(url, job)

    def post(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        self._mails.send(mail, report, wanted)

    def watch(self, workspace: Timed) -> None:
        self._timer_thread.watch(workspace)

    def health(self) -> dict[str, dict[str, Any]]:
        """What is to be said of them in `health`."""
        return self._mails.health()
