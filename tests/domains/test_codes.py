"""Which code proves a domain, and which code an answer has."""

import pytest


def code(answer):
    return answer.json["dns_records"]["brevo_code"]["value"]


def test_all_domains_of_an_account_are_proved_by_one_code(make_api):
    api = make_api({"accounts": [{"name": name, "api_keys": [name]} for name in ("acme", "other")]})

    first, second, other = (
        code(api.post("/v3/senders/domains", key=key, json={"name": name}))
        for key, name in [("acme", "a.test"), ("acme", "b.test"), ("other", "a.test")]
    )

    assert first == second != other


def test_the_code_outlives_the_domains(make_api):
    api = make_api("empty")
    first = code(api.post("/v3/senders/domains", json={"name": "a.test"}))
    api.delete("/v3/senders/domains/a.test")

    api.post("/_mock/reset", json={"scenario": api.get("/_mock/state").json})

    assert code(api.post("/v3/senders/domains", json={"name": "b.test"})) == first


@pytest.mark.parametrize(
    "scenario",
    [
        {"brevo_code": "a" * 32},
        {"domains": [{"name": "acme.test", "code": "a" * 32}]},
        {"brevo_code": "a" * 32, "domains": [{"name": "acme.test", "code": "b" * 32}]},
    ],
)
def test_a_new_domain_has_the_code_that_a_scenario_gives(make_api, scenario):
    api = make_api(scenario)

    assert code(api.post("/v3/senders/domains", json={"name": "new.test"})) == f"brevo-code:{'a' * 32}"


@pytest.mark.parametrize(
    ("codes", "told"), [("specification", "DNS records not properly configured"), ("observed", "bad_request")]
)
@pytest.mark.parametrize("is_fault", [False, True])
def test_recorded_codes_replace_sentences_where_the_scenario_says_so(make_api, codes, told, is_fault):
    api = make_api({"behaviour": {"sentence_codes": codes}, "domains": [{"name": "acme.test"}]})
    if is_fault:
        api.post("/_mock/faults", json={"fault": "dns_failure"})

    answer = api.put("/v3/senders/domains/acme.test/authenticate")

    assert (answer.status_code, answer.json["code"]) == (400, told)
    assert answer.json["message"].startswith("The domain cannot be authenticated.")


def test_coverage_counts_the_specified_code_for_a_recorded_one(make_api):
    api = make_api({"behaviour": {"sentence_codes": "observed"}, "domains": [{"name": "acme.test"}]})

    api.put("/v3/senders/domains/acme.test/authenticate")

    met = api.get("/_mock/coverage").json["operations"]["authenticateDomain"]["codes"]
    assert sum(met["DNS records not properly configured"].values()) == 1


def test_code_without_a_recorded_answer_stays(make_api):
    api = make_api({"behaviour": {"sentence_codes": "observed"}, "domains": [{"name": "acme.test"}]})

    answer = api.post("/v3/senders/domains", json={"name": "acme.test"})

    assert answer.json["code"] == "Domain already exists in your account"


def test_broken_record_of_an_authenticated_domain_leaves_its_ownership(make_api):
    api = make_api({"domains": [{"name": "acme.test", "state": "authenticated"}]})

    assert api.post("/_mock/machines/domain/acme.test/dns_broken").json["state"] == "verified"

    shown = api.get("/v3/senders/domains/acme.test").json
    assert (shown["verified"], shown["authenticated"]) == (True, False)


@pytest.mark.parametrize("record", ["brevo_code", "dkim_record", "dmarc_record"])
def test_authenticated_domain_is_authenticated_nowhere_after_a_record_is_lost(make_api, record):
    api = make_api({"domains": [{"name": "acme.test", "state": "authenticated"}], "dns": {"acme.test": {}}})
    strict = dict.fromkeys(("brevo_code", "dkim_record", "dmarc_record"), "ok")
    api.put("/_mock/dns/acme.test", json={**strict, "dmarc_policy": "reject"})
    assert api.put("/v3/senders/domains/acme.test/authenticate").status_code == 200

    api.put("/_mock/dns/acme.test", json={record: "missing"})

    is_verified = record != "brevo_code"
    (listed,) = api.get("/v3/senders/domains").json["domains"]
    shown = api.get("/v3/senders/domains/acme.test").json
    assert [(row["verified"], row["authenticated"]) for row in (listed, shown)] == [(is_verified, False)] * 2
    state = api.get("/_mock/machines/domain/acme.test").json["state"]
    assert state == ("verified" if is_verified else "pending")
    webhook = {"type": "inbound", "url": "http://a.test", "domain": "acme.test", "events": ["inboundEmailProcessed"]}
    refused = {
        "/authenticate": api.put("/v3/senders/domains/acme.test/authenticate"),
        "sender": api.post("/v3/senders", json={"name": "A", "email": "a@acme.test"}),
        "webhook": api.post("/v3/webhooks", json=webhook),
    }
    assert {name: (answer.status_code, answer.json["code"]) for name, answer in refused.items()} == {
        "/authenticate": (400, "DNS records not properly configured"),
        "sender": (400, "DMARC policy requires domain authentication"),
        "webhook": (400, "invalid_parameter"),
    }
