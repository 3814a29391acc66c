"""Many workspaces at once over all replicas: each does what it would do alone."""

from collections import Counter

import pytest
from workspace_script import STATUSES, answers_alone, answers_together

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def alone(make_api):
    return answers_alone(make_api)


def test_many_workspaces_answer_as_each_does_alone(spread, alone):
    answers = answers_together(spread)

    assert answers == alone
    assert Counter(status for rows in answers for status, _ in rows) == STATUSES
