"""The calls that leave: webhooks and whatever else is written while its turn comes."""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from mockserver.core.effects.jobs import Job, Outcome
from mockserver.effects.dispatcher import Dispatcher, Task
from mockserver.effects.egress import Egress


class Calls:
    """Makes calls in the background, as far as they may go."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._dispatcher = Dispatcher()

    def close(self) -> None:
        self._dispatcher.close()

    def call(self, url: str, job: Job) -> None:
        """Carry a job out when it is its turn at the host of this address; the job is told what came of it."""
        host = urlsplit(url).netloc.lower()
        task = Task(lambda: _made(job, self._egress), job.done, lambda: job.is_wanted, host)
        if not self._dispatcher.submit(task):
            job.done(Outcome(error="too many calls wait for their turn"))


def _made(job: Job, egress: Egress) -> Outcome:
    """What came of a call, whatever that is: somebody waits for it."""
    from mockserver.effects.http import call  # noqa: PLC0415  # for those who have webhooks

    try:
        request = job.written()
    except Exception as error:  # what cannot be written is no call
        logging.getLogger(__name__).exception("a call cannot be written")
        return Outcome(error=f"the mock cannot write the call: {type(error).__name__}", hopeless=True)
    if request is None:
        return Outcome(error="the call was called off")
    try:
        return call(request, egress)
    except Exception as error:  # a mistake of ours
        logging.getLogger(__name__).exception("a call has failed in a way that nobody has thought of")
        return Outcome(error=f"the mock has failed: {type(error).__name__}")
