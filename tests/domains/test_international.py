"""International domains: each of the two spellings finds a domain, whichever of them it was made with."""

import pytest

UNICODE, ASCII = "bücher.test", "xn--bcher-kva.test"
SPELLINGS = pytest.mark.parametrize(
    ("written", "asked"), [(UNICODE, ASCII), (ASCII, UNICODE), (UNICODE, "BÜCHER.Test")]
)


@SPELLINGS
def test_international_domain_is_found_in_both_spellings(make_api, written, asked):
    api = make_api({"domains": [{"name": written, "state": "verified"}]})

    found = api.get(f"/v3/senders/domains/{asked}")

    assert (found.status_code, found.json["domain"], found.json["verified"]) == (200, ASCII, True)
    assert api.get(f"/_mock/machines/domain/{asked}").json["key"] == ASCII
    assert api.post(f"/_mock/machines/domain/{asked}/delete").status_code == 200


@SPELLINGS
def test_senders_of_a_domain_are_found(make_api, written, asked):
    api = make_api({"senders": [{"name": "Ops", "email": f"ops@{written}"}]})

    found = api.get("/v3/senders", query_string={"domain": asked}).json["senders"]

    assert [row["email"] for row in found] == [f"ops@{written}"]


@SPELLINGS
def test_dns_of_a_scenario_proves_a_domain_in_either_spelling(make_api, written, asked):
    api = make_api({"dns": {written: {"brevo_code": "ok"}}})

    api.post("/v3/senders/domains", json={"name": asked})

    assert api.get(f"/v3/senders/domains/{written}").json["verified"]


@SPELLINGS
def test_a_trusted_domain_needs_no_code(make_api, written, asked):
    behaviour = {"trust_authenticated_domains": True}
    api = make_api({"behaviour": behaviour, "domains": [{"name": written, "state": "authenticated"}]})

    api.post("/v3/senders", json={"name": "Ops", "email": f"ops@{asked}"})

    assert api.get("/v3/senders").json["senders"][0]["active"]


@SPELLINGS
def test_strict_dmarc_policy_refuses_senders_in_either_spelling(make_api, written, asked):
    api = make_api({"dns": {written: {"dmarc_policy": "quarantine"}}})

    assert api.post("/v3/senders", json={"name": "Ops", "email": f"ops@news.{asked}"}).status_code == 400


@SPELLINGS
def test_a_mail_reaches_the_webhook_of_its_domain(make_api, written, asked):
    webhook = {"url": "http://127.0.0.1:9/", "type": "inbound", "domain": written}
    api = make_api({"webhooks": [webhook], "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}})

    api.post("/_mock/inbound", json={"sender": "bob@example.test", "recipient": f"reply@{asked}"})

    assert api.get("/_mock/deliveries").json["count"] == 1


@SPELLINGS
def test_received_mails_are_found_by_their_sender(make_api, written, asked):
    event = {"date": "-PT1H", "sender": f"bob@{written}", "recipient": "reply@in.acme.test"}
    api = make_api({"inbound_events": [event]})

    assert len(api.get("/v3/inbound/events", query_string={"sender": f"Bob@{asked}"}).json["events"]) == 1


@SPELLINGS
def test_mails_are_found_by_their_recipient(make_api, written, asked):
    api = make_api("empty")
    api.post("/v3/senders", json={"name": "Ops", "email": f"ops@{written}"})

    assert api.get("/_mock/mailbox", query_string={"to": f"OPS@{asked}"}).json["count"] == 1


def test_the_dedicated_ip_of_a_domain_is_not_that_of_one_whose_name_ends_alike(make_api):
    domains = [{"name": "acme.test"}, {"name": "not-acme.test"}, {"name": ASCII}]
    ips = [{"id": 1, "ip": "198.51.100.7", "domain": "mail.not-acme.test"}]
    ips.append({"id": 2, "ip": "198.51.100.8", "domain": f"mail.{UNICODE}"})
    api = make_api({"domains": domains, "dedicated_ips": ips})

    shown = {row["domain_name"]: row["ip"] for row in api.get("/v3/senders/domains").json["domains"]}

    assert shown == {"acme.test": None, "not-acme.test": "198.51.100.7", ASCII: "198.51.100.8"}


@pytest.mark.parametrize("written", ["BÜCHER.test", "XN--Bcher-Kva.TEST"])
def test_a_webhook_of_a_scenario_shows_its_domain_in_a_labels(make_api, written):
    api = make_api({"webhooks": [{"id": 1, "url": "http://127.0.0.1:9/", "type": "inbound", "domain": written}]})

    assert api.get("/v3/webhooks/1").json["domain"] == ASCII


@pytest.mark.parametrize("written", ["BÜCHER.test", "XN--Bcher-Kva.TEST"])
def test_a_dedicated_ip_shows_its_domain_in_a_labels(make_api, written):
    api = make_api({"dedicated_ips": [{"id": 1, "ip": "198.51.100.7", "domain": written}]})

    assert [row["domain"] for row in api.get("/v3/senders/ips").json["ips"]] == [ASCII]


@pytest.mark.parametrize("written", ["localhost", "1.2.3.4", "two words.test"])
def test_a_dedicated_ip_goes_with_the_name_of_a_domain(make_api, written):
    api = make_api("empty")

    answer = api.post("/_mock/seed", json={"dedicated_ips": [{"id": 1, "ip": "198.51.100.7", "domain": written}]})

    assert (answer.status_code, answer.json["errors"][0]["path"]) == (400, "/dedicated_ips/0/domain")


@pytest.mark.parametrize("written", [f"MAIL.{UNICODE}", f"MAIL.{ASCII.upper()}"])
def test_the_share_of_a_sender_shows_the_domain_of_its_ip(make_api, written):
    ip = {"ip": "198.51.100.7", "domain": f"mail.{UNICODE}"}
    other = {"name": "Ops", "email": "ops@acme.test", "ips": [{**ip, "domain": written}]}
    api = make_api({"dedicated_ips": [{"id": 1, **ip}], "senders": [{"name": "News", "email": "a@acme.test"}, other]})

    assert api.put("/v3/senders/1", json={"ips": [{**ip, "domain": written}]}).status_code == 204

    shown = {share["domain"] for row in api.get("/v3/senders").json["senders"] for share in row["ips"]}
    shown |= {row["domain"] for number in (1, 2) for row in api.get(f"/v3/senders/{number}/ips").json["ips"]}
    assert shown == {f"mail.{ASCII}"}
