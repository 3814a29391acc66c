"""The recipes do what their page says. Those with packages that ours do not get along with: tests/elsewhere."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each runs a program of its own

_RECIPES = Path(__file__).parent / "recipes"
_PAGE = Path(__file__).parents[2] / "docs" / "howto" / "recipes.md"


def run(*command, cwd, **environment):
    """Return how a command ends, and what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
    own = {"NO_PROXY": "*", "no_proxy": "*", "PYTEST_ADDOPTS": "-p no:cacheprovider -p no:schemathesis -p no:asyncio"}
    ended = subprocess.run(
        command, cwd=cwd, env={**kept, **own, **environment}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
    )  # fmt: skip
    return ended.returncode, ended.stdout


# ---------------------------------------------------------------------- Hypothesis


@pytest.fixture
def state_machine(tmp_path):
    return Path(shutil.copy(_RECIPES / "test_state_machine.py", tmp_path))


def test_the_state_machine_passes(state_machine):
    status, output = run(sys.executable, "-m", "pytest", "-q", cwd=state_machine.parent)

    assert (status, "1 passed" in output) == (0, True), output


def test_the_state_machine_finds_a_sender_that_the_product_has_not_forgotten(state_machine):
    text = state_machine.read_text()
    state_machine.write_text(text.replace("        self.verified.pop(sender, None)\n", ""))

    status, output = run(sys.executable, "-m", "pytest", "-q", cwd=state_machine.parent)

    assert status == 1, output
    assert re.search(r"state\.add\(\).*state\.confirm\(.*late=False\).*state\.remove\(", output, re.DOTALL)


# ---------------------------------------------------------------------- Postman and Bruno


@pytest.mark.skipif(
    shutil.which("npx") is None or not (_RECIPES / "node_modules").is_dir(), reason="needs npm ci --prefix recipes"
)
def test_the_collections_hold_every_operation_and_their_requests_are_answered(serve, tmp_path):
    (tmp_path / "node_modules").symlink_to(_RECIPES / "node_modules")

    status, output = run("bash", str(_RECIPES / "collections.sh"), cwd=tmp_path, MOCKSERVER_URL=serve("standard"))

    assert status == 0, output
    document = json.loads((tmp_path / "openapi.json").read_text(encoding="utf-8"))
    named = {call["summary"] for methods in document["paths"].values() for call in methods.values()}
    assert named == set(requests_of(json.loads((tmp_path / "postman.json").read_text(encoding="utf-8"))))
    assert named <= {path.stem for path in (tmp_path / "bruno").rglob("*.yml")}
    assert re.search(r"GET \S+/v3/senders \[200 OK", output)
    assert "senders/List senders (200 OK)" in output


def requests_of(folder):
    """Return the names of the requests in a folder of a Postman collection."""
    for item in folder["item"]:
        yield from [item["name"]] if "request" in item else requests_of(item)


# ---------------------------------------------------------------------- agents


def test_the_program_of_agents_prints_what_the_page_shows():
    status, output = run(sys.executable, "agents.py", cwd=_RECIPES)

    shown = re.search(r"^```text\n(.*?)^```$", _PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1]
    assert status == 0, output
    for printed, line in zip(output.splitlines(), shown.splitlines(), strict=True):
        assert printed.startswith(line.removesuffix("...")), printed
