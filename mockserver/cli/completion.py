"""`completion`: the script, made by click, by which a shell completes commands, options and names."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mockserver.cli.output import echo, fail
from mockserver.cli.program import PROGRAMS, Misused, argument, command, option
from mockserver.settings import files

_SHELLS = ("bash", "zsh", "fish")
#: The lines before the script that start the completion of zsh, unless it is started already.
_BEFORE = {"zsh": "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"}


@command("completion")
@argument(
    "shell", required=False, type=click.Choice(_SHELLS), metavar="bash|zsh|fish", help="The default is that of SHELL."
)
@option("--install", is_flag=True, help="Write it to where the shell looks for it, and print the path.")
def completion(shell: str | None, install: bool) -> None:
    """Print the shell completion script: `eval "$(mockserver completion bash)"`.

    Commands, options, choices, files, scenarios, operations, faults and events are completed, and the workspaces,
    snapshots, stubs, rules, deliveries and apps of a running server, if it answers within a second.
    """
    name = shell or _shell_of_user()
    if not install:
        echo(_BEFORE.get(name, "") + "".join(_script(name, program) for program in PROGRAMS), nl=False)
        return
    files = _files(name)
    before = {file: _read(file, program) for program, file in files.items()}  # before any file is written
    for program, file in files.items():
        _install(file, before[file], _script(name, program))
    echo(_next_step(name, files["mockserver"]))


def _script(shell: str, program: str) -> str:
    from click.shell_completion import get_completion_class

    from mockserver.cli import commands

    found = get_completion_class(shell)
    assert found is not None, "click knows the shell"
    # Not `source()`, which runs bash to get its version.
    return found.source_template % found(commands, {}, program, PROGRAMS[program]).source_vars()


def _shell_of_user() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in _SHELLS:
        raise Misused(f"the shell is none of {', '.join(_SHELLS)}: name one")
    return name


def _files(shell: str) -> dict[str, Path]:
    try:
        home = Path.home()
    except RuntimeError as error:
        raise Misused("there is no home directory: print the script, and write it to where the shell looks") from error
    if shell == "bash":
        data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        own = os.environ.get("BASH_COMPLETION_USER_DIR") or data / "bash-completion"
        return {name: Path(own) / "completions" / name for name in PROGRAMS}
    if shell == "fish":
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        return {name: config / "fish" / "completions" / f"{name}.fish" for name in PROGRAMS}
    return {name: Path(os.environ.get("ZDOTDIR") or home) / ".zfunc" / f"_{name}" for name in PROGRAMS}


def _read(file: Path, program: str) -> str | None:
    """Read an installed script, or return None; exit if another program owns the file."""
    try:
        found = files.read_text(file, files.WRITTEN_BY_HAND, errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        fail(f"cannot read {file}: {error.strerror}")
    if PROGRAMS[program] not in found:
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
