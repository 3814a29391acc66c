"""Access tokens on the API: which operations a scope opens, what is looked at beside it, and whose account it is."""

from __future__ import annotations

from functools import cache

from mockserver import Settings, create_app
from mockserver.resources.oauth.discovery import CATALOGUE
from mockserver.resources.registry import API_OPERATIONS

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "group", "id": 1003001, "role": "master", "enterprise": True, "api_keys": ["key-group"],
            "senders": [{"id": 1, "name": "News", "email": "news@group.test"}],
            "domains": [{"name": "group.test", "state": "pending"}],
            "webhooks": [{"id": 1, "url": "http://127.0.0.1:9/", "events": ["sent"]}],
            "campaigns": [{"id": 1, "name": "June"}, {"id": 2, "name": "Order", "kind": "email_template"}],
            "processes": [{"id": 1, "state": "completed"}],
            "scheduled_emails": [{"message_id": "<1@a>", "to": "bob@example.test", "scheduled_at": "PT1H"}],
            "email_events": [
                {"date": "-1d", "event": "requests", "email": "bob@example.test", "message_id": "<1@a>"}
            ],
            "inbound_events": [
                {"date": "-1d", "uuid": "5ae136bb-2c91-53e2-990c-ec24280ed55c", "sender": "bob@example.test",
                 "recipient": "reply@group.test", "attachments": [{"content": "e30=", "token": "file"}]}
            ],
            "contact_lists": [{"name": "News"}], "contacts": [{"email": "ada@acme.test"}],
        },
        {"name": "shop", "id": 1003002, "role": "sub_account", "of": "group"},
    ],
    "oauth_apps": [{"client_id": "app", "client_secret": "s3cret", "scopes": ["all"]}],
}  # fmt: skip
#: What is there, so that it can be read, and what is not, so that nothing is written.
THERE = {
    "senderId": 1, "domainName": "group.test", "webhookId": 1, "id": 1003002, "campaignId": 1, "listId": 1,
    "folderId": 1, "uuid": "5ae136bb-2c91-53e2-990c-ec24280ed55c", "downloadToken": "file",
    "templateId": 2, "processId": 1,
}  # fmt: skip
ABSENT = {
    "senderId": 999, "domainName": "absent.test", "webhookId": 999, "id": 999, "listId": 999, "folderId": 999,
    "identifier": "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d", "email": "absent@group.test", "attributeCategory": "global",
    "attributeName": "ABSENT", "campaignId": 999, "templateId": 999,
}  # fmt: skip
#: What operations need in their query.
QUERIES = {"listSubAccounts": {"offset": 0, "limit": 10}, "getTransacEmailsList": {"email": "bob@example.test"}}
#: The resource of each path prefix, by the vendor's page oauth-scopes; /v3/corporate is proposed.
RESOURCES = {
    "/v3/account": "account", "/v3/senders": "account", "/v3/corporate": "organization",
    "/v3/organization": "organization", "/v3/inbound": "account", "/v3/smtp": "transactional.email",
    "/v3/emailCampaigns": "campaigns.email", "/v3/contacts": "contacts", "/v3/webhooks": "webhooks",
    "/v3/processes": "account",
}  # fmt: skip
FORBIDDEN = (403, {"code": "permission_denied", "message": "Access forbidden."})


def resource(operation):
    (found,) = {name for prefix, name in RESOURCES.items() if operation.path.startswith(prefix)}
    return found


def scopes(operation):
    """What the operation needs, and the other one of the same resource."""
    both = [f"{resource(operation)}:read", f"{resource(operation)}:write"]
    return both if operation.method == "GET" else both[::-1]


class Client:
    """A workspace's API, called with a key or with a token of some scopes."""

    def __init__(self):
        self._client = create_app(Settings(scenario="empty")).test_client()
        assert self._client.post("/_mock/reset", json={"scenario": WORKSPACE}).status_code == 200
        self._token = cache(self._new_token)

    def _new_token(self, scope):
        form = {"grant_type": "client_credentials", "client_id": "app", "client_secret": "s3cret", "scope": scope}
        return self._client.post("/realms/partner/oauth/token", data=form).json["access_token"]

    def with_key(self, operation):
        return self._call(operation, {"api-key": "key-group"})

    def with_scope(self, operation, *names):
        return self._call(operation, {"Authorization": f"Bearer {self._token(' '.join(names))}"})

    def _call(self, operation, headers):
        reads = operation.method == "GET"
        there = {**THERE, "identifier": "<1@a>" if "/smtp/" in operation.path else "ada@acme.test"}
        path = operation.path.format(**(there if reads else ABSENT))
        query = QUERIES.get(operation.id)
        body = None if reads else {}
        answer = self._client.open(path, method=operation.method, headers=headers, json=body, query_string=query)
        return answer.status_code, answer.json if answer.is_json else answer.data


