"""The architecture page describes the package as it is."""

import re
import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_TEXT = (_ROOT / "docs" / "project" / "architecture.md").read_text(encoding="utf-8")
#: The module that starts the program is not drawn.
_NOT_DRAWN = {"__main__"}


def layers():
    """Return the layers of the import linter as sets of packages, the highest first."""
    contracts = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (listed,) = [contract["layers"] for contract in contracts if contract.get("containers") == ["mockserver"]]
    found = [set(re.findall(r"\w+", layer)) - _NOT_DRAWN for layer in listed]
    return [layer for layer in found if layer]


def test_picture_of_the_packages_has_the_layers_of_the_import_linter():
    drawing = re.findall(r"```mermaid\nflowchart TD\n(.*?)```", _TEXT, re.DOTALL)[0]
    arrows = [tuple(set(re.findall(r"\w+", side)) for side in line.split("-->")) for line in drawing.splitlines()]

    assert arrows == list(zip(layers(), layers()[1:], strict=False))


def test_every_package_has_its_paragraph_on_the_page():
    described = re.findall(r"^- \*\*`mockserver/(\w+)`\*\*", _TEXT, re.MULTILINE)

    assert sorted(described) == sorted(path.parent.name for path in (_ROOT / "mockserver").glob("*/__init__.py"))


def test_every_named_path_exists():
    named = set(re.findall(r"`((?:mockserver|tests|\.ci|docs)/[\w/.]+)`", _TEXT))
    named |= {
        f"mockserver/web/{path}" for path in re.findall(r"`((?:server|service|routing|endpoints)/[\w/.]+)`", _TEXT)
    }

    assert [path for path in sorted(named) if not (_ROOT / path).exists()] == []


def test_page_has_at_most_250_lines():
    assert len(_TEXT.splitlines()) <= 250


def test_only_storages_know_the_access_of_a_workspace():
    """All else opens a workspace in a step, and nothing leads around it."""
    users = {
        str(file.relative_to(_ROOT / "mockserver"))
        for file in (_ROOT / "mockserver").rglob("*.py")
        if re.search(r"\.access\b", file.read_text(encoding="utf-8"))
    }
    assert {user.rpartition("/")[0] for user in users} == {"core/workspaces", "storage"}
