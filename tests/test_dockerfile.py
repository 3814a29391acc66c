"""The Dockerfile names modules of the package, which no import of the package itself would miss."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
TEXT = (_ROOT / "Dockerfile").read_text(encoding="utf-8")
#: The programs that the image runs while it is built, but for the one that reads the dependencies.
PROGRAMS = [program for program in re.findall(r'python -c "([^"]+)"', TEXT) if "mockserver" in program]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_dockerfile_runs(program):
    subprocess.run([sys.executable, "-c", program], check=True, timeout=50)


@pytest.fixture(scope="module")
def slim(tmp_path_factory):
    """The Python of an environment with some of our dependencies, out of which has gone what the image leaves out."""
    if shutil.which("strip") is None:
        pytest.skip("needs strip, of Debian's package binutils")
    folder = tmp_path_factory.mktemp("slim")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for name in ("faker", "orjson", "aiosmtpd"):
        here = Path(sysconfig.get_paths()["purelib"]) / name
        shutil.copytree(here, packages / name, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([folder / "bin" / "python", _ROOT / ".ci" / "slim.py"], check=True, timeout=50)
    return folder / "bin" / "python", packages


@pytest.mark.slow
def test_the_image_has_the_default_locale_of_faker_alone(slim):
    python, packages = slim

    kept = {path.name for path in packages.glob("faker/providers/person/*/")} - {"__pycache__"}

    assert "en_US" in kept
    assert "de_DE" not in kept
    program = "from faker import Faker; f = Faker(); f.seed_instance(1); print(f.name(), f.address(), f.paragraph())"
    here, there = (subprocess.check_output([path, "-c", program]) for path in (sys.executable, python))
    assert there == here


@pytest.mark.slow
def test_the_image_has_neither_tests_nor_stubs_of_dependencies(slim):
    _, packages = slim

    left = [path for path in packages.rglob("*") if path.suffix in (".pyi", ".pyx", ".h") or path.name == "tests"]

    assert left == []


@pytest.mark.slow
def test_compiled_modules_without_their_debug_symbols_still_work(slim):
    python, _ = slim

    subprocess.run([python, "-c", "import orjson; assert orjson.dumps([1]) == b'[1]'"], check=True)


def test_the_image_installs_no_bytecode_that_is_not_used():
    """pip reads PIP_NO_COMPILE=1 as «compile»."""
    assert "PIP_COMPILE=0" in TEXT
    assert "PIP_NO_COMPILE" not in TEXT
