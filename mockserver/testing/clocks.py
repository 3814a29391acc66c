"""Libraries that replace the clock of a process, from which servers and handles keep theirs."""

from __future__ import annotations

from contextlib import suppress


def keep_real_time() -> None:
    """Let freezegun leave this package alone, before any test module makes its `freeze_time`."""
    with suppress(ImportError, AttributeError):  # not installed, or before its version 1.1
        import freezegun  # noqa: PLC0415  # no requirement

        freezegun.configure(extend_ignore_list=["mockserver."])
