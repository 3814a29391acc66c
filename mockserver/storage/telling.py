"""What an engine says, in the words of what keeps workspaces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mockserver.core.workspaces.keeping import KeepingError, MissingError
from mockserver.storage.errors import EngineError, NoWorkspaceError
from mockserver.storage.records.unreadable import UnreadableError


@contextmanager
def told(prefix: str = "") -> Iterator[None]:
    """Tell what the engine, or what it holds, says within a `with` block.

    Raises:
        MissingError: there is no such workspace.
        KeepingError: the engine has failed, or what it holds cannot be read.
    """
    try:
        yield
    # The sentences say it all, and tracebacks would only frighten.
    except NoWorkspaceError as error:
        raise MissingError(f"{prefix}{error}") from None
    except (EngineError, UnreadableError) as error:
        raise KeepingError(f"{prefix}{error}") from None
