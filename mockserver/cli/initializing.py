"""`init`: writes a scenario and a first test into a project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from mockserver.cli.output import echo, fail, printable
from mockserver.cli.program import argument, command
from mockserver.cli.values import EXISTING_FOLDER
from mockserver.settings.distribution import requirement
from mockserver.settings.files import SCHEMA_FILE

_TEMPLATES = Path(__file__).parent / "templates"
#: How the test is run, by the runner; with `discover` its folder may be called `test`, as one of Python's own is.
_RUNS = {
    "pytest": "pytest {folder}/test_mockserver.py",
    "unittest": "unittest discover -s {folder} -p test_mockserver.py",
}
#: The files of a project that name pytest where it is used, and those that are there for nothing else.
_NAMING, _OF_PYTEST = ("pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "Pipfile"), ("pytest.ini", "conftest.py")
#: The files that a project in Python has.
_OF_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", "manage.py")
#: How many files of tests are read, and how many characters of each, to learn what they import. Chosen: the imports
#: stand at the beginning, and tests of one project are alike.
_MOST_FILES, _MOST_CHARACTERS = 50, 20_000


class Plan(NamedTuple):
    """What is written into a project, and what its user does next."""

    #: The files, each with its content and what it is.
    files: dict[Path, tuple[str, str]]
    #: Lines of text; those that are commands are indented.
    next_steps: list[str]


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

    The test is one for pytest or unittest, as the project's own are, and stands beside them; a project in JavaScript
    gets the scenario. Nothing is asked, and no file that is there is changed.
    """
    found = plan(folder)
    for file, (text, what) in found.files.items():
        name = _shown(file, folder)
        echo(f"wrote {name}: {what}" if _write(file, text) else f"left {name} as it was")
    echo()
    echo("\n".join(found.next_steps))


def plan(folder: Path) -> Plan:
    """What a project lacks, and what its user does next; nothing is written yet."""
    tests = _tests_of(folder)
    scenarios = tests / "scenarios"
    files = {
        scenarios / "product.yaml": (_template("product.yaml"), "what the account looks like at the start"),
        scenarios / SCHEMA_FILE.name: (
            SCHEMA_FILE.read_text(encoding="utf-8"),
            "by which editors help to write scenarios",
        ),
    }
    serve = f"  mockserver serve --scenarios {quote(_shown(scenarios, folder))} --scenario product"
    if _is_of_javascript(folder):
        return Plan(files, _steps_in_javascript(serve))
    runner = "pytest" if _uses_pytest(folder, tests) else "unittest"
    test = tests / "test_mockserver.py"
    files[test] = (_template(f"{runner}.txt"), f"a first test, for {runner}")
    return Plan(files, _steps_in_python(_RUNS[runner].format(folder=quote(_shown(tests, folder))), serve))


def _steps_in_python(run: str, serve: str) -> list[str]:
    return [
        "In the environment of your tests:",
        f"  pip install {quote(requirement('server'))}",
        f"  python -m {run}",
        "Then let the test call your own code in place of `call`.",
        "To try the scenario by hand:",
        serve,
    ]


def _steps_in_javascript(serve: str) -> list[str]:
    return [
        "Start a server, in CI as well; it is ready when the second command ends:",
        f"{serve} &",
        "  mockserver wait",
        "Let the product call http://127.0.0.1:8003/v3, with any API key. A workspace for each test:",
        "  const answer = await fetch('http://127.0.0.1:8003/_mock/workspaces', {method: 'POST'});",
        "  const {name, url, api_key} = await answer.json();",
    ]


# ---------------------------------------------------------------------- what is there


def _tests_of(folder: Path) -> Path:
    """The folder of a project's tests, which may have to be made."""
    return next((folder / name for name in ("tests", "test") if (folder / name).is_dir()), folder / "tests")


def _is_of_javascript(folder: Path) -> bool:
    """Whether a project is one in JavaScript, and has nothing in Python."""
    has_python = any((folder / name).exists() for name in _OF_PYTHON) or any(folder.glob("requirements*.txt"))
    return (folder / "package.json").exists() and not has_python


def _uses_pytest(folder: Path, tests: Path) -> bool:
    """Whether a project's tests are for pytest; where it does not say, whether pytest is installed here."""
    if any((place / name).exists() for name in _OF_PYTEST for place in (folder, tests)):
        return True
    naming = [*(folder / name for name in _NAMING), *folder.glob("requirements*.txt")]
    if any("pytest" in _beginning(file) for file in naming):
        return True
    found = _imported_by([_beginning(file) for file in islice(_files_of_tests(folder, tests), _MOST_FILES)])
    return find_spec("pytest") is not None if found is None else found == "pytest"


def _imported_by(tests: Sequence[str]) -> str | None:
    """What the files of tests import that runs them, `pytest` before `unittest`; None: they do not say."""
    if any("import pytest" in text for text in tests):
        return "pytest"
    return "unittest" if any("unittest" in text or "django.test" in text for text in tests) else None


def _files_of_tests(folder: Path, tests: Path) -> Iterator[Path]:
    yield from folder.glob("test*.py")
    if tests.is_dir():
        yield from tests.rglob("*.py")


def _beginning(file: Path) -> str:
    """The beginning of a file; empty if it cannot be read."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_MOST_CHARACTERS)
    except OSError:
        return ""


# ---------------------------------------------------------------------- writing


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _write(file: Path, text: str) -> bool:
    """Write a file that is not there, and return whether it was written; exits if that is not possible."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        if not file.exists():
            fail(f"cannot write {file}: a part of its path is no folder")
        return False
    except OSError as error:
        fail(f"cannot write {file}: {error.strerror}")
    return True


def _shown(file: Path, folder: Path) -> str:
    return printable(file.relative_to(folder).as_posix())
