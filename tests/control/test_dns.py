import pytest

PENDING = {"domains": [{"name": "acme.test"}]}


RECORDS = ("brevo_code", "dkim_record", "dmarc_record")


@pytest.fixture
def api(make_api):
    return make_api("empty")


def answers(**records):
    return {"domain": "acme.test", **dict.fromkeys(RECORDS, "missing"), **records}


def test_a_record_that_nobody_has_published_is_missing(api):
    assert api.get("/_mock/dns/acme.test").json == answers()


def test_only_the_records_that_are_named_change(make_api):
    api = make_api(PENDING)
    api.put("/_mock/dns/acme.test", json={"brevo_code": "ok"})

    assert api.put("/_mock/dns/ACME.test", json={"dkim_record": "wrong"}).json == answers(
        brevo_code="ok", dkim_record="wrong"
    )


def test_dns_can_be_published_before_the_domain_is_added(api):
    api.put("/_mock/dns/acme.test", json=dict.fromkeys(RECORDS, "ok"))

    api.post("/v3/senders/domains", json={"name": "acme.test"})

    assert api.put("/v3/senders/domains/acme.test/authenticate").status_code == 200


def test_a_scenario_can_say_what_dns_says(make_api):
    api = make_api({"dns": {"acme.test": {"brevo_code": "timeout"}}})

    assert api.get("/_mock/dns/acme.test").json == answers(brevo_code="timeout")


def test_what_was_published_goes_with_the_domain(make_api):
    api = make_api({"domains": [{"name": "acme.test", "state": "authenticated"}]})

    api.delete("/v3/senders/domains/acme.test")

    assert api.get("/_mock/dns/acme.test").json == answers()


@pytest.mark.parametrize(
    ("body", "path"),
    [({"brevo_code": "fine"}, "/brevo_code"), ({"spf": "ok"}, "/spf"), ({}, ""), ({"dkim_record": 1}, "/dkim_record")],
)
def test_a_bad_change_names_its_mistake(api, body, path):
    answer = api.put("/_mock/dns/acme.test", json=body)

    assert (answer.status_code, [error["path"] for error in answer.json["errors"]]) == (400, [path])
    assert api.get("/_mock/dns/acme.test").json == answers()


@pytest.mark.parametrize("name", ["localhost", "-a.test", "a..test", "a_b.test"])
def test_what_is_no_host_name_is_refused(api, name):
    assert api.put(f"/_mock/dns/{name}", json={"brevo_code": "ok"}).status_code == 400
