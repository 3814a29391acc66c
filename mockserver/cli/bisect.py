"""`bisect`: finds the smallest set of draws of `vary` that makes a command fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mockserver.cli.options import Name
from mockserver.cli.options import Seconds as SecondsValue
from mockserver.cli.output import echo, fail, printable, progress
from mockserver.cli.program import Misused, argument, command, ending_signals, option
from mockserver.core.state.behaviour import DOCUMENTED, RECORDED
from mockserver.core.state.varied import Draw

if TYPE_CHECKING:
    from mockserver.app.runtime import Runtime

#: How many bytes of the end of a failed run's output are shown. Chosen: one screen.
_SHOWN = 4_000
#: The most seeds. Chosen: 20 in a row draw everything.
_MOST_SEEDS = 1_000
_Fails = Callable[[Sequence[Draw]], bool]


def _seeds(ctx: click.Context, param: click.Parameter, text: str) -> range:
    """Read seeds: `7`, or several in a row as `0..19`."""
    first, dots, last = text.partition("..")
    try:
        found = range(int(first), int(last if dots else first) + 1)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is neither a seed, as 7, nor several seeds, as 0..19.") from error
    if not 0 < len(found) <= _MOST_SEEDS:
        raise click.BadParameter(f"{text!r} has {len(found):,} seeds, expected 1 to {_MOST_SEEDS:,}.")
    return found


@command("bisect")
@argument("words", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED, help="The command to run.")
@option("--seeds", callback=_seeds, metavar="FIRST..LAST", default="0..19", help="Try what these seeds of vary draw.")
@option("--seed", type=int, metavar="N", help="Try what this seed draws, and nothing else.")
@option("--scenario", type=Name("scenario"), default="standard", help="The scenario of the server: a name or a file.")
@option("--timeout", type=SecondsValue(0, min_open=True), metavar="DURATION", help="A longer run has failed: 90s, 5m.")
@option(
    "--out", "--output", "output", type=click.Path(dir_okay=False), metavar="FILE", default="bisect.yaml",
    help="The file for a scenario in which the command fails.",
)  # fmt: skip
def bisect(
    words: Sequence[str], seeds: range, seed: int | None, scenario: str, timeout: float | None, output: str
) -> int:
    """Find the smallest set of draws of vary that makes COMMAND fail: mockserver bisect -- pytest -x tests.

    Each run has a new server in this process, whose address is MOCKSERVER_URL in the environment of the command. The
    first run has no draws. Exit status 1 if draws were found, 0 if none makes the command fail, 2 if it fails without.
    """
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.vary import draw

    try:
        base = _Base.of(scenario)
        drawn = [row for number in (seeds if seed is None else (seed,)) for row in draw(number, base.preset)]
        with _interrupted_by_signals():
            found = _find(_Runs(words, base, timeout), list({row.name: row for row in drawn}.values()))
        if not found:
            echo("no draw makes the command fail")
            return 0
        sentence = f"fails when {', and '.join(row.says for row in found)}"
        _write(Path(output), base.with_draws(found), sentence)
    except ScenarioError as error:
        fail(str(error), 2)
    echo(f"{printable(sentence)}\nto reproduce it: mockserver serve --scenario {printable(output)}")
    return 1


def _find(runs: _Runs, drawn: Sequence[Draw]) -> list[Draw]:
    """Return the smallest failing set of draws, or none.

    Found draws have to fail three times more, and the command has to pass two times more without them in between.

    Raises:
        Misused: The command fails without draws, is flaky, or cannot be run.
    """
    if runs.fails(()):
        echo(printable(runs.output, lines=True), err=True, nl=False)
        raise Misused(f"the command fails without draws: {runs.outcome}.")
    failing = next((group for group in groups(drawn) if runs.fails(group)), None)
    found = [] if failing is None else smallest(failing, runs.fails)
    is_sure = not found or (runs.fails(found) and all(not runs.fails(()) and runs.fails(found) for _ in range(2)))
    if not is_sure:
        told = "; ".join(row.says for row in found)
        raise Misused(f"the command is flaky: it failed and passed with the same draws, or without ({told}).")
    echo(printable(runs.output, lines=True) if found else "", err=True, nl=False)
    return found


# ------------------------------------------------------------------ delta debugging


def groups(drawn: Sequence[Draw]) -> list[list[Draw]]:
    """Divide draws into few groups of independent draws, so that one run tests many."""
    from mockserver.scenario.vary import FORM, place_of

    found: list[dict[str, Draw]] = []
    for row in drawn:
        place = place_of(row)
        group = next((group for group in found if place not in group), None)
        if group is None:
            found.append(group := {})
        group[place] = row
    # Rules for one request come before a form, which changes every answer: the first rule that matches wins.
    return [sorted(group.values(), key=lambda row: place_of(row) == FORM) for group in found]


def smallest(failing: Sequence[Draw], fails: _Fails) -> list[Draw]:
    """Return a smallest part of failing draws that still fails (delta debugging).

    First it is assumed that one draw is at fault: if the first half passes, the second half has it. If that leads to a
    draw that passes, some draws fail only together, and halves are tried beside what has to be kept.
    """
    known: dict[tuple[str, ...], bool] = {tuple(row.name for row in failing): True}

    def is_failing(rows: Sequence[Draw]) -> bool:
        kept = [row for row in failing if row in rows]
        key = tuple(row.name for row in kept)
        if key not in known:
            known[key] = fails(kept)
        return known[key]

    rest = list(failing)
    while len(rest) > 1:
        half = (len(rest) + 1) // 2
        rest = rest[:half] if is_failing(rest[:half]) else rest[half:]
    return rest if is_failing(rest) else _together(list(failing), [], is_failing)


def _together(rest: list[Draw], kept: list[Draw], is_failing: _Fails) -> list[Draw]:
    """Return the smallest part of `rest` that fails beside `kept`; all of `rest` does."""
    if len(rest) <= 1:
        return rest
    first, second = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    for half in (first, second):
        if is_failing([*half, *kept]):
            return _together(half, kept, is_failing)
    found = _together(first, [*kept, *second], is_failing)
    return [*found, *_together(second, [*kept, *found], is_failing)]


# ------------------------------------------------------------------ the scenario


class _Base(NamedTuple):
    """The scenario to which draws are added."""

    #: As it is written, or what extends a named one.
    document: Mapping[str, Any]
    #: Its rules, those of extended scenarios included: a list of rules replaces theirs.
    faults: Sequence[Any]
    #: Its preset of behaviour.
    preset: str

    @classmethod
    def of(cls, scenario: str) -> _Base:
        from mockserver.scenario.documents.document import in_full
        from mockserver.scenario.documents.library import Library
        from mockserver.scenario.documents.mistakes import is_name
        from mockserver.scenario.documents.reading import parse
        from mockserver.scenario.load import load

        library = Library()
        whole = library.document(scenario)
        load(whole, name="bisect", title=scenario)
        document = {"extends": scenario} if is_name(scenario) else parse(library.text(scenario), scenario)
        behaviour = in_full(whole).get("behaviour")
        is_recorded = isinstance(behaviour, dict) and behaviour.get("preset") == RECORDED
        return cls(document, whole.get("faults") or [], RECORDED if is_recorded else DOCUMENTED)

    def with_draws(self, draws: Sequence[Draw]) -> dict[str, Any]:
        """Return the document with the entries of draws."""
        from mockserver.scenario.documents.document import in_full

        found = {name: value for name, value in in_full(self.document).items() if name != "vary"}
        options = {name: value for row in draws for name, value in row.entry.get("behaviour", {}).items()}
        rules = [rule for row in draws for rule in row.entry.get("faults", ())]
        if options:
            found["behaviour"] = {**options, **found.get("behaviour", {})}
        if rules:
            found["faults"] = [*self.faults, *rules]
        return found


def _write(path: Path, document: dict[str, Any], sentence: str) -> None:
    from mockserver.scenario.dump import to_yaml

    try:
        path.write_text(f"# {sentence}\n{to_yaml(document)}", encoding="utf-8")
    except OSError as error:
        raise Misused(f"cannot write {path}: {error.strerror}") from error


# ------------------------------------------------------------------ runs


class _Runs:
    """Runs the command, each time with a new server."""

    def __init__(self, words: Sequence[str], base: _Base, timeout: float | None) -> None:
        self._words, self._base, self._timeout = words, base, timeout
        self._count = 0
        #: The end of the output and the outcome of the last run.
        self.output = ""
        self.outcome = ""

    def fails(self, draws: Sequence[Draw]) -> bool:
        """Return whether the command fails with these draws.

        Raises:
            Misused: The command cannot be run.
            ScenarioError: The scenario is not valid.
        """
        from mockserver.testing.sessions.child import Child

        self._count += 1
        words = f"run {self._count}, with {len(draws)} draws" if draws else f"run {self._count}, without draws"
        with progress(words), _serving(self._base.with_draws(draws), draws) as url, TemporaryFile() as output:
            try:
                child = Child(self._words, {**os.environ, "MOCKSERVER_URL": url}, output)
            except (OSError, ValueError) as error:
                raise Misused(f"{self._words[0]!r} cannot be run: {error}") from error
            try:
                self.outcome = f"exit status {child.process.wait(self._timeout)}"
            except subprocess.TimeoutExpired:
                self.outcome = f"no end within {self._timeout:g} s"
            finally:
                child.end()  # and what the command has left running
            output.seek(max(0, output.seek(0, os.SEEK_END) - _SHOWN))
            self.output = output.read().decode(errors="replace")
        return self.outcome != "exit status 0"


@contextmanager
def _serving(document: Mapping[str, Any], draws: Sequence[Draw]) -> Iterator[str]:
    """Serve a scenario; draws are added to each further scenario that the command loads."""
    from mockserver.app.runtime import runtime_of
    from mockserver.core.workspaces.workspace import Workspace
    from mockserver.scenario.vary import lay
    from mockserver.settings import Settings

    runtime: Runtime = runtime_of(Settings(port=0, scenario=document))
    maker = runtime.mock.store.maker
    load = maker.load

    def load_with_draws(scenario: object, *, whole: bool = False, **options: Any) -> Workspace:
        found = load(scenario, whole=whole, **options)
        if not whole:
            lay(found, draws)
        return found

    maker.load = load_with_draws
    with runtime:
        yield runtime.url


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Let the ending signals end the command and the server as SIGINT does."""

    def leave(number: int, _: object) -> None:
        sys.exit(128 + number)

    before = {number: signal.signal(number, leave) for number in ending_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
