"""What is made once for all workers of a run of pytest, in a folder that they share."""

import fcntl
from pathlib import Path


class Once:
    """Things by their names, each made by the first worker that asks for it; the others wait until it is there."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def of_run(cls, request, tmp_path_factory):
        """With the temporary folder of a run; that of a worker of pytest-xdist lies in it."""
        own = tmp_path_factory.getbasetemp()
        folder = (own.parent if hasattr(request.config, "workerinput") else own) / "once"
        folder.mkdir(exist_ok=True)
        return cls(folder)

    def make(self, name, create):
        """The place of a thing, a file or a folder: a function makes it there, unless some worker has done so."""
        place = self.folder / name
        done = self.folder / f"{name}.done"
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                create(place)
                done.touch()
        return place
