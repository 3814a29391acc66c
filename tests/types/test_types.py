"""A user's test that uses every handle is clean for mypy and pyright, in both variants."""

import inspect
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from mockserver import MockServer, Workspace
from mockserver.testing.client import Client
from mockserver.testing.coroutines import AsyncClient, Proxy
from mockserver.testing.handles.link import Handle

_FOLDER = Path(__file__).parent
_ROOT = _FOLDER.parents[1]
_USES = (_FOLDER / "uses.py").read_text(encoding="utf-8")
_PYRIGHT = _FOLDER / "node_modules" / "pyright" / "index.js"
needs_pyright = pytest.mark.skipif(
    not _PYRIGHT.exists() or shutil.which("node") is None, reason="needs pyright: npm ci --prefix tests/types"
)


#: Words of the test for coroutines, and those that stand for them in the test for the handles that block.
_BLOCKING = {
    "workspace.synchronous.asynchronous": "workspace.asynchronous.synchronous",
    "async ": "",
    "await ": "",
    "AsyncMockServer, AsyncWorkspace": "MockServer, Workspace",
    "AsyncMockServer": "MockServer",
    "AsyncWorkspace": "Workspace",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A folder with the package as it is released, both variants of the test, and one that lacks an `await`."""
    folder = tmp_path_factory.mktemp("types")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "dist"]
    subprocess.run(command, cwd=_ROOT, check=True, capture_output=True)
    (wheel,) = (folder / "dist").iterdir()
    zipfile.ZipFile(wheel).extractall(folder)
    blocking = _USES
    for word, other in _BLOCKING.items():
        blocking = blocking.replace(word, other)
    (folder / "coroutines.py").write_text(_USES, encoding="utf-8")
    wrong = _USES.replace("await workspace.clock.freeze()", "workspace.clock.freeze()")
    (folder / "forgotten.py").write_text(wrong, encoding="utf-8")
    (folder / "blocking.py").write_text(blocking, encoding="utf-8")
    return folder


def members(kind):
    return {name for name in vars(kind) if not name.startswith("_")} - {"blocking_name"}


def handles():
    return {kind for kind in Proxy.kinds.values() if kind is not AsyncClient}


#: By which words of the test each class is reached.
_REACHED = {
    "AsyncMockServer": "(?:server|elsewhere|AsyncMockServer)",
    "AsyncWorkspace": "workspace",
    **{name: name.lower() for name in ("Fault", "Receiver", "Snapshot", "Stub")},
    **{name: rf"workspace\.{name.lower()}" for name in (
        "Apps", "Calls", "Clock", "Coverage", "Deliveries", "Dns", "Faults", "Machines", "Mailbox", "Requests",
        "State", "Stubs")},
}  # fmt: skip


def test_every_class_of_handles_is_used():
    assert {kind.__name__ for kind in handles()} == _REACHED.keys()


@pytest.mark.parametrize("name", _REACHED)
def test_every_member_of_a_handle_is_used(name):
    kind = next(kind for kind in handles() if kind.__name__ == name)

    assert [member for member in members(kind) if not re.search(rf"\b{_REACHED[name]}\.{member}\b", _USES)] == []


def test_no_public_function_of_a_handle_takes_untyped_keyword_arguments():
    functions = [
        function
        for kind in {Client, MockServer, Workspace, *Handle.__subclasses__()}
        for name, function in inspect.getmembers(kind, inspect.isfunction)
        if name == "__init__" or name[0] != "_"
    ]
    options = [(function, inspect.getfullargspec(function).varkw) for function in functions]

    assert len(functions) > 70
    assert [found.__qualname__ for found, name in options if name and found.__annotations__.get(name) == "Any"] == []


@pytest.mark.slow  # it takes seconds
def test_mypy_finds_nothing_in_either_variant_but_a_coroutine_that_is_not_awaited(project):
    assert checked_by_mypy(project, "coroutines.py", "blocking.py") == ""
    found = re.findall(r" error: .*\[([\w-]+)\]$", checked_by_mypy(project, "forgotten.py"), re.MULTILINE)

    assert found == ["unused-coroutine"]


def checked_by_mypy(folder, *files):
    """The output of mypy, run in a process of its own: it changes the garbage collector."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--follow-imports=silent", *files]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


