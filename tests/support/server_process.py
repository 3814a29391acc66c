"""`mockserver serve` as a process that can be killed at any moment, and starts in some hundredths of a second."""

import multiprocessing
import os
import signal
import sys
import time
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path
from unittest.mock import patch

from mockserver.cli import main

#: Its processes are forked from one that has imported the package, and have no other thread when they begin.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["imported_server"])

#: Chosen: a start takes a tenth of a second, and tests run on busy machines.
PATIENCE_S = 30


class ServerProcess:
    """The command `serve` with options of it; what it writes to standard error goes to the file `log`."""

    def __init__(self, *options, log=os.devnull):
        with patch.dict(os.environ, PYTHONPATH=str(Path(__file__).parent)):  # where it finds `imported_server`
            forkserver.ensure_running()
        output, its_output = _PROCESSES.Pipe(duplex=False)
        told = (its_output, log, options)
        self._process = _PROCESSES.Process(target=_serve, args=told, daemon=True)
        self._process.start()
        its_output.close()
        with output:
            self._output = os.fdopen(os.dup(output.fileno()))
        self._root = None

    @property
    def root(self):
        """Its address, as soon as it has told it.

        Raises:
            AssertionError: it has ended without that.
        """
        if self._root is None:
            self._root = self._output.readline().strip()
            assert self._root, f"the server has not started, and ended with {self.ended()}"
        return self._root

    @property
    def pid(self):
        return self._process.pid

    def signal(self, number):
        """Send it a signal, unless it has ended: its number may be that of another process by now."""
        if self._process.exitcode is None:
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(self.pid, number)

    def kill(self):
        """Kill it, and give the moment before that, by `time.monotonic`."""
        moment = time.monotonic()
        self.signal(signal.SIGKILL)
        self.ended()
        return moment

    def ended(self):
        """Its exit status, which is waited for; that of a signal is negative."""
        self._process.join(PATIENCE_S)
        assert self._process.exitcode is not None, "the server has not ended"
        return self._process.exitcode

    def close(self):
        self.kill()
        self._output.close()
        self._process.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _serve(output, log, options):
    sys.stdout = os.fdopen(output.fileno(), "w", closefd=False)
    sys.stderr = Path(log).open("a", encoding="utf-8")  # noqa: SIM115  # it is open as long as the process
    sys.argv = ["mockserver", "serve", "--port", "0", "--log-format", "off", *options]
    main()
