"""Wrong control tokens are limited by the address that sends them, and each is in the log."""

from __future__ import annotations

import json

import pytest

from mockserver.control import sessions
from mockserver.control.sessions import LIMIT, WINDOW_S, Guesses, TooManyGuesses

TOKEN = "s3cret"
SIGN_IN = "/_mock/ui/sign-in"
ME, OTHER = {"REMOTE_ADDR": "203.0.113.7"}, {"REMOTE_ADDR": "203.0.113.8"}


@pytest.fixture
def limited(clock):
    return Guesses(clock)


def exhaust(limited, client, count=LIMIT):
    for number in range(count):
        limited.check(client)
        limited.note(client, b"%d" % number)


def is_refused(limited, client):
    try:
        limited.check(client)
    except TooManyGuesses:
        return True
    return False


def test_an_address_is_refused_when_it_has_sent_too_many_wrong_tokens(limited, clock):
    exhaust(limited, "203.0.113.7", LIMIT - 1)
    assert not is_refused(limited, "203.0.113.7")
    clock.now += 12.5
    limited.note("203.0.113.7", b"the last")

    with pytest.raises(TooManyGuesses) as refused:
        limited.check("203.0.113.7")
    assert refused.value.headers == {"Retry-After": "48"}
    assert refused.value.detail == (
        "20 different wrong control tokens came from 203.0.113.7 within a minute; try again in 48 s"
    )


def test_an_address_may_try_again_when_its_window_is_over(limited, clock):
    exhaust(limited, "203.0.113.7")
    clock.now += WINDOW_S
    assert not is_refused(limited, "203.0.113.7")

    exhaust(limited, "203.0.113.7")
    assert is_refused(limited, "203.0.113.7")


def test_a_wrong_token_that_is_repeated_counts_once(limited):
    for _ in range(LIMIT * 2):
        limited.note("203.0.113.7", b"old token")

    assert not is_refused(limited, "203.0.113.7")


@pytest.mark.parametrize(
    ("guesser", "client", "refused"),
    [
        ("203.0.113.7", "203.0.113.8", False), ("2001:db8:1:2:aaaa::1", "2001:db8:1:2:bbbb::2", True),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:3::1", False), ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.8", False), ("fe80::1%eth0", "fe80::2%eth1", True),
        ("a socket", "another socket", False), (None, "", True), (None, "203.0.113.7", False),
    ],
)  # fmt: skip
def test_guesses_are_counted_by_ipv4_address_and_ipv6_network(limited, guesser, client, refused):
    exhaust(limited, guesser)

    assert is_refused(limited, client) is refused


def test_the_oldest_address_is_forgotten_when_too_many_guess(limited, monkeypatch):
    monkeypatch.setattr(sessions, "_MOST_ADDRESSES", 2)
    for client in ("203.0.113.1", "203.0.113.2", "203.0.113.3"):
        exhaust(limited, client)

    assert [is_refused(limited, f"203.0.113.{last}") for last in (1, 2, 3)] == [False, True, True]


pytestmark = pytest.mark.api("empty", control_token=TOKEN)


def sign_in(api, token, environ):
    return api.client.post(SIGN_IN, data={"token": token}, environ_overrides=environ)


def call(api, token, environ):
    return api.client.get("/_mock/state", headers={"Authorization": f"Bearer {token}"}, environ_overrides=environ)


@pytest.mark.parametrize("guess", [sign_in, call])
@pytest.mark.parametrize("again", [sign_in, call])
def test_the_limit_holds_for_the_sign_in_and_for_control_calls_together(api, guess, again):
    answers = {guess(api, f"wrong {number}", ME).status_code for number in range(LIMIT)}
    assert answers <= {401, 403}

    refused = again(api, TOKEN, ME)
    assert (refused.status_code, 0 < int(refused.headers["Retry-After"]) <= WINDOW_S) == (429, True)


@pytest.mark.parametrize(("attempt", "status"), [(sign_in, 303), (call, 200)])
def test_the_right_token_is_taken_from_another_address(api, attempt, status):
    for number in range(LIMIT + 1):
        call(api, f"wrong {number}", ME)

    assert attempt(api, TOKEN, OTHER).status_code == status


def test_session_stays_valid_while_its_address_is_limited(api):
    sign_in(api, TOKEN, ME)
    for number in range(LIMIT + 1):
        api.app.test_client().post(SIGN_IN, data={"token": f"wrong {number}"}, environ_overrides=ME)

    assert api.client.get("/_mock/ui/clock", environ_overrides=ME).status_code == 200


@pytest.mark.parametrize(
    ("path", "kind"), [("/_mock/state", "application/problem+json"), ("/_mock/ui/clock", "text/html")]
)
def test_a_refusal_says_in_the_form_of_its_address_what_is_wrong(api, path, kind):
    for number in range(LIMIT):
        call(api, f"wrong {number}", ME)
    refused = api.client.get(path, headers={"Authorization": "Bearer x"}, environ_overrides=ME)

    assert (refused.status_code, refused.mimetype) == (429, kind)
    assert "different wrong control tokens came from 203.0.113.7 within a minute; try again in" in refused.text
    assert "Retry-After" in refused.headers


@pytest.mark.parametrize(
    ("attempt", "method", "path", "status"), [(sign_in, "POST", SIGN_IN, 403), (call, "GET", "/_mock/state", 401)]
)
def test_a_wrong_token_is_logged_with_the_address_and_without_the_token(make_api, capfd, attempt, method, path, status):
    api = make_api("empty", control_token=TOKEN, log_format="json")
    for _ in range(2):
        attempt(api, "gu3ss", ME)
    api.app.log.close()

    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    wanted = {"method": method, "path": path, "status": status, "client": "203.0.113.7"}
    assert [{name: line[name] for name in wanted} for line in lines] == [wanted] * 2
    assert "gu3ss" not in str(lines)
