"""`expect`: check the expectations of a scenario."""

from __future__ import annotations

from typing import Any

from mockserver.cli.options import TARGET
from mockserver.cli.output import echo, paint
from mockserver.cli.program import Misused, command
from mockserver.cli.remote import Target
from mockserver.views.record import read_all
from mockserver.views.workspace_records import Expectation


def _print(found: Any) -> None:
    for row in read_all(Expectation, found["items"]):
        echo(paint(row, "good" if row.satisfied else "bad"))


@command("expect")
@TARGET
def expect(target: Target) -> int:
    """Check what the scenario of a workspace expects in the end (expect:); exit status 1 if it is not satisfied."""
    found: Any = target.get("/expectations")
    if not found["items"]:
        raise Misused(f"workspace {target.workspace}: its scenario has no expect: section")
    target.show(found, _print)
    return int(not found["satisfied"])
