"""Type checkers know exactly the names that a server knows."""

from typing import get_args

from mockserver.core.state.faults import FAULT_KINDS
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS, LIFECYCLES
from mockserver.resources.webhooks.catalogue import BY_NAME, STORIES
from mockserver.testing import names

#: Events that create an instance; they cannot be fired on an existing one.
_EVENTS = {
    row.event
    for lifecycle in LIFECYCLES.values()
    for row in lifecycle.machine.transitions
    if row.event != lifecycle.machine.first
}


def test_type_checkers_know_the_names_that_the_server_knows():
    for literal, declared in [
        (names.FaultName, FAULT_KINDS),
        (names.MachineName, LIFECYCLES),
        (names.MachineEvent, _EVENTS),
        (names.ApiOperation, API_OPERATIONS),
        (names.OtherOperation, ALL_OPERATIONS.keys() - API_OPERATIONS),
        (names.Story, STORIES),
        (names.WebhookEvent, {name for rows in BY_NAME.values() for name in rows}),
    ]:
        assert sorted(get_args(literal)) == sorted(declared)
