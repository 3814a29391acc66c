"""The built site, once for all tests of a run that look at it."""

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
#: As docs/project/contributing.md has it.
_STRICT = ("-a", "-W", "-n", "--keep-going")


@pytest.fixture(scope="session")
def site(shared_files):
    """The folder of the built site; a warning fails the build."""
    return shared_files.make("site", build) / "html"


def build(folder):
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *_STRICT, "-q", "-d", folder / "doctrees", "docs", folder / "html"],
        cwd=_ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
