"""The document of the architecture tells the package as it is."""

import re
import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_TEXT = (_ROOT / "docs" / "project" / "architecture.md").read_text(encoding="utf-8")
#: The package that stands alone: what starts the program.
_NOT_DRAWN = {"__main__"}


def layers():
    """The layers of the import linter, the highest first, as sets of packages."""
    contracts = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (told,) = [contract["layers"] for contract in contracts if contract.get("containers") == ["mockserver"]]
    found = [set(re.findall(r"\w+", layer)) - _NOT_DRAWN for layer in told]
    return [layer for layer in found if layer]


def test_the_drawing_of_the_house_has_the_layers_that_are_checked():
    drawing = re.findall(r"```mermaid\nflowchart TD\n(.*?)```", _TEXT, re.DOTALL)[0]
    arrows = [tuple(set(re.findall(r"\w+", side)) for side in line.split("-->")) for line in drawing.splitlines()]

    assert arrows == list(zip(layers(), layers()[1:], strict=False))


def test_every_folder_of_the_package_has_its_row():
    told = re.findall(r"^\| `(mockserver/[\w/]+)` \|", _TEXT, re.MULTILINE)
    packages = {path.parent.relative_to(_ROOT).as_posix() for path in (_ROOT / "mockserver").rglob("__init__.py")}
    # The folders of resources are all alike, and the registry lists them.
    alike = {name for name in packages if name.startswith("mockserver/resources/")}

    assert sorted(told) == sorted(packages - alike - {"mockserver"})


def test_paths_on_the_architecture_page_exist():
    named = set(re.findall(r"`((?:mockserver|tests|\.ci|docs)/[\w/.]+)`", _TEXT))

    assert [path for path in sorted(named) if not (_ROOT / path).exists()] == []
