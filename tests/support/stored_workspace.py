"""What an engine does with the changes of a workspace, in memory."""

from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage import records as reading
from mockserver.storage.engine import Newer
from mockserver.storage.records import Written

LIMITS = WorkspaceLimits.of(Settings())


class StoredWorkspace:
    """The fields of one workspace."""

    def __init__(self):
        self.fields: dict[str, bytes] = {}

    @classmethod
    def of(cls, workspace):
        """What an engine holds of a workspace that was just written for the first time."""
        found = cls()
        found.apply(Written(workspace).changes())
        return found

    def apply(self, changes):
        self.fields |= changes.fields
        for name in changes.gone:
            self.fields.pop(name, None)

    @property
    def newer(self):
        """What whoever knows no version reads."""
        return Newer("1", dict(self.fields))

    def load(self, name="default", limits=LIMITS):
        return reading.load(name, self.fields, parts=PARTS, limits=limits)


def read_again(workspace):
    """A workspace that was written down and read again."""
    return StoredWorkspace.of(workspace).load(workspace.name)
