"""A name with dots at its end is no host name: it is neither created nor found, wherever a name is expected."""

import pytest

MINE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [{"id": 1, "name": "Ada", "email": "ada@acme.test", "state": "verified"}],
    "domains": [{"name": "acme.test", "state": "authenticated"}],
    "dedicated_ips": [{"id": 1, "ip": "198.51.100.7", "domain": "acme.test"}],
    "blocked_contacts": [{"email": "bob@bücher.test"}],
    "contacts": [{"email": "bob@bücher.test"}],
}
WRITTEN = ["acme.test.", "acme.test..", "ACME.test...", "acme.test。", "%C3%A4cme.test.."]

pytestmark = [pytest.mark.api(MINE), pytest.mark.parametrize("written", WRITTEN)]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v3/senders/domains/{}"), ("DELETE", "/v3/senders/domains/{}"),
        ("PUT", "/v3/senders/domains/{}/authenticate"), ("GET", "/v3/contacts/bob@bücher.test.."),
        ("GET", "/_mock/machines/domain/{}"), ("POST", "/_mock/machines/domain/{}/delete"),
    ],
)  # fmt: skip
def test_domain_is_not_found_by_a_name_with_trailing_dots(api, method, path, written):
    before = api.get("/_mock/state").json

    assert api.request(method, path.format(written)).status_code == 404
    assert api.get("/_mock/state").json == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v3/senders/domains", {"name": "{}"}),
        ("POST", "/v3/senders", {"name": "Eve", "email": "eve@{}"}),
        ("PUT", "/v3/senders/1", {"ips": [{"domain": "{}", "ip": "198.51.100.7"}]}),
        ("POST", "/v3/webhooks", {"type": "inbound", "url": "http://127.0.0.1:9/", "domain": "{}"}),
        ("DELETE", "/v3/smtp/blockedContacts/bob@{}", None),
        ("POST", "/v3/smtp/email", {"sender": {"email": "ada@{}"}, "to": [{"email": "bob@x.test"}], "subject": "Hi",
                                    "textContent": "Hi"}),
        ("PUT", "/_mock/dns/{}", {"brevo_code": "wrong"}),
        ("GET", "/_mock/dns/{}", None),
        ("POST", "/_mock/inbound", {"to": "ada@{}", "text": "Hi"}),
        ("POST", "/_mock/seed", {"dns": {"{}": {"brevo_code": "wrong"}}}),
        ("POST", "/_mock/seed", {"domains": [{"name": "{}"}]}),
        ("POST", "/_mock/seed", {"webhooks": [{"type": "inbound", "url": "http://127.0.0.1:9/", "domain": "{}"}]}),
    ],
)  # fmt: skip
def test_name_with_trailing_dots_is_refused(api, method, path, body, written):
    before = api.get("/_mock/state").json

    answer = api.request(method, path.format(written), json=_filled(body, written))

    assert answer.status_code == 400
    assert api.get("/_mock/state").json == before


def test_senders_are_not_found_by_a_domain_with_trailing_dots(api, written):
    assert api.get("/v3/senders", query_string={"domain": written}).json["senders"] == []


def _filled(body, written):
    if isinstance(body, str):
        return body.replace("{}", written)
    if isinstance(body, dict):
        return {_filled(name, written): _filled(value, written) for name, value in body.items()}
    return [_filled(value, written) for value in body] if isinstance(body, list) else body
