"""Callers who are nobody."""

from __future__ import annotations

from hostile.refusals import KEY, each, refused


@each(
    "headers",
    [
        {}, {"x-api-key": KEY}, {"Authorization": KEY}, {"Authorization": f"Basic {KEY}"},
        {"Authorization": f"Bearer {KEY}"}, {"Cookie": f"api-key={KEY}"}, {"api-key": ""},
    ],
)  # fmt: skip
@each(("method", "path"), [("GET", "/v3/senders"), ("POST", "/v3/senders"), ("GET", "/v3/nothing"), ("TRACE", "/v3")])
def test_without_a_key_all_is_unauthorized(untouched, method, path, headers):
    answer = untouched.client.open(path, method=method, headers=headers, data=b"{")
    refused(answer, 401, "unauthorized")


@each("key", ["ключ".encode().decode("latin-1"), "\x7f", "a" * 60_000, "%00", f"{KEY} ", f"{KEY},{KEY}", "' or 1"])
def test_a_hostile_key_is_unknown(strict_target, key):
    refused(strict_target.get("/v3/senders", key=key), 401, "unauthorized")


def test_a_key_in_the_query_is_none(untouched):
    refused(untouched.client.get(f"/v3/senders?api-key={KEY}"), 401, "unauthorized")
