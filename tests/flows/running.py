"""A program of a flow while it runs, in one of three languages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_PROGRAMS = Path(__file__).parent / "programs"
#: How long a program may take, in seconds; chosen: ten times what the slowest takes on a busy machine.
_LONGEST = 50
#: How many seconds the mock is asked for something before the program is looked at again.
_TURN = 0.5


@dataclass(frozen=True)
class Language:
    """How programs of a language are run, and what they need beside Python."""

    name: str
    program: str
    suffix: str
    #: What has to be there, and the sentence that says how it comes there.
    needs: Path | None = None
    otherwise: str = ""

    @property
    def why_not(self):
        """Why programs of the language cannot be run here, or nothing."""
        if shutil.which(self.program) is None or (self.name == "shell" and shutil.which("curl") is None):
            return f"flows in {self.name} need {'curl' if self.name == 'shell' else self.program}"
        if self.needs is not None and not self.needs.exists():
            return self.otherwise
        return ""


LANGUAGES = [
    Language("python", sys.executable, ".py"),
    Language(
        "js", "node", ".mjs", _PROGRAMS / "js" / "node_modules" / "@getbrevo",
        "flows in js need the official client: npm ci --prefix tests/flows/programs/js",
    ),
    Language("shell", "sh", ".sh"),
]  # fmt: skip


class EndedError(Exception):
    """The program has ended while something was expected of it."""


class Running:
    """A program at work, and the workspace with which it speaks; a context manager that ends it."""

    def __init__(self, language, name, arguments, workspace):
        self.workspace = workspace
        path = _PROGRAMS / language.name / f"{name}{language.suffix}"
        known = {"BREVO_API_KEY": workspace.api_key, "BREVO_BASE_URL": workspace.url}
        self._process = subprocess.Popen(
            [language.program, path, *arguments],
            env={**os.environ, **known}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def tell(self, line):
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except BrokenPipeError as gone:
            raise EndedError from gone

    def until(self, found):
        """What `found(seconds)` gives: it waits so long for the mock, and raises LookupError if there is nothing yet.

        Raises:
            EndedError: the program has ended before.
        """
        while True:
            try:
                return found(_TURN)
            except LookupError as nothing:
                if self._process.poll() is not None:
                    raise EndedError from nothing

    def end(self):
        """What the program has printed, line by line, what it complains of, and its status."""
        try:
            printed, complaint = self._process.communicate(timeout=_LONGEST)
        except BrokenPipeError:
            printed, complaint = self._process.communicate(timeout=_LONGEST)
        return printed.splitlines(), complaint, self._process.returncode
