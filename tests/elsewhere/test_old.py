"""The suite of a product in an environment with old libraries, beside the bare wheel."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # environments are made, and suites run

_PRODUCT = Path(__file__).parent / "product"
#: Starts a server of this environment, as `uvx --from 'brevo-mockserver[server]' mockserver serve` does of one of its
#: own.
SERVE = shlex.join([sys.executable, "-m", "mockserver", "serve"])


def suite(old, *options, cwd=_PRODUCT, **variables):
    bytecode = str(old.folder / "bytecode")  # kept for the next run, and out of the product's folder
    options = ("-q", "-p", "no:cacheprovider", *options)
    return old.run("pytest", *options, cwd=cwd, PYTHONPYCACHEPREFIX=bytecode, **variables)


def passed(ended):
    found = re.search(r"^(?:=+ )?(\d+) passed in ", ended.stdout, re.MULTILINE)
    assert found, ended.stdout + ended.stderr
    return int(found[1])


def test_the_wheel_asks_for_nothing_that_the_product_has_in_another_version(old):
    """Flask 2.3 asks for click 8.1, and that is all that pip finds."""
    with pytest.raises(Exception, match="exit status 1") as caught:
        old.pip("check")

    assert re.findall(r"^.* has requirement .*$", caught.value.stdout, re.MULTILINE) == [
        "flask 2.3.3 has requirement click>=8.1.3, but you have click 8.0.4."
    ]


def test_the_suite_of_the_product_runs_on_workers_that_share_a_server(old):
    ended = suite(old, "-n", "2", "--mockserver-command", SERVE)

    assert passed(ended) == 8


def test_without_workers_and_with_a_server_that_runs(old, server_url):
    ended = suite(old, "-p", "no:xdist", "test_shop.py", MOCKSERVER_URL=server_url)

    assert passed(ended) == 5


#: A suite whose workspaces are made of a file; a test of it fails, so that its workspace is made once more.
STORY = """
from pathlib import Path
import pytest

@pytest.fixture
def mockserver_scenario():
    return Path(__file__).with_name("story.yaml")

def test_passes(mockserver):
    assert mockserver.state.get()["description"] == "Mine."

def test_fails(mockserver):
    assert mockserver.state.get()["description"] == "Another."
"""


def test_a_scenario_in_a_file_is_read_by_the_server(old, tmp_path):
    (tmp_path / "test_it.py").write_text(STORY)
    (tmp_path / "story.yaml").write_text("description: Mine.\naccounts: [{name: mine}]\n")

    ended = suite(old, "--mockserver-artifacts", "artifacts", "--mockserver-command", SERVE, cwd=tmp_path)

    assert "1 failed, 1 passed" in ended.stdout, ended.stdout + ended.stderr
    [folder] = (tmp_path / "artifacts").iterdir()
    assert json.loads((folder / "state-before.json").read_text())["description"] == "Mine."


def test_without_a_server_the_three_ways_to_one_are_told(old, tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(mockserver): pass")

    ended = suite(old, cwd=tmp_path)

    (line,) = re.findall(r"^a server in this process needs .*$", ended.stdout, re.MULTILINE)
    for way in (
        "pip install 'brevo-mockserver[server]", "MOCKSERVER_URL", "--mockserver-command", "MOCKSERVER_COMMAND",
    ):  # fmt: skip
        assert way in line


def test_the_coverage_of_a_session_needs_the_server_too(old, tmp_path):
    ended = suite(old, "--mockserver-coverage", "--mockserver-command", SERVE, cwd=tmp_path)

    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "the coverage of a session needs the server, which is not installed here" in ended.stderr
