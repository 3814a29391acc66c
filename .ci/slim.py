"""Takes out of the image's environment what the server never reads: `python .ci/slim.py`, by that environment's Python.

Locales of Faker that the default one does not import, tests and type stubs of dependencies, headers and sources of
compiled modules, source maps, and the debug symbols of compiled modules, which `strip` of binutils takes out.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

#: The endings of files that nothing reads when a program runs: stubs, sources of Cython and C, headers, source maps.
_UNREAD = frozenset({".pyi", ".pyx", ".pxd", ".pxi", ".c", ".h", ".map"})
#: The names of folders with tests of a distribution.
_TESTS = frozenset({"test", "tests"})


def unused_locales(providers: Path) -> Iterator[Path]:
    """The folders of Faker's providers that it does not import to make up data of its default locale."""
    from faker import Faker  # noqa: PLC0415  # what it imports is what is asked here

    Faker()
    for folder in sorted(providers.glob("*/*/")):
        module = ".".join(["faker.providers", *folder.relative_to(providers).parts])
        if (folder / "__init__.py").is_file() and module not in sys.modules:
            yield folder


def unread(packages: Path) -> Iterator[Path]:
    """The files and folders of a folder of packages that no program reads."""
    for path in sorted(packages.rglob("*")):
        if path.suffix in _UNREAD if path.is_file() else path.name in _TESTS:
            yield path


def main() -> None:
    packages = Path(sysconfig.get_paths()["purelib"])
    spec = importlib.util.find_spec("faker.providers")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("Faker is not installed here")
    for path in [*unused_locales(Path(spec.submodule_search_locations[0])), *unread(packages)]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)  # it was in a folder that has gone
    subprocess.run(["strip", "--strip-debug", *packages.rglob("*.so")], check=True)  # noqa: S603, S607  # of the build


if __name__ == "__main__":
    main()
