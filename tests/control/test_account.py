"""On which account a call acts: the one that the body names, else the one behind the key, else the first."""

import pytest

MASTER = {"name": "group", "id": 1, "role": "master", "api_keys": ["group-key"]}
SUB = {"name": "eu", "id": 2, "role": "sub_account", "of": "group", "api_keys": ["eu-key", "eu-other-key"]}
KEYLESS = {"name": "labs", "id": 3, "role": "sub_account", "of": "group"}
CALLS = {
    "trigger": ("/_mock/trigger", {"event": "delivered"}),
    "story": ("/_mock/trigger", {"story": "delivered"}),
    "inbound event": ("/_mock/trigger", {"event": "inboundEmailProcessed", "type": "inbound"}),
    "inbound": ("/_mock/inbound", {"sender": "bob@example.test", "recipient": "a@in.acme.test"}),
    "seed": ("/_mock/seed", {"senders": [{"name": "Jo", "email": "jo@acme.test"}]}),
    "revoke": ("/_mock/keys/revoke", {"key": "eu-key"}),
}

every_call = pytest.mark.parametrize(("path", "body"), CALLS.values(), ids=CALLS)


def hook(number, **members):
    return {"id": number, "url": "http://127.0.0.1:9/hook", "events": ["delivered"], **members}


def inbound_hook(number, domain="in.acme.test"):
    return {"id": number, "url": "http://127.0.0.1:9/hook", "type": "inbound", "domain": domain}


#: A master, a sub-account that listens for mails, and one without a key; each has a webhook for deliveries.
ACCOUNTS = [
    {**MASTER, "webhooks": [hook(1)]},
    {**SUB, "webhooks": [hook(2), inbound_hook(12)]},
    {**KEYLESS, "webhooks": [hook(3)]},
]
pytestmark = pytest.mark.api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": ACCOUNTS})


def call(workspace, path, body, key=None):
    return workspace.client.post(path, json=body, headers={"api-key": key} if key else {})


def told(answer):
    return [(row["account"], row["webhook"]) for row in answer.json.get("items", answer.json.get("deliveries"))]


def test_an_event_is_told_to_the_webhooks_of_that_account(api):
    for named, key, wanted in [
        ({}, None, ("group", 1)),
        ({}, "eu-key", ("eu", 2)),
        ({"account": "eu"}, None, ("eu", 2)),
        ({"account": "labs"}, "eu-key", ("labs", 3)),
        ({"account": "labs", "event": None, "story": "delivered"}, None, ("labs", 3)),
    ]:
        body = {name: value for name, value in {"event": "delivered", **named}.items() if value is not None}
        assert told(call(api, "/_mock/trigger", body, key)) == [wanted]


@every_call
def test_a_name_of_no_account_is_a_mistake_of_that_member(api, path, body):
    before = api.get("/_mock/state").json

    answer = call(api, path, {**body, "account": "nobody"})

    assert answer.status_code == 400
    assert answer.json["errors"] == [{"path": "/account", "message": "unknown account nobody; known: group, eu, labs"}]
    assert api.get("/_mock/state").json == before


@every_call
@pytest.mark.parametrize("name", [None, 7, ["eu"], {"eu": 1}, ""])
def test_account_that_is_not_a_name_is_refused(api, path, body, name):
    answer = call(api, path, {**body, "account": name})

    assert answer.status_code == 400
    assert [row["path"] for row in answer.json["errors"]] == ["/account"]


# ---------------------------------------------------------------------- mails


def events(workspace, key):
    return len(workspace.get("/v3/inbound/events", key=key).json["events"])


@pytest.mark.parametrize("key", [None, "group-key", "eu-key"])
def test_a_mail_goes_to_the_account_that_listens_for_its_domain(api, key):
    answer = call(api, *CALLS["inbound"], key)

    assert told(answer) == [("eu", 12)]
    assert (events(api, "group-key"), events(api, "eu-key")) == (0, 1)


@pytest.mark.parametrize("members", [{}, {"to": "b@in.acme.test"}])
def test_a_triggered_mail_goes_to_the_account_that_listens(api, members):
    answer = call(api, "/_mock/trigger", {"event": "reply", "type": "inbound", **members})

    assert (events(api, "group-key"), events(api, "eu-key")) == (0, 1)
    assert told(answer) == [("eu", 12)]


def test_a_mail_that_is_sent_to_an_account_by_name_arrives_there(api):
    call(api, "/_mock/inbound", {**CALLS["inbound"][1], "account": "group"})
    call(api, "/_mock/trigger", {"event": "reply", "type": "inbound", "account": "group"})

    assert (events(api, "group-key"), events(api, "eu-key")) == (2, 0)


@pytest.mark.parametrize(("key", "counts"), [(None, (1, 0)), ("eu-key", (0, 1))])
def test_a_mail_that_nobody_listens_for_arrives_where_the_call_belongs(api, key, counts):
    call(api, "/_mock/inbound", {"sender": "bob@example.test", "recipient": "a@nobody.test"}, key)

    assert (events(api, "group-key"), events(api, "eu-key")) == counts


def test_of_two_that_listen_the_one_behind_the_key_gets_the_mail(make_api):
    accounts = [{**MASTER, "webhooks": [inbound_hook(1)]}, {**SUB, "webhooks": [inbound_hook(2, "In.Acme.Test")]}]
    workspace = make_api({"accounts": accounts})

    assert told(call(workspace, *CALLS["inbound"])) == [("group", 1)]
    assert told(call(workspace, *CALLS["inbound"], "eu-key")) == [("eu", 2)]


# ---------------------------------------------------------------------- what is added, and keys


def senders(workspace, key):
    return [row["email"] for row in workspace.get("/v3/senders", key=key).json["senders"]]


def test_seeded_rows_go_to_the_named_account(api):
    assert call(api, "/_mock/seed", {**CALLS["seed"][1], "account": "eu"}, "group-key").status_code == 200

    assert (senders(api, "group-key"), senders(api, "eu-key")) == ([], ["jo@acme.test"])


def test_an_account_alone_is_nothing_to_add(api):
    assert call(api, "/_mock/seed", {"account": "eu"}).status_code == 400


def statuses(workspace):
    return [workspace.get("/v3/account", key=key).status_code for key in ("group-key", "eu-key", "eu-other-key")]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ({"key": "eu-key"}, [200, 401, 200]),
        ({"key": "eu-key", "account": "eu"}, [200, 401, 200]),
        ({"account": "eu"}, [200, 401, 401]),
        ({"account": "labs"}, [200, 200, 200]),
    ],
)
def test_a_key_is_revoked_or_all_those_of_an_account(api, body, wanted):
    assert call(api, "/_mock/keys/revoke", body).status_code == 200

    assert statuses(api) == wanted


def test_a_key_that_is_not_meant_is_not_revoked(api):
    for body, path in [({}, "/key"), ({"key": "group-key", "account": "eu"}, "/key"), ({"key": ""}, "/key")]:
        answer = call(api, "/_mock/keys/revoke", body)
        assert answer.status_code == 400
        assert [row["path"] for row in answer.json["errors"]] == [path]
        assert statuses(api) == [200, 200, 200]
