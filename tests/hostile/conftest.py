"""Hostile requests: each gets a clear 4xx in the words of whoever is asked, and changes nothing."""

from __future__ import annotations

from functools import cache

import pytest
from hostile.refusals import KEY, SCENARIO


@cache
def application(make_api, **settings):
    """One application for all the tests: none of them changes it, which each of them checks."""
    return make_api(SCENARIO, key=KEY, **settings)


@pytest.fixture
def target(make_api):
    return application(make_api)


@pytest.fixture
def untouched(target):
    """Fails the test if the workspace is another one afterwards; `resume` counts requests, so it is left out."""
    before = state(target)
    yield target
    assert state(target) == before


def state(api):
    found = api.get("/_mock/state").json
    return {name: value for name, value in found.items() if name != "resume"}


@pytest.fixture
def strict_target(make_api):
    """The same workspace where keys must be known."""
    return application(make_api, keys="known")
