"""A suite of tests with the plugin runs through the balancer, each test in a workspace on whichever replica."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

#: Plugins of this project's own tests, which take long to load.
_WITHOUT = " ".join(f"-p no:{name}" for name in ("schemathesis", "hypothesispytest", "anyio", "faker", "pytest_cov"))
_PROJECT = Path(__file__).parents[1] / "examples" / "pytest"


def test_the_pytest_example_passes_and_tells_the_coverage_of_all_replicas(spread, tmp_path):
    # Outside of the project, whose own settings of pytest are not those of a user.
    project = shutil.copytree(_PROJECT, tmp_path / "project")
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--mockserver-coverage", "test_onboarding.py"],
        cwd=project, env={**outer, "MOCKSERVER_URL": spread.url, "PYTEST_ADDOPTS": _WITHOUT},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
    assert re.search(r"operations +5 of +34", done.stdout)
