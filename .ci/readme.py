"""The parts of README.md that come out of the code. `python .ci/readme.py` writes them anew."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import yaml

from mockserver import create_app
from mockserver.cli import commands as program
from mockserver.cli.flags import Flag, flags
from mockserver.cli.program import Program
from mockserver.core.contract.operation import Mark
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.state.faults import FAULT_KINDS
from mockserver.evidence.fidelity import record
from mockserver.resources.registry import LIFECYCLES, OPERATIONS
from mockserver.scenario.behaviour import BehaviourItem
from mockserver.scenario.documents.library import Library

_ROOT = Path(__file__).parents[1]
README = _ROOT / "README.md"
EXAMPLES = _ROOT / "tests" / "examples"

_PART = re.compile(r"(<!-- (generated|example): (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
#: How the languages of examples are called. What is `sh` in the README is a tour, and `bash` is not.
_LANGUAGES = {".py": "python", ".sh": "bash", ".mjs": "javascript", ".yaml": "yaml", ".txt": "text"}
_PLACEHOLDER = re.compile(r"<(.+?)>")


def machines() -> Iterator[str]:
    """The diagram of each state machine."""
    for name, lifecycle in LIFECYCLES.items():
        yield f"`{name}`\n\n```mermaid\n{lifecycle.machine.mermaid()}\n```\n"


def operations() -> Iterator[str]:
    """Every operation, and how many of its fields and errors bear which mark."""
    found = record(OPERATIONS.values())
    yield from _row("operation", "request", *(mark.replace("_", " ") for mark in Mark))
    yield from _row(*["---"] * (2 + len(Mark)))
    for name, row in found["operations"].items():
        marks = Counter(entry["mark"] for entry in (*row["fields"], *row["errors"]))
        yield from _row(f"`{name}`", f"`{row['method']} {row['path']}`", *(marks[mark] for mark in Mark))
    yield from _row(f"all {len(found['operations'])}", "", *(found["totals"].get(mark, 0) for mark in Mark))


def commands() -> Iterator[str]:
    """The commands, those of groups as well."""
    yield from _row("command", "what it does")
    yield from _row(*["---"] * 2)
    for name, command in _commands(program, "mockserver"):
        yield from _row(f"`{name}`", command.get_short_help_str(limit=200))


def _commands(group: Program, path: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.all_commands(click.Context(group)).items():
        if isinstance(command, Program):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def settings() -> Iterator[str]:
    """The flags of `serve`."""
    yield from _row("flag", "variable", "default", "meaning")
    yield from _row(*["---"] * 4)
    for flag in flags():
        if flag.beyond is None:
            yield from _row(*_named(flag), f"{flag.help}{_choices(flag)}")


def limits() -> Iterator[str]:
    """The flags of `serve` that limit something, and what becomes of what goes beyond."""
    yield from _row("flag", "variable", "default", "meaning", "beyond it")
    yield from _row(*["---"] * 5)
    for flag in flags():
        if flag.beyond is not None:
            yield from _row(*_named(flag), flag.help, flag.beyond)


def _named(flag: Flag) -> tuple[str, str, str]:
    default = f"`{flag.default}`" if flag.show_default else ""
    return f"`{flag.opts[0]}`", f"`{flag.envvar}`", default


def _choices(flag: Flag) -> str:
    if not isinstance(flag.type, click.Choice):
        return ""
    return f" One of {', '.join(f'`{choice}`' for choice in flag.type.choices)}."


def scenarios() -> Iterator[str]:
    """The shipped scenarios."""
    yield from _row("scenario", "what it is")
    yield from _row(*["---"] * 2)
    for row in Library().describe():
        yield from _row(f"`{row['name']}`", row["description"].strip())


def behaviour() -> Iterator[str]:
    """What a scenario can say under `behaviour:`."""
    yield from _row("member", "default", "meaning")
    yield from _row(*["---"] * 3)
    schema = BehaviourItem()
    for name, default in schema.dump(Behaviour()).items():
        # As YAML in one line has it, without the sign for the document's end that follows a word.
        text = (
            yaml.safe_dump(default, default_flow_style=True, width=1000, sort_keys=False).removesuffix("...\n").strip()
        )
        yield from _row(f"`{name}`", f"`{text}`", schema.fields[name].metadata["description"])


def control() -> Iterator[str]:
    """The calls of the control API, as its own index tells them."""
    answer = create_app().test_client().get("/_mock").json
    assert answer is not None
    yield from _row("call", "what it does")
    yield from _row(*["---"] * 2)
    for row in answer["items"]:
        path = _PLACEHOLDER.sub(r"{\1}", row["path"])
        yield from _row(f"`{row['method']} {path}`", row["does"])


def faults() -> Iterator[str]:
    """The named faults and the kinds, and the parameters that each takes."""
    yield from _row("fault", "what the client meets", "parameters")
    yield from _row(*["---"] * 3)
    for name, kind in FAULT_KINDS.items():
        yield from _row(f"`{name}`", kind.summary, ", ".join(f"`{parameter}`" for parameter in kind.parameters))


def _row(*cells: object) -> Iterator[str]:
    yield f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


_ALL = (machines, operations, commands, settings, limits, scenarios, behaviour, faults, control)
_PARTS = {part.__name__: part for part in _ALL}


def written(text: str) -> str:
    """The text with every generated part as the code has it now."""
    return _PART.sub(_written, text)


def _written(part: re.Match[str]) -> str:
    head, kind, name, _, end = part.groups()
    lines = _PARTS[name]() if kind == "generated" else example(name)
    return "\n".join([f"{head.rstrip()}", "", *lines, "", end])


def example(name: str) -> Iterator[str]:
    """A file of the examples as it stands."""
    path = EXAMPLES / name
    yield f"```{_LANGUAGES[path.suffix]}"
    yield path.read_text(encoding="utf-8").rstrip()
    yield "```"


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
