"""A short part of the run that `python -m fuzz` makes long: mutated requests change nothing that has to hold."""

from __future__ import annotations

import pytest
from fuzz.session import Session

#: Enough for two looks at all that has to hold.
REQUESTS = 200


@pytest.mark.parametrize("seed", [f"short/{number}" for number in range(3)])
def test_mutated_requests_leave_all_that_has_to_hold(seed):
    report = Session(seed).run(REQUESTS)

    assert [str(finding) for finding in report.findings] == []
    assert report.requests > REQUESTS // 2
