"""The options that several commands have."""

from __future__ import annotations

from typing import Any

from mockserver.cli.framework.parameters import Option, option
from mockserver.cli.framework.values import EXISTING_FOLDER, OUTPUT_FILE, Number, Value
from mockserver.core.time import duration


class _Token(Value):
    """A token that a header can hold."""

    def __call__(self, text: str) -> str:
        if text and not (text.isprintable() and all(ord(sign) < 256 for sign in text)):
            raise ValueError("it has characters that cannot stand in a header.")
        return text


class Seconds(Number):
    """A number of seconds, or a duration such as `90s` or `16m`."""

    def __call__(self, text: str) -> Any:
        if not duration.is_duration(text):
            try:
                return super().__call__(text)
            except ValueError as error:
                raise ValueError(f"{error} Give seconds, or a duration {duration.EXAMPLES}.") from error
        try:
            return super().__call__(str(duration.parse(text).total_seconds()))
        except ValueError as error:
            raise ValueError(f"{text!r}: {error}") from error


#: The heading in the help of the options that say whom a command asks.
_SERVER = "Which server"


def workspace(
    help: str = "The workspace to speak with.",  # noqa: A002  # as argparse calls it
    *,
    default: str | None = "default",
) -> Option:
    """The option `--workspace`."""
    return option(
        "--workspace",
        envvar="MOCKSERVER_WORKSPACE",
        metavar="NAME",
        default=default,
        help=help,
        section=_SERVER,
        completes="workspace",
    )


#: The flag `--json`, a command's parameter `as_json`.
JSON = option("--json", dest="as_json", action="store_true", help="Print JSON.")
#: The root address of a server, for `root_of`.
URL = option(
    "--url",
    envvar="MOCKSERVER_URL",
    metavar="URL",
    help="The root address of the server; the default is this machine and MOCKSERVER_PORT or 8003.",
    section=_SERVER,
)
#: The control token of a server.
TOKEN = option(
    "--token",
    envvar="MOCKSERVER_TOKEN",
    metavar="TOKEN",
    type=_Token(),
    help="The server's control token.",
    section=_SERVER,
)
WORKSPACE = workspace()
#: Which server a command asks, and which workspace there: the parameters `url`, `token` and `workspace`.
SERVER = (URL, TOKEN, WORKSPACE)

#: The folder of scenarios of one's own, a command's parameter `folder`.
SCENARIOS = option(
    "--scenarios",
    dest="folder",
    envvar="MOCKSERVER_SCENARIOS",
    type=EXISTING_FOLDER,
    metavar="DIR",
    help="A folder of scenarios, searched before the shipped ones.",
)
#: The file into which a command writes.
OUTPUT = option(
    "--out", "--output", type=OUTPUT_FILE, metavar="FILE", help="Write to this file instead of standard output."
)
