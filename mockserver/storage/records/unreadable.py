"""What is wrong with bytes that should be a workspace."""

from __future__ import annotations


class UnreadableError(ValueError):
    """Bytes are no workspace, or not of this layout; the text is a sentence that says what was found, for users."""
