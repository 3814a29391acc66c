"""Files that are made once for all workers of a run of pytest."""

import fcntl
from pathlib import Path


class SharedFiles:
    """Files and folders by name. The first worker that asks for a file makes it, the others wait."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def of_run(cls, request, tmp_path_factory):
        """Return the shared files of this run, in its temporary folder."""
        own = tmp_path_factory.getbasetemp()
        folder = (own.parent if hasattr(request.config, "workerinput") else own) / "shared"
        folder.mkdir(exist_ok=True)
        return cls(folder)

    def make(self, name, create):
        """Return the path of a file or folder. Call `create` with the path unless a worker has done so."""
        place = self.folder / name
        done = self.folder / f"{name}.done"
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                create(place)
                done.touch()
        return place
