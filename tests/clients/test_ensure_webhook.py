"""Programs that make sure of a webhook, in three languages: list those that are there, and make mine if it is missing.

They know that an account without webhooks answers with an error. Where that knowledge is taken out of them, they break
on a new account, as many programs do that were written on an account with webhooks.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import requests

_PROGRAMS = Path(__file__).parent / "programs"
_EXAMPLES = Path(__file__).parents[1] / "examples"
#: How each is run, and where it stands; that in Python is shown in the README.
PROGRAMS = {
    sys.executable: _EXAMPLES / "ensure_webhook.py",
    "node": _PROGRAMS / "ensure_webhook.mjs",
    "bash": _PROGRAMS / "ensure_webhook.sh",
}
MINE = "https://hooks.acme.test/mine"

each_program = pytest.mark.parametrize(
    "program",
    [
        pytest.param(program, id=path.suffix, marks=pytest.mark.skipif(not shutil.which(program), reason="not there"))
        for program, path in PROGRAMS.items()
    ],
)


@pytest.fixture(scope="module")
def root(module_serve):
    return module_serve("empty")


@pytest.fixture
def begin(root):
    """Lets the server begin anew with a scenario."""

    def begin(**members):
        body = {"scenario": {"extends": "empty", **members}}
        requests.post(f"{root}/_mock/reset", json=body, timeout=10).raise_for_status()

    return begin


@pytest.fixture
def run(root, tmp_path):
    """Runs a program, or what is left of it without its care; gives its exit status and what it prints."""

    def run(program, *, careless=False):
        text = PROGRAMS[program].read_text(encoding="utf-8")
        assert "document_not_found" in text
        path = tmp_path / PROGRAMS[program].name
        path.write_text(text.replace("document_not_found", "nothing") if careless else text, encoding="utf-8")
        known = {"BREVO_API_KEY": "any", "BREVO_BASE_URL": f"{root}/v3"}
        ended = subprocess.run(
            [program, path, MINE], env={**os.environ, **known}, check=False, timeout=60, capture_output=True, text=True
        )
        return ended.returncode, ended.stdout.strip()

    return run


def urls(root):
    answer = requests.get(f"{root}/v3/webhooks", headers={"api-key": "any"}, timeout=10)
    return [row["url"] for row in answer.json().get("webhooks", ())]


@each_program
def test_mine_is_made_once_on_a_new_account_and_among_other_webhooks(program, root, begin, run):
    begin()
    assert (run(program), run(program)) == ((0, "1"), (0, "1"))
    assert urls(root) == [MINE]

    begin(webhooks=[{"id": 7, "url": "https://hooks.acme.test/other", "events": ["opened"]}])

    assert (run(program), run(program)) == ((0, "8"), (0, "8"))
    assert sorted(urls(root)) == [MINE, "https://hooks.acme.test/other"]


@each_program
def test_without_care_for_the_error_a_new_account_breaks_it(program, root, begin, run):
    begin()

    status, printed = run(program, careless=True)

    assert (status, printed, urls(root)) == (1, "", [])
    begin(behaviour={"webhooks_none": "empty"})  # a list instead of the error
    assert (run(program, careless=True), run(program, careless=True)) == ((0, "1"), (0, "1"))
    assert urls(root) == [MINE]


@each_program
def test_unauthorized_error_ends_the_program_with_exit_code_1(program, root, begin, run):
    """Not every error says that there are no webhooks."""
    begin(faults=[{"fault": "unauthorized"}])

    assert run(program)[0] == 1
