"""The addresses of a page: where it stands, and where the roots of its workspace and of the server are from there."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from flask import request

from mockserver.web.routing.address import WORKSPACE, WORKSPACE_PREFIX

#: The most digits of a number; no list of a page is that long.
_DIGITS = 9


class Asked(NamedTuple):
    """A number of the address, and a sentence where what stands there is none."""

    number: int
    mistake: str


def asked(name: str) -> Asked:
    """The number that the address gives `name`: after how many rows a list begins. It is 0 where there is none."""
    text = request.args.get(name, "")
    if not text:
        return Asked(0, "")
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return Asked(int(text), "")
    return Asked(0, f"The list begins at its start: {name} is no number.")


def absolute_root() -> str:
    """The root address of the workspace as the client has called it, for what is copied."""
    return f"{request.host_url.rstrip('/')}{quote(request.script_root)}"


def root() -> str:
    """What leads from the present address back to the root of its workspace, as `../../..`.

    It is relative, so that links work behind a proxy that puts a prefix before all addresses, and tells nobody.
    """
    name = request.environ.get(WORKSPACE)
    # Up to the last slash an address is a folder; in front of the path of the mock stand a slash, and `/w/<name>`.
    return "/".join([".."] * (address().count("/") - (1 if name is None else 3)))


def address() -> str:
    """The present address without its query, from the server's root, as it was sent, as far as the server says it.

    An encoded slash is not yet one in it. What a WSGI server mounts the application at is left out.
    """
    environ = request.environ
    name = environ.get(WORKSPACE)
    mount = environ["SCRIPT_NAME"].removesuffix("" if name is None else f"{WORKSPACE_PREFIX}{name}")
    sent: str = environ.get("REQUEST_URI") or quote(f"{environ['SCRIPT_NAME']}{environ['PATH_INFO']}")
    return sent.partition("?")[0].removeprefix(quote(mount)) or "/"


def server_root() -> str:
    """What leads from the present address back to the root of the server."""
    return root() if request.environ.get(WORKSPACE) is None else f"{root()}/../.."
