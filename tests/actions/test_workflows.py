"""Workflows and actions, as `actionlint` and `shellcheck` judge them; so are those that the documents show."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

_ROOT = Path(__file__).parents[2]
_PROGRAMS = Path(sys.executable).parent
_WORKFLOWS = sorted((_ROOT / ".github" / "workflows").glob("*.yml"))
_ACTION = yaml.safe_load((_ROOT / ".github" / "actions" / "mockserver" / "action.yml").read_text(encoding="utf-8"))
_SCRIPTS = [_ROOT / ".ci" / "run", *sorted((_ROOT / ".github").rglob("*.sh"))]
#: Blocks of the documents that are workflows: they have jobs, and say when these run.
_SHOWN = [
    pytest.param(block, id=f"{path.relative_to(_ROOT)}-{number}")
    for path in sorted([_ROOT / "README.md", *(_ROOT / "docs").rglob("*.md")])
    for number, block in enumerate(re.findall(r"(?ms)^```ya?ml\n(.*?)^```", path.read_text(encoding="utf-8")))
    if re.search(r"(?m)^on:", block) and re.search(r"(?m)^jobs:", block)
]


def actionlint(*arguments, text=None):
    return subprocess.run(
        [_PROGRAMS / "actionlint", "-no-color", "-shellcheck", _PROGRAMS / "shellcheck", *arguments],
        cwd=_ROOT, input=text, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: path.name)
def test_workflow_passes_actionlint(path):
    assert actionlint(path).stdout == ""


@pytest.mark.parametrize("block", _SHOWN)
def test_a_workflow_that_a_document_shows_is_clean(block):
    assert actionlint("-", text=block).stdout == ""


def test_a_mistake_in_a_workflow_is_found():
    text = "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo $UNQUOTED\n"

    assert "SC2086" in actionlint("-", text=text).stdout


@pytest.mark.parametrize("path", _SCRIPTS, ids=lambda path: path.name)
def test_script_passes_shellcheck(path):
    run = subprocess.run([_PROGRAMS / "shellcheck", path], capture_output=True, text=True, check=False)

    assert run.stdout == ""


def steps(path):
    """The steps of all jobs of a workflow."""
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [step for job in found["jobs"].values() for step in job.get("steps", [])]


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: path.name)
def test_actions_of_others_are_pinned_by_their_commit(path):
    used = [step["uses"] for step in steps(path) if "uses" in step]

    assert [name for name in used if not name.startswith("./") and not re.search(r"@[0-9a-f]{40}$", name)] == []


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: path.name)
def test_action_has_a_single_pin_within_a_workflow(path):
    used = {
        line.split()[-3] for line in path.read_text(encoding="utf-8").splitlines() if re.search(r"uses: .* # v", line)
    }
    names = [name.partition("@")[0] for name in used]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: path.name)
def test_scripts_get_what_others_have_written_by_the_environment_only(path):
    """An expression inside of a script would become a part of it."""
    assert [step["run"] for step in steps(path) if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read_where_it_does_not_say_more(path):
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["permissions"] == {"contents": "read"}


def test_the_inputs_of_the_action_are_described():
    assert [name for name, about in _ACTION["inputs"].items() if not about["description"].endswith(".")] == []
