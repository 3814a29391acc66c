"""Memory of the process."""

from __future__ import annotations

import ctypes
import gc
import threading


def give_back() -> None:
    """Give freed memory back to the system, in another thread."""
    threading.Thread(target=_give_back, name="mockserver memory", daemon=True).start()


def _give_back() -> None:
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # glibc keeps what small objects have filled (malloc_trim(3))
        trim(0)
