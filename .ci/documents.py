"""The parts of README.md and of docs that come out of the code. `python .ci/documents.py` writes them anew."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from _pytest.fixtures import FixtureFunctionDefinition

from mockserver import create_app
from mockserver.cli import commands as program
from mockserver.cli.program import Option
from mockserver.cli.serving import flags
from mockserver.core.contract.operation import Mark, Operation
from mockserver.evidence.fidelity import record
from mockserver.resources.registry import FURTHER_OPERATIONS, LIFECYCLES, OPERATIONS
from mockserver.scenario.documents.library import Library
from mockserver.scenario.json_schema import document as json_schema
from mockserver.settings import declared
from mockserver.settings.files import LLMS_FILE, SCHEMA_FILE
from mockserver.testing import plugin

# A script finds what stands beside it; a test that runs this file does not.
sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "extensions"))
sys.path.insert(0, str(Path(__file__).parent))

import llms  # see above
import reference
from reference import tables
from reference.commands import default_of

del sys.path[:2]  # of the modules beside it, tests must not find `clients`, which is a folder of theirs

_ROOT = Path(__file__).parents[1]
EXAMPLES = _ROOT / "tests" / "examples"
ACTION = _ROOT / ".github" / "actions" / "mockserver" / "action.yml"

_PART = re.compile(r"(<!-- (generated|example): (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
#: More than one empty line.
_GAP = re.compile(r"\n{3,}")
#: How the languages of examples are called. What is `sh` in a document is run there, and `bash` is not.
_LANGUAGES = {".py": "python", ".sh": "bash", ".mjs": "javascript", ".ts": "typescript", ".yaml": "yaml",
              ".java": "java", ".go": "go", ".php": "php", ".txt": "text",
              ".conf": "nginx"}  # fmt: skip


def machines() -> Iterator[str]:
    """The diagram of each state machine."""
    for name, lifecycle in LIFECYCLES.items():
        yield f"`{name}`\n\n```mermaid\n{lifecycle.machine.mermaid()}\n```\n"


def operations() -> Iterator[str]:
    """The 34 operations, and how many of the fields and errors of each bear which mark."""
    yield from _marked(OPERATIONS)


def further() -> Iterator[str]:
    """The same of the further operations."""
    yield from _marked(FURTHER_OPERATIONS)


def _marked(declared: Mapping[str, Operation]) -> Iterator[str]:
    found = record(declared.values())
    for name, row in found["operations"].items():
        marks = Counter(entry["mark"] for entry in (*row["fields"], *row["errors"]))
        yield f"- `{name}`, `{row['method']} {row['path']}`: {_counted(marks)}"
    yield f"- All {len(found['operations'])}: {_counted(found['totals'])}"


def _counted(marks: Mapping[str, int]) -> str:
    return "/".join(str(marks.get(mark, 0)) for mark in Mark)


def settings() -> Iterator[str]:
    """The flags of `serve`."""
    for flag, beyond in _flags():
        if beyond is None:
            yield f"- {_named(flag)}: {flag.help}{tables.words_of(flag.type)}"


def limits() -> Iterator[str]:
    """The flags of `serve` that limit something, and what becomes of what goes beyond."""
    for flag, beyond in _flags():
        if beyond is not None:
            yield f"- {_named(flag)}: {flag.help} Beyond: {beyond}"


def _flags() -> Iterator[tuple[Option, str | None]]:
    """The flags of `serve`, each limit with what becomes of what goes beyond it."""
    for flag, setting in zip(flags(), declared(), strict=True):
        yield flag, setting.declaration.beyond


def _named(flag: Option) -> str:
    default = default_of(flag)
    return f"`{flag.opts[-1]}`, `{flag.envvar}`{'' if default is None else f' (`{default}`)'}"


def scenarios() -> Iterator[str]:
    """The shipped scenarios."""
    for row in Library().describe():
        yield f"- `{row['name']}`: {row['description'].strip()}"


def action() -> Iterator[str]:
    """The inputs of the action for GitHub."""
    found = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    yield from tables.head("input", "meaning", "default")
    for name, about in found["inputs"].items():
        yield tables.row(f"`{name}`", about["description"], f"`{about['default']}`" if about["default"] else "")


class _Options:
    """Takes the place of pytest's parser, and keeps what the plugin gives it."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []

    def getgroup(self, *_: object) -> _Options:
        return self

    def addoption(self, name: str, *, help: str, metavar: str = "", **_: object) -> None:  # noqa: A002  # pytest's
        self.rows.append((f"{name} {metavar}".strip(), help))

    def addini(self, *_: object, **__: object) -> None:
        """The settings of a file say what options say."""


