"""Environments beside this one, with the wheel and without the server; each is made once for all tests of a run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from server_process import ServerProcess

collect_ignore = ["product"]  # it is run in an environment of its own

_ROOT = Path(__file__).parents[2]
_FOLDER = Path(__file__).parent
_PINS = _ROOT / ".ci" / "constraints.txt"
#: The interpreter of the environments; `.ci/run` tries others.
PYTHON = os.environ.get("ELSEWHERE_PYTHON", sys.executable)
#: How long a command may take, in seconds; the longest installs some thirty distributions.
LONGEST_S = 200


class Environment(NamedTuple):
    """A virtual environment, and commands in it."""

    folder: Path

    def run(self, *command, cwd=None, **variables):
        """A program of the environment has ended; it sees no settings of this run."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
        program, *words = command
        return subprocess.run(
            [self.folder / "bin" / program, *words], cwd=cwd or self.folder, env={**kept, **variables}, check=False,
            capture_output=True, text=True, timeout=LONGEST_S,
        )  # fmt: skip

    def pip(self, *words):
        """What pip of this environment prints when it works on that one, which has none."""
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", self.folder / "bin/python"]
        return subprocess.check_output([*command, *words], text=True, stderr=subprocess.PIPE, timeout=LONGEST_S)

    def install(self, *words):
        self.pip("install", "-q", "--no-compile", *words)


class Environments:
    """The environments of a run, which its workers share."""

    def __init__(self, shared_files):
        self._once = shared_files

    def make(self, name, fill):
        """The environment of a name, which is made and then filled by a function if it is not there yet."""

        def create(folder):
            subprocess.run([PYTHON, "-m", "venv", "--without-pip", folder], check=True)
            fill(Environment(folder))

        return Environment(self._once.make(name, create))

    def copy(self, name, other, change):
        """A copy of an environment under another name, which is changed by a function; made if it is not there yet."""

        def create(folder):
            shutil.copytree(other.folder, folder, symlinks=True)
            for program in filter(Path.is_file, (folder / "bin").iterdir()):
                if not program.is_symlink():  # a script, whose first line names its interpreter
                    text = program.read_text(encoding="utf-8")
                    program.write_text(text.replace(str(other.folder), str(folder)), encoding="utf-8")
            change(Environment(folder))

        return Environment(self._once.make(name, create))


@pytest.fixture(scope="session")
def environments(shared_files):
    return Environments(shared_files)


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """Builds the distributions of a source, a wheel or `sdist` or both, as they are released, into a new folder."""

    def run(*targets, source=_ROOT, folder=None):
        folder = folder or tmp_path_factory.mktemp("dist")
        words = [word for target in targets for word in ("-t", target)]
        command = [sys.executable, "-m", "hatchling", "build", *words, "-d", folder]
        subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=LONGEST_S)
        return sorted(folder.iterdir())

    return run


@pytest.fixture(scope="session")
def wheel(build, shared_files):
    (found,) = shared_files.make("wheel", lambda folder: build("wheel", folder=folder)).iterdir()
    return found


@pytest.fixture(scope="session")
def bare(environments, wheel):
    """An environment with the wheel, and click, which it requires."""
    return environments.make("bare", lambda found: found.install("-c", str(_PINS), str(wheel)))


@pytest.fixture(scope="session")
def old(environments, wheel):
    """The environment of a product with old libraries, and the wheel."""

    def fill(found):
        found.install("--no-deps", "-r", str(_FOLDER / "old.txt"))
        found.install("--no-index", str(wheel))

    return environments.make("old", fill)


@pytest.fixture(scope="session")
def replaced(environments, wheel):
    """An environment with the wheel, over which the other distribution with the same import package was installed."""

    def fill(found):
        found.install("-c", str(_PINS), str(wheel))
        found.install("-c", str(_PINS), "pytest", "mockserver-client==9.2.0")

    return environments.make("replaced", fill)


@pytest.fixture(scope="module")
def server_url():
    """The root address of a server that runs in this environment."""
    with ServerProcess() as server:
        yield server.root
