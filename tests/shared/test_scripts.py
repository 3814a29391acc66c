"""Many workspaces at once, each request to another server: each workspace does what it would do alone."""

from __future__ import annotations

from collections import Counter

import pytest
from workspace_script import STATUSES, answers_alone, answers_together

pytestmark = pytest.mark.slow


def test_many_workspaces_answer_as_each_does_alone(cluster, make_api):
    answers = answers_together(cluster)

    assert answers == answers_alone(make_api)
    assert Counter(status for rows in answers for status, _ in rows) == STATUSES
