"""Colours of states and statuses: grey for success, amber for what needs attention, red for failures."""

from __future__ import annotations

#: The states that need a look, or have failed; all others that are not known here are plain.
_LOOKS = {
    **dict.fromkeys(
        ("verified", "authenticated", "delivered", "sent", "active", "ready", "notified", "passed", "completed", "ok",
         "inbox", "received"),
        "ok",
    ),
    **dict.fromkeys(("retrying", "in_review", "held", "under way", "unknown", "timeout", "spent"), "warn"),
    **dict.fromkeys(("blocked", "dropped", "expired", "revoked", "failed", "suspended", "no answer"), "bad"),
}  # fmt: skip


def look_of_state(state: str) -> str:
    """Return the look of a state: `ok`, `warn`, `bad`, or empty where it is neither."""
    return _LOOKS.get(state, "")


def look_of_status(status: int | None) -> str:
    """Return the look of a status of HTTP; None or 0 if no answer came."""
    if not status or status >= 500:
        return "bad"
    return "warn" if status >= 400 else "ok"
