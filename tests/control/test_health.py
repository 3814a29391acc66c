"""How the server is, and for how long it has been there."""

from __future__ import annotations

import time


def test_the_time_counts_from_the_servers_start(make_api):
    before = time.monotonic()
    api = make_api()

    assert api.get("/_mock/health").json["uptime_s"] <= time.monotonic() - before


def test_each_server_has_its_own(make_api):
    older, younger = make_api(), make_api()

    assert younger.get("/_mock/health").json["uptime_s"] < older.get("/_mock/health").json["uptime_s"]


def test_a_transition_is_described_as_it_is_told(api):
    schemas = api.get("/_mock/control.json").json["components"]["schemas"]
    sources = [
        row["properties"]["from"]
        for row in schemas.values()
        if {"event", "from", "to"} <= row.get("properties", {}).keys()
    ]
    rows = api.get("/_mock/machines").json["items"][0]["transitions"]

    assert len(sources) >= 2
    assert all("`[*]`" in row["description"] for row in sources)
    assert rows[0]["from"] == "[*]"
