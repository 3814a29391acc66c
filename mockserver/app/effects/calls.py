"""The outgoing requests of a server's workspaces, such as webhook calls, made in the background."""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from mockserver.core.effects import CallOutcome, Job
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.effects.egress import Egress


class Calls:
    """Makes outgoing requests in the background, to addresses that the egress policy allows."""

    def __init__(self, egress: Egress, ca: str | None = None) -> None:
        """Prepare calls, which trust one more authority if `ca` is its certificate, in PEM."""
        self._egress = egress
        self._ca = ca
        self._dispatcher = Dispatcher()

    def close(self) -> None:
        self._dispatcher.close()

    def call(self, url: str, job: Job) -> None:
        """Queue a job for the host of an address; `job.done` gets the outcome once, in whatever thread."""
        host = urlsplit(url).netloc.lower()
        task = Task(lambda: _outcome(job, self._egress, self._ca), job.done, lambda: job.is_wanted, host)
        if not self._dispatcher.submit(task):
            job.done(CallOutcome(error="the queue of webhook calls is full"))


def _outcome(job: Job, egress: Egress, ca: str | None) -> CallOutcome:
    """The outcome of a job's request; never raises, because the job waits for an outcome."""
    from mockserver.effects.http import call  # noqa: PLC0415  # not needed before the first webhook call

    try:
        request = job.written()
    except Exception as error:  # a bug of the mock
        logging.getLogger(__name__).exception("a call cannot be written")
        return CallOutcome(error=f"the mock cannot write the call: {type(error).__name__}", hopeless=True)
    if request is None:
        return CallOutcome(error="the call was cancelled")
    try:
        return call(request, egress, ca)
    except Exception as error:  # a bug of the mock
        logging.getLogger(__name__).exception("a call has failed with an unexpected error")
        return CallOutcome(error=f"the mock has failed: {type(error).__name__}")
