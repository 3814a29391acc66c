"""The state machines of a workspace and their instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle
from mockserver.testing.names import MachineEvent, MachineName
from mockserver.testing.records import Instance, Transition
from mockserver.views.record import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead

#: The members that the instances of all machines have.
_OF_ALL = frozenset({"key", "account", "state", "allowed"})


class Machines(Handle):
    """The state machines of one workspace: shows their instances, and fires events."""

    def instances(self, machine: MachineName) -> list[Instance]:
        """All instances of a state machine.

        Raises:
            MockServerError: 404; there is no such machine, and the message lists those that there are.
        """
        found = self._link.get(f"/machines/{path_segment(machine)}")
        return [_instance(machine, item) for item in found["items"]]

    def get(self, machine: MachineName, key: int | str) -> Instance:
        """One instance by its key: a sender's id, a domain's name, a sub-account's id.

        Raises:
            MockServerError: 404; there is no such machine or instance.
        """
        return _instance(machine, self._link.get(f"/machines/{path_segment(machine)}/{path_segment(key)}"))

    def history(self, machine: MachineName, key: int | str) -> list[Transition]:
        """The transitions of an instance, newest first and at most 1,000, even if it is gone.

        Raises:
            MockServerError: 404; there is no such machine, or neither an instance nor a transition of one is kept.
        """
        address = f"/machines/{path_segment(machine)}/{path_segment(key)}/history"
        return read_all(Transition, self._link.items(address, limit=1000))

    def fire(self, machine: MachineName, key: int | str, event: MachineEvent) -> Instance:
        """Fire an event such as `expire_otp`, and return the instance after it; one that it deletes, as it was last.

        Raises:
            MockServerError: 404, there is no such machine or instance; 409, the event does not apply in the instance's
                state, and `members["allowed"]` lists those that do.
        """
        return _instance(
            machine,
            self._link.post(f"/machines/{path_segment(machine)}/{path_segment(key)}/{path_segment(event)}"),
        )


def _instance(machine: MachineName, item: Mapping[str, Any]) -> Instance:
    secrets = {name: value for name, value in item.items() if name not in _OF_ALL}
    return read(Instance, item, machine=machine, secrets=secrets)
