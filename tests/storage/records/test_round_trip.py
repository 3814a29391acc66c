"""A workspace that was written down and read again is the same to all who use it."""

import pytest
from held_workspace import read_again
from same_workspace import lost

from mockserver.scenario.documents.library import Library

every_scenario = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "large" else name for name in Library().names()]
)


@every_scenario
def test_a_workspace_in_which_much_has_happened_is_the_same(name, make_busy):
    workspace = make_busy(name).workspace

    assert lost(workspace) is None


def test_a_workspace_goes_on_to_draw_keys_with_the_mark_of_its_replica(make_api):
    api = make_api(replica="a")
    name = api.post("/_mock/workspaces").json["name"]

    read = read_again(api.store.get(name))

    assert read.state.draw_api_key().endswith("Ra")
    assert read.origin.keyring.own([None, None], ())[1][0].endswith("Ra")
