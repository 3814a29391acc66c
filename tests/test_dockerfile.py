"""The Dockerfile names modules of the package, which no import of the package itself would miss."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[1] / "Dockerfile").read_text(encoding="utf-8")
#: The programs that the image runs while it is built, but for the one that reads the dependencies.
PROGRAMS = [program for program in re.findall(r'python -c "([^"]+)"', TEXT) if "mockserver" in program]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_dockerfile_runs(program):
    subprocess.run([sys.executable, "-c", program], check=True, timeout=50)
