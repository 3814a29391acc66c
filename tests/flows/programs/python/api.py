"""What the programs share: the client, and how a refusal ends a program."""

import os
import sys
from collections.abc import Callable

from brevo import Brevo
from brevo.core.api_error import ApiError


def connect(key: str | None = None) -> Brevo:
    """The official client with a key, that of the environment if none is given."""
    return Brevo(api_key=key or os.environ["BREVO_API_KEY"], base_url=os.environ["BREVO_BASE_URL"])


def run(main: Callable[..., None]) -> None:
    """Call a program with a client and what stands on its command line."""
    try:
        main(connect(), *sys.argv[1:])
    except ApiError as refused:
        sys.exit(f"error: {refused.status_code} {refused.body['message']}")
