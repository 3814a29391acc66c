"""A child process that ends with its parent, even after SIGKILL.

This file is also a program, the watcher, and imports the standard library only. Its standard input has the id of the
process, and ends when the process that has started the watcher ends, be it by SIGKILL.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO

#: How long a process may take to stop before it is killed, in seconds; a container engine gives as long.
_STOP_S = 10.0
#: Between two questions whether a process has ended, in seconds.
_PAUSE_S = 0.05


class Child:
    def __init__(self, command: str | Sequence[str], env: Mapping[str, str], output: IO[bytes]) -> None:
        """Run a command in a session, with no input.

        Raises:
            OSError: The command cannot be run.
            ValueError: The command has a NUL character.
        """
        # Its own session and no output: nothing ends the watcher first, and nobody waits for its end.
        self._watcher = subprocess.Popen(  # noqa: S603  # this file
            [sys.executable, "-I", __file__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        pipe = self._watcher.stdin
        assert pipe is not None, "the watcher has a pipe"
        if sys.platform != "win32":
            os.register_at_fork(after_in_child=pipe.close)  # else a fork that lives longer keeps the pipe open
        try:
            self.process = subprocess.Popen(  # noqa: S603  # the user's own command
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=env,
                start_new_session=True,
            )  # fmt: skip
        except BaseException:
            self._dismiss_watcher()
            raise
        pipe.write(str(self.process.pid).encode())
        pipe.flush()

    def end(self) -> None:
        """End the process with all processes of its group."""
        try:
            _end(self.process.pid, self.process.poll)
            self.process.wait()
        finally:
            self._dismiss_watcher()

    def _dismiss_watcher(self) -> None:
        self._watcher.kill()
        self._watcher.communicate()


def _end(pid: int, reap: Callable[[], object]) -> None:
    """Terminate a process group, wait some seconds for its end, and kill what is left.

    A shell ends at once, but a container only after its client has passed the signal on.
    """
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], check=False, capture_output=True)  # noqa: S603, S607  # of the system
        return
    deadline = time.monotonic() + _STOP_S
    with suppress(ProcessLookupError, PermissionError):  # all have ended; the latter on macOS
        try:
            os.killpg(pid, signal.SIGTERM)
            while time.monotonic() < deadline:
                reap()
                os.killpg(pid, 0)
                time.sleep(_PAUSE_S)
        finally:
            with suppress(ProcessLookupError, PermissionError):  # an interruption of the wait is raised
                os.killpg(pid, signal.SIGKILL)


if __name__ == "__main__" and (found := sys.stdin.read()):
    _end(int(found), lambda: None)
