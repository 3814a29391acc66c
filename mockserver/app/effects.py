"""What is outside of a server's workspaces: calls, e-mails and look-ups that leave, mails that come in, real time."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass
from functools import cached_property, partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mockserver.core.text.domain_name import ascii_form
from mockserver.core.traffic.mailbox import Mail
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.effects import Outcome, Report, Wanted
from mockserver.core.workspaces.jobs import Job
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.effects.egress import Egress
from mockserver.effects.timer_thread import TimerThread
from mockserver.resources.domains import lookup
from mockserver.resources.inbound import model as inbound
from mockserver.settings import Settings
from mockserver.web.routing.route import Route
from mockserver.web.server.waiting import begun, is_waiting, wait_for

if TYPE_CHECKING:
    from mockserver.effects.dns import Resolver
    from mockserver.effects.mail.client import SmtpClient
    from mockserver.effects.mail.listener import Listener

#: How long the look-ups of a request may take, and how long it waits for them whatever happens, in seconds.
_LOOK_UPS_S, _PATIENCE_S = 8.0, 10.0
#: How many look-ups are under way at once, and how many wait for their turn.
_ASKERS, _ASKING_LATER = 32, 1_000
#: The operations that ask DNS before they answer. Reading a configuration tells what was seen last.
_ASKING = frozenset({"authenticateDomain"})
#: `HOST:PORT`, `[IPV6]:PORT` or a host alone.
_SERVER = re.compile(r"(?P<host>[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?", re.ASCII | re.IGNORECASE)


class ServerEffects:
    """Carries out what leaves; whatever heavy is needed for it is imported when it is first used."""

    def __init__(self, settings: Settings) -> None:
        """Make ready what the settings ask for.

        Raises:
            ValueError: an address among them is none.
        """
        self._egress = Egress(settings.egress)
        self._dispatcher = Dispatcher()
        self._timer_thread = TimerThread()
        self._smtp_client = None if settings.smtp_url is None else _smtp_client(settings.smtp_url, self._egress)
        self._server = None if settings.dns_resolver is None else dns_server(settings.dns_resolver)
        self._askers = Dispatcher(threads=_ASKERS, concurrency=_ASKERS, waiting=_ASKING_LATER)
        self._smtp_in = None if settings.smtp_in is None else address_of(settings.smtp_in)
        self._listener: Listener | None = None

    def open(self, store: Store) -> None:
        """Let workspaces go on with what is due, and listen for mails, if that was asked for.

        Raises:
            OSError: the address cannot be listened on.
        """
        if self._smtp_in is not None:
            from mockserver.effects.mail.listener import Listener  # noqa: PLC0415  # for those who want it

            self._listener = Listener(*self._smtp_in, partial(inbound.take, store))
            self._listener.start()
        for workspace in store:
            with workspace.lock:
                workspace.catch_up()

    def close(self) -> None:
        """Let nothing leave or come in any more, without waiting for what is under way."""
        self._dispatcher.close()
        self._askers.close()
        self._timer_thread.close()
        if self._smtp_client is not None:
            self._smtp_client.close()
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    # ------------------------------------------------------------------ what workspaces ask for

    def call(self, url: str, job: Job) -> None:
        host = urlsplit(url).netloc.lower()
        work = Task(lambda: _call(job, self._egress), job.done, lambda: job.is_wanted, host)
        if not self._dispatcher.submit(work):
            job.done(Outcome(error="too many calls wait for their turn"))

    def post(self, mail: Mail, report: Report, wanted: Wanted) -> None:
        if self._smtp_client is not None:
            self._smtp_client.send(mail.message, report, wanted)

    def watch(self, workspace: Workspace) -> None:
        self._timer_thread.watch(workspace)

    def health(self) -> dict[str, Any]:
        """What is to be said of it in `health`."""
        found = {"smtp": self._smtp_client, "smtp_in": self._listener}
        return {name: part.health() for name, part in found.items() if part is not None}

    # ------------------------------------------------------------------ look-ups

    def prepare(self, caller: Caller, route: Route) -> bool:
        """Ask DNS before a request is answered, if it needs that; whether it can be answered now.

        This comes before faults: one that takes over does so when DNS has answered.
        """
        workspace = caller.workspace
        if workspace.state.behaviour.dns != "resolver" or route.operation not in _ASKING:
            return True
        name = ascii_form(route.params.get("domainName", ""))
        asked = {
            question.asked: begun(f"look-up {question.asked}", partial(self._ask, workspace, question))
            for question in _questions(caller, name)
        }

        def over() -> list[bool]:
            return [True] if all(look_up.is_over for look_up in asked.values()) else []

        wait_for(workspace, _PATIENCE_S, over, frozenset({"look_up"}), stays=True)
        if is_waiting():
            return False
        with workspace.lock:
            # Read again: while DNS was asked, the workspace may have been reset, or the domain made anew.
            questions = [question for question in _questions(caller, name) if question.asked in asked]
            lookup.publish(workspace, name, questions, {key: one.found for key, one in asked.items()})
        return True

    def _ask(self, workspace: Workspace, question: lookup.Question) -> _LookUp:
        """A look-up that is under way; whoever waits in the workspace is told when it is over."""
        if self._server is None:
            why = "behaviour.dns is resolver, and the server was started without --dns-resolver"
            return _LookUp(lookup.Failed(why), is_over=True)
        look_up, deadline = _LookUp(), time.monotonic() + _LOOK_UPS_S

        def over(found: lookup.Found) -> None:
            with workspace.lock:
                look_up.found, look_up.is_over = found, True
                workspace.watchers.tell("look_up")

        if not self._askers.submit(Task(lambda: self._resolver(*question.asked, deadline), over)):
            return _LookUp(lookup.Failed("too many look-ups wait for their turn"), is_over=True)
        return look_up

    @cached_property
    def _resolver(self) -> Resolver:
        from mockserver.effects.dns import Resolver  # noqa: PLC0415  # for those who want it

        assert self._server is not None, "nobody else is asked"
        return Resolver(*self._server)


@dataclass(slots=True, eq=False)
class _LookUp:
    """One question to DNS, and what came of it."""

    found: lookup.Found = lookup.Failed(f"no answer came within {_PATIENCE_S:g} seconds")  # noqa: RUF009  # a constant
    is_over: bool = False


def _questions(caller: Caller, name: str) -> list[lookup.Question]:
    with caller.workspace.lock:
        if caller.workspace.state.behaviour.dns != "resolver":
            return []
        return lookup.questions(caller.workspace, caller.now().account, name)


def _call(job: Job, egress: Egress) -> Outcome:
    from mockserver.effects.http import call  # noqa: PLC0415  # for those who have webhooks

    try:
        post = job.written()
    except Exception as error:  # whatever cannot be written is no call, and nobody waits for it
        logging.getLogger(__name__).exception("a call cannot be written")
        return Outcome(error=f"the mock cannot write the call: {type(error).__name__}", hopeless=True)
    if post is None:
        return Outcome(error="the call was called off")
    try:
        return call(post, egress)
    except Exception as error:  # whoever waits for it is told in any case
        logging.getLogger(__name__).exception("a call has failed in a way that nobody has thought of")
        return Outcome(error=f"the mock has failed: {type(error).__name__}")


def _smtp_client(url: str, egress: Egress) -> SmtpClient:
    from mockserver.effects.mail.client import SmtpClient  # noqa: PLC0415  # for those who want it
    from mockserver.effects.mail.url import SmtpUrl  # noqa: PLC0415  # see above

    return SmtpClient(SmtpUrl.parse(url), egress)


def address_of(text: str) -> tuple[str, int]:
    """The host and the port of `HOST:PORT`.

    Raises:
        ValueError: it is none.
    """
    found = _SERVER.fullmatch(text)
    if found is None or found["port"] is None or int(found["port"]) > 65535:
        raise ValueError(f"mails cannot be taken at {text!r}: it must be HOST:PORT")
    return found["host"].strip("[]"), int(found["port"])


def dns_server(text: str) -> tuple[str, int]:
    """The host and the port of `HOST:PORT`; without a port it is 53, where all DNS servers are.

    Raises:
        ValueError: it is none.
    """
    found = _SERVER.fullmatch(f"[{text}]" if _is_address(text) and ":" in text else text)
    host, port = ("", 0) if found is None else (found["host"].strip("[]"), int(found["port"] or 53))
    is_literal = not set(host) - set("0123456789.") or ":" in host
    if not 1 <= port <= 65535 or (is_literal and not _is_address(host)):
        raise ValueError(f"the DNS resolver {text!r} must be HOST:PORT, or a host alone for port 53")
    return host, port


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
