"""The options that several commands have."""

from __future__ import annotations

from mockserver.cli.known_names import names_of
from mockserver.cli.program import Decorator, decorated, option
from mockserver.cli.values import EXISTING_FOLDER, OUTPUT_FILE, Seconds, Token

#: The heading in the help of the options that say whom a command asks.
_SERVER = "Which server"
_URL_HELP = "The root address of the server; the default is this machine and MOCKSERVER_PORT or 8003."


def url(help: str = _URL_HELP) -> Decorator:  # noqa: A002  # as click calls it
    """Return the option `--url`, the root address of a server."""
    return option("--url", envvar="MOCKSERVER_URL", metavar="URL", help=help, section=_SERVER)


def workspace(
    help: str = "The workspace to speak with.",  # noqa: A002  # as click calls it
    *,
    default: str = "default",
) -> Decorator:
    """Return the option `--workspace`."""
    return option(
        "--workspace",
        envvar="MOCKSERVER_WORKSPACE",
        metavar="NAME",
        type=Token(),
        default=default,
        help=help,
        section=_SERVER,
        shell_complete=names_of("workspace"),
    )


def waiting(help: str) -> Decorator:  # noqa: A002  # as click calls it
    """Return the option `--wait`, a number of seconds."""
    return option("--wait", type=Seconds(0), default=0, show_default=False, metavar="SECONDS", help=help)


#: The flag `--json`, a command's parameter `as_json`.
JSON = option("--json", "as_json", is_flag=True, help="Print JSON.")
URL = url()
#: The control token of a server.
TOKEN = option(
    "--token",
    envvar="MOCKSERVER_TOKEN",
    metavar="TOKEN",
    type=Token(),
    help="The server's control token.",
    section=_SERVER,
)
#: Which server a command asks, and which workspace there: the parameters `url`, `token` and `workspace`.
SERVER = decorated(URL, TOKEN, workspace())

#: The folder of scenarios of one's own, a command's parameter `folder`.
SCENARIOS = option(
    "--scenarios",
    "folder",
    envvar="MOCKSERVER_SCENARIOS",
    type=EXISTING_FOLDER,
    metavar="DIR",
    help="A folder of scenarios, searched before the shipped ones.",
)
#: The file into which a command writes.
OUTPUT = option(
    "--out",
    "--output",
    "output",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write to this file, not to standard output.",
)
