"""`/_mock/expectations`: the scenario's expected end state, compared with the current state."""

from __future__ import annotations

from typing import Annotated, Any

from mockserver.control.framework.call import ControlResource, listed
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.expectations import outcomes
from mockserver.views.record import listing
from mockserver.views.record import plain as as_plain
from mockserver.views.traffic import show_exchange, show_mail
from mockserver.views.workspace_records import Expectation
from mockserver.web.server import loop

EXPECTATIONS = ControlResource("expectations", "/_mock/expectations")

_Satisfied = Annotated[bool, "whether all of them are; true where the scenario has none"]


@EXPECTATIONS.call("GET", answer=listing("Expectations", Expectation, satisfied=_Satisfied))
def index(workspace: Workspace) -> Any:
    """List the scenario's expectations (`expect:`) with the values found."""
    if workspace.state.expected is None:
        return listed([], satisfied=True)
    loop.leave()
    mailbox = workspace.state.mailbox
    found = outcomes(
        workspace,
        {
            "journal": lambda: [as_plain(show_exchange(row)) for row in workspace.journal],
            "mailbox": lambda: [as_plain(show_mail(row, mailbox.sending(row), workspace.links)) for row in mailbox],
        },
    )
    return listed([Expectation(*row) for row in found], satisfied=all(row.is_satisfied for row in found))
