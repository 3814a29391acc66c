import pytest

from mockserver.core.time.clock import Clock
from mockserver.core.workspaces.lifecycle import Advance

FROZEN = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}
WAITING = {"state": "awaiting_verification"}
ONBOARDING = {
    **FROZEN,
    "senders": [
        {"id": 2, "name": "Ops", "email": "ops@acme.test", "otp": 123456, **WAITING},
        {"id": 3, "name": "Late", "email": "late@acme.test", "otp_expires_at": "PT1H", **WAITING},
    ],
}  # fmt: skip


@pytest.mark.parametrize("body", [{"by": "PT15M"}, {"by": "15m"}, {"seconds": 900}, {"seconds": 900.0}])
def test_clock_is_moved_by_a_length(make_api, body):
    moved = make_api(FROZEN).post("/_mock/clock/advance", json=body).json

    assert (moved["now"], moved["frozen"]) == ("2026-01-15T09:15:00Z", True)


def test_each_timer_fires_at_its_own_moment_and_in_order(make_api):
    fired = make_api(ONBOARDING).advance("PT2H")["fired"]

    assert fired == [
        {"at": "2026-01-15T09:15:00Z", "machine": "sender", "key": 2, "event": "expire_otp"},
        {"at": "2026-01-15T10:00:00Z", "machine": "sender", "key": 3, "event": "expire_otp"},
    ]


@pytest.mark.parametrize(("scenario", "time", "keys"), [(ONBOARDING, "09:15", [2]), (FROZEN, "09:00", [])])
def test_clock_moves_to_the_soonest_timer_or_stays_without_one(make_api, scenario, time, keys):
    moved = make_api(scenario).post("/_mock/clock/advance", json={"to": "next"}).json

    assert (moved["now"], [row["key"] for row in moved["fired"]]) == (f"2026-01-15T{time}:00Z", keys)


def test_the_clock_is_set_and_what_is_due_on_the_way_fires(make_api):
    api = make_api(ONBOARDING)

    assert api.put("/_mock/clock", json={"now": "2026-01-15T10:30:00Z"}).json["now"] == "2026-01-15T10:30:00Z"
    answer = api.put("/v3/senders/2/validate", json={"otp": 123456})
    assert answer.json["code"] == "OTP code has expired"


def test_clock_is_set_to_its_present_or_relative_to_it(make_api):
    for now, shown in [
        ("P1D", "2026-01-16T09"), ("1h", "2026-01-15T10"), ("PT1H", "2026-01-15T10"), ("+1h", "2026-01-15T10"),
        ("2026-01-15T09:00:00Z", "2026-01-15T09"),
    ]:  # fmt: skip
        assert make_api(FROZEN).put("/_mock/clock", json={"now": now}).json["now"] == f"{shown}:00:00Z"


def test_the_clock_is_thawed_and_frozen(make_api):
    api = make_api(FROZEN)

    assert api.put("/_mock/clock", json={"frozen": False}).json["frozen"] is False
    assert api.put("/_mock/clock", json={"frozen": True}).json["frozen"] is True


def test_a_bad_advance_names_its_mistake_and_moves_nothing(make_api):
    for body, path in [
        ({"by": "soon"}, "/by"), ({"by": "-PT1M"}, "/by"), ({"by": "P1Y"}, "/by"), ({"seconds": -1}, "/seconds"),
        ({"seconds": "x"}, "/seconds"), ({"to": "end"}, "/to"), ({"until": 1}, "/until"), ({}, ""),
        ({"by": "PT1M", "seconds": 1}, ""),
    ]:  # fmt: skip
        api = make_api(FROZEN)
        answer = api.post("/_mock/clock/advance", json=body)
        assert (answer.status_code, answer.content_type) == (400, "application/problem+json")
        assert [error["path"] for error in answer.json["errors"]] == [path]
        assert api.get("/_mock/clock").json["now"] == "2026-01-15T09:00:00Z"


def test_the_clock_moves_neither_backwards_nor_out_of_its_years(make_api):
    for method, path, body in [
        ("PUT", "/_mock/clock", {"now": "2026-01-15T08:59:59Z"}),
        ("POST", "/_mock/clock/advance", {"by": "P3000000D"}),
        ("PUT", "/_mock/clock", {}),
    ]:
        api = make_api(FROZEN)
        assert api.request(method, path, json=body).status_code == 400
        assert api.get("/_mock/clock").json["now"] == "2026-01-15T09:00:00Z"


