"""The installed distribution, its extra `server`, and another distribution sharing the package name."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

#: The name by which pip knows the package.
NAME = "brevo-mockserver"
#: The version of a package that is not installed; PEP 440 takes it for older than any.
UNKNOWN_VERSION = "0+unknown"
#: The modules that the server imports, one of each distribution of the extra `server`. They are named here because to
#: read them out of the distribution's metadata takes longer than to look for all of them.
SERVER_MODULES = (
    "aiosmtpd", "apispec", "dns", "faker", "flask", "flask_swagger_ui", "httptools", "idna",
    "jinja2", "jsonref", "jwt", "markdown_it", "marshmallow", "msgspec", "orjson", "prometheus_client",
    "publicsuffixlist", "trustme", "tzdata", "urllib3", "uvicorn", "uvloop", "yaml",
)  # fmt: skip
_NOT_ON_WINDOWS = frozenset({"uvloop"})
#: The other distribution, a client of another mock server.
OTHER = "mockserver-client"
_EXCLUDE = f"{NAME} and {OTHER} exclude each other, as both have the import package `mockserver`"
_ADVICE = f"uninstall both, and install what you need: pip uninstall -y {OTHER} {NAME}; pip install {NAME}"
#: A requirement in package metadata: a name, its extras, and bounds such as `>=3.1.3,<3.2`.
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,-]*\])?((?:[<>=][<>=,.0-9]*)?)")
#: One bound; the package declares no other kinds.
_BOUND = re.compile(r"(>=|<)([0-9.]+)")
#: The leading numbers of a version, which is all that such bounds compare.
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")


class ServerMissingError(ImportError):
    """The extra `server` is missing or unsuitable."""


@cache
def version() -> str:
    from importlib import metadata  # noqa: PLC0415  # it takes long to import

    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return UNKNOWN_VERSION


def requirement(extra: str) -> str | None:
    """Return this package's `pip install` argument with an extra, or None if its source is gone, as in the image.

    A package from a checkout, a wheel or a repository is named with its address (PEP 610), as no index may have it.
    """
    import json  # noqa: PLC0415  # most programs never ask
    from importlib import metadata  # noqa: PLC0415  # it takes long to import
    from urllib.request import url2pathname  # noqa: PLC0415  # it takes long to import

    named = f"{NAME}[{extra}]"
    try:
        recorded = metadata.distribution(NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return named
    if not recorded:
        return named
    address = _address(json.loads(recorded))
    is_gone = address.startswith("file://") and not Path(url2pathname(address.removeprefix("file://"))).exists()
    return None if is_gone else f"{named} @ {address}"


def advice(extra: str) -> str:
    """Return how to install an extra, as the end of a sentence."""
    found = requirement(extra)
    return f"; install {NAME} with its extra `{extra}`" if found is None else f": pip install '{found}'"


def _address(recorded: dict[str, Any]) -> str:
    url: str = recorded["url"]
    if repository := recorded.get("vcs_info"):
        return f"{repository['vcs']}+{url}@{repository['commit_id']}"
    return url


@contextmanager
def needing_server(what: str) -> Iterator[None]:
    """Import server modules in a `with` block; errors begin with `what`.

    Raises:
        ServerMissingError: A distribution of the extra `server` is missing, or one has an unsuitable version.
    """
    try:
        yield
    except Exception as error:  # an old library lacks a name, an argument, a module
        _refuse_missing(what, error)
        if found := ", ".join(unfit(NAME, "server")):
            raise _error(f"{what} needs the server, which cannot run with what is installed here ({found})") from error
        raise
    _refuse_missing(what)  # some modules are imported late


def _refuse_missing(what: str, cause: Exception | None = None) -> None:
    from importlib.util import find_spec  # noqa: PLC0415  # needed with the server only

    for name in SERVER_MODULES:
        is_needed = sys.platform != "win32" or name not in _NOT_ON_WINDOWS
        if is_needed and sys.modules.get(name) is None and find_spec(name) is None:
            raise _error(f"{what} needs the server, which is not installed here", name) from cause


def _error(sentence: str, module: str | None = None) -> ServerMissingError:
    return ServerMissingError(f"{sentence}{advice('server')}", name=module)


def unfit(distribution: str, extra: str) -> Iterator[str]:
    """Yield an extra's installed requirements outside their bounds."""
    from importlib import metadata  # noqa: PLC0415  # it takes long to import

    for line in metadata.requires(distribution) or ():
        declared, _, marker = line.partition(";")
        found = _REQUIREMENT.fullmatch(declared.strip())
        if found is None or extra not in marker.replace('"', "'").split("'"):
            continue
        name, bounds = found.groups()
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        if not _is_within(installed, bounds):
            yield f"{name} {installed}, and not {bounds}"


def _is_within(installed: str, bounds: str) -> bool:
    version = _numbers(installed)
    return all((version < _numbers(bound)) == (sign == "<") for sign, bound in _BOUND.findall(bounds))


def _numbers(version: str) -> tuple[int, ...]:
    found = _NUMBERS.match(version)
    return tuple(map(int, found[0].split("."))) if found else ()


def warning() -> str | None:
    """Return a warning about the other installed distribution, or None."""
    packages = Path(__file__).parents[2]
    found = next(packages.glob(f"{OTHER.replace('-', '_')}-*.dist-info"), None)
    return None if found is None else f"{_EXCLUDE}, and both are installed here; {_ADVICE}"


def breakage() -> str | None:
    """Return how another distribution broke this package, or None.

    The distribution installed last has overwritten `__init__.py`; uninstalling either one removes it.
    """
    package = sys.modules["mockserver"]
    if getattr(package, "__distribution__", None) == NAME:
        return None
    if package.__file__ is None:
        return f"mockserver/__init__.py is missing: {_EXCLUDE}, and uninstalling one breaks the other; {_ADVICE}"
    return warning() or f"{package.__file__} is not that of {NAME}: another distribution has replaced it; {_ADVICE}"
