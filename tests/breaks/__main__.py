"""Breaks the package on purpose, one way after the other, and tells which break no test has noticed.

`python tests/breaks` takes a while; words after it choose breaks by their files. `--check` only looks whether each text
that a break replaces stands in its file exactly once.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("breaks.yaml")
#: What a copy needs for its tests to run; the interpreter, with all that is installed, is the one that runs this.
PARTS = ("mockserver", "tests", "scenarios", "fixtures", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", ".ci")
#: Seconds for the tests of one break: some breaks make a loop endless.
LONGEST = 300
#: How pytest says that a test has failed, or that a module cannot even be imported.
FAILED = (1, 2)


@dataclass(frozen=True)
class Break:
    """A mistake that somebody could make: a text of a file, what stands there instead, and the tests that tell."""

    file: str
    find: str
    put: str
    tests: list[str]
    why: str

    @property
    def found(self):
        """How often the text stands in the file."""
        path = ROOT / self.file
        return path.read_text(encoding="utf-8").count(self.find) if path.is_file() else 0

    def __str__(self):
        return f"{self.file}: {self.why}"


def breaks():
    return [Break(**row) for row in yaml.safe_load(LIST.read_text(encoding="utf-8"))]


def misplaced(rows):
    """What is wrong with the list: texts that are not there exactly once, and tests that are not there."""
    for row in rows:
        if row.found != 1:
            yield f"{row}: its text is there {row.found} times"
        for test in row.tests:
            path, _, name = test.partition("::")
            if not (ROOT / path).exists() or (name and f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8")):
                yield f"{row}: there is no {test}"


def copy(folder):
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / part)


def is_noticed(row, folder):
    """Whether the tests of a break fail in a copy that has it."""
    path = folder / row.file
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(row.find, row.put), encoding="utf-8")
    try:
        return run(row.tests, folder) in FAILED
    finally:
        path.write_text(whole, encoding="utf-8")


def run(tests, folder):
    """The status of pytest in the copy; an endless loop counts as a failure."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    # The copy goes before what is installed; what Python has compiled of it stays with it.
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        found = subprocess.run(
            [*command, "-m", "not benchmark", *tests],
            cwd=folder,
            env=environment,
            timeout=LONGEST,
            capture_output=True,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 1
    if found.returncode not in (0, *FAILED):
        sys.exit(f"pytest ends with {found.returncode}:\n{found.stdout}{found.stderr}")
    return found.returncode


def main():
    parser = argparse.ArgumentParser(prog="python tests/breaks", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="a part of the names of files to break; all without")
    parser.add_argument("--check", action="store_true", help="only look whether each text is there exactly once")
    options = parser.parse_args()
    rows = [row for row in breaks() if not options.words or any(word in row.file for word in options.words)]
    if wrong := list(misplaced(rows)):
        sys.exit("\n".join(wrong))
    if options.check:
        print(f"{len(rows)} breaks, each of a text that is there once")
        return
    with tempfile.TemporaryDirectory() as name:
        copy(Path(name))
        missed = [row for row in rows if not told(row, is_noticed(row, Path(name)))]
    print(f"{len(rows) - len(missed)} of {len(rows)} breaks were noticed")
    sys.exit(bool(missed))


def told(row, noticed):
    print(f"{'noticed' if noticed else 'MISSED '}  {row}", flush=True)
    return noticed


if __name__ == "__main__":
    main()
