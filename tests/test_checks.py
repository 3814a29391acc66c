"""Linter, formatter, types, layers and the list of breaks are checked by the suite, so that one command checks all."""

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_PROGRAMS = Path(sys.executable).parent


@pytest.mark.parametrize("command", ["ruff check", "ruff format --check", "mypy", "lint-imports"])
def test_check_command_finds_no_problems(command):
    program, *arguments = command.split()

    run = subprocess.run([_PROGRAMS / program, *arguments], cwd=_ROOT, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout + run.stderr


def test_each_planted_break_patches_a_unique_text():
    command = [sys.executable, "tests/breaks", "--check"]

    run = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout + run.stderr
