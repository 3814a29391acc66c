"""A high-fidelity, stateful mock of the Brevo administration API, v3."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.app import create_app as create_app
    from mockserver.settings import Settings as Settings
    from mockserver.testing.client import MockServerError as MockServerError
    from mockserver.testing.server import MockServer as MockServer
    from mockserver.testing.workspace import Workspace as Workspace

#: The module of each export, imported on first use: the command `mockserver health` needs none of them.
_MODULES = {
    "MockServer": "mockserver.testing.server",
    "MockServerError": "mockserver.testing.client",
    "Settings": "mockserver.settings",
    "Workspace": "mockserver.testing.workspace",
    "create_app": "mockserver.app",
}

#: The version of the installed package, looked up on first use.
__version__: str

__all__ = ["MockServer", "MockServerError", "Settings", "Workspace", "__version__", "create_app"]


def __getattr__(name: str) -> object:
    from importlib import import_module, metadata  # noqa: PLC0415  # not needed to import the package

    if name == "__version__":
        return metadata.version("mockserver")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
