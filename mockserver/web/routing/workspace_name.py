"""Where a request names the workspace that it is for: in its address, or in a header."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: Before the name of a workspace, under which every address works.
WORKSPACE_PREFIX = "/w/"
#: Where that name stands in a request's environment.
WORKSPACE = "mockserver.workspace"
#: The header that names a workspace.
WORKSPACE_HEADER = "X-Mock-Workspace"
_IN_HEADER = "HTTP_X_MOCK_WORKSPACE"


class DisagreementError(ValueError):
    """The address and the header name different workspaces."""


class WorkspaceName(NamedTuple):
    """The name of the workspace that a request is for; neither: its key tells."""

    in_address: str | None
    in_header: str | None

    def agreed(self) -> str | None:
        """The name that the address or the header gives, if one of them does.

        Raises:
            DisagreementError: both do, and differ.
        """
        if self.in_header is None or self.in_header == self.in_address:
            return self.in_address
        if self.in_address is None:
            return self.in_header
        found = f"the address names the workspace {self.in_address}, and {WORKSPACE_HEADER} {self.in_header}"
        raise DisagreementError(found)


_NEITHER = WorkspaceName(None, None)


def workspace_name(environ: WSGIEnvironment) -> WorkspaceName:
    """What the address and the header of a request say."""
    in_address, in_header = environ.get(WORKSPACE), environ.get(_IN_HEADER)
    return _NEITHER if in_address is in_header is None else WorkspaceName(in_address, in_header)


def split_workspace(path: str) -> tuple[str | None, str]:
    """The name of the workspace that a path begins with, if it does, and the path behind it."""
    if not path.startswith(WORKSPACE_PREFIX):
        return None, path
    name, slash, rest = path.removeprefix(WORKSPACE_PREFIX).partition("/")
    return name, slash + rest