def test_on_a_running_clock_a_late_timer_sees_its_own_moment(make_api):
    """Nobody calls for an hour of real time; the code has expired after 15 minutes all the same."""
    api = make_api({**ONBOARDING, "clock": {"start": "2026-01-15T09:00:00Z"}})
    seconds = 1_700_000_000.0
    api.workspace.state.clock.__dict__.update(Clock(api.workspace.state.clock.start, real=lambda: seconds).__dict__)

    seconds += 3 * 3600
    expired = api.get("/_mock/machines/sender/2").json["otp_expires_at"]

    assert expired.startswith("2026-01-15T09:15:00")


def test_a_code_has_expired_at_the_very_moment_at_which_it_runs_out(make_api):
    api = make_api(ONBOARDING)
    api.advance("PT15M")

    answer = api.put("/v3/senders/2/validate", json={"otp": 123456})

    assert (answer.status_code, answer.json["code"]) == (400, "OTP code has expired")


FIRST, SECOND = (
    "sender.2.expire_otp.20260115T091500000000Z",
    "sender.3.expire_otp.20260115T100000000000Z",
)


def due(api, **query):
    return api.get("/_mock/clock/timers", query_string=query).json


def test_timers_are_listed_soonest_first_with_their_instances_and_by_the_page(make_api):
    api = make_api(ONBOARDING)
    listed = due(api)

    assert listed["items"][0] == {
        "id": FIRST, "state": "pending", "at": "2026-01-15T09:15:00Z", "real_at": None, "machine": "sender", "key": 2,
        "event": "expire_otp", "account": "acme", "transitions": [], "caused": [], "caused_by": [],
    }  # fmt: skip
    assert [row["id"] for row in listed["items"]] == [FIRST, SECOND]
    listed = due(api, limit=1, offset=1)
    assert ([row["id"] for row in listed["items"]], listed["count"]) == ([SECOND], 2)


def test_the_clock_is_moved_to_a_timer_and_what_is_due_before_it_fires(make_api):
    api = make_api(ONBOARDING)

    moved = api.post("/_mock/clock/advance", json={"to": SECOND}).json

    assert (moved["now"], [row["key"] for row in moved["fired"]]) == ("2026-01-15T10:00:00Z", [2, 3])
    assert due(api) == {"items": [], "count": 0}


def test_the_id_of_a_timer_holds_any_key_and_stays_the_same_over_a_written_state(make_api):
    mail = {"message_id": "<a:b/c%@x.test>", "to": "bob@x.test", "subject": "Hi", "scheduled_at": "PT1H"}
    api = make_api({**FROZEN, "scheduled_emails": [mail]})
    (timer,) = due(api)["items"]

    assert api.put("/_mock/state", json=api.get("/_mock/state").json).status_code == 200

    assert timer["id"] == "scheduled_email.~3Ca~3Ab~2Fc~25~40x.test~3E.fall_due.20260115T100000000000Z"
    moved = api.post("/_mock/clock/advance", json={"to": timer["id"]}).json
    assert [row["key"] for row in moved["fired"]] == ["<a:b/c%@x.test>"]


def test_a_move_ends_at_the_moment_of_a_timer_that_is_cancelled_on_the_way(make_api):
    api = make_api(ONBOARDING)
    workspace = api.workspace
    move = Advance(workspace, workspace.state.timers.get(SECOND))

    workspace.state.timers.cancel("sender", 3)

    assert move.step()
    assert api.get("/_mock/clock").json["now"] == "2026-01-15T10:00:00Z"


def test_unknown_timer_is_refused_with_the_pending_timers(make_api):
    for identifier in [
        FIRST.replace("2", "4", 1), FIRST.replace("2", "02", 1), FIRST.replace("expire_otp", "verify"),
        FIRST.replace("sender", "domain"), FIRST.replace("0915", "0916"), "", ".", "...", "Next",
    ]:  # fmt: skip
        api = make_api(ONBOARDING)
        refusal = api.post("/_mock/clock/advance", json={"to": identifier})
        (mistake,) = refusal.json["errors"]
        assert (refusal.status_code, mistake["path"]) == (400, "/to")
        assert mistake["message"].endswith(f"known: next, {FIRST}, {SECOND}")
        assert api.get("/_mock/clock").json["now"] == "2026-01-15T09:00:00Z"


def test_of_many_timers_ten_are_told_to_who_asks_for_another_one(make_api):
    senders = [{"id": n, "name": "A", "email": f"{n}@x.test", "state": "awaiting_verification"} for n in range(1, 13)]

    message = make_api({**FROZEN, "senders": senders}).post("/_mock/clock/advance", json={"to": "x"}).json["detail"]

    assert message.count("expire_otp") == 10
    assert message.endswith(" and 2 more")


def test_where_nothing_is_due_that_is_said_to_who_asks_for_a_timer(make_api):
    refusal = make_api(FROZEN).post("/_mock/clock/advance", json={"to": FIRST})

    assert refusal.json["errors"][0]["message"] == f"unknown timer {FIRST!r}; no timer is pending"
