"""The program: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from .replay import Replay
from .server import Server, Unreachable
from .steps import Step, read, steps

#: How many characters are shown of what another program answers.
_SHOWN = 200


def main(folder: Path, arguments: Sequence[str] | None = None) -> int:
    """Replay the test whose artifacts are in a folder; the exit status."""
    options = _options(arguments)
    try:
        server = Server(options.url, options.token)
        was, todo = read(folder / "test.json")["workspace"], steps(folder)
        made = _workspace(server, folder)
        replay = Replay(server, was, made)
        differing = [_told(step, list(replay.step(step))) for step in todo].count(False)
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        _give_up(f"the files beside this one, or that of MOCKSERVER_CA, cannot be read: {error!r}")
    except Unreachable as error:
        _give_up(str(error))
    print(f"{len(todo) - differing} of {len(todo)} answers are those of the test")
    if options.drop:
        server.control("DELETE", f"/workspaces/{made['name']}")
    else:
        print(f"workspace {made['name']}: {str(made['url']).removesuffix('/v3')}/_mock/ui/")
    return 1 if differing else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    about = "Replays a failed test: makes its workspace on a running mock server, and sends the same requests again."
    parser = argparse.ArgumentParser(prog="replay.py", description=about)
    parser.add_argument(
        "url", nargs="?", type=_address, default=os.environ.get("MOCKSERVER_URL", "http://127.0.0.1:8003")
    )
    parser.add_argument("--token", default=os.environ.get("MOCKSERVER_TOKEN"), help="the server's control token")
    parser.add_argument("--drop", action="store_true", help="drop the workspace at the end")
    return parser.parse_args(arguments)


def _address(text: str) -> str:
    """The address of a server, for argparse, which tells the message of the error."""
    try:
        parts = urlsplit(text)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return text
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no address of a server: {error}") from error
    raise ArgumentTypeError(f"{text!r} is no address of a server: it begins with http:// or https://")


def _workspace(server: Server, folder: Path) -> Mapping[str, Any]:
    """A workspace in the state in which that of the test began.

    Raises:
        Unreachable: the server does not answer, or refuses to make it.
    """
    answer = server.control("POST", "/workspaces", {"scenario": read(folder / "state-before.json")})
    made: Mapping[str, Any] = answer.body if isinstance(answer.body, dict) else {"detail": answer.body}
    if answer.status != 201 or not {"name", "url"} <= made.keys():
        raise Unreachable(f"{server.root} makes no workspace: {answer.status}: {str(made.get('detail'))[:_SHOWN]}")
    return made


def _told(step: Step, found: Sequence[str]) -> bool:
    """Print what came of a step; whether it was as in the test."""
    print(_plain(f"{'differs' if found else 'same   '}  {step} {step.item['status'] or 'no answer'}"))
    for sentence in found:
        print(_plain(f"         {sentence}"))
    return not found


def _plain(text: str) -> str:
    """A text without signs that could control a terminal."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def _give_up(sentence: str) -> NoReturn:
    print(f"Error: {_plain(sentence)}", file=sys.stderr)
    sys.exit(2)
