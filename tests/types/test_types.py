"""A user's test that uses every handle is clean for mypy and pyright, in both variants."""

import inspect
import json
import re
import runpy
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from mockserver.testing import asynchronous

_FOLDER = Path(__file__).parent
_ROOT = _FOLDER.parents[1]
_USES = (_FOLDER / "uses.py").read_text(encoding="utf-8")
_PYRIGHT = _FOLDER / "node_modules" / "pyright" / "index.js"
needs_pyright = pytest.mark.skipif(
    not _PYRIGHT.exists() or shutil.which("node") is None, reason="needs pyright: npm ci --prefix tests/types"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with both variants of the test."""
    folder = tmp_path_factory.mktemp("types")
    convert = runpy.run_path(str(_ROOT / ".ci" / "synchronous.py"))["synchronous"]
    (folder / "coroutines.py").write_text(_USES, encoding="utf-8")
    (folder / "blocking.py").write_text(convert({"uses.py": _USES})["uses.py"], encoding="utf-8")
    return folder


def members(kind):
    return {name for name in vars(kind) if not name.startswith("_")}


def handles():
    modules = [import_module(f"{asynchronous.__name__}.{row.name}") for row in iter_modules(asynchronous.__path__)]
    kinds = {kind for module in modules for kind in vars(module).values() if inspect.isclass(kind)}
    return {kind for kind in kinds if kind.__module__.startswith(asynchronous.__name__) and kind.__name__[0] != "_"}


#: By which words of the test each class is reached; a link is none of a user's.
_REACHED = {
    "AsyncMockServer": "(?:server|elsewhere|AsyncMockServer)",
    "AsyncWorkspace": "workspace",
    **{name: name.lower() for name in ("Fault", "Receiver", "Snapshot", "Stub")},
    **{
        name: rf"workspace\.{name.lower()}"
        for name in (
            "Apps", "Calls", "Clock", "Coverage", "Deliveries", "Dns", "Faults", "Machines", "Mailbox", "Requests",
            "State", "Stubs",
        )
    },
}  # fmt: skip


def test_every_class_of_handles_is_used():
    assert {kind.__name__ for kind in handles()} - {"Link"} == _REACHED.keys()


@pytest.mark.parametrize("name", _REACHED)
def test_every_member_of_a_handle_is_used(name):
    kind = next(kind for kind in handles() if kind.__name__ == name)

    assert [member for member in members(kind) if not re.search(rf"\b{_REACHED[name]}\.{member}\b", _USES)] == []


@pytest.mark.slow  # it takes seconds
def test_mypy_finds_nothing_in_either_variant(project):
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "coroutines.py", "blocking.py"],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (found.returncode, found.stdout) == (0, "")


@pytest.fixture(scope="module")
def complaints(project, once):
    """What pyright complains of in both variants and in one with a mistake: messages by file, each with its line."""
    wrong = _USES.replace("await workspace.clock.freeze()", "workspace.clock.freeze()")
    (project / "forgotten.py").write_text(wrong, encoding="utf-8")
    files = ["blocking.py", "coroutines.py", "forgotten.py"]

    def run(report):
        found = subprocess.run(
            ["node", _PYRIGHT, "--outputjson", "--pythonpath", sys.executable, *files],
            cwd=project, capture_output=True, text=True, check=False,
        )  # fmt: skip
        report.write_text(found.stdout, encoding="utf-8")

    report = json.loads(once.make("pyright", run).read_text(encoding="utf-8"))
    assert report["summary"]["filesAnalyzed"] == len(files)
    told = {name: [] for name in files}
    for row in report["generalDiagnostics"]:
        told[Path(row["file"]).name].append(f"{row['range']['start']['line'] + 1}: {row['message']}")
    return told


@pytest.mark.slow  # it takes seconds
@needs_pyright
@pytest.mark.parametrize("variant", ["coroutines.py", "blocking.py"])
def test_pyright_finds_nothing_in_a_variant(complaints, variant):
    assert complaints[variant] == []


@pytest.mark.slow  # it takes seconds
@needs_pyright
def test_pyright_finds_a_coroutine_that_is_not_awaited(complaints):
    assert [line.split(": ")[1].split(";")[0] for line in complaints["forgotten.py"]] == [
        "Result of async function call is not used"
    ]