def test_every_operation_needs_the_one_scope_of_its_resource_and_method():
    client = Client()
    for operation in API_OPERATIONS.values():
        needed, sibling = scopes(operation)
        others = [name for name in CATALOGUE if name != "all" and name not in (needed, sibling)]
        status, body = by_key = client.with_key(operation)

        assert status == 200 if operation.method == "GET" else status in (400, 404), (operation.id, body)
        assert by_key == client.with_scope(operation, needed) == client.with_scope(operation, "all"), operation.id
        assert client.with_scope(operation, sibling) == FORBIDDEN, operation.id
        assert client.with_scope(operation, *others) == FORBIDDEN, operation.id


def test_the_list_of_scopes_has_the_prefixes_by_which_operations_are_covered(realm):
    listed = {row["name"]: row["api_endpoints"] for row in realm.open("GET", "/realms/partner/scopes").json["scopes"]}

    assert listed["contacts:read"] == listed["contacts:write"] == ["/contacts"]
    assert listed["crm:read"] == []
    for operation in API_OPERATIONS.values():
        path = f"{operation.path.removeprefix('/v3')}/"
        covering = {name for name, prefixes in listed.items() if any(path.startswith(f"{one}/") for one in prefixes)}
        resource = scopes(operation)[0].partition(":")[0]
        assert covering == {f"{resource}:read", f"{resource}:write"}, operation.id


def test_a_token_that_may_write_does_write(realm):
    token = realm.tokens(scope="account:write")["access_token"]
    sender = {"name": "New", "email": "new@group.test"}

    assert realm.call(token, "POST", json=sender).status_code == 201
    assert "new@group.test" in realm.api.get("/v3/senders", key="key-group").text


def test_the_journal_tells_which_scope_is_missing(realm):
    token = realm.tokens(scope="contacts:read")["access_token"]
    realm.call(token)

    entry = realm.api.get("/_mock/requests").json["items"][0]
    assert entry["reason"] == "getSenders requires the scope account:read; the token has contacts:read"


def test_a_fault_comes_before_the_scope_is_checked(realm):
    token = realm.tokens(scope="contacts:read")["access_token"]
    realm.api.post("/_mock/faults", json={"fault": "server_error", "times": 1})

    # A token that is not good meets no fault.
    assert [realm.call(sent).status_code for sent in ("none", token, token)] == [401, 500, 403]


def test_the_role_is_checked_whatever_the_scopes(realm):
    token = realm.tokens("other-app", "keeper@shop.test", scope="all")["access_token"]

    assert realm.call(token, path="/v3/corporate/masterAccount").status_code == 403
    reason = realm.api.get("/_mock/requests").json["items"][0]["reason"]
    assert reason == "getMasterAccount requires the role master; account shop has the role admin"


def test_a_token_from_an_address_that_is_not_authorised_is_refused(make_realm):
    realm = make_realm(behaviour={"authorised_ips": ["203.0.113.0/24"]})
    answer = realm.call(realm.tokens()["access_token"])

    assert (answer.status_code, answer.json["code"]) == (401, "unauthorized")
    assert "unrecognised IP address 127.0.0.1" in answer.json["message"]


def test_keys_and_tokens_count_against_one_limit(realm):
    token = realm.tokens()["access_token"]
    answers = [realm.api.get("/v3/senders", key="key-group"), realm.call(token)]

    assert [answer.headers["x-sib-ratelimit-limit"] for answer in answers] == ["100", "100"]
    assert [answer.headers["x-sib-ratelimit-remaining"] for answer in answers] == ["99", "98"]
    assert answers[1].headers["x-sib-ratelimit-reset"] == "3600"


def test_an_unknown_address_is_told_only_to_who_has_a_good_token(realm):
    token = realm.tokens()["access_token"]

    assert realm.call(token, path="/v3/nowhere").status_code == 404
    assert realm.call("none", path="/v3/nowhere").status_code == 401


def test_a_token_opens_the_account_of_the_user_who_consented(realm):
    for user, sender in [("boss@group.test", "news@group.test"), ("keeper@shop.test", "news@shop.test")]:
        token = realm.tokens(user=user)["access_token"]

        assert [row["email"] for row in realm.call(token).json["senders"]] == [sender]
        assert realm.api.get("/_mock/requests").json["items"][0]["account"] == user.partition("@")[2].partition(".")[0]


def test_a_key_wins_over_a_token(realm):
    for token in ("good", "bad"):
        sent = realm.tokens(user="keeper@shop.test")["access_token"] if token == "good" else "none"

        answer = realm.call(sent, headers={"api-key": "key-foreign"})
        assert [row["email"] for row in answer.json["senders"]] == ["news@foreign.test"]


def test_a_key_that_is_refused_is_not_made_good_by_a_token(make_realm, story):
    story["accounts"][0]["revoked_keys"] = ["key-old"]
    realm = make_realm()

    assert realm.call(realm.tokens()["access_token"], headers={"api-key": "key-old"}).status_code == 401


def test_an_empty_key_counts_as_none(realm):
    assert realm.call(realm.tokens()["access_token"], headers={"api-key": ""}).status_code == 200


def test_the_scheme_is_known_in_any_case(realm):
    for scheme in ("Bearer", "bearer", "BEARER"):
        token = realm.tokens()["access_token"]

        assert realm.open("GET", "/v3/senders", headers={"Authorization": f"{scheme} {token}"}).status_code == 200
