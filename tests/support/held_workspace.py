"""What an engine does with the changes of a workspace, in memory."""

from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage.records import reading
from mockserver.storage.records.changes import Stored
from mockserver.storage.records.written import Written

LIMITS = WorkspaceLimits.of(Settings())


class HeldWorkspace:
    """The parts and logs of one workspace."""

    def __init__(self):
        self.parts: dict[str, bytes] = {}
        self.logs: dict[str, dict[int, bytes]] = {}

    def apply(self, changes):
        self.parts |= changes.parts
        for name in changes.gone:
            del self.parts[name]
        for log in changes.logs:
            held = {} if log.anew else self.logs.get(log.name, {})
            held |= dict(log.entries)
            self.logs[log.name] = {at: held[at] for at in sorted(held) if at >= log.first}

    @property
    def stored(self):
        return Stored(dict(self.parts), {name: list(held.items()) for name, held in self.logs.items()})

    def load(self, name="default", limits=LIMITS):
        return reading.load(name, self.stored, parts=PARTS, limits=limits)


def read_again(workspace):
    """A workspace that was written down and read again."""
    held = HeldWorkspace()
    held.apply(Written(workspace).changes())
    return held.load(workspace.name)
