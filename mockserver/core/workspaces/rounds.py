"""Background rounds over many workspaces, where the failure of one workspace costs no other."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from mockserver.core.workspaces.storage import MissingError, OutageError, Result, StorageError

#: After how many seconds a failed part runs again. Chosen: soon after a database is back.
AGAIN_S = 2.0
#: The complaint about due timers of a workspace, by its name.
TIMERS = "timers of workspace {} do not fire".format

_LOG = logging.getLogger(__name__)


class Rounds:
    """Runs the parts of background rounds; a failed part is logged once and put off, and the others go on."""

    def __init__(self) -> None:
        #: When each failed part runs again, by `time.monotonic`, and the logged reason; replaced as a whole.
        self._failed: dict[str, tuple[float, str]] = {}

    def is_put_off(self, complaint: str) -> bool:
        return self._failed.get(complaint, (0.0, ""))[0] > time.monotonic()

    def run(self, complaint: str, part: Callable[[], Result]) -> Result | None:
        """Run a part unless it is put off. Return its result, or None without one.

        `complaint` names the workspace, and starts the log line of a failure.
        """
        if self.is_put_off(complaint):
            return None
        try:
            found = part()
        except Exception as error:  # noqa: BLE001  # the other parts run
            now, failed = time.monotonic(), self._failed.copy()
            before = failed.pop(complaint, (0.0, ""))[1]
            # The storage logs an outage, and a workspace that was removed needs nothing.
            reason = before if isinstance(error, OutageError | MissingError) else str(error)
            recent = {other: row for other, row in failed.items() if row[0] + 30 * AGAIN_S > now}
            self._failed = {**recent, complaint: (now + AGAIN_S, reason)}
            if reason != before:  # the sentence of a StorageError says it all
                _LOG.error("%s: %s", complaint, error, exc_info=None if isinstance(error, StorageError) else error)
            return None
        self._failed.pop(complaint, None)
        return found
