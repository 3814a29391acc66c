"""`openapi` prints the API document; `verify` replays the contract or a failed test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from mockserver.cli.options import EXISTING_FOLDER, JSON, TOKEN, Integer, url
from mockserver.cli.output import echo, fail, printable
from mockserver.cli.program import Misused, argument, command, option
from mockserver.cli.remote import answered, root_of, told
from mockserver.testing.client import MockServerError


@command("openapi")
@JSON
def openapi(as_json: bool) -> None:
    """Print the OpenAPI document of the mocked API, as YAML."""
    from mockserver.evidence.openapi import document
    from mockserver.scenario.dump import to_yaml

    echo(json.dumps(document(), indent=2) if as_json else to_yaml(document()), nl=as_json)


@command("verify")
@argument(
    "folders",
    metavar="FOLDER",
    nargs=-1,
    type=EXISTING_FOLDER,
    help="The artifacts of failed tests, which are replayed instead of the contract.",
)
@option("--keep", is_flag=True, help="With FOLDER and --url: leave the workspace on the server, and print its address.")
@option(
    "--until",
    type=Integer(min=1),
    metavar="N",
    help="With FOLDER and --url: stop after request N of the test, as trace.html counts them; keeps the workspace.",
)
@JSON
@url("The root address of a running server, which gets a workspace for this alone.")
@TOKEN
def verify(
    folders: Sequence[Path], keep: bool, until: int | None, url: str | None, token: str | None, as_json: bool
) -> int:
    """Replay the contract's exchanges, here or against a running server; exit status 1 if an answer differs.

    With a FOLDER, which pytest --mockserver-artifacts has written, replay a failed test: make a workspace in the state
    before the test, and make its requests and control calls again. The exit status is 2 if that is not possible;
    further folders are replayed all the same.
    """
    root = root_of(url) if url else None
    if keep and not (folders and root):
        raise Misused("--keep needs FOLDER and --url: only a running server can keep a workspace.")
    if until and not (len(folders) == 1 and root):
        raise Misused("--until needs FOLDER and --url: it stops in one test, and only a running server can keep it.")
    if not folders:
        return _verify_contract(root, token, as_json)
    answers, unreadable, differing = 0, 0, dict[str, list[str]]()
    for folder in folders:
        if len(folders) > 1 and not as_json:
            echo(printable(f"{folder}:"))
        try:
            found = _verify_test(folder, root, token, keep or until is not None, until, as_json)
        except MockServerError as error:
            raise Misused(told(root or "", error)) from error
        except (OSError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            sentence = printable(f"{folder}, or the file of MOCKSERVER_CA, cannot be read: {error!r}")
            if len(folders) == 1:
                raise Misused(sentence) from error
            echo(sentence, err=True)
            unreadable += 1
            continue
        prefix = f"{folder}: " if len(folders) > 1 else ""
        answers += len(found)
        differing |= {f"{prefix}{number}: {name}": rows for number, (name, rows) in enumerate(found, 1) if rows}
    if as_json:
        echo(json.dumps({"answers": answers, "differences": differing}, indent=2))
    return 2 if unreadable else 1 if differing else 0


def _verify_test(
    folder: Path, root: str | None, token: str | None, keep: bool, until: int | None, as_json: bool
) -> list[tuple[str, list[str]]]:
    """Replay a test, and return the title and the differences of each answer."""
    from mockserver.core.text.messages import counted
    from mockserver.testing.handles.server import MockServer
    from mockserver.testing.replay import Replay, title

    found: list[tuple[str, list[str]]] = []
    with MockServer.connect(root, token) if root else MockServer("empty") as server:
        try:
            test = Replay(server, folder)
            if test.evicted:
                echo(f"the {test.evicted:,} oldest requests and calls are missing: they were not kept", err=True)
            if until and until > len(test.requests):
                raise Misused(f"--until {until}: the folder has only {counted(len(test.requests), 'request')}.")
            for step in test.steps[: test.requests[until - 1] if until else None]:
                name, rows = title(step), list(test.differences(step))
                found.append((name, rows))
                if not as_json:
                    lines = [f"{'differs' if rows else 'same   '}  {name}", *rows]
                    echo("\n         ".join(map(printable, lines)))
            if keep:
                test.workspace.leave()
        finally:
            server.drop_all()
    if not as_json:
        same = sum(not rows for _, rows in found)
        echo(f"{same} of {len(found)} answers are those of the test")
    if keep:
        echo(f"workspace {test.workspace.name}: {test.workspace.dashboard_url}", err=as_json)
    return found


def _verify_contract(root: str | None, token: str | None, as_json: bool) -> int:
    from http.client import HTTPException

    from mockserver.testing.client import unreachable

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
    from mockserver.evidence.fixture import cases
    from mockserver.evidence.replay import replay
    from mockserver.testing.replay import in_process, over_http

    with over_http(root, token) if root else nullcontext(in_process()) as send:
        return {
            f"{case.operation}: {case.name}": [
                f"{exchange.title}: {row}" for exchange in replay(case, send) for row in exchange.differences
            ]
            for case in cases()
        }
