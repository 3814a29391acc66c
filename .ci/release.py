"""What a release needs beside GitHub: `python .ci/release.py check TAG`, `notes TAG`, `build FOLDER`, `control FILE`.

`check` refuses a tag that is not the version of the package, or a version without its day in CHANGELOG.md. `notes`
prints what has changed. `build` makes wheel and source distribution twice, and refuses them if they differ. `control`
writes the OpenAPI document of the control API, for which the package has to be installed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

_ROOT = Path(__file__).parents[1]


class Unfit(Exception):
    """What is wrong with a release, in a sentence."""


def version(root: Path) -> str:
    """The version of the package."""
    found = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return str(found["project"]["version"])


def check(root: Path, tag: str) -> None:
    """Refuse a tag that is no release of what stands there."""
    if tag != f"v{version(root)}":
        raise Unfit(f"the tag {tag} is not v{version(root)}, the version in pyproject.toml")
    heading, notes = _section(root)
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", heading) is None:
        raise Unfit(f"CHANGELOG.md does not say on which day {version(root)} was released, but ({heading})")
    if not notes:
        raise Unfit(f"CHANGELOG.md says nothing of {version(root)}")


def notes(root: Path, tag: str) -> None:
    """Print what CHANGELOG.md says of a release."""
    check(root, tag)
    print(_section(root)[1])  # noqa: T201  # a program prints


def _section(root: Path) -> tuple[str, str]:
    """What stands in parentheses behind the version, and the text below, up to the next version."""
    heading, lines = None, []
    for line in (root / "CHANGELOG.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            if heading is not None:
                break
            name, _, rest = line.removeprefix("## ").partition(" (")
            heading = rest.removesuffix(")") if name == version(root) else None
        elif heading is not None:
            lines.append(line)
    if heading is None:
        raise Unfit(f"CHANGELOG.md has no section {version(root)}")
    return heading, "\n".join(lines).strip()


def build(root: Path, folder: str) -> None:
    """Write wheel and source distribution to a folder, and print their digests."""
    target = Path(folder).resolve()
    first = _build(root, target)
    with TemporaryDirectory() as other:
        second = _build(root, Path(other))
    if first != second:
        raise Unfit(f"two builds differ: {sorted(name for name in first if first[name] != second.get(name))}")
    for name, digest in sorted(first.items()):
        print(f"{digest}  {name}")  # noqa: T201  # see above


def _build(root: Path, folder: Path) -> dict[str, str]:
    """The digests of the files that one build gives, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Unfit(f"{folder} is not empty")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  # a command of our own
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def control(_: Path, file: str) -> None:
    """Write the OpenAPI document of the control API to a file, with the address of a server's default."""
    from mockserver.app.control_api import CONTROL_API  # noqa: PLC0415  # other tasks do without the package
    from mockserver.control.openapi import document  # noqa: PLC0415  # see above

    found = {**document(CONTROL_API.resources), "servers": [{"url": "http://localhost:8003"}]}
    Path(file).write_text(f"{json.dumps(found, indent=2)}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["check", "notes", "build", "control"])
    parser.add_argument("argument", metavar="TAG|FOLDER|FILE")
    given = parser.parse_args()
    try:
        {"check": check, "notes": notes, "build": build, "control": control}[given.task](_ROOT, given.argument)
    except Unfit as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
