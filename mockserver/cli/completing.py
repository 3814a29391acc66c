"""`completion`: what a shell needs to complete commands, options and names."""

from __future__ import annotations

import os
from pathlib import Path

from mockserver.cli.framework import Misused, argument, command, fail, option
from mockserver.cli.framework.output import echo, printable
from mockserver.settings import given_file

#: The shells whose scripts are in the folder `shells`.
_SHELLS = ("bash", "zsh", "fish")
#: The names by which the program is called.
_PROGRAMS = ("mockserver", "brevo-mockserver")
#: What the scripts have, and no file of somebody else.
_MARK = "Completion of the command mockserver"
#: How long a sentence about a word may be, in characters. Chosen: shells show it on the same line.
_LONGEST_ABOUT = 100


@command(
    argument("shell", nargs="?", choices=_SHELLS, metavar="bash|zsh|fish", help="The default is that of SHELL."),
    option("--install", action="store_true", help="Write it to where the shell looks for it, and tell where that is."),
)
def completion(shell: str | None, install: bool) -> None:
    """Print the shell completion script: `eval "$(mockserver completion bash)"`.

    Whatever fits is asked of the program itself when Tab is pressed: commands, options, choices, files, scenarios,
    operations, faults and events, and the workspaces, snapshots, stubs, rules, deliveries and apps of a running server,
    if it answers within a second.
    """
    name = shell or _shell_of_user()
    script = (Path(__file__).parent / "shells" / f"mockserver.{name}").read_text(encoding="utf-8")
    if not install:
        echo(script, nl=False)
        return
    files = _files(name)
    # Looked at before anything is written.
    before = {file: _read(file) for file in files}
    for file in files:
        _install(file, before[file], script)
    echo(_next_step(name, files[0]))


def _shell_of_user() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in _SHELLS:
        raise Misused(f"the shell is none of {', '.join(_SHELLS)}: name one")
    return name


def _files(shell: str) -> list[Path]:
    """Where a shell looks for the script: a file for each name of the program, where it looks by that name."""
    try:
        home = Path.home()
    except RuntimeError as error:
        raise Misused("there is no home directory: print the script, and write it to where the shell looks") from error
    if shell == "bash":
        data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        own = os.environ.get("BASH_COMPLETION_USER_DIR") or data / "bash-completion"
        return [Path(own) / "completions" / name for name in _PROGRAMS]
    if shell == "fish":
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        return [config / "fish" / "completions" / f"{name}.fish" for name in _PROGRAMS]
    return [Path(os.environ.get("ZDOTDIR") or home) / ".zfunc" / "_mockserver"]


def _read(file: Path) -> str | None:
    """What is in a file, None if it is not there; exits if it is somebody else's."""
    try:
        found = given_file.read_text(file, given_file.WRITTEN_BY_HAND, errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        fail(f"cannot read {file}: {error.strerror}")
    if _MARK not in found:
        fail(f"{file} is there, and was not written by this program: nothing was changed")
    return found


def _install(file: Path, before: str | None, script: str) -> None:
    if before == script:
        echo(f"{file} is up to date")
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(script, encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {file}: {error.strerror}")
    echo(f"{file} was {'written' if before is None else 'brought up to date'}")


def _next_step(shell: str, file: Path) -> str:
    if shell == "fish":
        return "New shells complete mockserver."
    if shell == "bash":
        return (
            "New shells complete mockserver where the package bash-completion is installed; elsewhere add this line to "
            f"~/.bashrc: . '{file}'"
        )
    return (
        "New shells complete mockserver if ~/.zshrc has these lines, in this order:\n"
        f"  fpath+=('{file.parent}')\n  autoload -Uz compinit && compinit"
    )


@command(argument("words", nargs="*"), name="__complete")
def complete(words: list[str]) -> None:
    """Print what could stand in the place of the last word, each with a sentence, and last what the shell adds."""
    from mockserver.cli import commands
    from mockserver.cli.framework.completion import fitting
    from mockserver.cli.known_names import known_names

    found = fitting(commands, words, known_names)
    for row in found.candidates:
        about = printable(row.about)
        echo(f"{row.word}\t{about if len(about) <= _LONGEST_ABOUT else f'{about[: _LONGEST_ABOUT - 1]}…'}")
    echo(f":{found.kind}")
