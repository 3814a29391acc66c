"""The hook for pre-commit, run by pre-commit itself in a repository of somebody else."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

_ROOT = Path(__file__).parents[2]
(_HOOK,) = yaml.safe_load((_ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
_PROGRAM = Path(sys.executable).parent / "pre-commit"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("scenarios/team.yaml", True),
        ("tests/scenarios/team.yml", True),
        ("scenarios/team.json", True),
        ("scenarios/scenario.schema.json", False),
        ("scenarios/notes.md", False),
        ("other-scenarios/team.yaml", False),
        (".github/workflows/ci.yml", False),
    ],
)
def test_the_hook_looks_at_scenarios_only(path, wanted):
    assert (re.search(_HOOK["files"], path) is not None) is wanted


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository with a scenario that is right and one that is not, both added."""
    folder = tmp_path_factory.mktemp("repository")
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "right.yaml").write_text("description: fine\nextends: onboarding\n", encoding="utf-8")
    (folder / "scenarios" / "wrong.yaml").write_text("description: odd\nsender: []\n", encoding="utf-8")
    (folder / "values.yaml").write_text("sender: []\n", encoding="utf-8")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(300)  # the hook is installed in an environment of its own
def test_the_hook_passes_what_loads_and_tells_mistakes_with_their_line(repository, tmp_path):
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MOCKSERVER_"))}
    own = {
        "PRE_COMMIT_HOME": str(tmp_path),
        "PIP_CONSTRAINT": str(_ROOT / ".ci" / "constraints.txt"),
        "PIP_NO_COMPILE": "0",  # as --no-compile: most of the time would go into bytecode that is read once
    }
    files = ["scenarios/right.yaml", "scenarios/wrong.yaml", "values.yaml"]

    ended = subprocess.run(
        [_PROGRAM, "try-repo", str(_ROOT), _HOOK["id"], "--color", "never", "--files", *files],
        cwd=repository, env={**outer, **own}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip

    assert ended.returncode == 1, ended.stdout
    assert "scenarios/right.yaml: ok\n" in ended.stdout
    assert re.search(r"scenarios/wrong\.yaml:2: sender: .*did you mean senders\?", ended.stdout)
    assert "values.yaml" not in ended.stdout.partition("check scenarios")[2]
