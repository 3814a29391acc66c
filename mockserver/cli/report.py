"""`report`: print what went wrong in a workspace."""

from __future__ import annotations

from typing import Any

from mockserver.cli.options import TARGET, limit
from mockserver.cli.output import echo
from mockserver.cli.program import command, option
from mockserver.cli.remote import Target
from mockserver.views.record import read
from mockserver.views.traffic_records import Report


@command("report")
@option("--since", metavar="ID", help="Only what came after this request; the member last of --json has its id.")
@limit("troubles", 8)
@TARGET
def report(since: str | None, limit: int, target: Target) -> None:
    """Print in ten lines what went wrong in a workspace, such as when a test has failed.

    These are requests that were refused or that nothing answers, with their reasons, failed webhook calls, e-mails and
    stubs, faults that applied, warnings, and the findings of mockserver lint.
    """
    found: Any = target.get("/report", since=since, limit=limit)
    target.show(found, lambda item: echo(read(Report, item)))
