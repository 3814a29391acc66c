"""What is released: a wheel and its source, the same whenever they are built, and as registries want them."""

import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # distributions are built

_PROGRAMS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def released(build, shared_files):
    """The wheel and the source, in the order of their names."""
    return sorted(shared_files.make("released", lambda folder: build("wheel", "sdist", folder=folder)).iterdir())


def texts(paths):
    return {path.name: path.read_bytes() for path in paths}


def test_two_builds_are_the_same_byte_by_byte(build, released):
    assert texts(build("wheel", "sdist")) == texts(released)


def test_the_source_builds_the_same_wheel(build, released, tmp_path):
    wheel, source = released
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()

    assert texts(build("wheel", source=folder)) == texts([wheel])


@pytest.mark.parametrize(
    "command", [["twine", "check", "--strict"], ["check-wheel-contents"]], ids=lambda words: words[0]
)
def test_a_tool_of_the_trade_finds_nothing(released, command):
    program, *words = command
    paths = [path for path in released if program == "twine" or path.suffix == ".whl"]

    ended = subprocess.run([_PROGRAMS / program, *words, *paths], capture_output=True, text=True, check=False)

    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_wheel_has_the_files_that_it_serves_and_no_tests(released):
    names = zipfile.ZipFile(released[0]).namelist()

    assert {name.split("/")[0] for name in names} == {
        "mockserver",
        f"brevo_mockserver-{metadata.version('brevo-mockserver')}.dist-info",
    }
    for part in ("scenarios/standard.yaml", "fixtures/", "docs/contract/README.md", "docs/llms.txt"):
        assert any(name.startswith(f"mockserver/_data/{part}") for name in names), part
    assert "mockserver/py.typed" in names
    assert [name for name in names if name.endswith((".pyc", ".orig", "~")) or "/tests/" in name] == []
