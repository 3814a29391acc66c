"""Keys that servers sign tokens with: to draw one takes 50 ms of the processor, and hundreds of tests need one."""

from itertools import cycle
from threading import Lock
from unittest.mock import patch

from mockserver.resources.oauth import signing

#: How many there are: more than the servers of any test, as each of them has a key of its own.
_KEYS = 8


class ReusedKeys:
    """Draws the first keys, and gives them again in their order then: two servers in a row never have the same."""

    def __init__(self, draw):
        self._keys = cycle(draw() for _ in range(_KEYS))
        self._drawing = Lock()

    def next(self):
        """Another key than the last one."""
        with self._drawing:
            return next(self._keys)


def join(config):
    """Let all servers of this process, until the end of its tests, sign with few keys."""
    replaced = patch.object(signing, "_draw_key", ReusedKeys(signing._draw_key).next)  # noqa: SLF001  # nothing else is drawn
    replaced.start()
    config.add_cleanup(replaced.stop)
