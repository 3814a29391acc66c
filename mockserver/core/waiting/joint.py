"""Work that is done once for all that ask for it at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count


class Joint:
    """Work of which everybody who asks needs one run that has begun after that, and nobody one of their own.

    One run happens at a time.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self._working = threading.Lock()
        #: Numbers the questions, and the beginnings of runs.
        self._moments = count()
        #: When the last run has begun that has succeeded.
        self._done = -1

    def ask(self) -> int:
        """Ask for a run; gives what `wait` wants to know."""
        return next(self._moments)

    def wait(self, asked: int) -> None:
        """Wait for a run that has begun after somebody has asked; what it raises is for one of those alone."""
        with self._working:
            if asked > self._done:
                begun = next(self._moments)
                self._work()
                self._done = begun
