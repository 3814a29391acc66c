"""Type checkers know exactly the names that a server knows."""

import subprocess
import sys
from typing import get_args

import pytest

from mockserver.beyond.catalogue import catalogue
from mockserver.core.state.fault_kinds import FAULT_KINDS
from mockserver.resources.registry import ALL_OPERATIONS, LIFECYCLES
from mockserver.resources.webhooks.catalogue import BY_NAME, STORIES
from mockserver.testing import names

#: Events that create an instance; they cannot be fired on an existing one.
_EVENTS = {
    row.event
    for lifecycle in LIFECYCLES.values()
    for row in lifecycle.machine.transitions
    if row.event != lifecycle.machine.first
}
_MISTYPED = (
    'workspace.faults.add("otp_expird")',
    'workspace.machines.fire("sendr", 2, "expire_otp")',
    'workspace.machines.fire("sender", 2, "expire_top")',
    'workspace.machines.get("domains", "acme.test")',
    'workspace.trigger("hardbounce")',
    'workspace.story("bounced")',
    'workspace.requests.verify(operation="createSendr")',
    'workspace.requests.latest(operation="createSendr")',
    "workspace.clock.advance(minuts=3)",
)


@pytest.mark.parametrize(
    ("literal", "declared"),
    [
        (names.FaultName, FAULT_KINDS),
        (names.MachineName, LIFECYCLES),
        (names.MachineEvent, _EVENTS),
        (names.OperationName, [*ALL_OPERATIONS, *catalogue()]),
        (names.Story, STORIES),
        (names.WebhookEvent, {name for rows in BY_NAME.values() for name in rows}),
    ],
    ids=("faults", "machines", "events of machines", "operations", "stories", "events of webhooks"),
)
def test_type_checkers_know_the_names_that_the_server_knows(literal, declared):
    assert sorted(get_args(literal)) == sorted(declared)


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """The errors that a type checker finds in a test with misspelt names, by line."""
    file = tmp_path_factory.mktemp("typed") / "mistyped.py"
    head = ["from mockserver import Workspace", "", "def test_it(workspace: Workspace) -> None:"]
    file.write_text("\n".join([*head, *(f"    {line}" for line in _MISTYPED)]) + "\n", encoding="utf-8")
    # In a process of its own: mypy sets the garbage collector of the one that it runs in.
    command = [sys.executable, "-m", "mypy", str(file), "--strict", "--no-error-summary", "--follow-imports=silent"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("line", _MISTYPED)
def test_a_mistyped_name_does_not_pass_a_type_checker(complaints, line):
    assert f"mistyped.py:{_MISTYPED.index(line) + 4}: error:" in complaints
