"""Run commands in this process, as a shell does."""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass
from unittest import mock

from mockserver import cli


@dataclass(frozen=True)
class Result:
    """What a command has printed, and its exit status; `output` is both streams as a terminal shows them."""

    exit_code: int
    stdout: str
    stderr: str
    output: str


class _Stream(io.StringIO):
    """An output that is written to a second one as well."""

    def __init__(self, both):
        super().__init__()
        self.both = both

    def write(self, text):
        self.both.write(text)
        return super().write(text)


def invoke(words, environment=None):
    """Run a command with some words and variables of the environment; no other variable of the mock's own is set."""
    both = io.StringIO()
    out, err = _Stream(both), _Stream(both)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MOCKSERVER_")}
    with (
        mock.patch.dict(os.environ, {**variables, **(environment or {})}, clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            cli.main(list(words))
        except SystemExit as end:
            status = end.code
    return Result(status, out.getvalue(), err.getvalue(), both.getvalue())
