"""Numbers in queries of the control API: digits 0 to 9 only."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("query", ["offset=%D9%A3", "offset=%2B1", "limit=%201", "limit=1_0", "wait=1e0"])
def test_number_of_a_query_is_refused_in_forms_of_python(api, query):
    answer = api.get(f"/_mock/requests?{query}")

    assert (answer.status_code, "not a" in answer.text) == (400, True)
