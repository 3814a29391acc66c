"""The folders of the shipped data, and the root address of a server."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def without_version(url: str) -> str:
    """The root address of a server, without a slash at its end.

    `url` is that address, or the address of the server's API, which ends in `/v3`.
    """
    return url.rstrip("/").removesuffix("/v3").rstrip("/")


def data_folder(name: str) -> Path:
    """The folder `scenarios`, `fixtures` or `docs`: beside the package in a checkout, inside it in a wheel."""
    inside = _PACKAGE / "_data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


#: The JSON Schema of scenarios, made by `.ci/documents.py`.
SCHEMA_FILE = data_folder("scenarios") / "scenario.schema.json"
