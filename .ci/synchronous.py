"""The handles that block, made out of the coroutines. `python .ci/synchronous.py` writes them anew."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import unasync

_ROOT = Path(__file__).parents[1]
_TESTING = _ROOT / "mockserver" / "testing"
SOURCE, TARGET = _TESTING / "asynchronous", _TESTING / "synchronous"

#: Names of the one variant, and those of the other. Each variant can give the other, so that some are exchanged.
_NAMES = {
    "AsyncClient": "Client",
    "AsyncMockServer": "MockServer",
    "AsyncWorkspace": "Workspace",
    "Workspace": "AsyncWorkspace",
    "asynchronous": "synchronous",
    "synchronous": "asynchronous",
}
#: What docstrings and comments say that is true of the one variant only, and what they say of the other.
_SENTENCES = {
    "runs from `start`, which `async with` calls, until": "runs from its creation until",
    ". Tasks may share a server, also those of loops that run one after the other.": ". Threads may share a server.",
    "    #: It is called in a thread, where it may use what is `synchronous` of the workspace.\n": "",
    "Prepare a server in this process, for a free port": "Start a server in this process, on a free port",
    "        Raises:\n            TypeError: there is no such setting": (
        "        Raises:\n"
        "            MockServerError: the scenario is not valid; `errors` names every mistake.\n"
        "            ServerMissingError: the extra `server` of this package is not installed.\n"
        "            OSError: the server cannot listen on its port.\n"
        "            TypeError: there is no such setting"
    ),
    "Start the server, after a stop with new workspaces on a free port;": (
        "Start the server again after a stop, with new workspaces on a free port;"
    ),
    "The same workspace with handles that block, for code that is not asynchronous.": (
        "The same workspace with coroutines, for code that runs under asyncio or trio."
    ),
    "`async with` starts it, and so does `start`": "`start` starts it",
    "the `async with` block": "the `with` block",
    "the end of `async with`": "the end of `with`",
    "`async with await workspace.snapshot():`": "`with workspace.snapshot():`",
    "They are coroutines, for code that runs under asyncio or trio.": "They block, and are made out of the coroutines.",
}
_HEAD = "# Written by .ci/synchronous.py out of {}, where it is to be changed.\n"


def synchronous(sources: Mapping[str, str]) -> dict[str, str]:
    """The texts of modules that block, by the names of their files, out of those of coroutines."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        before.mkdir()
        for name, text in sources.items():
            for sentence, other in _SENTENCES.items():
                text = text.replace(sentence, other)  # noqa: PLW2901  # one after the other
            (before / name).write_text(_HEAD.format(f"{SOURCE.name}/{name}") + text, encoding="utf-8")
        rule = unasync.Rule(f"{before}/", f"{after}/", additional_replacements=_NAMES)
        unasync.unasync_files([str(before / name) for name in sources], [rule])
        _in_house_style(after)
        return {name: (after / name).read_text(encoding="utf-8") for name in sources}


def _in_house_style(folder: Path) -> None:
    """Sort the imports of modules, and break their lines, as those are that are written by hand."""
    ruff = [sys.executable, "-m", "ruff"]
    configured = ["--quiet", "--no-cache", "--config", str(_ROOT / "pyproject.toml")]
    imports = ["--select", "I", "--config", 'lint.isort.known-first-party = ["mockserver"]']
    subprocess.run(  # noqa: S603  # our own words
        [*ruff, "check", "--fix", *configured, *imports, str(folder)], check=True
    )
    subprocess.run(  # noqa: S603  # our own words
        [*ruff, "format", *configured, str(folder)], check=True
    )


def sources() -> dict[str, str]:
    """The texts of the modules of the coroutines, by the names of their files."""
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(SOURCE.glob("*.py"))}


def unused(texts: Iterable[str]) -> list[str]:
    """The sentences to be replaced that stand in none of the texts."""
    together = "\n".join(texts)
    return [sentence for sentence in _SENTENCES if sentence not in together]


if __name__ == "__main__":
    TARGET.mkdir(exist_ok=True)
    found = synchronous(sources())
    for stale in {file.name for file in TARGET.glob("*.py")} - found.keys():
        (TARGET / stale).unlink()
    for name, text in found.items():
        (TARGET / name).write_text(text, encoding="utf-8")
