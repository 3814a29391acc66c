"""A state that is gone is freed at once: nothing in it leads back to itself, so that no collection has to find it.

What takes long is done while the collector rests, and what is there then is left out of all later collections.
"""

from __future__ import annotations

from collections import Counter

import pytest


def sub_account(api):
    body = {"companyName": "Sub", "email": "a@sub.test"}
    api.delete(f"/v3/corporate/subAccount/{api.post('/v3/corporate/subAccount', json=body).json['id']}")


def snapshot(api):
    api.post("/_mock/snapshots", json={"name": "s"})
    api.post("/_mock/snapshots/s/restore")
    api.delete("/_mock/snapshots/s")


def workspace(api):
    api.post("/_mock/workspaces", json={"name": "w"})
    api.delete("/_mock/workspaces/w")


TWICE = {"senders": [{"name": "A", "email": "a@b.test"}] * 2}
WAYS = {
    "another state": lambda api: api.put("/_mock/state", json=api.get("/_mock/state").json),
    "a refused state": lambda api: api.put("/_mock/state", json=TWICE),
    "a reset": lambda api: api.post("/_mock/reset"),
    "an addition": lambda api: api.post("/_mock/seed", json={"behaviour": {"authenticate_domain": {"attempts": 2}}}),
    "a refused addition": lambda api: api.post("/_mock/seed", json=TWICE),
    "a snapshot": snapshot,
    "a workspace": workspace,
    "an account": sub_account,
}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_a_state_that_is_gone_waits_for_a_collection(make_api, left_behind, way):
    api = make_api("corporate-v2")

    left = left_behind(lambda: WAYS[way](api))

    assert Counter(type(one).__qualname__ for one in left if type(one).__module__.startswith("mockserver")) == {}
