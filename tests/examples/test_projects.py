"""The examples that are whole projects pass: a product with Django, and tests with vitest and jest."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each runs the tests of a project

_FOLDER = Path(__file__).parent
_JS = _FOLDER / "js"
_needs_js = pytest.mark.skipif(
    shutil.which("npm") is None or not (_JS / "node_modules").is_dir(), reason=f"needs npm ci --prefix {_JS.name}"
)


def run(*command, cwd, **environment):
    """What a command prints, once it has ended well; of the environment the tests' own settings are left out."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        command, cwd=cwd, env={**kept, "PATH": path, "NO_COLOR": "1", **environment}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


_DJANGO = ("django-admin", "test", "--settings", "shop.settings", "--pythonpath", ".")


def test_the_django_project_passes_its_tests_in_two_processes():
    assert "Ran 3 tests" in run(*_DJANGO, "--parallel", "2", cwd=_FOLDER / "django")


def test_the_django_project_takes_a_server_that_runs_elsewhere(serve):
    root = serve()

    output = run(*_DJANGO, cwd=_FOLDER / "django", MOCKSERVER_URL=root)
    met = run("mockserver", "coverage", cwd=_FOLDER, MOCKSERVER_URL=root)

    assert "Ran 3 tests" in output
    assert re.search(r"^ +createSender +1 ", met, re.MULTILINE)


@_needs_js
@pytest.mark.parametrize(("script", "told"), [("vitest", r"Tests +3 passed"), ("jest", r"Tests: +3 passed")])
def test_the_javascript_tests_pass(script, told, serve):
    assert re.search(told, run("npm", "run", "--silent", script, cwd=_JS, MOCKSERVER_URL=serve()))
