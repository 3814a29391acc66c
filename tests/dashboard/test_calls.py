"""Control calls on the page Requests: a list of those that have changed something, and each with what came of it."""

from __future__ import annotations

PAGE = "/_mock/ui/requests/calls"


def test_a_call_that_has_changed_something_is_a_line_that_leads_to_it(api):
    identifier = api.post("/_mock/clock/advance", json={"by": "PT15M"}).headers["X-Mock-Call"]
    api.get("/_mock/clock")
    text = api.get(PAGE).text
    assert text.count('<li id="c-') == 1
    assert f'/requests/calls/{identifier}"><bdi>POST /_mock/clock/advance</bdi></a>' in text


def test_a_call_tells_what_was_sent_and_what_it_moved(api):
    created = api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}).json["id"]
    answer = api.post(f"/_mock/machines/sender/{created}/expire_otp")
    text = api.get(f"{PAGE}/{answer.headers['X-Mock-Call']}").text
    assert f'/_mock/ui/machines/sender/{created}"' in text
    assert f"curl -i -X POST &#39;http://localhost/_mock/machines/sender/{created}/expire_otp&#39;" in text


def test_effects_of_a_control_call_are_linked(api):
    call = api.post("/_mock/inbound", json={"sender": "a@b.test", "recipient": "c@d.test"}).headers["X-Mock-Call"]
    found = api.get(f"/_mock/calls/{call}").json["caused"]
    text = api.get(f"{PAGE}/{call}").text
    assert found
    assert all(f"/_mock/ui/{'mail' if row['kind'] == 'mail' else 'webhooks'}/{row['id']}" in text for row in found)


def test_a_call_shows_no_secret(api):
    call = api.post("/_mock/keys/revoke", json={"key": "hidden-key"}).headers.get("X-Mock-Call")
    call = call or api.get("/_mock/calls").json["items"][0]["id"]
    assert "hidden-key" not in api.get(f"{PAGE}/{call}").text + api.get(PAGE).text
