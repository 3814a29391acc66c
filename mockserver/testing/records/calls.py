"""The control calls that have changed something in a workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mockserver.testing.records.causes import Cause
from mockserver.testing.records.machines import Transition

__tracebackhide__ = True  # pytest shows the line of the test instead


@dataclass(frozen=True, slots=True)
class ControlCall:
    """A call of the control API that has changed something; the values of secrets are redacted."""

    #: The header `X-Mock-Call` of its answer.
    id: str
    #: When it was over, on the workspace's clock.
    at: datetime
    #: The same moment in real time.
    real_at: datetime
    method: str
    path: str
    query: Mapping[str, Any]
    #: The value of a JSON body, or the text of another body; None: there is none, or it was too large to be kept.
    body: Any
    #: How many bytes the body had; None: it was kept.
    left_out: int | None
    status: int
    #: The transitions that the call has caused, the first hundred.
    transitions: Sequence[Transition]
    #: The e-mails, deliveries and timers that the call has caused.
    caused: Sequence[Cause]
    #: What has caused the call: nothing that the mock knows of.
    caused_by: Sequence[Cause]
