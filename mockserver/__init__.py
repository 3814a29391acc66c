"""A high-fidelity, stateful mock of the Brevo administration API, v3."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.app import create_app as create_app
    from mockserver.settings import ServerMissingError as ServerMissingError
    from mockserver.settings import Settings as Settings
    from mockserver.testing.cases import WorkspaceTestCase as WorkspaceTestCase
    from mockserver.testing.client import MockServerError as MockServerError
    from mockserver.testing.coroutines import AsyncMockServer as AsyncMockServer
    from mockserver.testing.coroutines import AsyncWorkspace as AsyncWorkspace
    from mockserver.testing.handles.server import MockServer as MockServer
    from mockserver.testing.handles.workspace import Workspace as Workspace
    from mockserver.testing.loops import BlockingCallWarning as BlockingCallWarning

#: The module of each export, imported on first use: the command `mockserver health` needs none of them.
_MODULES = {
    "AsyncMockServer": "mockserver.testing.coroutines",
    "AsyncWorkspace": "mockserver.testing.coroutines",
    "BlockingCallWarning": "mockserver.testing.loops",
    "MockServer": "mockserver.testing.handles.server",
    "MockServerError": "mockserver.testing.client",
    "ServerMissingError": "mockserver.settings",
    "Settings": "mockserver.settings",
    "Workspace": "mockserver.testing.handles.workspace",
    "WorkspaceTestCase": "mockserver.testing.cases",
    "create_app": "mockserver.app",
}

#: Whose package this is: another distribution has one of the same name (see `mockserver/settings/distribution.py`).
__distribution__ = "brevo-mockserver"
#: The version of the installed package, looked up on first use.
__version__: str

__all__ = [
    "AsyncMockServer",
    "AsyncWorkspace",
    "BlockingCallWarning",
    "MockServer",
    "MockServerError",
    "ServerMissingError",
    "Settings",
    "Workspace",
    "WorkspaceTestCase",
    "__version__",
    "create_app",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    from importlib import import_module  # noqa: PLC0415  # not needed to import the package

    if name == "__version__":
        from mockserver.settings import version  # noqa: PLC0415  # see above

        return version()
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "create_app":
        from mockserver.settings import needing_server  # noqa: PLC0415  # see above

        with needing_server("mockserver.create_app"):
            return getattr(import_module(_MODULES[name]), name)  # with it comes Flask
    return getattr(import_module(_MODULES[name]), name)
