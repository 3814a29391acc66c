"""DNS look-ups at a real server, for workspaces with `behaviour.dns: resolver`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from mockserver.core.text.addresses import ascii_form
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import settle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.effects.addresses import dns_server
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.resources.domains import lookup
from mockserver.settings import Settings
from mockserver.web.routing.route import Route
from mockserver.web.server.waiting import begun, is_waiting, wait_for

if TYPE_CHECKING:
    from mockserver.effects.dns import Resolver

#: How long the look-ups of a request may take, in seconds; chosen below the 10 seconds that many clients wait.
_LOOK_UPS_S = 8.0
#: How long a request waits for its look-ups whatever happens, in seconds; chosen above `_LOOK_UPS_S`.
_TIMEOUT_S = 10.0
#: How many look-ups are under way at once; chosen far above what the few questions of one request need.
_THREADS = 32
#: How many look-ups may wait for a thread; chosen far above what honest clients cause.
_WAITING = 1_000


@dataclass(slots=True, eq=False)
class _LookUp:
    found: lookup.DnsAnswer = lookup.NoAnswer(f"no answer within {_TIMEOUT_S:g} seconds")  # noqa: RUF009  # a constant
    is_over: bool = False


class LookUps:
    """Asks the DNS server that the settings name, in the background."""

    def __init__(self, settings: Settings) -> None:
        """Prepare look-ups without starting threads."""
        self._server = None if settings.dns_resolver is None else dns_server(settings.dns_resolver)
        self._dispatcher = Dispatcher(threads=_THREADS, concurrency=_THREADS, waiting=_WAITING)

    def close(self) -> None:
        self._dispatcher.close()

    def prepare(self, caller: Caller, route: Route, environ: dict[str, Any]) -> bool:
        """Look up an operation's names. Return whether its request is ready, or has to wait.

        Called before faults: a fault replaces the answer after DNS has answered.
        """
        workspace = caller.workspace
        if workspace.state.behaviour.dns != "resolver":
            return True
        name = ascii_form(route.params.get("domainName", ""))
        asked = {
            question.asked: begun(environ, f"look-up {question.asked}", partial(self._ask, workspace, question))
            for question in _questions(caller, name)
        }
        if not _all_over(environ, workspace, asked):
            return False
        # Asked anew: during the look-ups the workspace may have been reset, or the domain created anew.
        questions = [question for question in _questions(caller, name) if question.asked in asked]
        lookup.publish(workspace, name, questions, {key: one.found for key, one in asked.items()})
        return True

    def _ask(self, workspace: Workspace, question: lookup.Question) -> _LookUp:
        """Start a look-up, whose end wakes the workspace's waiting requests."""
        if self._server is None:
            reason = "behaviour.dns is resolver, but the server was started without --dns-resolver"
            return _LookUp(lookup.NoAnswer(reason), is_over=True)
        look_up, deadline = _LookUp(), time.monotonic() + _LOOK_UPS_S

        def over(found: lookup.DnsAnswer) -> None:
            look_up.found, look_up.is_over = found, True
            workspace.watchers.tell("look_up")

        task = Task(lambda: self._resolver(*question.asked, deadline), partial(settle, workspace, over))
        if not self._dispatcher.submit(task):
            return _LookUp(lookup.NoAnswer("the queue of DNS look-ups is full"), is_over=True)
        return look_up

    @cached_property
    def _resolver(self) -> Resolver:
        from mockserver.effects.dns import Resolver  # noqa: PLC0415  # slow to import, and needed by few servers

        assert self._server is not None, "there is no look-up without a server"
        return Resolver(*self._server)


def _all_over(environ: dict[str, Any], workspace: Workspace, asked: Mapping[tuple[str, str], _LookUp]) -> bool:
    """Return whether all look-ups ended or timed out; otherwise suspend the request."""

    def over() -> list[bool]:
        return [True] if all(look_up.is_over for look_up in asked.values()) else []

    wait_for(environ, workspace, _TIMEOUT_S, over, frozenset({"look_up"}), stays=True)
    return not is_waiting(environ)


def _questions(caller: Caller, name: str) -> list[lookup.Question]:
    """Return DNS questions about a domain in the workspace's present state."""
    if caller.workspace.state.behaviour.dns != "resolver":
        return []
    return lookup.questions(caller.workspace, caller.account, name)
