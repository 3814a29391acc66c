"""The pictures of the dashboard in the README and the how-to, which a script takes."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: The kinds of pictures, and how their files begin.
KINDS = {".png": b"\x89PNG", ".webp": b"RIFF"}

pytestmark = [pytest.mark.browser, pytest.mark.slow]  # a browser is a program of its own


def test_pictures_can_be_taken_again(tmp_path):
    subprocess.run([sys.executable, ROOT / ".ci" / "picture.py", tmp_path], check=True, timeout=120)

    taken = {picture.relative_to(tmp_path) for picture in tmp_path.rglob("*.*")}
    assert taken == {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.*") if path.suffix in KINDS}
    assert all(picture.read_bytes().startswith(KINDS[picture.suffix]) for picture in tmp_path.rglob("*.*"))


def test_pictures_are_small():
    for path in (ROOT / "docs").rglob("*.*"):
        assert path.suffix not in KINDS or path.stat().st_size < 150_000, path
