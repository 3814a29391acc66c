"""What a real name server with real zones says about the records of a domain."""

import pytest
from tables import tables

#: The tables of the tests by name.
CASES = tables(__file__)
pytestmark = pytest.mark.knot

RECORDS = ("brevo_code", "dkim_record", "dmarc_record")


def test_a_domain_whose_records_are_published_is_authenticated(nameserver, asking, authenticate):
    api = asking(nameserver)

    answer, seen, reason = authenticate(api)

    assert (answer.status_code, seen, reason) == (200, dict.fromkeys(RECORDS, "ok"), None)
    configuration = api.get("/v3/senders/domains/good.test").json
    assert (configuration["verified"], configuration["authenticated"]) == (True, True)
    assert all(record["status"] for record in configuration["dns_records"].values())


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("among.test", "brevo_code"), ("large.test", "brevo_code"), ("split.test", "brevo_code"),
        ("split.test", "dkim_record"), ("alias.test", "dkim_record"), ("alias.test", "dmarc_record"),
        ("strict.test", "dmarc_record"), ("beside.test", "dmarc_record"),
    ],
)  # fmt: skip
def test_a_record_is_found_however_it_is_published(nameserver, asking, authenticate, name, record):
    _, seen, reason = authenticate(asking(nameserver, name), name)

    assert seen[record] == "ok"
    assert f"{record} (" not in reason


@pytest.mark.parametrize(("name", "record", "status", "told"), CASES["a_record_that_is_not_right"])
def test_a_record_that_is_not_right_is_told_with_what_dns_has(
    nameserver, asking, authenticate, name, record, status, told
):
    answer, seen, reason = authenticate(asking(nameserver, name), name)

    assert (answer.status_code, answer.json["code"]) == (400, "DNS records not properly configured")
    assert f") {status}" in reason
    assert seen[record] == status
    assert told in reason


def test_names_are_compared_without_case_and_last_dot(nameserver, asking, authenticate):
    _, seen, _ = authenticate(asking(nameserver, "pair.test", dkim="cname"), "PAIR.test")

    assert seen["dkim_record"] == "ok"


def test_of_two_records_for_dkim_the_one_that_is_missing_is_named(nameserver, asking, authenticate):
    api = asking(nameserver, "half.test", dkim="cname")

    _, seen, reason = authenticate(api, "half.test")

    assert seen["dkim_record"] == "missing"
    assert "dkim2Record (CNAME brevo2._domainkey.half.test) missing" in reason
    assert "brevo2._domainkey.half.test does not exist (NXDOMAIN)" in reason
    assert "dkim1Record" not in reason
    records = api.get("/v3/senders/domains/half.test").json["dns_records"]
    assert (records["dkim1Record"]["status"], records["dkim2Record"]["status"]) == (True, False)


def test_records_that_lead_to_each_others_names_are_wrong(nameserver, asking, authenticate):
    _, seen, reason = authenticate(asking(nameserver, "crossed.test", dkim="cname"), "crossed.test")

    told = "brevo1._domainkey.crossed.test has 'b2.crossed-test.dkim.brevo.com', expected 'b1."
    assert (seen["dkim_record"], told in reason) == ("wrong", True)


def test_what_is_said_by_hand_holds_until_dns_is_asked_again(nameserver, asking, authenticate):
    api = asking(nameserver, "half.test", dkim="cname")
    authenticate(api, "half.test")

    api.put("/_mock/dns/half.test", json={"dkim_record": "ok"})

    records = api.get("/v3/senders/domains/half.test").json["dns_records"]
    assert records["dkim2Record"]["status"] is True
    assert authenticate(api, "half.test")[1]["dkim_record"] == "missing"


def test_a_domain_falls_back_when_dns_has_lost_its_records(nameserver, asking, authenticate):
    api = asking(nameserver, "among.test", state="authenticated")

    answer, _, _ = authenticate(api, "among.test")

    configuration = api.get("/v3/senders/domains/among.test").json
    assert (answer.status_code, configuration["verified"], configuration["authenticated"]) == (400, True, False)


def test_reading_or_creating_a_domain_sends_no_dns_query(stub, asking):
    api = asking(stub.address)

    assert api.get("/v3/senders/domains/good.test").json["verified"] is False
    assert api.post("/v3/senders/domains", json={"name": "new.test"}).status_code == 200
    assert stub.questions == []
