"""Addresses of the present page, its workspace and the server, for links."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from flask import request

from mockserver.web.routing.address import WORKSPACE, WORKSPACE_PREFIX, workspace_url

#: The most digits of an offset.
_DIGITS = 9


class Asked(NamedTuple):
    """A query number, and an error sentence for invalid numbers."""

    number: int
    mistake: str


def asked(name: str) -> Asked:
    """Return the list offset from a query parameter, 0 if the parameter is missing or invalid."""
    text = request.args.get(name, "")
    if not text:
        return Asked(0, "")
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return Asked(int(text), "")
    return Asked(0, f"The list begins at its start: {name} is no number.")


def absolute_root() -> str:
    """Return the workspace's root address, for text to copy."""
    return workspace_url(request.environ)


def root() -> str:
    """Return the relative path from the present address to the workspace root, such as `../../..`.

    A relative path works behind a proxy that adds a prefix to all addresses.
    """
    name = request.environ.get(WORKSPACE)
    # A workspace adds two segments, `/w/<name>`.
    return "/".join([".."] * (address().count("/") - (1 if name is None else 3)))


def address() -> str:
    """Return the present address as sent, from the server root, without query. Encoded slashes stay encoded.

    The mount point of a WSGI server is left out.
    """
    environ = request.environ
    name = environ.get(WORKSPACE)
    mount = environ["SCRIPT_NAME"].removesuffix("" if name is None else f"{WORKSPACE_PREFIX}{name}")
    sent: str = environ.get("REQUEST_URI") or quote(f"{environ['SCRIPT_NAME']}{environ['PATH_INFO']}")
    return sent.partition("?")[0].removeprefix(quote(mount)) or "/"


def server_root() -> str:
    return root() if request.environ.get(WORKSPACE) is None else f"{root()}/../.."
