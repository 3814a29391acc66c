"""Queries that no page, day or choice can be made of."""

from __future__ import annotations

from hostile.refusals import each, refused

from mockserver.app.control_api import CONTROL_API


@each("value", ["", "-1", "1.5", "abc", "9" * 30, "0x1", "1e1", "%00", "%D9%A1", "1%20", "NaN", "1,2"])
@each("name", ["limit", "offset"])
@each(
    "path", ["/v3/inbound/events?{}", "/v3/organization/activities?{}", "/v3/corporate/subAccount?limit=10&offset=0&{}"]
)
def test_a_page_that_is_none_is_refused(untouched, path, name, value):
    path = path.replace(f"{name}=10", "").replace(f"{name}=0", "").format(f"{name}={value}")
    refused(untouched.get(path), 400)


@each(
    "day",
    ["", "x", "2026", "2026-13-01", "2026-02-30", "2026-1-1", "0000-01-01", "20260101", "2026-01-01T",
     "2026-01-01T00:00:00Z", "2026-01-01T25:00:00.000Z", "2026-01-01T00:00:60.000Z", "2026-01-01 00:00:00.000Z",
     "%D9%A2026-01-01", "9999-99-99"],
)  # fmt: skip
@each("path", ["/v3/inbound/events", "/v3/organization/activities"])
def test_a_day_that_is_none_is_refused(untouched, path, day):
    refused(untouched.get(f"{path}?startDate={day}&endDate={day}"), 400, "invalid_parameter")


@each(
    ("path", "day"),
    [
        ("/v3/inbound/events", "9999-12-31"), ("/v3/organization/activities", "0001-01-01"),
        ("/v3/organization/activities", "1970-01-01"), ("/v3/organization/activities", "9999-12-31"),
    ],
)  # fmt: skip
def test_a_day_at_the_end_of_time_is_refused(untouched, path, day):
    refused(untouched.get(f"{path}?startDate={day}&endDate={day}"), 400)


@each(
    ("path", "value"),
    [("/v3/webhooks?type={}", "x"), ("/v3/webhooks?sort={}", "up"), ("/v3/inbound/events?sort={}", "0")],
)
def test_a_choice_that_is_none_is_refused(untouched, path, value):
    refused(untouched.get(path.format(value)), 400, "invalid_parameter")


@each(
    "path",
    ["/v3/inbound/events?limit=1&limit=x", "/v3/inbound/events?limit=x&limit=1", "/v3/webhooks?type=inbound&type=x"],
)
def test_a_query_parameter_that_stands_twice_is_taken_once_and_never_fails(untouched, path):
    assert untouched.get(path).status_code in (200, 400)


@each(
    "query",
    [
        "a" * 50_000, "&".join(f"p{n}={n}" for n in range(5000)), "&&&&", "===", "%", "%zz=%", "%ff=%ff", "\x00",
        "[]=1&[a]=2",
    ],
)  # fmt: skip
def test_a_query_that_nobody_understands_is_left_aside(untouched, query):
    assert untouched.get(f"/v3/senders?{query}").status_code == 200


@each(
    ("method", "path"),
    [(call.method, call.path) for call in CONTROL_API.calls if call.query is None and not call.is_open],
)
def test_a_control_call_refuses_a_query_when_it_takes_none(untouched, method, path):
    answer = untouched.request(method, f"{path}?limit=1&offset=2")

    assert (answer.status_code, [row["path"] for row in answer.json["errors"]]) == (400, ["/limit", "/offset"])


@each("path", ["/_mock/health?verbose", "/_mock/livez?x=1", "/_mock/docs?theme=dark", "/_mock/receiver/crm?token=1"])
def test_a_call_that_is_open_to_all_takes_any_query(target, path):
    assert target.get(path).status_code == 200
