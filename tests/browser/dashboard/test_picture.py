"""The picture of the dashboard in the README, which a script takes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


def test_picture_of_the_readme_can_be_taken_again(tmp_path):
    picture = tmp_path / "dashboard.png"

    subprocess.run([sys.executable, ROOT / ".ci" / "picture.py", picture], check=True, timeout=120)

    assert picture.read_bytes().startswith(b"\x89PNG")


def test_picture_of_the_readme_is_small():
    (path,) = re.findall(r"!\[[^]]+\]\((.+?\.png)\)", (ROOT / "README.md").read_text(encoding="utf-8"))

    assert (ROOT / path).stat().st_size < 150_000
