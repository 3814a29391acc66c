"""Coroutine handles: each call runs in a thread, using the blocking handle.

Type checkers read `coroutines.pyi` instead, which `.ci/hatch_build.py` generates from the handles for a wheel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType
from typing import Any, ClassVar, Self, TypeVar

from mockserver.testing import loops
from mockserver.testing.client import Client
from mockserver.testing.handles.link import ASKING, Handle
from mockserver.testing.handles.server import MockServer
from mockserver.testing.handles.workspace import Workspace

__tracebackhide__ = True  # pytest shows the line of the test instead

Completed = TypeVar("Completed", bound="type[Proxy]")


class Proxy:
    """A coroutine handle, for asyncio or trio."""

    #: The class with coroutines of each class that blocks.
    kinds: ClassVar[dict[type, type[Proxy]]] = {}
    #: The name of the class that blocks.
    blocking_name: ClassVar[str]
    #: The same handle with calls that block.
    blocking: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "blocking":  # not set yet
            raise AttributeError(name)
        return proxied(getattr(self.blocking, name))

    def __repr__(self) -> str:
        return repr(self.blocking).replace(self.blocking_name, type(self).__name__, 1)


def proxied(value: Any) -> Any:
    """Wrap handles and lists of handles for coroutines; return other values unchanged."""
    if isinstance(value, list):
        return [proxied(item) for item in value]
    for kind in type(value).__mro__:
        if kind in Proxy.kinds:
            found = object.__new__(Proxy.kinds[kind])
            found.blocking = value
            return found
    return value


def coroutines_of(kind: type) -> Callable[[Completed], Completed]:
    """Return a decorator that copies missing public members from a blocking class."""

    def complete(proxy: Completed) -> Completed:
        Proxy.kinds[kind] = proxy
        proxy.blocking_name = kind.__name__
        proxy.__doc__ = proxy.__doc__ or kind.__doc__
        members = {name: _awaited(name, member) for name, member in vars(kind).items() if not name.startswith("_")}
        if hasattr(kind, "__exit__"):
            members |= {"__aenter__": _enter, "__aexit__": _exit}
        for name in members.keys() - vars(proxy).keys() - {"asynchronous"}:
            setattr(proxy, name, members[name])
        return proxy

    return complete


def _awaited(name: str, member: Any) -> Any:
    if isinstance(member, staticmethod):
        return staticmethod(_coroutine(member.__func__, member.__func__))
    if isinstance(member, FunctionType):
        return _coroutine(member, lambda self, *given, **options: getattr(self.blocking, name)(*given, **options))
    if isinstance(member, property) and member.fget in ASKING:
        return property(_coroutine(member.fget, lambda self: getattr(self.blocking, name)))
    return property(lambda self: proxied(getattr(self.blocking, name)), doc=member.__doc__)


def _coroutine(function: Callable[..., Any], call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    async def made(*given: Any, **options: Any) -> Any:
        return proxied(await loops.cancellable(partial(call, *given, **options)))

    return made


async def _enter(self: Proxy) -> Proxy:
    return self


async def _exit(self: Proxy, *raised: object) -> None:
    await loops.shielded(partial(loops.cancellable, partial(self.blocking.__exit__, *raised)))


@coroutines_of(Client)
class AsyncClient(Proxy):
    #: The same client with calls that block.
    blocking: Client

    def close(self) -> None:
        """Close idle connections; later calls open new connections."""
        self.blocking.close()


@coroutines_of(Workspace)
class AsyncWorkspace(Proxy):
    @property
    def synchronous(self) -> Workspace:
        """The same workspace with handles that block."""
        found: Workspace = self.blocking
        return found


class _Unstarted(MockServer):
    """A local server started by a coroutine only."""

    _title = "AsyncMockServer"

    def start(self) -> None:
        pass

    async def begin(self) -> None:
        """Start the server; stop it after the start if the caller was cancelled."""
        local = self._local
        if local is None or local.is_running:
            return
        try:
            await loops.in_thread(partial(local.start, local.turn))
        except BaseException:
            local.call_off()
            raise
        self._connect(local.url, local.token, local.trust, local.public_url)


@coroutines_of(MockServer)
class AsyncMockServer(Proxy):
    """A server with any number of workspaces, for coroutines.

    A server in this process runs from `start`, which `async with` calls, until `stop` is called, the block ends, or the
    program ends. Tasks may share a server, also those of loops that run one after the other.
    """

    _on_leaving: Callable[[AsyncWorkspace], None] | None = None

    def __init__(self, *given: Any, **settings: Any) -> None:
        self.blocking = _Unstarted(*given, **settings)

    @property
    def on_leaving(self) -> Callable[[AsyncWorkspace], None] | None:
        """A callback before a workspace of this object is reset or dropped; runs in a thread.

        In that thread use `workspace.synchronous`.
        """
        return self._on_leaving

    @on_leaving.setter
    def on_leaving(self, told: Callable[[AsyncWorkspace], None] | None) -> None:
        self._on_leaving = told
        self.blocking.on_leaving = None if told is None else lambda workspace: told(workspace.asynchronous)

    async def start(self) -> None:
        """Start the server; after a stop, use a free port and new workspaces. A running server is unaffected.

        Raises:
            MockServerError: The scenario is not valid; `errors` names every mistake.
            ServerMissingError: The extra `server` of this package is not installed.
            OSError: The server cannot listen on its port.
        """
        if isinstance(self.blocking, _Unstarted):
            await self.blocking.begin()

    async def __aenter__(self) -> Self:
        await self.start()
        return self


for _kind in Handle.__subclasses__():
    _members = {"__module__": __name__}
    globals()[_kind.__name__] = coroutines_of(_kind)(type(_kind.__name__, (Proxy,), _members))