#: Lines with `?` in the place of a name, the name misspelt, and the right name.
_MISSPELT = (
    ("workspace.faults.add(?)", '"otp_expird"', '"otp_expired"'),
    ('workspace.faults.add("latency", ?=3)', "sm", "ms"),
    ('workspace.machines.fire(?, 2, "expire_otp")', '"sendr"', '"sender"'),
    ('workspace.machines.fire("sender", 2, ?)', '"expire_top"', '"expire_otp"'),
    ('workspace.machines.get(?, "acme.test")', '"domains"', '"domain"'),
    ("workspace.trigger(?)", '"hardbounce"', '"hardBounce"'),
    ("workspace.story(?)", '"bounced"', '"hard_bounce"'),
    ("workspace.clock.advance(?=3)", "minuts", "minutes"),
    ("workspace.requests.verify(?={})", "jsn", "json"),
    ("workspace.requests.verify(?={})", "json_exact", "json_exactly"),
    ("workspace.requests.all(?=400)", "statu", "status"),
    ("workspace.requests.page(?=None)", "opration", "operation"),
    ("workspace.requests.latest(?='tag')", "fild", "field"),
    ("workspace.requests.wait(1, ?=True)", "hold", "held"),
    ('workspace.dns.set("acme.test", ?="ok")', "dkim", "dkim_record"),
    ('workspace.stubs.add("GET", "/v3/crm", {}, ?=1)', "time", "times"),
    ('workspace.apps.create(?="CRM")', "nam", "name"),
    ('workspace.apps.update("id", ?=None)', "secret", "client_secret"),
    ("MockServer(?=0)", "prot", "port"),
    ('MockServerContainer(?="serve")', "commnd", "command"),
)
_HEAD = """
from mockserver import MockServer, Workspace
from mockserver.testing.container import MockServerContainer

def use(workspace: Workspace) -> None:
""".lstrip()
#: Names of operations, which are no mistake of types: those of the API, and any other.
_OPERATIONS = ("createSender", "oauthRevoke", "sendTransacEmail", "createSendr")


@pytest.fixture(scope="module")
def misspelt(project):
    """The names of two files: of lines with misspelt names, and of the same lines with the right names."""
    wrong = [line.replace("?", name) for line, name, _ in _MISSPELT]
    right = [line.replace("?", name) for line, _, name in _MISSPELT]
    right += [f"workspace.requests.verify(operation={name!r})" for name in _OPERATIONS]
    for name, lines in (("misspelt.py", wrong), ("right.py", right)):
        (project / name).write_text(_HEAD + "".join(f"    {line}\n" for line in lines), encoding="utf-8")
    return "misspelt.py", "right.py"


def line_of(row):
    return _MISSPELT.index(row) + len(_HEAD.splitlines()) + 1


@pytest.mark.slow  # it takes seconds
def test_mypy_finds_each_misspelt_name_and_nothing_in_right_names(project, misspelt):
    errors = checked_by_mypy(project, *misspelt)

    assert [row for row in _MISSPELT if f"misspelt.py:{line_of(row)}: error:" not in errors] == []
    assert "right.py" not in errors
    assert max(map(len, errors.splitlines())) < 1_000  # its longest list of names


@pytest.fixture(scope="module")
def complaints(project, misspelt, shared_files):
    """What pyright complains of in both variants and in those with mistakes: messages by file, each with its line."""
    files = ["blocking.py", "coroutines.py", "forgotten.py", *misspelt]

    def run(report):
        found = subprocess.run(
            ["node", _PYRIGHT, "--outputjson", "--pythonpath", sys.executable, *files],
            cwd=project, capture_output=True, text=True, check=False,
        )  # fmt: skip
        report.write_text(found.stdout, encoding="utf-8")

    report = json.loads(shared_files.make("pyright", run).read_text(encoding="utf-8"))
    assert report["summary"]["filesAnalyzed"] == len(files)
    told = {name: [] for name in files}
    for row in report["generalDiagnostics"]:
        told[Path(row["file"]).name].append(f"{row['range']['start']['line'] + 1}: {row['message']}")
    return told


@pytest.mark.slow  # it takes seconds
@needs_pyright
@pytest.mark.parametrize("file", ["coroutines.py", "blocking.py", "right.py"])
def test_pyright_finds_nothing_in_a_right_file(complaints, file):
    assert complaints[file] == []


@pytest.mark.slow  # it takes seconds
@needs_pyright
def test_pyright_finds_every_misspelt_name_and_a_coroutine_that_is_not_awaited(complaints):
    assert [int(line.split(":")[0]) for line in complaints["misspelt.py"]] == [line_of(row) for row in _MISSPELT]
    assert [line.split(": ")[1].split(";")[0] for line in complaints["forgotten.py"]] == [
        "Result of async function call is not used"
    ]
