"""What a terminal shows while a command takes long."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: After how many seconds something is shown, and how often it changes. Chosen: what is done at once shows nothing.
_AFTER_S, _EVERY_S = 0.5, 0.5
#: Goes to the begin of the line and clears it (ECMA-48: CR, EL).
_CLEAR = "\r\033[K"


@contextmanager
def progress(words: str) -> Iterator[None]:
    """Show on a terminal what is done, and for how long already; nothing on what is none, and it is gone at the end."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    over = threading.Event()
    shown = threading.Thread(target=_show, args=(words, over), daemon=True)
    shown.start()
    try:
        yield
    finally:
        over.set()
        shown.join()


def _show(words: str, over: threading.Event) -> None:
    began = time.monotonic()
    if over.wait(_AFTER_S):
        return
    while True:
        print(f"{_CLEAR}{words}, {time.monotonic() - began:.0f} s", end="", file=sys.stderr, flush=True)
        if over.wait(_EVERY_S):
            break
    print(_CLEAR, end="", file=sys.stderr, flush=True)
