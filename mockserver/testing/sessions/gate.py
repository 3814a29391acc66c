"""Required session coverage, from pytest options and settings."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import pytest


class Gate(NamedTuple):
    """The required coverage of the contract."""

    #: The least percentage; None: any percentage is enough.
    least: float | None
    #: The counted part of the contract, in the form of `--mockserver-of`.
    of: str
    #: The file of the points that have to be met, if any.
    baseline: Path | None
    #: Whether new points are added to the file.
    update: bool


def add_options(parser: pytest.Parser, group: pytest.OptionGroup) -> None:
    group.addoption(
        "--mockserver-fail-under",
        type=percent,
        metavar="N",
        help="Exit with status 1 if the tests have met less than N percent of what is counted.",
    )
    group.addoption(
        "--mockserver-of",
        metavar="WHAT",
        help="What is counted: all; used, the operations that the tests call; names of operations and state machines "
        "with commas; or @FILE, a file of such names.",
    )
    group.addoption(
        "--mockserver-baseline",
        metavar="FILE",
        help="Exit with status 1 if the tests no longer meet a point of this file.",
    )
    group.addoption("--mockserver-update-baseline", action="store_true", help="Add new points to that file.")
    parser.addini("mockserver_fail_under", "The least percentage of what is counted; see --mockserver-fail-under.")
    parser.addini("mockserver_of", "What is counted; see --mockserver-of.")
    parser.addini("mockserver_baseline", "The file of the points that the tests meet; see --mockserver-baseline.")


def percent(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0 <= found <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 100")
    return found


def gate_of(config: pytest.Config) -> Gate | None:
    """Return the session's gate, or None without coverage options."""
    options = config.option
    least, (baseline, update) = _least(config), baseline_of(config)
    of = options.mockserver_of or str(config.getini("mockserver_of")) or "specification"
    wanted = Gate(least, of, baseline, update)
    is_told = options.mockserver_coverage or options.mockserver_coverage_report or options.mockserver_of
    return wanted if is_told or least is not None or baseline is not None else None


def _least(config: pytest.Config) -> float | None:
    asked: float | None = config.option.mockserver_fail_under
    written = str(config.getini("mockserver_fail_under"))
    if asked is not None or not written:
        return asked
    try:
        return percent(written)
    except argparse.ArgumentTypeError as error:
        raise pytest.UsageError(f"mockserver_fail_under: {error}") from error


def baseline_of(config: pytest.Config, owner: str = "") -> tuple[Path | None, bool]:
    """Return the baseline of coverage, or of another `owner`, and whether it is updated; refuse an invalid one."""
    name, update = f"mockserver_{owner}baseline", bool(config.getoption(f"mockserver_{owner}update_baseline"))
    path, flag = path_of(config, config.getoption(name), name), f"--{name.replace('_', '-')}"
    if update and path is None:
        raise pytest.UsageError(f"{flag.replace('baseline', 'update-baseline')} goes with {flag} FILE")
    if path is not None and not update:
        from mockserver.testing.baseline import BaselineError, read  # noqa: PLC0415  # slow to import

        try:
            read(path, findings=bool(owner))
        except BaselineError as error:
            raise pytest.UsageError(f"{flag}: {error}") from error
    return path, update


def path_of(config: pytest.Config, given: str | None, setting: str) -> Path | None:
    """Resolve an option's path (relative to the current folder) or a setting's path (relative to the settings file)."""
    if given:
        return Path(given).absolute()
    written = str(config.getini(setting))
    below = config.inipath.parent if config.inipath is not None else config.rootpath
    return below / written if written else None
