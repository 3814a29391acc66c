"""`init`: writes a scenario and a first test into a project."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from shlex import quote

from mockserver.cli.options import EXISTING_FOLDER
from mockserver.cli.output import echo, fail, printable
from mockserver.cli.program import argument, command
from mockserver.settings.distribution import requirement
from mockserver.settings.files import SCHEMA_FILE

_TEMPLATES = Path(__file__).parent / "templates"
#: The command of each runner; with `discover` the folder may be called `test`, as one of Python's own is.
_RUNS = {
    "pytest": "pytest {folder}/test_mockserver.py",
    "unittest": "unittest discover -s {folder} -p test_mockserver.py",
}
#: The files that name pytest if a project uses pytest, and the files that only such a project has.
_NAMING, _OF_PYTEST = ("pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "Pipfile"), ("pytest.ini", "conftest.py")
#: The files of a project in Python.
_OF_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", "manage.py")
#: How many test files are searched for imports, and how many characters of each. Chosen: imports are at the beginning,
#: and the tests of one project are alike.
_MOST_FILES, _MOST_CHARACTERS = 50, 20_000
_IN_PYTHON = """In the environment of your tests:
{install}  python -m {run}
Then let the test call your own code in place of `call`.
To try the scenario by hand:
{serve}"""
_IN_JAVASCRIPT = """Start a server, in CI as well; it is ready when the second command ends:
{serve} &
  mockserver wait
Let the product call http://127.0.0.1:8003/v3, with any API key. A workspace for each test:
  const answer = await fetch('http://127.0.0.1:8003/_mock/workspaces', {{method: 'POST'}});
  const {{name, url, api_key}} = await answer.json();
If package.json names vitest or jest, this command writes files that do so."""
_WITH_RUNNER = """Add to {configuration}
Then run the test, and let it call your own code in place of `call`:
  npx {runner}
To try the scenario by hand:
{serve}"""
#: What runs tests in JavaScript, and what its configuration needs, where the files are in `{helpers}`.
_CONFIGURATIONS = {
    "vitest": """vitest.config.mjs:
  export default {{
    test: {{ globalSetup: "{helpers}/server.mjs", setupFiles: "{helpers}/vitest.mjs" }},
  }};""",
    "jest": """jest.config.mjs:
  export default {{
    globalSetup: "./{helpers}/server.mjs",
    testEnvironment: "./{helpers}/jest.mjs",
  }};""",
}


@command("init")
@argument(
    "folder",
    required=False,
    metavar="DIR",
    type=EXISTING_FOLDER,
    default=Path(),
    help="The project's folder; the default is this one.",
)
def init(folder: Path) -> None:
    """Write a scenario and a first test into a project, and print the next steps.

    The test is for pytest, unittest, Vitest or Jest, like the tests of the project. For Vitest and Jest, there are also
    files that start a server. Other projects in JavaScript get the scenario only. No existing file is changed.
    """
    tests = next((folder / name for name in ("tests", "test") if (folder / name).is_dir()), folder / "tests")
    scenarios = tests / "scenarios"
    _write(folder, scenarios / "product.yaml", _template("product.yaml"), "what the account looks like at the start")
    schema = SCHEMA_FILE.read_text(encoding="utf-8")
    _write(folder, scenarios / SCHEMA_FILE.name, schema, "by which editors help to write scenarios")
    serve = f"  mockserver serve --scenarios {quote(_shown(scenarios, folder))} --scenario product"
    if _is_of_javascript(folder):
        _write_javascript(folder, tests, serve)
        return
    runner = "pytest" if _uses_pytest(folder, tests) else "unittest"
    _write(folder, tests / "test_mockserver.py", _template(f"{runner}.txt"), f"a first test, for {runner}")
    run = _RUNS[runner].format(folder=quote(_shown(tests, folder)))
    needed = requirement("server")
    install = f"  pip install {quote(needed)}\n" if needed else ""
    echo(f"\n{_IN_PYTHON.format(install=install, run=run, serve=serve)}")


def _write_javascript(folder: Path, tests: Path, serve: str) -> None:
    runner = next((name for name in _CONFIGURATIONS if _mentions([folder / "package.json"], f'"{name}"')), None)
    if runner is None:
        echo(f"\n{_IN_JAVASCRIPT.format(serve=serve)}")
        return
    helpers = tests / "mockserver"
    for name, what in {
        "server.mjs": "starts a server for each run of the tests",
        "serve.mjs": "stops the server when the run ends",
        "workspace.mjs": "makes a workspace of the server",
        f"{runner}.mjs": "gives each test a workspace",
    }.items():
        _write(folder, helpers / name, _template(f"js/{name}"), what)
    imports = 'import { expect, test } from "vitest";\n' if runner == "vitest" else ""
    _write(folder, tests / "mockserver.test.js", imports + _template("js/first.test.js"), f"a first test, for {runner}")
    configuration = _CONFIGURATIONS[runner].format(helpers=_shown(helpers, folder))
    run = "vitest run" if runner == "vitest" else runner
    echo(f"\n{_WITH_RUNNER.format(configuration=configuration, runner=run, serve=serve)}")


def _is_of_javascript(folder: Path) -> bool:
    has_python = any((folder / name).exists() for name in _OF_PYTHON) or any(folder.glob("requirements*.txt"))
    return (folder / "package.json").exists() and not has_python


def _uses_pytest(folder: Path, tests: Path) -> bool:
    """Return whether a project uses pytest (default: whether pytest is installed)."""
    if any((place / name).exists() for name in _OF_PYTEST for place in (folder, tests)):
        return True
    if _mentions([*(folder / name for name in _NAMING), *folder.glob("requirements*.txt")], "pytest"):
        return True
    files = list(islice(chain(folder.glob("test*.py"), tests.rglob("*.py")), _MOST_FILES))
    if _mentions(files, "import pytest"):
        return True
    return not _mentions(files, "unittest", "django.test") and find_spec("pytest") is not None


def _mentions(files: Iterable[Path], *words: str) -> bool:
    """Search the beginnings of files for words; skip unreadable files."""
    for file in files:
        try:
            with file.open(encoding="utf-8", errors="replace") as opened:
                text = opened.read(_MOST_CHARACTERS)
        except OSError:
            continue
        if any(word in text for word in words):
            return True
    return False


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _write(folder: Path, file: Path, text: str, what: str) -> None:
    name = _shown(file, folder)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        if not file.exists():
            fail(f"cannot write {file}: a part of its path is no folder")
        echo(f"left {name} as it was")
    except OSError as error:
        fail(f"cannot write {file}: {error.strerror}")
    else:
        echo(f"wrote {name}: {what}")


def _shown(file: Path, folder: Path) -> str:
    return printable(file.relative_to(folder).as_posix())
