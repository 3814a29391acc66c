"""The look-ups in DNS for which a request waits, where a workspace asks a real server."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from mockserver.app.effects.addresses import dns_server
from mockserver.core.text.domain_name import ascii_form
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.resources.domains import lookup
from mockserver.settings import Settings
from mockserver.web.routing.route import Route
from mockserver.web.server.waiting import begun, is_waiting, wait_for

if TYPE_CHECKING:
    # For those alone who want it.
    from mockserver.effects.dns import Resolver

#: How long the look-ups of a request may take, and how long it waits for them whatever happens, in seconds.
_LOOK_UPS_S, _PATIENCE_S = 8.0, 10.0
#: How many look-ups are under way at once, and how many wait for their turn.
_THREADS, _WAITING = 32, 1_000
#: The operations that ask DNS before they answer. Reading a configuration tells what was seen last.
_ASKING = frozenset({"authenticateDomain"})


@dataclass(slots=True, eq=False)
class _LookUp:
    """One question to DNS, and what came of it."""

    found: lookup.Found = lookup.Failed(f"no answer came within {_PATIENCE_S:g} seconds")  # noqa: RUF009  # a constant
    is_over: bool = False


class LookUps:
    """Asks the DNS server of the settings."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is asked before a request needs it.

        Raises:
            ValueError: the server's address is none.
        """
        self._server = None if settings.dns_resolver is None else dns_server(settings.dns_resolver)
        self._dispatcher = Dispatcher(threads=_THREADS, concurrency=_THREADS, waiting=_WAITING)

    def close(self) -> None:
        self._dispatcher.close()

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
        if not _all_over(workspace, asked):
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

        if not self._dispatcher.submit(Task(lambda: self._resolver(*question.asked, deadline), over)):
            return _LookUp(lookup.Failed("too many look-ups wait for their turn"), is_over=True)
        return look_up

    @cached_property
    def _resolver(self) -> Resolver:
        from mockserver.effects.dns import Resolver  # noqa: PLC0415  # see above

        assert self._server is not None, "nobody else is asked"
        return Resolver(*self._server)


def _all_over(workspace: Workspace, asked: Mapping[tuple[str, str], _LookUp]) -> bool:
    """Whether DNS has answered, or the time for it is up; where neither is so, the request waits."""

    def over() -> list[bool]:
        return [True] if all(look_up.is_over for look_up in asked.values()) else []

    wait_for(workspace, _PATIENCE_S, over, frozenset({"look_up"}), stays=True)
    return not is_waiting()


def _questions(caller: Caller, name: str) -> list[lookup.Question]:
    """What is to be asked of a domain, as its workspace stands now."""
    with caller.workspace.lock:
        if caller.workspace.state.behaviour.dns != "resolver":
            return []
        return lookup.questions(caller.workspace, caller.now().account, name)
