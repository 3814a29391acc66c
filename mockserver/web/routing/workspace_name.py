"""The name of the workspace that a request is for, in its address or in a header."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: What precedes the name of a workspace in an address; any address of the mock may follow.
WORKSPACE_PREFIX = "/w/"
#: The key of a request's environment for the workspace's name in its address.
WORKSPACE = "mockserver.workspace"
#: The header that names a workspace.
WORKSPACE_HEADER = "X-Mock-Workspace"
_IN_HEADER = "HTTP_X_MOCK_WORKSPACE"


class DisagreementError(ValueError):
    """The address and the header name different workspaces."""


class WorkspaceName(NamedTuple):
    """The name of a workspace as a request gives it, if at all; without one, the workspace follows from the key."""

    in_address: str | None
    in_header: str | None

    def agreed(self) -> str | None:
        """The name that the address or the header gives, or None if neither does.

        Raises:
            DisagreementError: both give a name, and the names differ.
        """
        if self.in_header is None or self.in_header == self.in_address:
            return self.in_address
        if self.in_address is None:
            return self.in_header
        message = f"the address names workspace {self.in_address}, but {WORKSPACE_HEADER} names {self.in_header}"
        raise DisagreementError(f"{message}; send one name only")


#: The name of a workspace that a request does not give.
NO_NAME = WorkspaceName(None, None)


def workspace_name(environ: WSGIEnvironment) -> WorkspaceName:
    """The names of a workspace in the address and in the header of a request."""
    in_address, in_header = environ.get(WORKSPACE), environ.get(_IN_HEADER)
    return NO_NAME if in_address is in_header is None else WorkspaceName(in_address, in_header)


def split_workspace(path: str) -> tuple[str | None, str]:
    """The name in a path that begins with `/w/<name>`, or None, and the path without that beginning."""
    if not path.startswith(WORKSPACE_PREFIX):
        return None, path
    name, slash, rest = path.removeprefix(WORKSPACE_PREFIX).partition("/")
    return name, slash + rest
