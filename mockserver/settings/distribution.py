"""The distribution by which this package is installed, and its extra `server`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

#: The name by which pip knows the package.
NAME = "brevo-mockserver"
#: The version of a package that is not installed, but lies somewhere on the path; PEP 440 takes it for older than any.
UNKNOWN_VERSION = "0+unknown"
#: The modules that the server imports, one of each distribution of the extra `server`. They are named here because to
#: read them out of the distribution's metadata takes longer than to look for all of them.
SERVER_MODULES = (
    "aiosmtpd", "apispec", "dns", "faker", "flask", "flask_swagger_ui", "httptools", "idna",
    "jinja2", "jsonref", "jwt", "markdown_it", "marshmallow", "msgspec", "orjson", "prometheus_client",
    "publicsuffixlist", "trustme", "tzdata", "urllib3", "uvicorn", "uvloop", "yaml",
)  # fmt: skip
#: Of them those that the server has not on Windows.
_NOT_ON_WINDOWS = frozenset({"uvloop"})


class ServerMissingError(ImportError):
    """Something needs the server, and the extra `server` of this package is not installed, or not as it is needed."""


@cache
def version() -> str:
    """The version of the installed package, or `0+unknown` where it was not installed."""
    from importlib import metadata  # noqa: PLC0415  # it takes long to import

    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return UNKNOWN_VERSION


def requirement(extra: str) -> str:
    """Return what `pip install` takes to install this package, as it is installed here, with an extra.

    A package from a checkout, a wheel or a repository is named with the address that PEP 610 records, as the same
    version may be on no index.
    """
    import json  # noqa: PLC0415  # most programs never ask
    from importlib import metadata  # noqa: PLC0415  # it takes long to import

    named = f"{NAME}[{extra}]"
    try:
        recorded = metadata.distribution(NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return named
    return f"{named} @ {_address(json.loads(recorded))}" if recorded else named


def _address(recorded: dict[str, Any]) -> str:
    """Return the address of a record of PEP 610, of a repository with its commit, as PEP 508 writes it."""
    url: str = recorded["url"]
    if repository := recorded.get("vcs_info"):
        return f"{repository['vcs']}+{url}@{repository['commit_id']}"
    return url


@contextmanager
def needing_server(what: str) -> Iterator[None]:
    """The place where modules of the server are imported, for `what`, with which the sentence of an error begins.

    Raises:
        ServerMissingError: a distribution of the extra `server` is not installed, or the server cannot be imported,
            and one of them is too old or too new.
    """
    try:
        yield
    except Exception as error:  # an old library lacks a name, an argument, a module
        _refuse_missing(what, error)
        _refuse_unfit(what, error)
        raise
    _refuse_missing(what)  # some modules are imported late


def _refuse_missing(what: str, cause: Exception | None = None) -> None:
    """Refuse what needs the server if a module of the extra is not installed."""
    from importlib.util import find_spec  # noqa: PLC0415  # needed with the server only

    for name in SERVER_MODULES:
        is_needed = sys.platform != "win32" or name not in _NOT_ON_WINDOWS
        if is_needed and sys.modules.get(name) is None and find_spec(name) is None:
            raise _error(f"{what} needs the server, which is not installed here", name) from cause


def _refuse_unfit(what: str, cause: Exception) -> None:
    """Refuse what needs the server if a distribution of the extra is of another version than it has to be."""
    from mockserver.settings.requirements import unfit  # noqa: PLC0415  # it takes long to import

    if found := ", ".join(unfit(NAME, "server")):
        raise _error(f"{what} needs the server, which cannot run with what is installed here ({found})") from cause


def _error(sentence: str, module: str | None = None) -> ServerMissingError:
    return ServerMissingError(f"{sentence}: pip install '{requirement('server')}'", name=module)
