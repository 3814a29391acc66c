"""`verify`: replays the fixtures of the contract, in this process or against a running server."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

from mockserver.cli.options import JSON, TOKEN, url
from mockserver.cli.output import echo, fail
from mockserver.cli.program import command
from mockserver.cli.remote import answered, root_of


@command("verify")
@JSON
@url("The root address of a running server, which gets a workspace for this alone.")
@TOKEN
def verify(url: str | None, token: str | None, as_json: bool) -> int:
    """Replay the contract's exchanges, here or against a running server; exit status 1 if an answer differs."""
    from http.client import HTTPException

    from mockserver.testing.answers import unreachable

    root = root_of(url) if url else None
    try:
        with answered(root or ""):
            found = _replayed(root, token)
    except (OSError, HTTPException, UnicodeError) as error:
        fail(unreachable(root or "", error))
    wrong = {name: rows for name, rows in found.items() if rows}
    if as_json:
        echo(json.dumps({"exchanges": len(found), "differences": wrong}, indent=2))
    else:
        for name, rows in wrong.items():
            echo("\n  ".join([name, *rows]))
        echo(f"{len(found) - len(wrong)} of {len(found)} exchanges as promised")
    return 1 if wrong else 0


def _replayed(root: str | None, token: str | None) -> dict[str, list[str]]:
    """The differences of each case's answers from what its fixture promises, by operation and case."""
    from mockserver.evidence.fixture import cases
    from mockserver.evidence.replay import replay
    from mockserver.testing.verify import in_process, over_http

    with over_http(root, token) if root else nullcontext(in_process()) as send:
        return {f"{case.operation}: {case.name}": _differences(replay(case, send)) for case in cases()}


def _differences(exchanges: Iterable[Any]) -> list[str]:
    return [f"{exchange.title}: {row}" for exchange in exchanges for row in exchange.differences]
