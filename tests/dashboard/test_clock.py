"""The page "Clock": the present moment, what is due as a list and on a line, and the calls that move on."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from web_page import plain, read

from mockserver.core.time.duration import spoken
from mockserver.dashboard.pages import clock

START = "2026-01-15T09:00:00Z"
NOW = datetime(2026, 1, 15, 9, tzinfo=UTC)
FROZEN = {"clock": {"start": START, "frozen": True}}


def waiting(number, expires="PT15M"):
    return {
        "id": number, "name": "Ops", "email": f"ops{number}@acme.test", "state": "awaiting_verification",
        "otp_expires_at": expires,
    }  # fmt: skip


def page(api, query=""):
    answer = api.get(f"/_mock/ui/clock{query}")
    assert answer.status_code == 200
    return answer.text


def rows(html):
    return re.findall(r'<li id="timer-([^"]*)"', html)


def forms(html):
    """The control calls of a page: method, path, and the fields that are filled in."""
    found = re.findall(r'<form[^>]*data-method="(\w+)" data-path="([^"]*)"[^>]*>(.*?)</form>', html, re.DOTALL)
    fields = re.compile(r'name="(\w+)" value="([^"]*)"')
    return [(method, path.lstrip("./"), fields.findall(body)) for method, path, body in found]


def test_a_frozen_clock_stands_and_can_be_let_run(make_api):
    html = page(make_api(FROZEN))

    assert "2026-01-15 09:00:00 UTC Frozen It waits until somebody moves it." in plain(html).replace("Now ", "")
    assert ("PUT", "_mock/clock", [("frozen", "false")]) in forms(html)


def test_a_running_clock_tells_how_far_it_is_from_real_time_and_can_be_frozen(make_api):
    api = make_api("empty")
    assert "It shows real time." in plain(page(api))

    api.advance("P1DT2H1S")

    html = page(api)
    assert "Running It goes on as real time does. It is 1 d 2 h ahead of real time." in plain(html)
    assert ("PUT", "_mock/clock", [("frozen", "true")]) in forms(html)


def test_pending_timers_are_listed_with_links_to_instances(make_api):
    html = page(make_api({**FROZEN, "senders": [waiting(3, "PT1H"), waiting(2)]}))

    assert "2 timers, the soonest first." in plain(html)
    assert "2026-01-15 09:15:00 in 15 min expire_otp of sender 2 account acme" in plain(html)
    assert '/_mock/ui/machines/sender/2"' in html
    ways = [fields for _, path, fields in forms(html) if path == "_mock/clock/advance" and fields[0][0] == "to"]
    assert ways == [*([("to", identifier)] for identifier in rows(html)), [("to", "next")]]


def test_a_list_that_is_long_is_given_by_the_page(make_api):
    api = make_api({**FROZEN, "senders": [waiting(number) for number in range(1, 61)]})

    first, last = page(api), page(api, "?offset=50")

    assert "60 timers, the soonest first; here 1 to 25." in plain(first)
    assert "here 51 to 60." in plain(last)
    assert (len(rows(first)), len(rows(last))) == (25, 10)
    assert 'href="?offset=25">Later ones' in first
    assert 'href="?offset=25">Sooner ones' in last


def test_beyond_the_end_of_the_list_stands_its_last_page(make_api):
    api = make_api({**FROZEN, "senders": [waiting(number) for number in range(1, 27)]})

    assert len(rows(page(api, "?offset=999999999"))) == 1


def test_calls_under_way_are_named_as_what_a_move_waits_for(make_api):
    api = make_api(FROZEN)
    for key in range(7):
        api.workspace.jobs.begin(1, "delivery", key)

    told = plain(page(api))
    assert "7 calls under way Whoever moves the clock waits for the answers: delivery 0 , delivery 1 ," in told
    assert "and 2 more." in told


def test_keys_that_users_have_written_are_text_and_nothing_else(make_api):
    key = '<x"><script>alert(1)</script>/../%2F?&#@x.test>'
    api = make_api(FROZEN)
    account = next(iter(api.workspace.state.accounts))
    api.workspace.state.timers.set(NOW + timedelta(hours=1), account, "scheduled_email", key, "fall_due")

    html = page(api)

    assert "<script>alert" not in html
    assert "scheduled_email/%3Cx%22%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E%2F..%2F%252F%3F%26%23%40x.test%3E" in html


@pytest.mark.parametrize(
    ("by", "sentence"),
    [
        ("PT1M", "No timer is due by 2026-01-15 09:01:00 ."),
        ("20m", "1 timer is due by 2026-01-15 09:20:00 : expire_otp of sender 2 ."),
        ("1h 30m", "2 timers are due by 2026-01-15 10:30:00 : expire_otp of sender 2 , expire_otp of sender 3 ."),
        ("tomorrow", "tomorrow: not a duration, such as 16m, 1h30m, 2d or PT16M"),
        ("P999999999D", "P999999999D: the clock shows moments from 1971 to 9000 only"),
    ],
)
def test_preview_tells_the_timers_of_a_move(make_api, by, sentence):
    api = make_api({**FROZEN, "senders": [waiting(3, "PT1H"), waiting(2)]})
    assert sentence in plain(page(api, f"?by={by}"))


def test_button_in_the_header_tells_how_many_timers_are_due_until_then(make_api):
    api = make_api({**FROZEN, "senders": [waiting(2), waiting(3), waiting(4, "PT16M")]})
    (button,) = read(page(api)).all("button", data_advance="PT15M")
    assert button.attributes["title"] == "2 timers due until then"


def test_distance_from_real_time_is_rounded_to_seconds(make_api):
    api = make_api("empty")
    api.advance("PT14M59.9S")
    assert "It is 15 min ahead of real time." in plain(page(api))


# ---------------------------------------------------------------------- one timer


def made_sender(api):
    """A sender with a code, made by a request; the request's id, and the timer of the code."""
    api.post("/v3/senders", json={"name": "Ops", "email": "ops@acme.test"})
    (timer,) = api.get("/_mock/clock/timers").json["items"]
    return api.get("/_mock/requests").json["items"][0]["id"], timer["id"]


