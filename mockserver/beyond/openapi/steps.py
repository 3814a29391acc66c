"""How much is looked at for one answer, within bounds."""

from __future__ import annotations

from mockserver.beyond.openapi.document import LeftOutError

#: The most parts of schemas that are looked at for one answer. Chosen: a hundred times those of the largest answers of
#: public documents; it takes about a second.
MOST_STEPS = 100_000


class TooMuchError(LeftOutError):
    """More would have to be looked at than may be."""


class Steps:
    """Counts what is looked at."""

    def __init__(self) -> None:
        self._left = MOST_STEPS

    def take(self, count: int = 1) -> None:
        """Count so many steps.

        Raises:
            TooMuchError: there were too many.
        """
        self._left -= count
        if self._left < 0:
            raise TooMuchError("its schema is too large, or repeats itself too often")
