"""A workspace that was written down and read again is the same to all who use it."""

import pytest
from held_workspace import HeldWorkspace
from same_workspace import workspace_difference

from mockserver.scenario.documents.library import Library
from mockserver.storage.records.written import Written

every_scenario = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "large" else name for name in Library().names()]
)


def read_again(workspace):
    held = HeldWorkspace()
    held.apply(Written(workspace).changes())
    return held.load(workspace.name)


@every_scenario
def test_a_workspace_in_which_much_has_happened_is_the_same(name, make_busy):
    workspace = make_busy(name).workspace

    assert workspace_difference(read_again(workspace), workspace) is None