def test_a_timer_names_the_request_that_has_set_it(make_api):
    api = make_api(FROZEN)
    request, timer = made_sender(api)

    assert f'set by <a href="../../_mock/ui/requests/{request}">' in page(api)
    assert f'/_mock/ui/clock/{timer}">expire_otp</a> of' in page(api)
    opened = page(api, f"/{timer}")
    assert "State pending Due 2026-01-15 09:15:00 in 15 min Of sender 1 , account" in plain(opened)
    assert f'/_mock/ui/requests/{request}">' in opened
    assert [fields for _, path, fields in forms(opened)] == [[("to", timer)]]


def test_a_timer_that_has_fired_tells_what_followed(make_api):
    api = make_api({**FROZEN, "senders": [waiting(2)]})
    (timer,) = rows(page(api))
    api.advance("PT1H")

    assert "What has fired last 2026-01-15 09:15:00 expire_otp of sender 2" in plain(page(api))
    opened = page(api, f"/{timer}")
    assert "State fired Due 2026-01-15 09:15:00 Fired 2" in plain(opened)
    assert "expire_otp of sender 2 : awaiting_verification → awaiting_verification" in plain(opened)
    assert forms(opened) == []


# ---------------------------------------------------------------------- the line


def test_a_minute_and_a_year_have_steps_of_one_width():
    places = [tick.at for tick in clock.ticks()]

    widths = {round(right - left, 1) for left, right in pairwise(places)}
    assert len(widths) == 1


@pytest.mark.parametrize(
    ("left", "step"),
    [
        (timedelta(0), 0), (timedelta(seconds=59), 0), (timedelta(minutes=1), 1), (timedelta(minutes=59), 1),
        (timedelta(hours=12), 2), (timedelta(days=3), 3), (timedelta(days=29), 4), (timedelta(days=300), 5),
        (-timedelta(days=1), 0),
    ],
)  # fmt: skip
def test_a_dot_stands_in_the_step_to_which_it_belongs(left, step):
    places = [tick.at for tick in clock.ticks()]
    (dot,) = clock.dots(NOW, [NOW + left])

    assert places[step] < dot.at < places[step + 1]


@pytest.mark.parametrize(("days", "side"), [(8, "left"), (17, "left"), (20, "right"), (29, "right")])
def test_within_a_step_time_passes_evenly(days, side):
    places = [tick.at for tick in clock.ticks()]
    (dot,) = clock.dots(NOW, [NOW + timedelta(days=days)])

    assert ("left" if dot.at < (places[4] + places[5]) / 2 else "right") == side


def test_timers_after_a_year_are_drawn_as_one_dot_behind_the_last_step():
    (dot,) = clock.dots(NOW, [NOW + timedelta(days=365), NOW + timedelta(days=9999)])

    assert dot.at > clock.ticks()[-1].at
    assert dot.number == 2


def test_number_of_dots_on_the_line_is_limited(make_api):
    api = make_api(FROZEN)
    account = next(iter(api.workspace.state.accounts))
    for hours in range(1, 701):
        api.workspace.state.timers.set(NOW + timedelta(hours=hours), account, "export", hours, "complete")

    html = page(api)

    assert "The line leaves out the last 200." in plain(html)
    assert len(re.findall("<circle", html)) <= 13


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (timedelta(), "less than 1 s"), (timedelta(milliseconds=999), "less than 1 s"), (timedelta(seconds=59), "59 s"),
        (timedelta(minutes=1, seconds=5), "1 min 5 s"), (timedelta(hours=2, seconds=5), "2 h"),
        (timedelta(days=1234, hours=3, minutes=9), "1,234 d 3 h"), (-timedelta(hours=1, minutes=1), "1 h 1 min"),
    ],
)  # fmt: skip
def test_a_length_is_told_by_its_largest_unit_and_the_next_one(length, words):
    assert spoken(length) == words
