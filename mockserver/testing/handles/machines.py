"""The state machines of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mockserver.testing.handles.link import Link, part
from mockserver.testing.handles.reading import read
from mockserver.testing.names import MachineEvent, MachineName

__tracebackhide__ = True  # pytest shows the line of the test instead


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a state machine: a sender, a domain, a sub-account's plan."""

    machine: MachineName
    key: int | str
    #: The name of the account to which it belongs.
    account: str
    state: str
    #: The events that apply in this state.
    allowed: tuple[str, ...]
    #: What else a test may want to know, such as a sender's `otp` and `otp_expires_at`.
    secrets: Mapping[str, Any]


#: The members that the instances of all machines have.
_OF_ALL = frozenset({"key", "account", "state", "allowed"})


class Machines:
    """The state machines of one workspace: look at instances, and let events happen."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def instances(self, machine: MachineName) -> list[Instance]:
        """All instances of a machine.

        Raises:
            MockServerError: 404; there is no such machine, and these there are.
        """
        found = self._link.get(f"/machines/{part(machine)}")
        return [_instance(machine, item) for item in found["items"]]

    def get(self, machine: MachineName, key: int | str) -> Instance:
        """One instance, by the key of its machine: a sender's id, a domain's name, a sub-account's id.

        Raises:
            MockServerError: 404; there is no such machine or instance.
        """
        return _instance(machine, self._link.get(f"/machines/{part(machine)}/{part(key)}"))

    def fire(self, machine: MachineName, key: int | str, event: MachineEvent) -> Instance:
        """Let an event happen, such as `expire_otp`; gives the instance as it is then, or was last.

        Raises:
            MockServerError: 409, with `members["allowed"]`, if the event does not apply; 404 as for `get`.
        """
        return _instance(machine, self._link.post(f"/machines/{part(machine)}/{part(key)}/{part(event)}"))


def _instance(machine: MachineName, item: Mapping[str, Any]) -> Instance:
    secrets = {name: value for name, value in item.items() if name not in _OF_ALL}
    return read(Instance, item, machine=machine, secrets=secrets)
