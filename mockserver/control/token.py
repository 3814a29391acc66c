"""The control token of the settings."""

from __future__ import annotations

from mockserver.settings import Settings
from mockserver.settings.files import secret_of


def token_of(settings: Settings) -> str | None:
    """Return the control token of the settings, or None if control calls need no token.

    Raises:
        ValueError: the token is empty, cannot be sent in a header, is given twice, or its file cannot be read.
    """
    return secret_of(
        settings.control_token,
        settings.control_token_file,
        "the control token",
        if_empty="it would open the control API to all; leave it out if that is meant",
    )
