"""What can go wrong with a store; each message is a sentence for users, without the full stop."""

from __future__ import annotations


class EngineError(Exception):
    """A store cannot be opened, read or written; the same call may succeed later, as when a full disk has room."""


class DamagedError(EngineError):
    """What is held of a store, or of one workspace in it, is not what was written."""


class NoWorkspaceError(EngineError):
    """A workspace is not held, whatever was known of it."""