def plugin_options() -> Iterator[str]:
    """The options that the plugin adds to pytest."""
    found = _Options()
    plugin.pytest_addoption(found)  # type: ignore[arg-type]  # it has what of a parser is used
    yield from tables.head("option", "what it does")
    for name, does in found.rows:
        yield tables.row(f"`{name}`", does)


def plugin_fixtures() -> Iterator[str]:
    """The fixtures of the plugin, each with the first sentences of its docstring."""
    yield from tables.head("fixture", "what it gives")
    for name, value in vars(plugin).items():
        if isinstance(value, FixtureFunctionDefinition):
            yield tables.row(f"`{name}`", " ".join((value.__doc__ or "").split()))


_ALL = (
    machines,
    operations,
    further,
    settings,
    limits,
    scenarios,
    action,
    plugin_options,
    plugin_fixtures,
)
PARTS = {part.__name__: part for part in (*_ALL, *reference.PARTS)}


def written(text: str) -> str:
    """A document with its generated parts as the code has them now, and with its examples as their files."""
    return _PART.sub(_written, text)


def _written(part: re.Match[str]) -> str:
    head, kind, name, _, end = part.groups()
    lines = PARTS[name]() if kind == "generated" else example(name)
    text = "\n".join([f"{head.rstrip()}", "", *lines, "", end])
    return _GAP.sub("\n\n", text) if kind == "generated" else text


def example(name: str) -> Iterator[str]:
    """A file of the examples as it stands."""
    path = EXAMPLES / name
    yield f"```{_LANGUAGES[path.suffix]}"
    yield path.read_text(encoding="utf-8").rstrip()
    yield "```"


def documents() -> Iterator[Path]:
    """README.md and the pages of the site; those of the contract are written by `.ci/contract.py`."""
    yield _ROOT / "README.md"
    yield from sorted(path for path in (_ROOT / "docs").rglob("*.md") if path.parent.name != "contract")


#: How `/_mock/llms.txt` begins. Addresses are relative to its own, as those of the site are.
_LLMS = """\
# mockserver

> {summary}

This server answers as the service does below `/v3`, for any `api-key` unless it is set up otherwise.
Begin with `POST /_mock/workspaces` and `{{"scenario": "onboarding"}}`: the answer has the name, the `url` and the
`api_key` of a workspace that nobody else uses. Control calls act on it with the header `X-Mock-Workspace: NAME`.
Links into control.json are JSON pointers. Pages are HTML, and Markdown for the header `Accept: text/markdown`.

The package has these commands; `mockserver COMMAND --help` describes the options:

{commands}
"""
_CONTRACT = _ROOT / "docs" / "contract"
_OPERATION = re.compile(r"^<!-- operation (\w+) -->$", re.MULTILINE)


def llms_text() -> Iterator[str]:
    """The lines of `/_mock/llms.txt`: what an installed server knows of itself."""
    client = create_app().test_client()
    commands = "\n".join(f"- `{path}`: {made.get_short_help_str(limit=1000)}" for path, made in program.walk())
    summary = llms.description((_ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    yield _LLMS.format(summary=summary, commands=commands)
    yield "## Start"
    yield ""
    yield llms.line("Dashboard", "ui/", "What happened in a workspace and why, as web pages.")
    apis: dict[str, Any] = {name: client.get(f"/_mock/{name}").json for name in ("openapi.json", "control.json")}
    for name, about in apis.items():
        yield llms.line(name, name, f"OpenAPI {about['openapi']} document: {about['info']['title']}.")
    yield ""
    yield "## Contract"
    yield ""
    others = [_ROOT / "docs" / name for name in ("truth/ledger.md", "howto/lint.md")]
    for page in (*sorted(_CONTRACT.glob("*.md")), *others):
        text = page.read_text(encoding="utf-8")
        served = f"docs/contract/{page.name}" if page.parent == _CONTRACT else f"docs/{page.name}"
        title = text.partition("\n")[0].removeprefix("# ")
        yield llms.line(title, served, llms.description(text), ", ".join(_OPERATION.findall(text)))
    yield ""
    yield "## Control API"
    yield ""
    for path, methods in sorted(apis["control.json"]["paths"].items()):
        for method, call in methods.items():
            pointer = path.replace("/", "~1")
            yield llms.line(f"{method.upper()} {path}", f"control.json#/paths/{pointer}/{method}", call["summary"])


def made() -> dict[Path, str]:
    """What the code makes as a whole: the JSON Schema of scenarios, and `/_mock/llms.txt`."""
    return {
        SCHEMA_FILE: json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n",
        LLMS_FILE: "\n".join([*llms_text(), ""]),
    }


if __name__ == "__main__":
    for path, content in made().items():
        path.write_text(content, encoding="utf-8")
    for document in documents():
        text = document.read_text(encoding="utf-8")
        if (new := written(text)) != text:
            document.write_text(new, encoding="utf-8")
