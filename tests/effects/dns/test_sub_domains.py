"""A sub-domain's records, under their full names, and the policy that it has of its own or inherits."""

import pytest

pytestmark = pytest.mark.knot


@pytest.mark.parametrize(
    ("name", "policy"), [("news.firm.test", "quarantine"), ("own.firm.test", "none"), ("junk.firm.test", "quarantine")]
)  # fmt: skip
def test_a_sub_domain_inherits_the_record_that_it_does_not_have(nameserver, asking, authenticate, name, policy):
    api = asking(nameserver, name)

    answer, seen, _ = authenticate(api, name)

    assert (answer.status_code, set(seen.values())) == (200, {"ok"})
    assert api.get(f"/_mock/dns/{name}").json["dmarc_policy"] == policy


def test_without_any_record_the_one_of_the_sub_domain_is_missing(nameserver, asking, authenticate):
    _, seen, reason = authenticate(asking(nameserver, "news.address.test"), "news.address.test")

    assert seen["dmarc_record"] == "missing"
    assert "dmarc_record (TXT _dmarc.news.address.test) missing" in reason


def test_the_policy_that_dns_has_keeps_senders_away(nameserver, asking, authenticate):
    api = asking(nameserver, "firm.test")
    authenticate(api, "firm.test")

    answer = api.post("/v3/senders", json={"name": "Ops", "email": "ops@firm.test"})

    assert (answer.status_code, answer.json["code"]) == (400, "DMARC policy requires domain authentication")


def test_an_international_name_is_asked_for_in_a_labels(nameserver, asking, authenticate):
    answer, _, _ = authenticate(asking(nameserver, "bücher.test"), "BÜCHER.test")

    assert (answer.status_code, answer.json["domain_name"]) == (200, "xn--bcher-kva.test")


def test_the_label_is_asked_for_whatever_is_told(stub, asking, authenticate):
    authenticate(asking(stub.address, "news.good.test"), "news.good.test")

    assert sorted(question.split()[0] for question in stub.questions) == [
        "_dmarc.good.test.", "_dmarc.news.good.test.", "mail._domainkey.news.good.test.", "news.good.test.",
    ]  # fmt: skip


def test_a_silent_server_changes_no_policy(stub, asking, authenticate, impatient):
    api = asking(stub.address)
    api.put("/_mock/dns/good.test", json={"dmarc_policy": "reject"})
    stub.reply = lambda question: None

    authenticate(api)

    assert api.get("/_mock/dns/good.test").json["dmarc_policy"] == "reject"


def test_what_a_server_says_makes_no_domain_of_free_mailboxes_ones_own(stub, asking, authenticate):
    answer, seen, reason = authenticate(asking(stub.address, "gmail.com"), "gmail.com")

    assert (answer.status_code, set(seen.values())) == (400, {"ok"})
    assert "provider of free mailboxes" in reason
