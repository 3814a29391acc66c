"""A workspace that is not in memory."""

from __future__ import annotations

import threading

from mockserver.core.workspaces.keeping import Outline


class Resting:
    """A workspace that is kept and not in memory; it is loaded when somebody uses it."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        #: Why it could not be loaded when somebody asked last, or None.
        self.failure: str | None = None
        #: Held while it is loaded; taken before its own lock, and before that of the registry.
        self.loading = threading.Lock()
