"""What docs/contract/values.md and webhooks.md say of values: null, empty and repeated parameters, addresses."""

import pytest


def _answer(api, method, path, body=None):
    answer = api.request(method, path, json=body)
    return answer.status_code, answer.json if answer.data else None


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v3/senders", {"email": "a@acme.test", "name": "A", "ips": None}),
        ("PUT", "/v3/senders/1", {"name": None}),
        ("POST", "/v3/webhooks", {"url": "https://acme.test/", "events": ["click"], "description": None}),
    ],
)
def test_null_for_an_optional_member_is_refused_in_administration(api, method, path, body):
    status, answer = _answer(api, method, path, body)

    assert (status, answer["code"]) == (400, "invalid_parameter")
    assert answer["message"].endswith("Field may not be null")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v3/contacts", {"email": "ada@acme.test", "ext_id": None, "listIds": None}),
        ("/v3/smtp/email", {"sender": {"id": 1}, "to": [{"email": "ada@acme.test"}], "subject": "S",
                            "textContent": "T", "cc": None, "tags": None}),
    ],
)  # fmt: skip
def test_null_for_an_optional_member_is_absent_in_sending_and_contacts(api, path, body):
    assert _answer(api, "POST", path, body)[0] == 201


@pytest.mark.api("enterprise")
@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("/v3/senders?domain=", "senders"),
        ("/v3/senders?ip=", "senders"),
        ("/v3/organization/activities?email=", "logs"),
        ("/v3/inbound/events?sender=", "events"),
    ],
)
def test_an_empty_filter_matches_nothing(api, path, rows):
    assert _answer(api, "GET", path)[1][rows] == []


def test_an_empty_list_of_senders_leaves_out_no_blocked_contact(api):
    blocked = {"email": "b@x.test", "reason": "hardBounce", "sender": "news@acme.test"}
    api.post("/_mock/seed", json={"blocked_contacts": [blocked]})

    assert _answer(api, "GET", "/v3/smtp/blockedContacts?senders=")[1]["count"] == 1


@pytest.mark.parametrize("path", ["/v3/webhooks?type=", "/v3/contacts?listIds=", "/v3/contacts?filter="])
def test_an_empty_number_or_choice_is_refused(api, path):
    status, answer = _answer(api, "GET", path)

    assert (status, answer["code"]) == (400, "invalid_parameter")


def test_the_first_of_a_repeated_parameter_counts(api):
    assert _answer(api, "GET", "/v3/webhooks?type=marketing&type=nonsense")[0] == 200
    assert _answer(api, "GET", "/v3/webhooks?type=nonsense&type=marketing")[0] == 400


def test_all_of_a_repeated_list_of_ids_count(api):
    ids = [_answer(api, "POST", "/v3/contacts", {"email": f"{name}@acme.test"})[1]["id"] for name in "ab"]

    assert _answer(api, "GET", f"/v3/contacts?ids={ids[0]}&ids={ids[1]}")[1]["count"] == 2


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("https://münchen.test/hook", 400),
        ("https://acme.test/ü", 400),
        ("https://xn--mnchen-3ya.test/hook", 201),
        ("https://acme.test/%C3%BC", 201),
    ],
)
def test_a_webhook_address_has_no_international_characters(api, url, status):
    assert _answer(api, "POST", "/v3/webhooks", {"url": url, "events": ["click"]})[0] == status


def test_a_spam_report_and_a_bounce_are_two_rows_of_blocked_contacts(api):
    for event in ("spam", "hardBounce"):
        api.post("/_mock/trigger", json={"event": event, "to": "b@x.test"})

    rows = _answer(api, "GET", "/v3/smtp/blockedContacts")[1]["contacts"]
    assert {(row["email"], row["reason"]["code"]) for row in rows} == {
        ("b@x.test", "contactFlaggedAsSpam"),
        ("b@x.test", "hardBounce"),
    }


def test_a_webhook_call_carries_its_header_x_forwarded_for(server):
    workspace = server.workspace()
    receiver = workspace.receiver()
    header = {"key": "X-Forwarded-For", "value": "1.179.112.1"}
    workspace.seed({"webhooks": [{"url": receiver.url, "events": ["click"], "headers": [header]}]})

    workspace.trigger("click")

    (call,) = receiver.calls(count=1, wait=5)
    assert {name.lower(): value for name, value in call.headers.items()}["x-forwarded-for"] == "1.179.112.1"
